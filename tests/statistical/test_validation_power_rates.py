"""Is a set without a leak called clean, and are the permutation p-values uniform?

100 seeded sets whose labels have nothing to do with the text, with and without groups and in pairs.
The figures are in docs/methods/validation-power.md.
"""

import numpy as np
import pytest
from scipy.stats import kstest

from judgeprobe.stats.validation_power import validation_power

pytestmark = pytest.mark.statistical

WORDS = np.array(["ban", "lor", "mik", "tas", "ver", "sulo", "pinta", "rekon", "dalme", "any", "7"])
SEEDS = 100
PERMUTATIONS = 39


def made(rng: np.random.Generator) -> str:
    return " ".join(rng.choice(WORDS, int(rng.integers(4, 14))))


def p_values(design: str) -> np.ndarray:
    """Shape (seeds, members + 1): p of each member and of their maximum."""
    told = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(10_000 + seed)
        texts = [made(rng) for _ in range(60)]
        labels = rng.integers(0, 2, 60)
        groups = {"grouped": np.arange(60) // 4, "single": np.arange(60), "paired": None}[design]
        other = [made(rng) for _ in range(60)] if design == "paired" else None
        found = validation_power(
            texts, labels, rng, texts_b=other, groups=groups, permutations=PERMUTATIONS, resamples=9
        )
        told.append([*(member.p for member in found.members), found.a_imp_p])
    return np.array(told)


@pytest.mark.parametrize("design", ["grouped", "single", "paired"])
def test_a_clean_set_stays_inside_its_null(design: str) -> None:
    p = p_values(design)
    inside = (p > 0.05).sum(axis=0)
    uniform = [kstest(column, "uniform").pvalue for column in p.T]
    print(
        f"{design}: inside {inside.tolist()}, means {p.mean(axis=0).round(3).tolist()}, "
        f"Kolmogorov-Smirnov p {np.round(uniform, 3).tolist()}"
    )
    # 95 are expected; 88 is three binomial deviations below. Their mean must reach 93.
    assert (inside[:3] >= 88).all()
    assert inside[:3].mean() >= 93
    # p takes the values 1/40 to 1; ties make it too large at most, never too small.
    grid = np.arange(1, PERMUTATIONS + 2) / (PERMUTATIONS + 1)
    shares = (p[:, :, None] <= grid + 1e-9).mean(axis=0)
    assert (shares - grid < 1.63 / np.sqrt(SEEDS)).all()
