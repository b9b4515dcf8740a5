import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.auc import auc, auc_draws
from judgeprobe.stats.group_bootstrap import (
    correlation_draws,
    group_draws,
    mean_draws,
    percentile_ends,
)


@pytest.mark.parametrize("seed", range(50))
def test_equals_scikit_learn_with_and_without_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, 40)
    labels[:2] = [0, 1]
    scores = rng.normal(size=40).round(seed % 3)
    assert auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))


def test_draws_equal_a_loop_that_repeats_rows() -> None:
    rng = np.random.default_rng(0)
    labels, groups = rng.integers(0, 2, 60), rng.integers(0, 12, 60)
    scores, other = rng.normal(size=60).round(1), rng.normal(size=60)
    draws = group_draws(12, 100, rng)
    fast = auc_draws(labels, scores, draws, groups)
    means, correlations = (
        mean_draws(scores, draws, groups),
        correlation_draws(scores, other, draws, groups),
    )
    for row, draw in enumerate(draws.astype(int)):
        rows = np.repeat(np.arange(60), draw[groups])
        assert fast[row] == pytest.approx(roc_auc_score(labels[rows], scores[rows]))
        assert means[row] == pytest.approx(scores[rows].mean())
        assert correlations[row] == pytest.approx(np.corrcoef(scores[rows], other[rows])[0, 1])


def test_a_draw_without_a_class_is_not_a_number_and_is_counted() -> None:
    labels, groups = np.array([1, 0]), np.array([0, 1])
    draws = np.array([[1.0, 1.0], [2.0, 0.0], [1.0, 1.0]])
    values = auc_draws(labels, np.array([1.0, 0.0]), draws, groups)
    assert values[0] == 1
    assert np.isnan(values[1])
    assert percentile_ends(values).undefined == 1


def test_refusals() -> None:
    with pytest.raises(StatisticsError, match="both classes"):
        auc(np.zeros(3, int), np.zeros(3))
    with pytest.raises(StatisticsError, match="not defined on 2 of 3"):
        percentile_ends(np.array([np.nan, np.nan, 1.0]))
    with pytest.raises(StatisticsError, match="at least 2"):
        group_draws(1, 10, np.random.default_rng(0))
