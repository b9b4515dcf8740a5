"""How often is a generator flagged that does nothing, and how often is a planted effect covered?

    python -m tests.statistical.test_pressure_rates    prints the table of docs/methods/pressure.md

Three seeds a passage. Two kinds of readings: counts of operators (a small Poisson count of raising
words minus one of lowering words) and verdicts (rose, fell, same). The two axes of a passage are
correlated at 0.5 through a share of common seeds, and passages differ in how much they move.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from judgeprobe.stats.multiplicity import adjusted
from judgeprobe.stats.pressure import paired_effects, prediction_status

RUNS = 400
SEEDS = 3
SIZES = (12, 30, 100)
ALPHA = 0.05
PLANTED = (-0.25, 0.35)


@dataclass(frozen=True)
class Rates:
    """Shares of the simulated studies.

    Attributes:
        moved: At least one axis said to have moved (Holm over the two).
        supported: Prediction supported.
        refuted: Prediction refuted.
        covered: Of the axes' intervals, those that hold the planted effect.
    """

    moved: float
    supported: float
    refuted: float
    covered: float


def counts(n: int, effect: tuple[float, float], rng: np.random.Generator) -> np.ndarray:
    """Differences of operators a claim; the planted change removes or adds one word."""
    shape = (n, SEEDS, 1)
    shared = rng.poisson(0.3, shape) - rng.poisson(0.3, shape)
    own = rng.poisson(0.3, (n, SEEDS, 2)) - rng.poisson(0.3, (n, SEEDS, 2))
    chance = np.abs(effect) * rng.choice([0.5, 1.5], (n, 1, 1))
    moved = np.sign(effect) * (rng.random((n, SEEDS, 2)) < chance)
    return (shared + own + moved).mean(axis=1)


def verdicts(n: int, effect: tuple[float, float], rng: np.random.Generator) -> np.ndarray:
    """Differences of rose, fell and same: 0.3 of the claims differ by chance, half each way."""
    common = rng.random((n, SEEDS, 1))
    draws = np.where(rng.random((n, SEEDS, 2)) < 0.5, common, rng.random((n, SEEDS, 2)))
    tilt = np.asarray(effect) * rng.choice([0.5, 1.5], (n, 1, 1))
    rose, fell = 0.15 + np.maximum(tilt, 0), 0.15 + np.maximum(-tilt, 0)
    return ((draws < rose).astype(float) - (draws > 1 - fell)).mean(axis=1)


KINDS = {"counts": counts, "verdicts": verdicts}


def simulate(kind: str, n: int, effect: tuple[float, float], *, runs: int = RUNS) -> Rates:
    rng = np.random.default_rng([n, len(kind), int(100 * effect[1])])
    moved, states, covered = 0, [], 0
    for _ in range(runs):
        values = KINDS[kind](n, effect, rng)
        found = paired_effects(values, resamples=600, flips=600, level=1 - ALPHA, rng=rng)
        holm = adjusted([one.p for one in found], "holm")
        moved += any(one.moved(ALPHA, p) for one, p in zip(found, holm, strict=True))
        states.append(prediction_status(*found, alpha=ALPHA)[0])
        covered += sum(
            one.interval.low <= truth <= one.interval.high
            for one, truth in zip(found, effect, strict=True)
        )
    return Rates(
        moved / runs,
        states.count("supported") / runs,
        states.count("refuted") / runs,
        covered / (2 * runs),
    )


def most(rate: float, runs: int) -> float:
    """The largest share that binomial error (three standard errors) lets a rate show."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / runs)


@pytest.mark.statistical
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_that_does_nothing_is_flagged_in_at_most_five_of_a_hundred(kind, n):
    rates = simulate(kind, n, (0.0, 0.0))
    assert rates.moved <= most(ALPHA, RUNS)
    assert rates.supported <= most(ALPHA / 20, RUNS)
    assert rates.refuted <= most(ALPHA, RUNS)
    assert rates.covered >= 2 * (1 - ALPHA) - most(1 - ALPHA, RUNS)


@pytest.mark.statistical
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_planted_effects_are_covered_and_have_their_signs(kind, n):
    rates = simulate(kind, n, PLANTED)
    # Two percent below the nominal level is allowed to discreteness and small samples.
    assert rates.covered >= 2 * (1 - ALPHA) - most(1 - ALPHA, RUNS) - 0.02
    assert rates.refuted <= most(ALPHA / 20, RUNS)
    if n == max(SIZES):
        assert rates.supported > 0.9


def test_one_small_simulation_of_each_kind():
    for kind in KINDS:
        nothing = simulate(kind, 20, (0.0, 0.0), runs=60)
        assert nothing.moved <= most(ALPHA, 60)
        planted = simulate(kind, 60, PLANTED, runs=40)
        assert planted.covered >= 0.8
        assert planted.refuted == 0


if __name__ == "__main__":
    print("| readings | planted | passages | moved | supported | refuted | covered |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for effect in ((0.0, 0.0), PLANTED):
            for n in SIZES:
                r = simulate(kind, n, effect)
                print(
                    f"| {kind} | {effect[0]:+.2f}, {effect[1]:+.2f} | {n} | {r.moved:.3f} "
                    f"| {r.supported:.3f} | {r.refuted:.3f} | {r.covered:.3f} |",
                    flush=True,
                )
