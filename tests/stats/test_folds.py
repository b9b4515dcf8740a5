import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.folds import make_folds


def test_a_group_is_never_in_two_folds() -> None:
    groups = np.random.default_rng(0).integers(0, 12, 100)
    for shuffled in (False, True):
        folds = make_folds(100, groups, shuffle_groups=shuffled)
        assert folds.kind == "grouped"
        for group in np.unique(groups):
            assert len(np.unique(folds.fold[groups == group])) == 1
        assert sorted(np.concatenate([held for _, held in folds])) == list(range(100))


def test_grouped_folds_are_scikit_learns() -> None:
    groups = np.random.default_rng(1).integers(0, 9, 50)
    folds = make_folds(50, groups)
    for (train, held), (train_2, held_2) in zip(
        folds, GroupKFold(5).split(np.zeros((50, 1)), groups=groups), strict=True
    ):
        assert np.array_equal(train, train_2)
        assert np.array_equal(held, held_2)


def test_four_groups_fall_back_to_shuffled_rows_and_say_so() -> None:
    groups = np.arange(40) % 4
    assert make_folds(40, groups).kind == "shuffled"
    assert make_folds(40, None).kind == "shuffled"
    assert np.array_equal(make_folds(40, groups).fold, make_folds(40, groups).fold)
    assert not np.array_equal(make_folds(40, None, seed=1).fold, make_folds(40, None).fold)


def test_too_few_rows() -> None:
    with pytest.raises(StatisticsError, match="at least 5 rows; got 4"):
        make_folds(4, None)
