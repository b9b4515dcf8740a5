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

__all__ = ["PositionBias", "Preference", "position_bias", "preference"]


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
    one, two = _winners("plain", plain), _winners("swapped", swapped)
    same_length(plain=one, swapped=two)
    probability("level", level)
    read = (one > 0) & (two > 0)
    one, two = one[read], two[read]
    n = len(one)
    first = int((one == 1).sum() + (two == 2).sum())
    changed = one != two
    return PositionBias(
        n_unread=int((~read).sum()),
        first=_share(first, 2 * n, n, level),
        consistent=float((~changed).mean()) if n else None,
        changed=_share(
            int((one[changed] == 1).sum()), int(changed.sum()), int(changed.sum()), level
        ),
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
    one, two = _winners("plain", plain), _winners("swapped", swapped)
    which = _winners("marked", marked)
    same_length(plain=one, swapped=two, marked=which)
    probability("level", level)
    kept = (one > 0) & (two > 0) & (which > 0)
    hits = int((one == which)[kept].sum() + (two == which)[kept].sum())
    n = int(kept.sum())
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
