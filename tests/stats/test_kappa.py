import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.kappa import cohen_kappa, confusions, group_confusions, kappas


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_equals_scikit_learn(seed: int, linear: bool) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, 4, 60), rng.integers(0, 4, 60)
    found = cohen_kappa(truth, predicted, 4, linear=linear)
    weights = "linear" if linear else None
    assert found.value == pytest.approx(cohen_kappa_score(truth, predicted, weights=weights))
    assert found.accuracy == pytest.approx(np.mean(truth == predicted))


def test_a_table_worked_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed 0.7, expected 0.5.
    truth = np.repeat([0, 0, 1, 1], [20, 5, 10, 15])
    predicted = np.repeat([0, 1, 0, 1], [20, 5, 10, 15])
    assert cohen_kappa(truth, predicted, 2).value == pytest.approx(0.4)


def test_both_constant_is_zero_by_rule_and_said() -> None:
    found = cohen_kappa(np.zeros(5, int), np.zeros(5, int), 2)
    assert (found.value, found.degenerate, found.accuracy) == (0.0, True, 1.0)


def test_constant_on_different_classes_is_zero_but_not_degenerate() -> None:
    found = cohen_kappa(np.zeros(5, int), np.ones(5, int), 2)
    assert (found.value, found.degenerate) == (0.0, False)


def test_refusals() -> None:
    with pytest.raises(StatisticsError, match="empty table"):
        cohen_kappa(np.zeros(0, int), np.zeros(0, int), 2)
    with pytest.raises(StatisticsError, match="codes 0 to 1"):
        cohen_kappa(np.array([0, 2]), np.array([0, 1]), 2)
    with pytest.raises(StatisticsError, match="one length"):
        cohen_kappa(np.array([0, 1]), np.array([0]), 2)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=40))
def test_group_tables_sum_to_the_whole_and_many_equal_one_by_one(
    rows: list[tuple[int, int, int]],
) -> None:
    truth, predicted, groups = (np.array(column) for column in zip(*rows, strict=True))
    whole = confusions(truth, predicted, 3)
    assert np.array_equal(group_confusions(truth, predicted, groups, 3, 3).sum(0), whole[0])
    many = confusions(truth, np.vstack([predicted, truth]), 3)
    values, degenerate = kappas(many)
    assert values[0] == cohen_kappa(truth, predicted, 3).value
    assert values[1] == (0.0 if degenerate[1] else 1.0)
