"""How often do the error audits err? Rates are in docs/methods/; tolerances are binomial."""

import numpy as np
import pytest
import statsmodels.api as sm

from judgeprobe.stats.judge_error import error_regression
from judgeprobe.stats.position import position_bias
from judgeprobe.stats.segments import corrected_mean, segment_means

pytestmark = pytest.mark.statistical


def test_hc3_holds_its_level_where_classical_errors_do_not():
    """No effect; the error's spread grows with the covariate. 400 simulations: s.e. 0.011."""
    rng = np.random.default_rng(1)
    rejected = {"hc3": 0, "classical": 0}
    for _ in range(400):
        x = rng.exponential(1, 120)
        error = rng.normal(0, 0.1 + x)
        rejected["hc3"] += error_regression(error, x[:, None], ["x"]).effects[0].p <= 0.05
        rejected["classical"] += sm.OLS(error, sm.add_constant(x)).fit().pvalues[1] <= 0.05
    print({name: count / 400 for name, count in rejected.items()})
    assert rejected["hc3"] / 400 <= 0.05 + 3 * 0.011
    assert rejected["classical"] / 400 > 0.15


def test_twenty_null_segments_stay_at_alpha_after_holm():
    """120 replications of 20 segments, two systems alike, a judge that differs by segment."""
    rng = np.random.default_rng(2)
    any_raw = any_holm = 0
    for _ in range(120):
        codes = np.repeat(np.arange(20), 200)
        lean = rng.normal(0, 0.1, 20)[codes]
        gold = (rng.random(4000) < 0.7).astype(float) - (rng.random(4000) < 0.7)
        judge = gold + lean + rng.normal(0, 0.3, 4000)
        labels = np.where(rng.random(4000) < 0.25, gold, np.nan)
        found = segment_means(judge, labels, codes, [str(i) for i in range(20)], null=0.0)
        any_raw += min(each.p for each in found.segments) <= 0.05
        any_holm += min(each.p_adjusted for each in found.segments) <= 0.05
    print(any_raw / 120, any_holm / 120)
    # The standard error of 0.05 in 120 replications is 0.020.
    assert any_holm / 120 <= 0.05 + 2 * 0.020
    assert any_raw / 120 > 0.4


def test_the_corrected_mean_covers_the_truth_with_few_labels():
    """400 simulations each: s.e. 0.011 at 0.95. The judge errs on 6 percent of the rows."""
    rng = np.random.default_rng(3)
    covered = {20: 0, 60: 0}
    for labels in covered:
        for _ in range(400):
            truth = (rng.random(500) < 0.6).astype(float)
            judge = np.where(rng.random(500) < 0.85, truth, 1.0)
            gold = np.full(500, np.nan)
            gold[:labels] = truth[:labels]
            found = corrected_mean(judge, gold)
            covered[labels] += found.low <= 0.6 <= found.high
    print({n: count / 400 for n, count in covered.items()})
    assert min(covered.values()) / 400 >= 0.95 - 3 * 0.011


def test_an_unbiased_judge_covers_one_half_and_the_changed_verdicts_hold_their_level():
    """1,000 judges that flip at random on a third of the comparisons."""
    rng = np.random.default_rng(4)
    covered = rejected = 0
    for _ in range(1000):
        best = rng.integers(1, 3, 60)
        unsure = rng.random(60) < 1 / 3
        plain = np.where(unsure, rng.integers(1, 3, 60), best)
        swapped = np.where(unsure, rng.integers(1, 3, 60), best)
        found = position_bias(plain, swapped)
        covered += found.first.low <= 0.5 <= found.first.high
        rejected += found.changed.p is not None and found.changed.p <= 0.05
    print(covered / 1000, rejected / 1000)
    assert covered / 1000 >= 0.95 - 3 * 0.007
    assert rejected / 1000 <= 0.05 + 3 * 0.007
