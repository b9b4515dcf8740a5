"""What effect could this bounded audit have found?

Power by simulation: cluster endpoints are drawn with replacement from the audit's own, centred on
zero, and the stated effect is added to each; the share of draws whose exact signed-rank test
rejects is the power. The minimum detectable effect is the smallest whose power reaches the wanted
one. Clipping is not simulated: near a bound the audit could find less than this says.

Source: bounded-scale-audit ("in simulation this test crosses 0.80 power somewhere between +0.40 and
+0.42").
"""

from dataclasses import dataclass

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Floats
from judgeprobe.stats.checks import finite_vector, probability
from judgeprobe.stats.signed_rank import many_signed_rank, smallest_p

__all__ = ["Power", "bounded_power"]

_MOST_CLUSTERS = 1000


@dataclass(frozen=True)
class Power:
    """What the design can find.

    Attributes:
        effect: The stated effect, in rating points, or None.
        power: Share of simulated audits that reject at it, 0 to 1; None without an effect.
        minimum_effect: Smallest effect with the wanted power, in rating points; None where no
            effect has it.
        wanted: The wanted power.
        alpha: Level of the test.
        simulations: Simulated audits.
        reason: Why something is missing; "" where nothing is.
    """

    effect: float | None
    power: float | None
    minimum_effect: float | None
    wanted: float
    alpha: float
    simulations: int
    reason: str


def bounded_power(
    means: Floats,
    rng: np.random.Generator,
    *,
    effect: float | None = None,
    largest: float = 8.0,
    wanted: float = 0.8,
    alpha: float = 0.05,
    simulations: int = 2000,
) -> Power:
    """Power at an effect, and the minimum detectable effect.

    Args:
        means: Cluster endpoints of the audit.
        rng: Source of the draws; every effect is tried on the same ones.
        effect: A stated effect in rating points, or None.
        largest: Largest effect that is tried: twice the width of the scale.
        wanted: Power that a detectable effect has.
        alpha: Level of the test.
        simulations: Simulated audits.

    Raises:
        StatisticsError: A value is not finite, or no simulation is asked for.
    """
    found = finite_vector("means", means)
    probability("wanted", wanted)
    probability("alpha", alpha)
    if simulations < 1:
        raise StatisticsError(f"`simulations` must be at least 1; got {simulations}")
    n = len(found)

    def missing(reason: str) -> Power:
        return Power(effect, None, None, wanted, alpha, simulations, reason)

    if smallest_p(n) > alpha:
        return missing(f"{n} clusters cannot give a p of {alpha:g} or less, whatever the effect")
    if n > _MOST_CLUSTERS:
        return missing(f"more than {_MOST_CLUSTERS} clusters: the exact test is not simulated")
    if np.ptp(found) < 1e-9:
        return missing("the clusters do not differ: there is no spread to simulate")
    draws = rng.choice(found - found.mean(), size=(simulations, n))

    def power(size: float) -> float:
        return float((many_signed_rank(draws + size) <= alpha).mean())

    at = None if effect is None else power(effect)
    if power(largest) < wanted:
        return Power(effect, at, None, wanted, alpha, simulations, "no effect on the scale has it")
    low, high = 0.0, largest
    while high - low > largest / 2000:
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    return Power(effect, at, high, wanted, alpha, simulations, "")
