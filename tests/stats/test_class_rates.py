import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.class_rates import class_rate
from judgeprobe.stats.group_bootstrap import group_draws

GROUPS = np.repeat(np.arange(10), 4)


def test_rates_are_those_of_scikit_learn():
    rng = np.random.default_rng(3)
    truth, named = rng.integers(0, 3, (2, 40))
    draws = group_draws(10, 200, rng)
    for code in range(3):
        found = class_rate(truth == code, named == code, GROUPS, draws)
        assert found.recall.estimate == pytest.approx(recall_score(truth == code, named == code))
        assert found.precision.estimate == pytest.approx(
            precision_score(truth == code, named == code)
        )
        assert found.n == (truth == code).sum()
        assert found.right == ((truth == code) & (named == code)).sum()
        assert found.recall.low <= found.recall.estimate <= found.recall.high


def test_a_draw_weighs_whole_groups():
    truth = np.ones(40, dtype=bool)
    named = GROUPS < 5  # a group is found whole or not at all
    draws = group_draws(10, 500, np.random.default_rng(4))
    found = class_rate(truth, named, GROUPS, draws)
    by_hand = draws[:, :5].sum(axis=1) / 10
    assert found.recall.low == pytest.approx(np.quantile(by_hand, 0.025))
    assert found.recall.high == pytest.approx(np.quantile(by_hand, 0.975))


def test_what_is_not_there_has_no_rate():
    draws = group_draws(10, 100, np.random.default_rng(5))
    nothing, some = np.zeros(40, dtype=bool), GROUPS < 3
    absent = class_rate(nothing, some, GROUPS, draws)
    assert (absent.n, absent.recall, absent.precision.estimate) == (0, None, 0.0)
    never = class_rate(some, nothing, GROUPS, draws)
    assert (never.named, never.precision, never.recall.estimate) == (0, None, 0.0)
    with pytest.raises(StatisticsError):
        class_rate(some, nothing[:3], GROUPS, draws)
