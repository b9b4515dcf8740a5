"""Could a gap this large come from labels that mean nothing?

The axis labels of the construct arm are exchanged with every grade held fixed. Exchange keeps the
grouping by base item (appendix A.2 of the construct-validity reference): labels move within a base
item, and whole base items with the same number of edits trade their labels. So a base item whose
edits rise and fall together stays together in the null, and its sensitivity cannot pass for an
axis effect. The p-value is (1 + nulls at least as extreme) / (1 + permutations), never zero.

`scheme="free"` exchanges labels over all edits, which is right only where the labels were assigned
without regard to base items.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Floats, Ints

__all__ = ["PermutationTest", "Scheme", "axis_permutation"]

Scheme = Literal["base_items", "free"]
_BLOCK_CELLS = 1 << 21


@dataclass(frozen=True)
class PermutationTest:
    """An observed contrast against its permutation null.

    Attributes:
        estimate: The contrast on the data.
        p: Two-sided, with the +1 rule.
        largest_null: The largest absolute contrast among the permutations.
        null_mean: Mean of the null.
        permutations: Number of permutations in which the contrast is defined.
        scheme: What was exchangeable.
    """

    estimate: float
    p: float
    largest_null: float
    null_mean: float
    permutations: int
    scheme: Scheme


def axis_permutation(
    base: Ints,
    first: Bools,
    changed: Bools,
    counted: Bools,
    permutations: int,
    rng: np.random.Generator,
    scheme: Scheme = "base_items",
) -> PermutationTest:
    """Permutation test of R(first axis) - R(second axis), the mean over judges.

    Args:
        base: Base item of each construct edit, ascending; shape (edits,).
        first: Edits of the first axis, the others being of the second; shape (edits,).
        changed: Whether each judge's verdict changed; shape (judges, edits).
        counted: Whether both members are graded; shape (judges, edits).
        permutations: How many.
        rng: Source of the exchanges.
        scheme: What is exchangeable.

    Raises:
        StatisticsError: Shapes differ, or an axis has no graded edit for some judge.
    """
    if changed.shape != counted.shape or changed.shape[-1:] != first.shape != base.shape:
        raise StatisticsError("`changed` and `counted` must be of shape (judges, edits)")
    if permutations < 1:
        raise StatisticsError(f"`permutations` must be at least 1; got {permutations}")
    parts = _by_pattern(base, changed, counted)
    observed = float(_contrast(first[None, :].astype(np.float64), parts)[0])
    if np.isnan(observed):
        raise StatisticsError("the contrast needs a graded edit of each axis for every judge")
    null = []
    for labels in _exchanges(base, first, permutations, rng, scheme):
        null.append(_contrast(labels, parts))
    drawn = np.concatenate(null)
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) == 0:
        raise StatisticsError("the contrast is defined in no permutation")
    extreme = int((np.abs(drawn) >= abs(observed) - 1e-12).sum())
    return PermutationTest(
        estimate=observed,
        p=(1 + extreme) / (1 + len(drawn)),
        largest_null=float(np.abs(drawn).max()),
        null_mean=float(drawn.mean()),
        permutations=len(drawn),
        scheme=scheme,
    )


@dataclass(frozen=True)
class _Part:
    """Judges that grade the same edits: where base items start, mean change, share of judges."""

    kept: Ints
    starts: Ints
    change: Floats
    weight: float


def _by_pattern(base: Ints, changed: Bools, counted: Bools) -> list[_Part]:
    """Judges with the same graded edits are one part: the mean over judges is linear in changes."""
    patterns, where = np.unique(counted, axis=0, return_inverse=True)
    parts = []
    for p, pattern in enumerate(patterns):
        judges = where.ravel() == p
        kept = np.flatnonzero(pattern)
        if len(kept) == 0:
            raise StatisticsError("a judge without a graded construct edit has no contrast")
        starts = np.flatnonzero(np.r_[True, np.diff(base[kept]) > 0])
        parts.append(
            _Part(kept, starts, changed[judges][:, kept].mean(axis=0), float(judges.mean()))
        )
    return parts


def _contrast(labels: Floats, parts: list[_Part]) -> Floats:
    """Mean over judges of R(label 1) - R(label 0) for each row of labels."""
    total = np.zeros(len(labels))
    for part in parts:
        ones = labels if len(part.kept) == labels.shape[1] else labels[:, part.kept]
        all_edits = np.diff(np.r_[part.starts, len(part.kept)]).astype(np.float64)
        all_hits = np.add.reduceat(part.change, part.starts)
        edits = np.add.reduceat(ones, part.starts, axis=1)
        hits = np.add.reduceat(ones * part.change, part.starts, axis=1)
        total += part.weight * (_rate(hits, edits) - _rate(all_hits - hits, all_edits - edits))
    return total


def _rate(hits: Floats, edits: Floats) -> Floats:
    has = edits > 0
    n = has.sum(axis=1)
    share = np.divide(hits, edits, out=np.zeros_like(hits), where=has)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n > 0, share.sum(axis=1) / n, np.nan)


def _exchanges(
    base: Ints, first: Bools, permutations: int, rng: np.random.Generator, scheme: Scheme
) -> Iterator[Floats]:
    rows = max(1, _BLOCK_CELLS // len(base))
    plan = _blocks(base, scheme)
    labels = first.astype(np.float64)
    for start in range(0, permutations, rows):
        some = min(rows, permutations - start)
        drawn = np.empty((some, len(base)))
        for cells in plan:
            # Whole rows (base items) trade places, then labels trade places within each row.
            n_items, size = cells.shape
            kept = np.broadcast_to(labels[cells], (some, n_items, size))
            if n_items > 1:
                order = rng.permuted(np.tile(np.arange(n_items), (some, 1)), axis=1)
                kept = labels[cells][order]
            if size > 1:
                kept = rng.permuted(kept, axis=2)
            drawn[:, cells.ravel()] = kept.reshape(some, -1)
        yield drawn


def _blocks(base: Ints, scheme: Scheme) -> list[Ints]:
    """Edits as (base items, edits of each), one array for each number of edits."""
    if scheme == "free":
        return [np.arange(len(base))[None, :]]
    starts = np.flatnonzero(np.r_[True, np.diff(base) > 0])
    sizes = np.diff(np.r_[starts, len(base)])
    return [starts[sizes == size][:, None] + np.arange(size)[None, :] for size in np.unique(sizes)]
