from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.group_bootstrap import group_draws, studentised_ends
from judgeprobe.stats.inflation import MOST_EXACT, inflation, mean_inflation, sign_flip

# Eight sentences of four pairs, worked by hand in docs/methods/inflation.md:
# the judge follows the role on all but the last.
GROUPS = np.array([0, 0, 1, 1, 2, 2, 3, 3])
INHERITED = np.array([0, 1, 0, 1, 0, 1, 0, 1])
BLINDED = np.array([0, 1, 0, 0, 0, 0, 1, 1])
VERDICTS = np.array([0, 1, 0, 1, 0, 1, 0, 0])


def rng():
    return np.random.default_rng(1)


def measured(verdicts=VERDICTS, inherited=INHERITED, blinded=BLINDED, groups=GROUPS, **more):
    return inflation(verdicts, inherited, blinded, groups, 2, rng(), **more)


def test_the_table_worked_by_hand():
    found = measured()
    assert (found.n, found.groups, found.differ) == (8, 4, 3)
    assert found.inherited.estimate == 7 / 8
    assert found.blinded.estimate == 4 / 8
    assert found.delta.estimate == 3 / 8
    # Inherited: agreement 7/8, chance 5/8 x 1/2 + 3/8 x 1/2 = 1/2, kappa 3/4.
    assert found.kappa_inherited.value == pytest.approx(0.75)
    # Blinded has 5 and 3, the verdicts 5 and 3: agreement 4/8, chance 34/64, kappa -1/15.
    assert found.kappa_blinded.value == pytest.approx((4 / 8 - 34 / 64) / (1 - 34 / 64))
    assert found.kappa_delta.estimate == pytest.approx(0.75 + 1 / 15)
    # Groups' sums are 0, 1, 1, 1: of eight patterns of signs, two are as extreme.
    assert (found.test.p, found.test.nonzero, found.test.exact) == (0.25, 3, True)
    assert (found.delta.low, found.delta.high) == (0.125, 0.5)
    assert found.delta.unit == "group"


def test_the_interval_is_that_of_an_explicit_bootstrap():
    """Over every one of the 4^4 ordered draws of groups, the percentiles are known exactly."""
    d = (VERDICTS == INHERITED).astype(float) - (VERDICTS == BLINDED)
    every = [
        np.concatenate([d[g == GROUPS] for g in draw]).mean()
        for draw in product(range(4), repeat=4)
    ]
    found = measured(resamples=40_000)
    low, high = np.quantile(every, [0.025, 0.975])
    assert found.delta.low == pytest.approx(low)
    assert found.delta.high == pytest.approx(high)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=30))
def test_equal_sets_give_exactly_nothing(rows):
    verdicts, labels = (np.array(column) for column in zip(*rows, strict=True))
    groups = np.arange(len(rows)) // 2 if len(rows) > 3 else np.arange(len(rows))
    found = inflation(verdicts, labels, labels, groups, 3, rng(), resamples=100)
    assert (found.delta.estimate, found.delta.low, found.delta.high) == (0.0, 0.0, 0.0)
    assert (found.kappa_delta.estimate, found.kappa_delta.low, found.kappa_delta.high) == (0, 0, 0)
    assert found.test.p == 1.0
    assert found.differ == 0


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_exchanging_the_sets_turns_the_sign(seed):
    draw = np.random.default_rng(seed)
    verdicts, one, other = draw.integers(0, 2, (3, 40))
    groups = np.arange(40) // 4
    there = inflation(verdicts, one, other, groups, 2, rng(), resamples=200)
    back = inflation(verdicts, other, one, groups, 2, rng(), resamples=200)
    assert there.delta.estimate == -back.delta.estimate
    assert there.delta.low == pytest.approx(-back.delta.high, abs=1e-12)
    assert there.test.p == back.test.p
    assert -1 <= there.delta.estimate <= 1
    assert there.delta.estimate == pytest.approx(there.inherited.estimate - there.blinded.estimate)


def test_the_drawn_signs_agree_with_every_pattern():
    sums = np.array([2.0, 1, 1, -1, 3, 0, 1, 1, -2, 1])
    exact = sign_flip(sums, rng())
    totals = np.array([np.dot(signs, sums) for signs in product((-1, 1), repeat=len(sums))])
    assert exact.exact
    assert exact.p == pytest.approx(np.mean(np.abs(totals) >= abs(sums.sum())))
    many = np.concatenate([sums, sums])
    assert (many != 0).sum() > MOST_EXACT
    drawn = sign_flip(many, rng(), flips=20_000)
    every = np.array([0.0])
    for size in many:
        every = np.concatenate([every - size, every + size])
    assert not drawn.exact
    assert drawn.p == pytest.approx(np.mean(np.abs(every) >= abs(many.sum())), abs=0.01)


def test_the_mean_over_judges_is_the_mean_of_their_deltas():
    other = np.array([0, 1, 0, 0, 0, 0, 1, 1])  # right by the blinded labels throughout
    both = np.stack([VERDICTS, other])
    delta, test = mean_inflation(both, INHERITED, BLINDED, GROUPS, rng())
    assert delta.estimate == pytest.approx((3 / 8 - 3 / 8) / 2)
    assert test.p == 1.0
    alone, alone_test = mean_inflation(both[:1], INHERITED, BLINDED, GROUPS, rng())
    single = measured()
    assert (alone.estimate, alone.low, alone.high) == (
        single.delta.estimate,
        single.delta.low,
        single.delta.high,
    )
    assert alone_test.p == single.test.p


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"groups": np.zeros(8, dtype=int)}, "at least 2"),
        ({"groups": np.array([0, 0, 1, 1, 3, 3, 4, 4])}, "without gaps"),
        ({"verdicts": VERDICTS[:5]}, "one length"),
        ({"verdicts": VERDICTS + 1}, "codes 0 to 1"),
        ({"flips": 0}, "`flips`"),
        ({"level": 1.5}, "`level`"),
    ],
)
def test_what_delta_does_not_cover_is_refused(change, told):
    with pytest.raises(StatisticsError, match=told):
        measured(**change)


def test_no_unit_is_refused():
    none = np.zeros(0, dtype=np.int64)
    with pytest.raises(StatisticsError, match="got none"):
        inflation(none, none, none, none, 2, rng())
    with pytest.raises(StatisticsError, match="judges x units"):
        mean_inflation(none[None, :], none, none, none, rng())


def test_the_studentised_interval_is_that_of_an_explicit_loop():
    draw = np.random.default_rng(8)
    groups = np.repeat(np.arange(20), draw.integers(1, 4, 20))
    values = draw.choice([-1.0, 0.0, 1.0], len(groups), p=[0.1, 0.5, 0.4])
    draws = group_draws(20, 300, draw)
    found = studentised_ends(values, draws, groups, 0.9)
    sums, counts = np.bincount(groups, values), np.bincount(groups)

    def mean_and_error(weights):
        size = sum(w * c for w, c in zip(weights, counts, strict=True))
        mean = sum(w * s for w, s in zip(weights, sums, strict=True)) / size
        spread = sum(w * (s - mean * c) ** 2 for w, s, c in zip(weights, sums, counts, strict=True))
        return mean, (20 / 19 * spread) ** 0.5 / size

    mean, error = mean_and_error(np.ones(20))
    t = [(m - mean) / e for m, e in map(mean_and_error, draws)]
    low, high = np.quantile(t, [0.05, 0.95])
    assert found.low == pytest.approx(mean - high * error)
    assert found.high == pytest.approx(mean - low * error)


def test_the_method_says_which_interval_it_is():
    few = measured()
    assert few.delta.method.startswith("percentile")
    draw = np.random.default_rng(9)
    verdicts, one, other = draw.integers(0, 2, (3, 120))
    many = inflation(verdicts, one, other, np.arange(120) // 3, 2, rng(), resamples=500)
    assert many.delta.method == "studentised bootstrap over groups, 500 draws"
    assert many.delta.low < many.delta.estimate < many.delta.high


def test_draws_without_spread_leave_the_studentised_interval_undefined():
    draws = group_draws(5, 200, rng())
    assert studentised_ends(np.ones(5), draws, np.arange(5)) is None
    one = np.array([1.0, 0, 0, 0, 0])
    assert studentised_ends(one, draws, np.arange(5)) is None
