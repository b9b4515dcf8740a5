import numpy as np
import pytest

from judgeprobe.stats.agreement import binomial_interval, bootstrap_pairwise, count_labels

pytestmark = pytest.mark.statistical

SIMULATIONS = 600


def test_the_base_item_bootstrap_covers_a_planted_agreement_and_a_unit_bootstrap_does_not():
    """Sixty base items of eight pairs; how often two people agree varies between base items."""
    rng = np.random.default_rng(20240612)
    truth = 0.8
    hits = {"base": 0, "unit": 0}
    bases = np.repeat(np.arange(60), 8)
    for _ in range(SIMULATIONS):
        chance = rng.beta(2.0, 0.5, size=60)  # mean 0.8
        agree = rng.random(480) < chance[bases]
        codes = np.stack([np.zeros(480, dtype=int), np.where(agree, 0, 1)], axis=1)
        counts = count_labels(codes, 2)
        for name, clusters in (("base", bases), ("unit", np.arange(480))):
            found = bootstrap_pairwise(counts, clusters, rng=rng, resamples=500)
            hits[name] += found.low <= truth <= found.high
    # 600 simulations: the standard error at 0.95 is 0.009.
    assert 0.915 <= hits["base"] / SIMULATIONS <= 0.98
    assert hits["unit"] / SIMULATIONS < 0.80


def test_the_exact_interval_covers_at_least_its_level():
    rng = np.random.default_rng(3)
    for truth in (0.02, 0.3, 0.5):
        for n in (10, 100):
            draws = rng.binomial(n, truth, size=4000)
            ends = {k: binomial_interval(int(k), n, unit="label") for k in np.unique(draws)}
            covered = np.mean([ends[k].low <= truth <= ends[k].high for k in draws])
            assert covered >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 4000)
