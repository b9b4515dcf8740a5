"""What would people have said in each segment?"""

import numpy as np
import pytest
import truescore
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.judge_error import adjust
from judgeprobe.stats.segments import corrected_mean, segment_means


def drawn(n: int, labels: int, seed: int = 0, shift: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 1, n)
    judge = truth + shift + rng.normal(0, 0.5, n)
    gold = np.full(n, np.nan)
    gold[rng.permutation(n)[:labels]] = 1
    return judge, np.where(np.isnan(gold), np.nan, truth)


def by_loop(judge: np.ndarray, gold: np.ndarray) -> tuple[float, float, float]:
    """PPI++ from its definition, with sums."""
    known = [i for i in range(len(judge)) if not np.isnan(gold[i])]
    rest = [i for i in range(len(judge)) if np.isnan(gold[i])]
    n, m = len(known), len(rest)
    mean_f, mean_y = sum(judge[i] for i in known) / n, sum(gold[i] for i in known) / n
    both = sum((judge[i] - mean_f) * (gold[i] - mean_y) for i in known) / n
    all_f = sum(judge) / len(judge)
    variance = sum((f - all_f) ** 2 for f in judge) / (len(judge) - 1)
    tuning = min(1.0, max(0.0, both / ((1 + n / m) * variance)))
    rectified = [gold[i] - tuning * judge[i] for i in known]
    first = sum(judge[i] for i in rest) / m
    estimate = tuning * first + sum(rectified) / n
    spread_f = sum((judge[i] - first) ** 2 for i in rest) / (m - 1)
    middle = sum(rectified) / n
    spread_r = sum((r - middle) ** 2 for r in rectified) / (n - 1)
    return tuning, estimate, (tuning**2 * spread_f / m + spread_r / n) ** 0.5


def test_the_corrected_mean_equals_an_explicit_loop():
    judge, gold = drawn(400, 60)
    found = corrected_mean(judge, gold)
    tuning, estimate, spread = by_loop(judge, gold)
    assert found.tuning == pytest.approx(tuning, rel=1e-12)
    assert found.corrected == pytest.approx(estimate, rel=1e-12)
    assert found.std_error == pytest.approx(spread, rel=1e-12)
    assert found.high == pytest.approx(estimate + student.ppf(0.975, 59) * spread, rel=1e-12)


def test_it_agrees_with_truescore_but_for_the_t_interval():
    """The estimate is the same; truescore's interval is normal, ours has n - 1 degrees."""
    judge, gold = drawn(500, 100, seed=4)
    index = np.flatnonzero(~np.isnan(gold))
    theirs = truescore.ppi_estimate(judge, gold[index], index)
    ours = corrected_mean(judge, gold)
    assert ours.corrected == pytest.approx(theirs.point, abs=1e-10)
    ratio = student.ppf(0.975, 99) / 1.959963984540054
    assert (ours.high - ours.low) / (theirs.high - theirs.low) == pytest.approx(ratio, rel=2e-3)


def test_all_labelled_is_the_mean_of_the_labels():
    judge, gold = drawn(50, 50)
    found = corrected_mean(judge, gold)
    assert (found.tuning, found.corrected) == (0.0, pytest.approx(gold.mean()))
    assert found.p == pytest.approx(ttest_1samp(judge - gold, 0).pvalue)
    against = corrected_mean(judge, gold, null=0.1)
    assert against.p == pytest.approx(ttest_1samp(gold, 0.1).pvalue)


def test_clusters_of_one_row_are_no_clusters_and_copies_are_not_evidence():
    judge, gold = drawn(200, 60)
    alone = corrected_mean(judge, gold)
    twice = corrected_mean(np.tile(judge, 2), np.tile(gold, 2), clusters=np.tile(np.arange(200), 2))
    naive = corrected_mean(np.tile(judge, 2), np.tile(gold, 2))
    assert twice.std_error == pytest.approx(alone.std_error, rel=0.02)
    assert naive.std_error == pytest.approx(alone.std_error / 2**0.5, rel=0.02)


def test_a_thin_segment_is_reported_with_the_judges_number_and_the_reason():
    judge, gold = drawn(100, 19)
    found = corrected_mean(judge, gold)
    assert (found.status, found.reason) == ("not corrected", "19 human labels, fewer than 20")
    assert found.judge == pytest.approx(judge.mean())
    assert found.corrected is found.low is found.p is None
    none = corrected_mean(judge, np.full(100, np.nan))
    assert (none.error, none.reason) == (None, "0 human labels, fewer than 20")


def test_labels_that_do_not_vary_get_no_interval():
    found = corrected_mean(np.full(40, 3.0), np.where(np.arange(40) < 25, 3.0, np.nan))
    assert (found.corrected, found.low, found.p) == (3.0, None, 1.0)
    assert found.reason == "labels do not vary: no interval"
    apart = corrected_mean(np.full(40, 3.0), np.where(np.arange(40) < 25, 2.0, np.nan))
    assert (apart.corrected, apart.p) == (2.0, None)


def test_few_labels_of_one_kind_get_the_exact_binomial_interval_of_the_labels():
    gold = np.where(np.arange(60) < 30, 1.0, np.nan)
    found = corrected_mean(np.arange(60) % 2, gold, null=0.5)
    assert (found.corrected, found.tuning) == (1.0, 0.0)
    assert found.low == pytest.approx(0.025 ** (1 / 30))
    assert found.p == pytest.approx(2 * 0.5**30)
    assert found.reason.startswith("fewer than 5 labels of one kind")
    assert corrected_mean(np.arange(60) % 2, gold).p < 0.01


def test_a_judge_that_people_hardly_ever_contradict_is_not_trusted_to_be_measured():
    truth = np.arange(300) % 2
    gold = np.where(np.arange(300) < 40, truth, np.nan)
    judge = truth.copy()
    judge[[0, 2, 4, 6]] = 1
    few = corrected_mean(judge, gold)
    assert (few.tuning, few.corrected) == (0.0, 0.5)
    assert few.reason == "judge and people differ on 4 labelled rows, fewer than 5: labels alone"
    judge[8] = 1
    assert corrected_mean(judge, gold).tuning > 0.5


def test_an_inverted_segment_is_recovered_and_the_global_correction_misses_it():
    rng = np.random.default_rng(7)
    codes = np.repeat(np.arange(3), 800)
    truth = np.array([0.2, 0.15, -0.17])[codes] + rng.normal(0, 0.4, 2400)
    judge = truth + np.array([-0.03, -0.03, 0.32])[codes] + rng.normal(0, 0.2, 2400)
    gold = np.where(rng.random(2400) < 0.3, truth, np.nan)
    found = segment_means(judge, gold, codes, ["account", "billing", "technical"], null=0.0)
    last = found.segments[2]
    assert last.judge > 0.1
    assert last.low < -0.17 < last.high
    assert last.high < 0
    assert last.by_global > 0
    assert "technical" in found.hidden
    p = [each.p for each in found.segments]
    assert [each.p_adjusted for each in found.segments] == adjust(p, "holm").tolist()
    assert found.tested == "corrected mean is 0"


def test_a_thin_segment_takes_no_part_in_the_adjustment():
    judge, gold = drawn(300, 200, seed=9)
    codes = np.repeat([0, 1, 2], 100)
    gold[codes == 1] = np.nan
    found = segment_means(judge, gold, codes, ["a", "b", "c"], correction="bh")
    assert found.segments[1].p_adjusted is None
    expected = adjust([found.segments[0].p, found.segments[2].p], "bh").tolist()
    assert [found.segments[0].p_adjusted, found.segments[2].p_adjusted] == expected


def test_a_floor_below_two_labels_is_refused():
    with pytest.raises(StatisticsError, match="min_gold"):
        corrected_mean([1.0, 2.0], [1.0, 2.0], min_gold=1)
