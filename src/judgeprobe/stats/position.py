"""Does the judge prefer an answer for its place?

Each comparison is judged in both orders. A judge with no preference for a place names the same
answer twice, and so names the first-shown one exactly half of the time; a judge that always names
the first one has a rate of 1. The rate is pooled over the 2n judgements, with an exact binomial
interval (Clopper and Pearson 1934) and test against one half.

The two judgements of a comparison are not independent: a consistent judge's rate cannot differ from
one half at all. The comparisons whose verdict changed with the order are therefore also tested by
themselves, each counted once: one first and one second are as likely without a preference.

Source: truescore-judge-bias, "Position bias"; Zheng et al. 2023 (arXiv:2306.05685).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Ints
from judgeprobe.stats.checks import probability, same_length

__all__ = [
    "PositionBias",
    "Preference",
    "position_bias",
    "position_of_counts",
    "preference",
    "preference_of_counts",
    "verdict_counts",
]


@dataclass(frozen=True)
class Preference:
    """How often judgements name one kind of answer.

    Attributes:
        n: Comparisons (or trials, where each gives one).
        trials: Judgements counted.
        rate: Share that names it, 0 to 1; None where nothing is counted.
        low: Lower end of the exact interval.
        high: Upper end.
        p: Exact two-sided p-value of a rate of one half.
    """

    n: int
    trials: int
    rate: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True)
class PositionBias:
    """A judge's preference for a place.

    Attributes:
        n_unread: Comparisons left out: a verdict is missing or a tie in either order.
        first: The first-shown answer, over 2n judgements.
        consistent: Share of the n comparisons with one winner in both orders; None where n is 0.
        changed: Among comparisons whose winner changed with the order, those that named the first
            both times (the others named the second both times).
        level: Nominal coverage, 0 to 1.
    """

    n_unread: int
    first: Preference
    consistent: float | None
    changed: Preference
    level: float


def position_bias(plain: ArrayLike, swapped: ArrayLike, *, level: float = 0.95) -> PositionBias:
    """The rate of the first-shown answer, and the consistent share.

    Args:
        plain: Winner of each comparison where answer 1 is shown first: 1, 2, or 0 (unread or tie).
        swapped: Winner where answer 2 is shown first, in the same numbering.
        level: Nominal coverage, 0 to 1.

    Raises:
        StatisticsError: The vectors differ in length, are empty, or hold another value.
    """
    return position_of_counts(verdict_counts(plain, swapped), level=level)


def verdict_counts(plain: ArrayLike, swapped: ArrayLike, *marked: ArrayLike) -> Ints:
    """How often each combination of winners occurs; counts of parts of a table add up.

    Args:
        plain: Winner of each comparison: 1, 2, or 0 (unread or tie).
        swapped: Winner in the other order, in the same numbering.
        marked: The answers of interest, if any: 1, 2, or 0 where neither or both are.

    Returns:
        Shape (3, 3), and one more axis of 3 for each of `marked`.

    Raises:
        StatisticsError: The vectors differ in length, are empty, or hold another value.
    """
    columns = [_winners("plain", plain), _winners("swapped", swapped)]
    columns += [_winners("marked", each) for each in marked]
    same_length(**{f"column {i}": column for i, column in enumerate(columns)})
    shape = (3,) * len(columns)
    places = np.ravel_multi_index(columns, shape)
    return np.bincount(places, minlength=3 ** len(columns)).reshape(shape)


def position_of_counts(counts: Ints, *, level: float = 0.95) -> PositionBias:
    """`position_bias` from the counts of plain by swapped winners; shape (3, 3)."""
    probability("level", level)
    read = counts[1:, 1:]
    n = int(read.sum())
    # Each comparison counts once for the plain order and once for the swapped one.
    first = int(read[0].sum() + read[:, 1].sum())
    first_twice, second_twice = int(read[0, 1]), int(read[1, 0])
    changed = first_twice + second_twice
    return PositionBias(
        n_unread=int(counts.sum()) - n,
        first=_share(first, 2 * n, n, level),
        consistent=(n - changed) / n if n else None,
        changed=_share(first_twice, changed, changed, level),
        level=level,
    )


def preference(
    plain: ArrayLike, swapped: ArrayLike, marked: ArrayLike, *, level: float = 0.95
) -> Preference:
    """How often the judge names the marked answer (the longer one, its own family's), in 2n.

    Args:
        plain: Winner of each comparison: 1, 2, or 0 (unread or tie).
        swapped: Winner in the other order, in the same numbering.
        marked: The answer of interest: 1, 2, or 0 where neither or both are.
        level: Nominal coverage, 0 to 1.

    Raises:
        StatisticsError: The vectors differ in length, are empty, or hold another value.
    """
    return preference_of_counts(verdict_counts(plain, swapped, marked), level=level)


def preference_of_counts(counts: Ints, *, level: float = 0.95) -> Preference:
    """`preference` from the counts of plain by swapped winners by marked; shape (3, 3, 3)."""
    probability("level", level)
    kept = counts[1:, 1:, 1:]
    n = int(kept.sum())
    hits = int(np.einsum("iji->", kept) + np.einsum("ijj->", kept))
    return _share(hits, 2 * n, n, level)


def _winners(name: str, values: ArrayLike) -> Ints:
    found = np.asarray(values, dtype=np.int64)
    if found.ndim != 1 or found.size == 0:
        raise StatisticsError(f"`{name}` must be a vector with at least one value")
    if not np.isin(found, (0, 1, 2)).all():
        raise StatisticsError(f"`{name}` must hold 0, 1 or 2")
    return found


def _share(hits: int, trials: int, n: int, level: float) -> Preference:
    if trials == 0:
        return Preference(n, 0, None, None, None, None)
    test = binomtest(hits, trials)
    ends = test.proportion_ci(level, method="exact")
    return Preference(
        n, trials, hits / trials, float(ends.low), float(ends.high), float(test.pvalue)
    )
