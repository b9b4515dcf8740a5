"""Two gradings of one design, against loops written from the definition."""

import itertools

import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import make_design
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.stats.reselection import reselected_at, reselected_draws
from judgeprobe.stats.two_readings import compare_readings

N = 12
AXES = ("scope", "strength")
AXIS = ["scope", "strength", "control", "control", "control"]


def design():
    return make_design(np.repeat(np.arange(N), len(AXIS)), AXIS * N, AXES)


def grading(seed, step=0.25, missing=0.0):
    rng = np.random.default_rng(seed)
    size = N * len(AXIS)
    original = np.repeat(rng.uniform(2, 5, N), len(AXIS))
    moved = np.where(np.array(AXIS * N) == "control", 0.15, 1.2)
    edited = original - moved * rng.uniform(0, 2, size)
    rounded = [np.round(column / step) * step for column in (original, edited)]
    if missing:
        rounded[1][rng.random(size) < missing] = np.nan
    return rounded[0], rounded[1]


def resamples(count=60, seed=5):
    return Resamples.draw(N, count, np.random.default_rng(seed))


def point(pairs, tau, weights=None):
    """S, R and R of each axis at a cut, by loops; base items weighted as a resample does."""
    weights = np.ones(N) if weights is None else weights
    rates = []
    for wanted in (("control",), AXES, ("scope",), ("strength",)):
        total = weight = 0.0
        for base in range(N):
            changed = [
                (a >= tau) != (b >= tau)
                for place, (a, b) in enumerate(pairs[base])
                if AXIS[place] in wanted and a == a and b == b
            ]
            if changed:
                total += weights[base] * sum(changed) / len(changed)
                weight += weights[base]
        rates.append(total / weight if weight else float("nan"))
    return 1 - rates[0], rates[1], rates[2], rates[3]


def pairs_of(grades, both):
    columns = [np.where(both, column, np.nan).reshape(N, -1) for column in grades]
    return [list(zip(*[column[base] for column in columns], strict=True)) for base in range(N)]


def best(pairs, level, weights=None):
    """The point with the largest R at S >= level, ties to the larger S, then the smaller cut."""
    values = sorted({g for base in pairs for pair in base for g in pair if g == g})
    found = None
    for low, high in itertools.pairwise(values):
        got = point(pairs, (low + high) / 2, weights)
        if got[0] >= level - 1e-12 and (
            found is None
            or got[1] > found[1] + 1e-12
            or (abs(got[1] - found[1]) <= 1e-12 and got[0] > found[0] + 1e-12)
        ):
            found = got
    return found


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_points_differences_and_intervals_are_those_of_the_definition(missing):
    first, second = grading(1), grading(2, step=1.0, missing=missing)
    drawn = resamples()
    got = compare_readings(
        design(), first, second, floor=0.7, levels=(0.6, 0.95), resamples=drawn, level=0.9
    )
    both = ~np.isnan(first[1]) & ~np.isnan(second[1])
    sides = [pairs_of(grades, both) for grades in (first, second)]
    assert got.n_lost == (int((~both).sum()), 0)
    assert got.n_construct + got.n_invariance == both.sum()
    for at, level in ((got.operating, 0.7), (got.matched[0], 0.6), (got.matched[1], 0.95)):
        points = [best(side, level) or (1.0, 0.0, 0.0, 0.0) for side in sides]
        for found, expected in zip((at.before, at.after), points, strict=True):
            assert (found.S, found.R, *found.axes) == pytest.approx(expected)
        assert at.R.difference == pytest.approx(points[1][1] - points[0][1])
        moved = []
        for weights in np.concatenate(list(drawn.blocks())):
            again = [best(side, level, weights) or (1.0, 0.0, 0.0, 0.0) for side in sides]
            moved.append([b - a for a, b in zip(*again, strict=True)])
        low, high = np.quantile(np.array(moved), (0.05, 0.95), axis=0)
        changes = (at.S, at.R, *at.axes)
        assert [c.low for c in changes] == pytest.approx(list(low))
        assert [c.high for c in changes] == pytest.approx(list(high))


def test_the_stricter_point_is_at_the_larger_s():
    got = compare_readings(
        design(),
        grading(1),
        grading(2, 1.0),
        floor=0.6,
        levels=(),
        resamples=resamples(),
        level=0.9,
    )
    at = got.operating
    assert got.stricter.level == max(at.before.S, at.after.S)
    assert min(got.stricter.before.S, got.stricter.after.S) >= got.stricter.level - 1e-12


def test_one_cut_for_both_is_the_first_gradings_own():
    first, second = grading(1), grading(3)
    drawn = resamples()
    got = compare_readings(
        design(), first, second, floor=0.7, levels=(), resamples=drawn, level=0.9, one_scale=True
    )
    at = got.same_cut
    tau = got.operating.before.tau
    every = np.ones(N * len(AXIS), dtype=bool)
    sides = [pairs_of(grades, every) for grades in (first, second)]
    assert at.before.tau == at.after.tau == tau
    expected = [point(side, tau) for side in sides]
    assert (at.after.S, at.after.R, *at.after.axes) == pytest.approx(expected[1])
    moved = [
        point(sides[1], tau, w)[1] - point(sides[0], tau, w)[1]
        for block in drawn.blocks()
        for w in block
    ]
    assert (at.R.low, at.R.high) == pytest.approx(tuple(np.quantile(moved, (0.05, 0.95))))
    assert at.R.fixed == (at.R.low, at.R.high)


def test_the_same_grading_twice_differs_by_nothing_and_the_interval_says_how_sure_that_is():
    grades = grading(4)
    got = compare_readings(
        design(), grades, grades, floor=0.7, levels=(0.9,), resamples=resamples(), level=0.9
    )
    # None of 12 base items moves: with 5 percent of chance at each end, at most this share does.
    reach = 1 - 0.05 ** (1 / N)
    for at in (got.operating, *got.matched, got.stricter):
        for change in (at.S, at.R, *at.axes):
            assert change.difference == 0.0
            assert (change.low, change.high) == pytest.approx((-reach, reach))
            assert change.fixed == pytest.approx((-reach, reach))
        if at.surviving.share is not None:
            assert (at.surviving.share, at.surviving.low, at.surviving.high) == (1.0, 1.0, 1.0)


def test_where_every_base_item_moves_alike_the_interval_is_exact():
    size = N * len(AXIS)
    original = np.full(size, 4.0)
    half = np.where(np.array(AXIS * N) == "scope", 1.0, 4.0)
    every = np.where(np.array(AXIS * N) == "control", 4.0, 1.0)
    got = compare_readings(
        design(), (original, half), (original, every), floor=0.7, levels=(), resamples=resamples(),
        level=0.9,
    )  # fmt: skip
    at, share = got.operating, 1 - 0.05 ** (1 / N)
    assert at.R.difference == 0.5
    assert (at.R.low, at.R.high) == pytest.approx((0.5 - 1.5 * share, 0.5 + 0.5 * share))
    assert at.axes[1].difference == 1.0
    assert at.axes[1].high == 1.0


def test_the_surviving_share_of_misses():
    first, second = grading(1), grading(2)
    got = compare_readings(
        design(), first, second, floor=0.7, levels=(), resamples=resamples(), level=0.9
    )
    at = got.operating
    assert at.surviving.share == pytest.approx((1 - at.after.R) / (1 - at.before.R))
    assert at.surviving.low <= at.surviving.share <= at.surviving.high


def test_without_a_cut_at_the_floor_there_is_no_operating_point_and_a_constant_verdict():
    first = grading(1)
    second = (first[0], np.where(np.array(AXIS * N) == "control", 0.0, first[0]))
    got = compare_readings(
        design(), first, second, floor=0.9, levels=(0.9,), resamples=resamples(), level=0.9
    )
    assert got.operating is None
    assert got.stricter is None
    assert got.lacking == (1,)
    after = got.matched[0].after
    assert (after.tau, after.S, after.R, after.axes) == (None, 1.0, 0.0, (0.0, 0.0))


def test_a_grading_of_one_value_never_changes_its_verdict():
    constant = np.full(N * len(AXIS), 3.0)
    got = compare_readings(
        design(), (constant, constant), grading(1), floor=0.7, levels=(), resamples=resamples(),
        level=0.9,
    )  # fmt: skip
    before = got.operating.before
    assert (before.tau, before.S, before.R) == (None, 1.0, 0.0)
    assert got.operating.R.difference == got.operating.after.R


def test_an_arm_without_a_common_pair_is_refused():
    first, second = grading(1), grading(2)
    second[1][np.array(AXIS * N) == "control"] = np.nan
    with pytest.raises(StatisticsError, match="no invariance pair is graded in both"):
        compare_readings(
            design(), first, second, floor=0.7, levels=(), resamples=resamples(), level=0.9
        )


def test_several_floors_in_one_pass_are_the_single_floors():
    from judgeprobe.stats.frontier import crossings

    crossed = crossings(*grading(1))
    drawn = resamples()
    together = reselected_at(design(), crossed, (0.6, 0.9), drawn)
    for found, floor in zip(together, (0.6, 0.9), strict=True):
        alone = reselected_draws(design(), crossed, floor, drawn).draws
        np.testing.assert_array_equal(found, alone)
