"""How many base items does a study need?

By simulation: studies of n base items are drawn, each gets its own bootstrap interval over base
items, and the intervals' half-widths are averaged; power for a gap is the share of studies whose
interval excludes zero. Base items come from a pilot (drawn with replacement, keeping what hangs
together in one base item), or from stated rates: each base item has its own rate per arm and axis,
from a beta distribution with the stated mean and correlation between its edits, independently
between arms and axes. The latter is the cautious choice for a gap: rates that rise together on both
axes cancel in a difference.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Floats, Ints
from judgeprobe.stats.bootstrap import Resamples, rate_draws
from judgeprobe.stats.checks import probability
from judgeprobe.stats.profile import Shares

__all__ = ["PlannedStudy", "Sampler", "from_pilot", "from_rates", "simulate_study"]

# n base items, a generator -> shares of invariance, construct, first axis, second axis, judge by
# judge; (n, 4 * judges).
Sampler = Callable[[int, np.random.Generator], Shares]
COLUMNS = 4


@dataclass(frozen=True)
class PlannedStudy:
    """What a study of n base items would show.

    Attributes:
        n: Base items.
        half_width_s: Mean half-width of the interval of S, of the first judge.
        half_width_r: Mean half-width of the interval of R, of the first judge.
        half_width_gap: Mean half-width of the interval of the mean gap over judges.
        power: Share of studies whose interval of the gap excludes zero.
        simulations: Studies simulated in which everything was defined.
    """

    n: int
    half_width_s: float
    half_width_r: float
    half_width_gap: float
    power: float
    simulations: int


def from_pilot(shares: Shares) -> Sampler:
    """Draw base items from a pilot.

    Args:
        shares: Columns invariance, construct, first axis, second axis, judge by judge.

    Raises:
        StatisticsError: The columns are not four a judge, or there are fewer than two base items.
    """
    if shares.share.shape[1] % COLUMNS or len(shares.share) < 2:
        raise StatisticsError("a pilot needs two base items and four columns a judge")

    def draw(n: int, rng: np.random.Generator) -> Shares:
        rows = rng.integers(0, len(shares.share), n)
        return Shares(shares.share[rows], shares.has[rows])

    return draw


def from_rates(
    s: float,
    rates: tuple[float, float],
    edits: tuple[float, float, float],
    correlation: float,
    judges: int,
) -> Sampler:
    """Draw base items from stated rates.

    Args:
        s: Invariance of every judge, 0 to 1.
        rates: R on the first and on the second axis, 0 to 1.
        edits: Mean number of edits of a base item: invariance, first axis, second axis. A number
            between two integers is one or the other, by chance.
        correlation: Of the changes of two edits of one base item in one arm or axis, 0 to below 1.
        judges: Number of judges, independent given the rates.

    Raises:
        StatisticsError: A rate is none, the correlation is outside, or edits or judges are too few.
    """
    for name, value in (("s", s), ("rates[0]", rates[0]), ("rates[1]", rates[1])):
        probability(name, value)
    if not 0 <= correlation < 1:
        raise StatisticsError(f"`correlation` must be from 0 to below 1; got {correlation}")
    if min(edits) <= 0 or judges < 1:
        raise StatisticsError("`edits` must be above 0 and `judges` at least 1")

    def draw(n: int, rng: np.random.Generator) -> Shares:
        counts = [_counts(mean, n, rng) for mean in edits]
        columns, present = [], []
        for _ in range(judges):
            hits = [
                rng.binomial(count, _beta(rate, correlation, n, rng))
                for count, rate in zip(counts, (1 - s, *rates), strict=True)
            ]
            groups = (
                (hits[0], counts[0]),
                (hits[1] + hits[2], counts[1] + counts[2]),
                (hits[1], counts[1]),
                (hits[2], counts[2]),
            )
            columns += [h / np.maximum(c, 1) for h, c in groups]
            present += [c > 0 for _, c in groups]
        return Shares(np.stack(columns, axis=1), np.stack(present, axis=1))

    return draw


def _counts(mean: float, n: int, rng: np.random.Generator) -> Ints:
    whole = int(mean)
    return whole + (rng.random(n) < mean - whole).astype(np.int64)


def _beta(rate: float, correlation: float, n: int, rng: np.random.Generator) -> Floats:
    if correlation == 0 or rate in (0.0, 1.0):
        return np.full(n, rate)
    size = (1 - correlation) / correlation
    return rng.beta(rate * size, (1 - rate) * size, n)


def simulate_study(
    sampler: Sampler,
    n: int,
    *,
    simulations: int,
    resamples: int,
    level: float,
    rng: np.random.Generator,
) -> PlannedStudy:
    """Simulate studies of n base items.

    Args:
        sampler: Where base items come from.
        n: Base items of each study.
        simulations: Studies.
        resamples: Bootstrap resamples of each.
        level: Nominal coverage of the intervals.
        rng: Source of every draw.

    Raises:
        StatisticsError: n is below 2, or in no simulated study is every rate defined.
    """
    if n < 2 or simulations < 1:
        raise StatisticsError(f"a plan needs two base items and one study; got {n}, {simulations}")
    tails = ((1 - level) / 2, (1 + level) / 2)
    widths, found = [], []
    for _ in range(simulations):
        shares = sampler(n, rng)
        draws = rate_draws(Resamples.draw(n, resamples, rng), shares)
        gap = (draws[:, 2::COLUMNS] - draws[:, 3::COLUMNS]).mean(axis=1)
        columns = np.stack([draws[:, 0], draws[:, 1], gap], axis=1)
        columns = columns[~np.isnan(columns).any(axis=1)]
        if len(columns) < resamples / 2:
            continue
        low, high = np.quantile(columns, tails, axis=0)
        widths.append((high - low) / 2)
        found.append(low[2] > 0 or high[2] < 0)
    if not widths:
        raise StatisticsError("no simulated study has graded edits in every arm and axis")
    s_width, r_width, gap_width = np.mean(widths, axis=0)
    return PlannedStudy(
        n=n,
        half_width_s=float(s_width),
        half_width_r=float(r_width),
        half_width_gap=float(gap_width),
        power=float(np.mean(found)),
        simulations=len(widths),
    )
