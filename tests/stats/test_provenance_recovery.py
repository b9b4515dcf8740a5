import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.folds import make_folds
from judgeprobe.stats.provenance_recovery import provenance_recovery


def test_a_label_that_is_a_function_of_a_readable_condition_is_reached_through_it() -> None:
    rng = np.random.default_rng(0)
    conditions = rng.integers(0, 3, 90)
    words = ("alphonse", "bertrand", "clothilde")
    texts = [f"{words[c]} {rng.integers(1000)} said so" for c in conditions]
    labels = (conditions == 1).astype(int)
    permuted = np.array([rng.permutation(labels) for _ in range(19)])
    found = provenance_recovery(texts, labels, conditions, make_folds(90, None), permuted)
    assert found.is_function
    assert found.n_conditions == 3
    assert found.condition.value == pytest.approx(1)
    assert found.label.value == pytest.approx(1)
    assert found.p == pytest.approx(1 / 20)


def test_a_condition_the_text_does_not_show_gives_nothing_though_the_label_follows_it() -> None:
    rng = np.random.default_rng(1)
    conditions = rng.integers(0, 2, 120)
    texts = [" ".join(rng.choice(["one", "two", "three"], 6)) for _ in conditions]
    permuted = np.array([rng.permutation(conditions) for _ in range(19)])
    found = provenance_recovery(texts, conditions, conditions, make_folds(120, None), permuted)
    assert found.label_given_condition.value == pytest.approx(1)
    assert abs(found.label.value) < 0.3


def test_pairs_read_the_condition_of_each_side() -> None:
    rng = np.random.default_rng(2)
    role = rng.integers(0, 2, 80)
    words = ("original wording", "edited phrase")
    first = [f"{words[r]} {rng.integers(99)}" for r in role]
    second = [f"{words[1 - r]} {rng.integers(99)}" for r in role]
    permuted = np.array([np.where(rng.random(80) < 0.5, role, 1 - role) for _ in range(19)])
    found = provenance_recovery(
        first,
        role,
        role,
        make_folds(80, None),
        permuted,
        texts_b=second,
        conditions_b=1 - role,
    )
    assert found.is_function
    assert found.label.value == pytest.approx(1)


def test_refusals() -> None:
    labels, folds = np.tile([0, 1], 10), make_folds(20, None)
    with pytest.raises(StatisticsError, match="at least two conditions"):
        provenance_recovery(["a"] * 20, labels, labels * 0, folds, labels[None, :])
    with pytest.raises(StatisticsError, match="given together"):
        provenance_recovery(["a"] * 20, labels, labels, folds, labels[None, :], texts_b=["b"] * 20)
