"""How much of a bounded difference in differences can censoring alone make?

A latent fall that both responses share is no preference, but a response near a bound shows less of
it. Three steps, on ratings that are there already: count the items with a response pinned at a
bound in every arm (its shift is zero, so the endpoint is the other response's shift); split the
endpoint on that; transport the free response's observed shift onto the other, clip it to the scale,
and see what endpoint comes out with no preference at all. This is a diagnosis: no de-censored
estimate is made, and what is left over bounds nothing.

Source: bounded-scale-audit, section 6.1 and the passages on headroom and ceiling masking.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import fisher_exact

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Floats
from judgeprobe.stats.bounded import cluster_means
from judgeprobe.stats.bounded_cells import CONTROL, OTHER, POSITIVE, TREATED, Cells, shifts
from judgeprobe.stats.checks import same_length

__all__ = [
    "Headroom",
    "Masking",
    "Pinned",
    "Reconstruction",
    "headroom",
    "masking",
    "moved_by_bound",
    "pinned",
    "reconstruct",
]

_NEAR = 1e-9


@dataclass(frozen=True)
class Pinned:
    """Where responses sit at a bound.

    Attributes:
        low: At the lowest rating in every arm; shape (items, 2).
        high: At the highest rating in every arm.
        partly: At one bound in some arm but not in every arm.
    """

    low: Bools
    high: Bools
    partly: Bools

    @property
    def either(self) -> Bools:
        """Pinned at either bound; shape (items, 2)."""
        return np.asarray(self.low | self.high)

    @property
    def items(self) -> Bools:
        """Items with a pinned response; shape (items,)."""
        return np.asarray(self.either.any(axis=1))


@dataclass(frozen=True)
class Headroom:
    """How far the endpoint could move from where the control arm stands.

    Attributes:
        up: Rating points in the positive direction.
        down: Rating points in the negative direction.
        separation: Positive less other response in the control arm; down - up is twice that.
    """

    up: float
    down: float
    separation: float


@dataclass(frozen=True)
class Reconstruction:
    """The endpoint of a construction without preference.

    Attributes:
        source: Response whose observed shift is transported: 0 (positive) or 1 (other).
        estimate: The mean of cluster means that it gives, in rating points.
        rounded: The same with the transported ratings rounded to the lattice.
        full_clip: The same if the other response had not moved at all.
        items: The construction's endpoint of each item.
    """

    source: int
    estimate: float
    rounded: float
    full_clip: float
    items: Floats


@dataclass(frozen=True)
class Masking:
    """Did units at a bound move inwards less often than the others?

    Attributes:
        at_bound: Units at the bound in the control arm.
        at_bound_moved: Those of them that moved away from it under treatment.
        away: The other units.
        away_moved: Those of them that moved in the same direction.
        p: Fisher's exact two-sided p-value; None where a margin is empty.
    """

    at_bound: int
    at_bound_moved: int
    away: int
    away_moved: int
    p: float | None


def pinned(cells: Cells) -> Pinned:
    """Which responses sit at a bound in every arm that the item has."""
    low, high = cells.at(cells.scale.low), cells.at(cells.scale.high)
    some: Bools = np.asarray(((low | high) & (cells.count > 0)).any(axis=2), dtype=np.bool_)
    every_low: Bools = np.asarray(low.all(axis=2), dtype=np.bool_)
    every_high: Bools = np.asarray(high.all(axis=2), dtype=np.bool_)
    return Pinned(every_low, every_high, some & ~every_low & ~every_high)


def headroom(cells: Cells) -> Headroom:
    """Mean headroom over items, from the control arm.

    Up: the positive response may rise to the top and the other fall to the bottom. Down: the other
    way round.
    """
    positive = cells.mean[:, POSITIVE, CONTROL].mean()
    other = cells.mean[:, OTHER, CONTROL].mean()
    low, high = cells.scale.low, cells.scale.high
    return Headroom(
        up=float(high - positive + other - low),
        down=float(positive - low + high - other),
        separation=float(positive - other),
    )


def choose_source(cells: Cells) -> int:
    """The freer response: fewer pinned items; where equal, farther from a bound on average."""
    counts = pinned(cells).either.sum(axis=0)
    if counts[POSITIVE] != counts[OTHER]:
        return int(np.argmin(counts))
    both = cells.mean[:, :, :2]
    away = np.minimum(both - cells.scale.low, cells.scale.high - both).mean(axis=(0, 2))
    return POSITIVE if away[POSITIVE] >= away[OTHER] - _NEAR else OTHER


def reconstruct(cells: Cells, source: int | None = None) -> Reconstruction:
    """The endpoint that a common shift and the bounds give together.

    The source's observed shift is added to each of the other response's control ratings, which are
    clipped to the scale and averaged again.

    Args:
        cells: The ratings.
        source: Whose shift is transported; None takes the freer response.

    Raises:
        StatisticsError: `source` is neither 0 nor 1.
    """
    chosen = choose_source(cells) if source is None else source
    if chosen not in (POSITIVE, OTHER):
        raise StatisticsError(f"`source` must be 0 or 1; got {source}")
    target = OTHER if chosen == POSITIVE else POSITIVE
    moved = shifts(cells)[:, chosen]
    kept = (cells.response == target) & (cells.arm == CONTROL)
    item, plain = cells.item[kept], cells.rating[kept]
    carried = plain + moved[item]
    sign = 1.0 if chosen == POSITIVE else -1.0
    count = np.bincount(item, minlength=cells.n_items)

    def made(values: Floats) -> Floats:
        shown = np.bincount(item, values - plain, minlength=cells.n_items) / count
        return np.asarray(sign * (moved - shown))

    clipped = made(cells.scale.clip(carried))
    rounded = made(cells.scale.lattice(carried))
    return Reconstruction(
        source=chosen,
        estimate=float(cluster_means(clipped, cells.cluster).mean()),
        rounded=float(cluster_means(rounded, cells.cluster).mean()),
        full_clip=float(cluster_means(sign * moved, cells.cluster).mean()),
        items=clipped,
    )


def masking(at_bound: ArrayLike, moved: ArrayLike) -> Masking:
    """Fisher's exact test of moving, at the bound against away from it.

    Args:
        at_bound: Whether each unit is at the bound in the control arm.
        moved: Whether it moved away from that bound (or, off it, in the same direction).

    Raises:
        StatisticsError: The vectors differ in length.
    """
    there, gone = np.asarray(at_bound, dtype=np.bool_), np.asarray(moved, dtype=np.bool_)
    same_length(at_bound=there, moved=gone)
    n, m = int(there.sum()), int((~there).sum())
    k, j = int((there & gone).sum()), int((~there & gone).sum())
    p = float(fisher_exact([[k, n - k], [j, m - j]]).pvalue) if n and m else None
    return Masking(n, k, m, j, p)


def moved_by_bound(cells: Cells, response: int, *, ceiling: bool) -> Masking:
    """Falls of units at the ceiling (or rises at the floor) against those of the other units."""
    bound = cells.scale.high if ceiling else cells.scale.low
    there = cells.at(bound)[:, response, CONTROL]
    moved = cells.mean[:, response, TREATED] - cells.mean[:, response, CONTROL]
    return masking(there, moved < -_NEAR if ceiling else moved > _NEAR)
