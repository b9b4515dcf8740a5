"""Do paired differences lean to one side, and how small could the p-value have been at all?

Wilcoxon's signed-rank test with its exact null distribution: zeros are dropped, ties get mean
ranks, and the distribution is that of the ranks at hand under all 2^m signs (m differences are not
zero). The smallest two-sided p that m differences can give is 2 / 2^m, whatever their size: with
five, no test can reject at 0.05.

Source: bounded-scale-audit ("its p-value ... is the floor attainable with eight nonzero clusters");
Wilcoxon 1945; Pratt and Gibbons 1981 for ties.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm, rankdata

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Floats, Ints
from judgeprobe.stats.checks import finite_vector

__all__ = ["ZERO", "SignedRank", "many_signed_rank", "signed_rank", "smallest_p"]

ZERO = 1e-9
_EXACT = 1000


@dataclass(frozen=True)
class SignedRank:
    """A signed-rank test.

    Attributes:
        p: Two-sided p-value; 1 where every difference is zero.
        smallest_p: The smallest that `nonzero` differences can give.
        nonzero: Differences that are not zero.
        method: "exact", or "normal" above 1000 nonzero differences.
    """

    p: float
    smallest_p: float
    nonzero: int
    method: str


def smallest_p(nonzero: int) -> float:
    """The smallest two-sided p-value of a signed-rank test of so many nonzero differences.

    Raises:
        StatisticsError: The number is negative.
    """
    if nonzero < 0:
        raise StatisticsError(f"`nonzero` must not be negative; got {nonzero}")
    return min(1.0, 2.0 ** (1 - nonzero))


def signed_rank(values: ArrayLike) -> SignedRank:
    """The two-sided signed-rank test of a median of zero.

    Args:
        values: Paired differences; values within 1e-9 are equal, and zero.

    Raises:
        StatisticsError: A value is not finite, or there is none.
    """
    found = np.round(finite_vector("values", values), 9)
    kept = found[np.abs(found) > ZERO]
    m = len(kept)
    if m == 0:
        return SignedRank(1.0, 1.0, 0, "exact")
    # Mean ranks are halves at most: doubled, they are whole.
    doubled = np.rint(2 * rankdata(np.abs(kept))).astype(np.int64)
    plus = int(doubled[kept > 0].sum())
    if m > _EXACT:
        spread = float(np.sqrt((doubled.astype(np.float64) ** 2).sum())) / 2
        away = max(0.0, abs(plus - doubled.sum() / 2) - 1)
        return SignedRank(float(2 * norm.sf(away / spread)), smallest_p(m), m, "normal")
    chances = _distribution(doubled)
    tail = min(chances[: plus + 1].sum(), chances[plus:].sum())
    return SignedRank(float(min(1.0, 2 * tail)), smallest_p(m), m, "exact")


def _distribution(ranks: Ints) -> Floats:
    """Chance of each sum of the positively signed ranks."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    reach = 0
    for rank in ranks.tolist():
        moved = chances[: reach + 1] / 2
        chances[: reach + 1] = moved
        chances[rank : reach + rank + 1] += moved
        reach += rank
    return chances


def many_signed_rank(values: Floats) -> Floats:
    """P-values of many samples at once, from the distribution without ties.

    A sum of ranks that ties make a half is read at the next whole one towards the middle, which
    gives the larger p. For simulations.

    Args:
        values: One sample a row; shape (samples, n), n at most 1000.
    """
    size = np.where(np.abs(values) > ZERO, np.abs(values), 0.0)
    zeros = (size == 0).sum(axis=1)
    ranks = rankdata(size, axis=1) - zeros[:, None]
    plus = np.where((values > 0) & (size > 0), ranks, 0.0).sum(axis=1)
    found = np.ones(len(values))
    for gone in np.unique(zeros):
        m = values.shape[1] - int(gone)
        if m == 0:
            continue
        below, above = _tails(m)
        rows = zeros == gone
        low = below[np.ceil(plus[rows]).astype(np.int64)]
        high = above[np.floor(plus[rows]).astype(np.int64)]
        found[rows] = np.minimum(1.0, 2 * np.minimum(low, high))
    return found


@lru_cache(maxsize=8)
def _tails(m: int) -> tuple[Floats, Floats]:
    """Chance of a sum of untied ranks at most, and at least, each value; a search asks often."""
    chances = _distribution(np.arange(1, m + 1))
    tails = np.cumsum(chances), np.cumsum(chances[::-1])[::-1]
    for tail in tails:
        tail.flags.writeable = False
    return tails
