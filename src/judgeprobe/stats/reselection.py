"""How far would a rate move if the cut were chosen again with other base items?

An interval at a fixed cut is conditional on the cut. Here each resample draws its own frontier and
takes its own operating point, as the study did, so the interval carries the choice too. A judge
without a cut at the floor in a resample has no point there (NaN), as it would have in a study.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgeprobe.stats.arrays import Design, Floats
from judgeprobe.stats.bootstrap import Counts, Resamples
from judgeprobe.stats.frontier import Crossings, operating_cuts
from judgeprobe.stats.profile import share_tensor

__all__ = [
    "Reselected",
    "ShareChunk",
    "rates_at_chosen",
    "reselected_at",
    "reselected_draws",
    "share_chunks",
    "weighted_sums",
]

_CHUNK_CELLS = 1 << 22
_CACHE_CELLS = 1 << 25


@dataclass(frozen=True)
class Reselected:
    """One judge's rates at the cut chosen anew.

    Attributes:
        draws: Per resample: invariance S, construct R, R of each axis; (resamples, 2 + axes).
        jackknife: The same with each base item left out; (base items, 2 + axes).
    """

    draws: Floats
    jackknife: Floats


@dataclass(frozen=True)
class ShareChunk:
    """Some base items: shares (items, groups * cuts), and groups present (items, groups)."""

    first: int
    last: int
    shares: Floats
    has: Floats


def reselected_draws(
    design: Design, crossed: Crossings, floor: float, resamples: Resamples
) -> Reselected:
    """Rates at the operating point of every resample, and of every leave-one-out data set.

    Args:
        design: The pairs.
        crossed: One judge's crossings, with at least one cut.
        floor: Smallest S.
        resamples: Of the design's base items.
    """
    each_chunk = _kept_chunks(design, crossed)
    draws = [
        rates_at_chosen(sums, n, floor)
        for sums, n in _resampled(design, crossed, resamples, each_chunk)
    ]
    ones = np.ones((1, design.n_base))
    total, counted = weighted_sums(ones, each_chunk())
    left = [rates_at_chosen(total - c.shares, counted - c.has, floor) for c in each_chunk()]
    return Reselected(np.concatenate(draws), np.concatenate(left))


def reselected_at(
    design: Design, crossed: Crossings, floors: Sequence[float], resamples: Resamples
) -> Floats:
    """Rates at the point of every resample, for several floors in one pass.

    Args:
        design: The pairs.
        crossed: One judge's crossings, with at least one cut.
        floors: Smallest S of each.
        resamples: Of the design's base items.

    Returns:
        Shape (floors, resamples, 2 + axes), columns as in `Reselected`; NaN where no cut of a
        resample reaches the floor.
    """
    draws: list[list[Floats]] = [[] for _ in floors]
    for sums, n in _resampled(design, crossed, resamples, _kept_chunks(design, crossed)):
        for mine, floor in zip(draws, floors, strict=True):
            mine.append(rates_at_chosen(sums, n, floor))
    return np.stack([np.concatenate(mine) for mine in draws])


def _kept_chunks(design: Design, crossed: Crossings) -> Callable[[], Any]:
    """A way to go over the chunks again and again, kept in memory where they fit."""
    chunks: Any = share_chunks(design, crossed)
    if design.n_base * len(design.groups) * len(crossed.taus) <= _CACHE_CELLS:
        chunks = list(chunks)

    def each_chunk() -> Any:
        return chunks if isinstance(chunks, list) else share_chunks(design, crossed)

    return each_chunk


def _resampled(
    design: Design, crossed: Crossings, resamples: Resamples, each_chunk: Callable[[], Any]
) -> Iterator[tuple[Floats, Floats]]:
    """`weighted_sums` of the resamples, some rows at a time."""
    rows = max(1, (1 << 24) // (len(design.groups) * len(crossed.taus)))
    for block in resamples.blocks():
        for start in range(0, len(block), rows):
            yield weighted_sums(block[start : start + rows], each_chunk())


def share_chunks(design: Design, crossed: Crossings) -> Iterator[ShareChunk]:
    """Shares of changed edits at every cut, some base items at a time."""
    groups = design.groups
    items = max(1, _CHUNK_CELLS // (len(groups) * len(crossed.taus)))
    for first in range(0, design.n_base, items):
        last = min(first + items, design.n_base)
        parts = [share_tensor(design, members, crossed, first, last) for members in groups]
        yield ShareChunk(
            first,
            last,
            np.concatenate([share for share, _ in parts], axis=1),
            np.stack([has for _, has in parts], axis=1).astype(np.float64),
        )


def weighted_sums(counts: Counts, chunks: Any) -> tuple[Floats, Floats]:
    """Sums of shares (rows, groups * cuts) and of base items (rows, groups) under the counts."""
    sums: Any = 0.0
    n: Any = 0.0
    for chunk in chunks:
        weights = counts[:, chunk.first : chunk.last].astype(np.float64, copy=False)
        sums = sums + weights @ chunk.shares
        n = n + weights @ chunk.has
    return sums, n


def rates_at_chosen(sums: Floats, n: Floats, floor: float) -> Floats:
    """Rates of each row at its own operating point; NaN where it has none."""
    rows, groups = n.shape
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = sums.reshape(rows, groups, -1) / np.where(n > 0, n, np.nan)[:, :, None]
    rates[:, 0] = 1.0 - rates[:, 0]
    cut = operating_cuts(rates[:, 0], rates[:, 1], floor)
    found: Floats = rates[np.arange(rows), :, cut]
    found[cut < 0] = np.nan
    return found
