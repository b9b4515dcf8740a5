"""Could a gap this large come from labels that mean nothing?

The axis labels of the construct arm are exchanged with every grade held fixed. Exchange keeps the
grouping by base item (appendix A.2 of the construct-validity reference): labels move within a base
item, and whole base items with the same number of edits trade their labels. So a base item whose
edits rise and fall together stays together in the null, and its sensitivity cannot pass for an
axis effect. The p-value is (1 + nulls at least as extreme) / (1 + permutations), never zero.

`scheme="free"` exchanges labels over all edits, which is right only where the labels were assigned
without regard to base items.

The contrast of a judge is a difference of two ratios of sums over base items, and a base item's
share depends only on which of its labels are set. So the work is done per pattern of labels, for
all judges at once (`stats.label_patterns`), not per edit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.stats.label_patterns import Family, exchanged_freely, families

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
) -> tuple[PermutationTest, tuple[PermutationTest, ...]]:
    """Permutation test of R(first axis) - R(second axis): the mean over judges, and each judge.

    Args:
        base: Base item of each construct edit, ascending; shape (edits,).
        first: Edits of the first axis, the others being of the second; shape (edits,).
        changed: Whether each judge's verdict changed; shape (judges, edits).
        counted: Whether both members are graded; shape (judges, edits).
        permutations: How many.
        rng: Source of the exchanges.
        scheme: What is exchangeable.

    Returns:
        The test of the mean, and one test a judge, all from the same permutations.

    Raises:
        StatisticsError: Shapes differ, or an axis has no graded edit for some judge.
    """
    if changed.ndim != 2 or changed.shape != counted.shape:
        raise StatisticsError("`changed` and `counted` must be of shape (judges, edits)")
    if not changed.shape[1] == len(first) == len(base):
        raise StatisticsError("`base`, `first` and the rows of `changed` must be of one length")
    if permutations < 1:
        raise StatisticsError(f"`permutations` must be at least 1; got {permutations}")
    parts = families(base, first, changed & counted, counted)
    observed = _contrasts(sum(part.observed() for part in parts))
    if np.isnan(observed).any():
        raise StatisticsError("the contrast needs a graded edit of each axis for every judge")
    drawn = np.concatenate(list(_nulls(parts, first, permutations, rng, scheme)))
    each = tuple(
        _test(float(observed[0, j]), drawn[:, j], scheme) for j in range(observed.shape[1])
    )
    return _test(float(observed.mean()), drawn.mean(axis=1), scheme), each


def _nulls(
    parts: list[Family], first: Bools, permutations: int, rng: np.random.Generator, scheme: Scheme
) -> Iterator[Floats]:
    """Contrasts of every judge in each permutation, block by block; (permutations, judges)."""
    rows = max(1, _BLOCK_CELLS // len(first))
    for start in range(0, permutations, rows):
        some = min(rows, permutations - start)
        if scheme == "free":
            labels = exchanged_freely(first, some, rng)
            sums = sum(part.of_labels(labels) for part in parts)
        else:
            sums = sum(part.exchanged(some, rng) for part in parts)
        yield _contrasts(sums)


def _contrasts(sums: Floats | int) -> Floats:
    """From sums of shares and of base items, of label 1 and of label 0: (rows, 4, judges)."""
    share1, n1, share0, n0 = np.moveaxis(np.asarray(sums), 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = share1 / n1 - share0 / n0
    found[(n1 < 0.5) | (n0 < 0.5)] = np.nan
    return found


def _test(observed: float, drawn: Floats, scheme: Scheme) -> PermutationTest:
    kept = drawn[~np.isnan(drawn)]
    if len(kept) == 0:
        raise StatisticsError("the contrast is defined in no permutation")
    # Sums in another order differ in their last bits; a null equal to the estimate counts.
    extreme = int((np.abs(kept) >= abs(observed) - 1e-10).sum())
    return PermutationTest(
        estimate=observed,
        p=(1 + extreme) / (1 + len(kept)),
        largest_null=float(np.abs(kept).max()),
        null_mean=float(kept.mean()),
        permutations=len(kept),
        scheme=scheme,
    )
