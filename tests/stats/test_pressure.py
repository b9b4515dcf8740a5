"""Paired effects, the sign-flip test, the prediction's state and the rank correlation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test, spearmanr

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.pressure import (
    Effect,
    paired_effects,
    prediction_status,
    rank_association,
    sign_flip_p,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def effects(values, **more):
    columns = np.asarray(values, dtype=float)
    settings = {"resamples": 2000, "flips": 500, "level": 0.95, "rng": rng(), **more}
    return paired_effects(columns, **settings)


def made(estimate, low, high, p):
    interval = Interval(estimate, low, high, "test", 0.95, 20, "passage")
    return Effect(estimate, interval, p, 0.0, 20, 20)


@given(st.lists(st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=9))
def test_the_exact_p_is_the_share_of_all_signs(values):
    nonzero = [value for value in values if value]
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, nonzero, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(nonzero))
    ]
    observed = abs(sum(nonzero))
    expected = sum(total >= observed - 1e-9 for total in sums) / len(sums)
    assert sign_flip_p(values, 10, rng()) == pytest.approx(expected)


def test_the_exact_p_is_that_of_scipy():
    values = rng(4).normal(0.4, 1, 12)
    theirs = permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert sign_flip_p(values, 10, rng()) == pytest.approx(theirs.pvalue)


def test_the_sampled_p_is_near_the_exact_one():
    values = np.concatenate([rng(5).normal(0.35, 1, 16), np.zeros(3)])
    exact = sign_flip_p(values, 10, rng())
    # A seventeenth difference of almost nothing makes the test draw its signs.
    sampled = sign_flip_p(np.append(values, 1e-6), 20_000, rng(1))
    assert abs(sampled - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000)


def test_a_sampled_p_is_never_zero():
    assert sign_flip_p(np.full(40, 1.0), 99, rng()) == 0.01


def test_no_difference_at_all_has_p_one():
    assert sign_flip_p([0.0, 0.0, 0.0], 10, rng()) == 1.0


def test_estimates_are_means_over_the_passages_that_have_both_claims():
    found = effects([[1, np.nan], [0, 2], [-1, np.nan], [1, 4]])
    assert [one.estimate for one in found] == [0.25, 3.0]
    assert [one.n for one in found] == [4, 2]
    assert [one.nonzero for one in found] == [3, 2]
    assert found[1].smallest_p == 0.5


def test_the_interval_is_wider_than_the_plain_percentile_one_and_meets_it_for_many():
    few, many = rng(6).normal(0, 1, (8, 1)), rng(6).normal(0, 1, (400, 1))
    for values, ratio in ((few, 1.2), (many, 1.0)):
        (found,) = effects(values, resamples=6_000)
        draws = values[rng(9).integers(0, len(values), (6_000, len(values))), 0].mean(axis=1)
        low, high = np.quantile(draws, (0.025, 0.975))
        width = (found.interval.high - found.interval.low) / (high - low)
        assert width > ratio - 0.03
        assert width < ratio + 0.12


def test_a_passage_with_one_side_missing_does_not_count_as_no_change():
    full = effects([[1], [1], [0], [1]])[0]
    missing = effects([[1], [1], [np.nan], [1]])[0]
    assert (full.estimate, missing.estimate) == (0.75, 1.0)


def test_one_passage_and_none_have_no_interval_and_say_why():
    one, none = effects([[3, np.nan], [np.nan, np.nan]])
    assert (one.estimate, one.interval, one.p) == (3.0, None, None)
    assert (none.estimate, none.interval, none.p) == (None, None, None)
    assert "two passages" in one.reason
    assert one.moved(0.05) == none.moved(0.05) == 0


def test_equal_differences_are_named_degenerate_and_move_only_as_far_as_their_number_allows():
    (three,) = effects(np.ones((3, 1)))
    (ten,) = effects(np.ones((10, 1)))
    assert three.reason == "every passage has the same difference"
    assert (three.interval.low, three.p, three.moved(0.05)) == (1.0, 0.25, 0)
    assert ten.p == pytest.approx(2**-9)
    assert ten.moved(0.05) == 1


@pytest.mark.parametrize(
    "bad", [np.zeros(3), np.zeros((0, 2)), np.array([[np.inf], [0.0]])], ids=["flat", "none", "inf"]
)
def test_arrays_that_the_definition_does_not_cover_raise(bad):
    with pytest.raises(StatisticsError):
        paired_effects(bad, resamples=10, flips=10, level=0.95, rng=rng())


@pytest.mark.parametrize("level", [0.0, 1.0, 1.5])
def test_a_level_that_is_none_raises(level):
    with pytest.raises(StatisticsError, match="level"):
        effects([[1.0], [0.0]], level=level)


DOWN, UP = made(-0.3, -0.5, -0.1, 0.01), made(0.4, 0.2, 0.6, 0.002)
STILL, NO_P = made(0.1, -0.1, 0.3, 0.3), made(0.4, 0.1, 0.7, 0.07)


@pytest.mark.parametrize(
    ("scope", "strength", "status"),
    [
        (DOWN, UP, "supported"),
        (UP, UP, "refuted"),
        (DOWN, DOWN, "refuted"),
        (UP, DOWN, "not decided"),
        (DOWN, STILL, "not decided"),
        (STILL, UP, "not decided"),
        # The interval excludes 0, the test does not.
        (DOWN, NO_P, "not decided"),
    ],
)
def test_the_prediction_is_decided_by_both_axes_together(scope, strength, status):
    assert prediction_status(scope, strength, alpha=0.05)[0] == status


def test_the_reason_names_the_axis_that_did_not_move():
    assert prediction_status(DOWN, STILL, alpha=0.05)[1].endswith("on strength")
    assert "neither rule" in prediction_status(UP, DOWN, alpha=0.05)[1]


def test_the_rank_correlation_is_scipys_and_its_p_counts_every_order():
    x, y = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6], [2.0, 7.0, 1.0, 8.0, 2.8, 1.8]
    found = rank_association(x, y, permutations=10, rng=rng())
    assert found.rho == pytest.approx(spearmanr(x, y).statistic)
    theirs = [
        abs(spearmanr(x, order).statistic) >= abs(found.rho) - 1e-9
        for order in itertools.permutations(y)
    ]
    assert found.p == pytest.approx(np.mean(theirs))
    assert found.method == "exact"


def test_more_than_eight_points_are_permuted_at_random():
    x = list(range(12))
    found = rank_association(x, x, permutations=99, rng=rng())
    assert (found.rho, found.p, found.method) == (pytest.approx(1.0), 0.01, "sampled")


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], "needs 5 points; got 4"),
        ([1, 1, 1, 1, 1], [1, 2, 3, 4, 5], "vary"),
        ([1, 2, 3, 4, 5], [1, 2, 3, 4], "one length"),
    ],
)
def test_too_few_points_and_constant_sides_raise(x, y, words):
    with pytest.raises(StatisticsError, match=words):
        rank_association(x, y, permutations=10, rng=rng())
