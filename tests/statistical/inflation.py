"""Simulated label sets with a planted inflation, and whether Delta's interval holds the truth.

    python -m tests.statistical.inflation        prints the figures of docs/methods/inflation.md

Base items have two to five sentences each. Sentence i of base item c has a role (holds,
overreaches), which is its inherited label; the role is wrong with chance m_c. Three annotators are
right with chance q each, and their majority is the blinded label. A judge gives the role's verdict
with chance a where the role is right, and with chance f_c where it is wrong: f is how far it reads
the making and not the construct. m_c and f_c are beta distributed over base items with correlation
0.2 between sentences of one, and independent of each other, so that with Q = q^3 + 3 q^2 (1 - q)

    Delta = (1 - m) a + m f - (1 - m)(a Q + (1 - a)(1 - Q)) - m ((1 - f) Q + f (1 - Q)).
"""

from dataclasses import dataclass

import numpy as np

from judgeprobe.stats.agreement import binomial_interval
from judgeprobe.stats.inflation import Inflation, inflation

SIZES = (30, 100, 300)
CORRELATION = 0.2
RIGHT = 0.9
RESAMPLES = 1000


@dataclass(frozen=True)
class Planted:
    """One planted condition.

    Attributes:
        wrong: Mean chance that a role is wrong (m).
        follows: Mean chance that the judge follows a wrong role (f).
        annotator: Chance that an annotator is right (q).
    """

    name: str
    wrong: float
    follows: float
    annotator: float

    @property
    def delta(self) -> float:
        q, m, f, a = self.annotator, self.wrong, self.follows, RIGHT
        agreed = q**3 + 3 * q**2 * (1 - q)
        inherited = (1 - m) * a + m * f
        right = (1 - m) * (a * agreed + (1 - a) * (1 - agreed))
        return inherited - right - m * ((1 - f) * agreed + f * (1 - agreed))


CONDITIONS = (
    Planted("inflation", 0.3, 0.8, 0.9),
    Planted("rare wrong roles", 0.1, 0.9, 0.9),
    Planted("none", 0.3, 0.5, 1.0),
)


def beta(mean: float, n: int, rng: np.random.Generator) -> np.ndarray:
    size = (1 - CORRELATION) / CORRELATION
    return rng.beta(mean * size, (1 - mean) * size, n)


def simulated(planted: Planted, n_groups: int, seed: int) -> Inflation:
    """One judge on one simulated set."""
    rng = np.random.default_rng([56, n_groups, int(1000 * planted.wrong), seed])
    groups = np.repeat(np.arange(n_groups), rng.integers(2, 6, n_groups))
    n = len(groups)
    role = rng.integers(0, 2, n)
    wrong = rng.random(n) < beta(planted.wrong, n_groups, rng)[groups]
    truth = np.where(wrong, 1 - role, role)
    slips = rng.random((n, 3)) >= planted.annotator
    blinded = np.where(slips.sum(axis=1) >= 2, 1 - truth, truth)
    chance = np.where(wrong, beta(planted.follows, n_groups, rng)[groups], RIGHT)
    verdict = np.where(rng.random(n) < chance, role, 1 - role)
    return inflation(
        verdict, role, blinded, groups, 2, rng, resamples=RESAMPLES, flips=999, unit="base item"
    )


def covered(planted: Planted, n_groups: int, studies: int) -> tuple[int, int, float, float]:
    """Intervals that hold the truth, tests that reject at 0.05, mean estimate, mean width."""
    found = [simulated(planted, n_groups, seed) for seed in range(studies)]
    holds = sum(one.delta.low <= planted.delta <= one.delta.high for one in found)
    rejects = sum(one.test.p <= 0.05 for one in found)
    mean = float(np.mean([one.delta.estimate for one in found]))
    width = float(np.mean([one.delta.high - one.delta.low for one in found]))
    return holds, rejects, mean, width


def main(studies: int = 300) -> None:
    print("| planted | Delta | base items | mean estimate | covered | mean width | p <= 0.05 |")
    print("|---|---|---|---|---|---|---|")
    for planted in CONDITIONS:
        for size in SIZES:
            holds, rejects, mean, width = covered(planted, size, studies)
            rate = binomial_interval(holds, studies, unit="simulation")
            told = f"{rate.estimate:.3f} [{rate.low:.3f}, {rate.high:.3f}]"
            print(
                f"| {planted.name} | {planted.delta:+.3f} | {size} | {mean:+.3f} | {told} | "
                f"{width:.3f} | {rejects / studies:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
