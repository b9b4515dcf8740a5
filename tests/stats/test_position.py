"""Does the judge prefer an answer for its place?"""

import numpy as np
import pytest
import truescore
from scipy.stats import binomtest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.position import position_bias, preference


def test_a_judge_that_always_names_the_first_is_at_one():
    found = position_bias(np.full(30, 1), np.full(30, 2))
    assert (found.first.rate, found.consistent) == (1.0, 0.0)
    assert found.first.trials == 60
    assert found.changed.n == 30
    assert found.first.low == pytest.approx(0.025 ** (1 / 60))


def test_a_consistent_judge_is_at_one_half_whatever_it_prefers():
    found = position_bias(np.full(30, 2), np.full(30, 2))
    assert (found.first.rate, found.consistent, found.first.p) == (0.5, 1.0, 1.0)
    assert found.changed.rate is None


def test_unread_verdicts_and_ties_are_counted_and_left_out():
    found = position_bias([1, 0, 1, 2], [2, 1, 0, 2])
    assert (found.first.n, found.n_unread, found.first.rate) == (2, 2, 0.75)
    empty = position_bias([0, 1], [1, 0])
    assert (empty.first.n, empty.first.rate, empty.consistent, empty.first.p) == (
        0,
        None,
        None,
        None,
    )


def test_it_agrees_with_truescore_and_scipy():
    rng = np.random.default_rng(1)
    plain, swapped = rng.choice([1, 2], 50, p=[0.7, 0.3]), rng.choice([1, 2], 50)
    ours = position_bias(plain, swapped)
    theirs = truescore.position_bias(plain == 1, swapped == 2)
    assert ours.first.rate == theirs.first_position_rate
    assert (ours.first.low, ours.first.high) == pytest.approx((theirs.low, theirs.high))
    assert ours.first.p == pytest.approx(theirs.p_value)
    assert ours.consistent == pytest.approx(theirs.consistency)
    first = int((plain != swapped).sum())
    again = binomtest(int(((plain == 1) & (swapped == 2)).sum()), first)
    assert ours.changed.p == pytest.approx(again.pvalue)


def test_a_preference_for_the_marked_answer():
    found = preference([1, 1, 2, 0], [1, 2, 2, 1], [1, 1, 2, 1])
    assert (found.n, found.trials, found.rate) == (3, 6, pytest.approx(5 / 6))


@pytest.mark.parametrize(("plain", "swapped"), [([], []), ([1], [3]), ([1, 2], [1])])
def test_what_names_no_answer_is_refused(plain, swapped):
    with pytest.raises(StatisticsError):
        position_bias(plain, swapped)
