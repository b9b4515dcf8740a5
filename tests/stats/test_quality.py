import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.quality import grade_use, regrade_agreement


def test_a_grade_is_usable_from_one_percent_of_the_graded_texts() -> None:
    grades = [4.0] * 98 + [3.0] + [2.0] + [np.nan] * 50
    found = grade_use(grades, 0.01)
    assert (found.n, found.distinct, found.usable, found.usable_points) == (100, 3, 3, 2)
    # One more text, and a grade given once falls under one percent.
    found = grade_use([*grades, 4.0], 0.01)
    assert (found.n, found.distinct, found.usable, found.usable_points) == (101, 3, 1, 0)


def test_grades_from_probabilities_are_pooled_with_their_neighbours() -> None:
    grades = np.linspace(2, 3, 400)
    assert grade_use(grades, 0.01).usable == 0
    found = grade_use(grades, 0.01, pooled=True)
    assert (found.distinct, found.usable) == (400, 100)
    assert "put together" in found.rule
    # A judge that hardly moves has little to pool.
    assert grade_use(np.full(400, 2.5), 0.01, pooled=True).usable == 1


def test_regrade_agreement_is_the_share_of_equal_grades() -> None:
    assert regrade_agreement([1, 2, 3, 4], [1, 2, 3, 5]) == 0.75
    assert regrade_agreement([0.1 + 0.2], [0.3]) == 1.0
    with pytest.raises(StatisticsError):
        regrade_agreement([], [])
    with pytest.raises(StatisticsError):
        regrade_agreement([1, 2], [1])
