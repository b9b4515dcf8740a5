"""Did claims move on an axis under pressure, and do the two axes move as was predicted?

The unit is the passage of evidence: a column holds one difference a passage (the mean over its
seeds of pressed minus neutral), so that seeds of one passage never pass for independent draws.

Interval: percentile bootstrap over passages, its ends moved outwards for small samples so that a
normal mean would be covered as by Student's t (Hesterberg 2015, "What teachers should know about
the bootstrap", section 5.3). Test: every difference keeps its size and draws its sign (Fisher's
randomisation test); exact where at most 16 differences are not zero. It is exact wherever pressed
and neutral claims of a passage could have changed places, which is what "does nothing" means.

Prediction and its refutation: section 5.3 and appendix F of the construct-validity reference.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm, rankdata, t

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Floats
from judgeprobe.stats.bootstrap import Resamples, ratio_draws
from judgeprobe.stats.checks import finite_vector, probability, same_length
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.signed_rank import ZERO, smallest_p

__all__ = [
    "FEWEST_POINTS",
    "Association",
    "Effect",
    "Status",
    "paired_effects",
    "prediction_status",
    "rank_association",
    "sign_flip_p",
]

_EXACT_SIGNS = 16
_EXACT_POINTS = 8
FEWEST_POINTS = 5

Status = Literal["supported", "refuted", "not decided"]


@dataclass(frozen=True)
class Effect:
    """The mean difference of one column.

    Attributes:
        estimate: Mean over passages; None where no passage has both claims.
        interval: None with fewer than two passages.
        p: Two-sided sign-flip p-value; None with fewer than two passages.
        smallest_p: The smallest p that these differences could have given.
        nonzero: Differences that are not zero.
        n: Passages with a difference.
        reason: Why there is no interval, or why it is degenerate; "" otherwise.
    """

    estimate: float | None
    interval: Interval | None
    p: float | None
    smallest_p: float
    nonzero: int
    n: int
    reason: str = ""

    def moved(self, alpha: float, p: float | None = None) -> int:
        """1 where it rose, -1 where it fell, 0 where neither is shown.

        Shown means that the interval excludes 0 and the p-value is at most alpha.

        Args:
            alpha: Most error that is allowed.
            p: A p-value adjusted for other columns, in place of its own.
        """
        found = self.p if p is None else p
        if self.interval is None or found is None or found > alpha:
            return 0
        return int(self.interval.low > 0) - int(self.interval.high < 0)


def paired_effects(
    differences: Floats,
    *,
    resamples: int,
    flips: int,
    level: float,
    rng: np.random.Generator,
    unit: str = "passage",
) -> tuple[Effect, ...]:
    """The mean of every column, with interval and test.

    All columns use the same resamples, so that they are paired.

    Args:
        differences: Shape (passages, columns); NaN where a passage has no difference.
        resamples: Bootstrap draws.
        flips: Sign flips where the test is not exact.
        level: Nominal coverage, above 0 and below 1.
        rng: Source of every draw.
        unit: What a row is.

    Raises:
        StatisticsError: The array has another shape, holds an infinity, or the level is none.
    """
    if differences.ndim != 2 or not differences.size:
        raise StatisticsError(
            f"`differences` must be passages x columns; got shape {differences.shape}"
        )
    if np.isinf(differences).any():
        raise StatisticsError("`differences` must be finite or NaN; got an infinity")
    if not 0 < probability("level", level) < 1:
        raise StatisticsError(f"`level` must be above 0 and below 1; got {level}")
    has = ~np.isnan(differences)
    filled = np.where(has, differences, 0.0)
    draws = ratio_draws(
        Resamples.draw(len(differences), resamples, rng), filled, has.astype(np.float64)
    )
    return tuple(
        _effect(differences[has[:, c], c], draws[:, c], flips, level, rng, unit)
        for c in range(differences.shape[1])
    )


def _effect(
    values: Floats, draws: Floats, flips: int, level: float, rng: np.random.Generator, unit: str
) -> Effect:
    n = len(values)
    nonzero = int((np.abs(values) > ZERO).sum())
    floor = smallest_p(nonzero)
    if n < 2:
        mean = float(values[0]) if n else None
        return Effect(mean, None, None, floor, nonzero, n, f"an interval needs two {unit}s")
    mean = float(values.mean())
    kept = draws[~np.isnan(draws)]
    tail = _widened_tail(n, level)
    low, high = np.quantile(kept, (tail, 1 - tail))
    method = f"percentile bootstrap over {unit}s, {len(draws)} resamples, ends for small samples"
    reason = ""
    if np.ptp(values) <= ZERO:
        reason = f"every {unit} has the same difference"
    interval = Interval(mean, float(low), float(high), method, level, n, unit)
    return Effect(mean, interval, sign_flip_p(values, flips, rng), floor, nonzero, n, reason)


def _widened_tail(n: int, level: float) -> float:
    """The share of draws beyond each end: Hesterberg's alpha' for n values."""
    reach = math.sqrt(n / (n - 1)) * float(t.ppf((1 + level) / 2, n - 1))
    return float(norm.cdf(-reach))


def sign_flip_p(values: ArrayLike, flips: int, rng: np.random.Generator) -> float:
    """The two-sided p-value of a mean of zero under all signs of the differences.

    Exact where at most 16 differences are not zero; else (1 + as extreme) / (1 + flips).

    Args:
        values: Differences; zeros change nothing.
        flips: Draws where it is not exact, at least 1.
        rng: Source of the signs.

    Raises:
        StatisticsError: A value is not finite, there is none, or `flips` is below 1.
    """
    found = finite_vector("values", values)
    if flips < 1:
        raise StatisticsError(f"`flips` must be at least 1; got {flips}")
    kept = found[np.abs(found) > ZERO]
    m = len(kept)
    if m == 0:
        return 1.0
    # Sums in another order differ in their last bits; one equal to the observed counts.
    observed = abs(float(kept.sum())) - 1e-9 * float(np.abs(kept).sum())
    if m <= _EXACT_SIGNS:
        sums = np.zeros(1)
        for value in kept:
            sums = np.concatenate([sums - value, sums + value])
        return float(np.mean(np.abs(sums) >= observed))
    extreme = 0
    for count in _blocks(flips, m):
        signs = 2.0 * rng.integers(0, 2, (count, m)) - 1.0
        extreme += int((np.abs(signs @ kept) >= observed).sum())
    return (1 + extreme) / (1 + flips)


def _blocks(total: int, width: int) -> Iterator[int]:
    most = max(1, (1 << 20) // width)
    for start in range(0, total, most):
        yield min(most, total - start)


def prediction_status(scope: Effect, strength: Effect, *, alpha: float) -> tuple[Status, str]:
    """Whether the registered prediction (scope falls, strength rises) stands, and why.

    Supported: both axes moved, scope down and strength up. Refuted: both moved the same way.
    Anything else decides nothing. Both axes must pass, so neither p-value is adjusted.

    Args:
        scope: Effect on the scope axis.
        strength: Effect on the strength axis.
        alpha: Most error that is allowed.
    """
    signs = scope.moved(alpha), strength.moved(alpha)
    if signs == (-1, 1):
        return "supported", "scope fell and strength rose"
    if signs in ((1, 1), (-1, -1)):
        way = "rose" if signs[0] > 0 else "fell"
        return "refuted", f"both axes {way}"
    if signs == (1, -1):
        reason = "the axes moved apart, but scope rose and strength fell: neither rule covers it"
        return "not decided", reason
    still = [name for name, sign in zip(("scope", "strength"), signs, strict=True) if not sign]
    return "not decided", f"no movement is shown on {' and '.join(still)}"


@dataclass(frozen=True)
class Association:
    """A rank correlation of few points.

    Attributes:
        rho: Spearman's, -1 to 1.
        p: Two-sided permutation p-value.
        n: Points.
        method: "exact" (every order of the points) or "sampled".
    """

    rho: float
    p: float
    n: int
    method: str


def rank_association(
    x: Sequence[float], y: Sequence[float], *, permutations: int, rng: np.random.Generator
) -> Association:
    """Spearman's correlation with its permutation p-value, exact up to eight points.

    Args:
        x: One value a point.
        y: The same.
        permutations: Orders that are drawn where there are more than eight points.
        rng: Source of the orders.

    Raises:
        StatisticsError: There are fewer than five points, lengths differ, or a side is constant.
    """
    a, b = rankdata(finite_vector("x", x)), rankdata(finite_vector("y", y))
    n = same_length(x=a, y=b)
    if n < FEWEST_POINTS:
        raise StatisticsError(f"a correlation needs {FEWEST_POINTS} points; got {n}")
    a, b = a - a.mean(), b - b.mean()
    size = math.sqrt(float(a @ a) * float(b @ b))
    if size == 0:
        raise StatisticsError("a correlation needs two sides that vary")
    rho = float(a @ b) / size
    if n <= _EXACT_POINTS:
        orders = np.array(list(itertools.permutations(range(n))))
        p = float(np.mean(np.abs(b[orders] @ a) / size >= abs(rho) - 1e-12))
        return Association(rho, p, n, "exact")
    orders = np.array([rng.permutation(n) for _ in range(permutations)])
    extreme = int((np.abs(b[orders] @ a) / size >= abs(rho) - 1e-12).sum())
    return Association(rho, (1 + extreme) / (1 + permutations), n, "sampled")
