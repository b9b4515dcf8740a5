import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers import explicit

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.frontier import (
    compare_frontiers,
    crossings,
    fixed_crossings,
    hull,
    operating_cut,
    sensitivity_at,
)

grades = st.lists(st.sampled_from([0.0, 1.0, 1.25, 2.0, 3.5, 5.0, None]), min_size=1, max_size=12)


@settings(deadline=None)
@given(grades, st.randoms(use_true_random=False))
def test_a_pair_is_changed_at_a_cut_exactly_when_its_verdicts_differ(before, random) -> None:
    after = [random.choice([0.0, 1.0, 1.25, 2.0, 3.5, 5.0, None]) for _ in before]
    crossed = crossings(
        [np.nan if g is None else g for g in before], [np.nan if g is None else g for g in after]
    )
    for k, tau in enumerate(crossed.taus):
        for p, (one, two) in enumerate(zip(before, after, strict=True)):
            expected = explicit.changed(explicit.Pair(0, "scope", one, two), float(tau))
            assert crossed.changed(k)[p] == bool(expected)
            assert crossed.graded[p] == (expected is not None)


def test_cuts_are_midpoints_between_neighbouring_grades_given() -> None:
    crossed = crossings([0, 5, 2.5], [1, 5, np.nan])
    assert crossed.taus.tolist() == [0.5, 1.75, 3.75]
    assert crossed.graded.tolist() == [True, True, False]


def test_no_cut_divides_rounding_noise() -> None:
    third = (0.1 + 0.2 + 0.3) / 3  # 0.20000000000000004
    assert crossings([third, 1.0], [0.2, 1.0]).taus.tolist() == [pytest.approx(0.6)]


def test_the_shift_rule_reads_how_far_a_grade_moves() -> None:
    crossed = crossings([4, 4, 4, 4], [4, 3.5, 2, 5], rule="shift")
    assert crossed.taus.tolist() == [0.25, 0.75, 1.5]
    assert [crossed.changed(k).tolist() for k in range(3)] == [
        [False, True, True, True],
        [False, False, True, True],
        [False, False, True, False],
    ]
    # A judge that never moves has no cut under this rule.
    assert len(crossings([4, 3], [4, 3], rule="shift").taus) == 0


def test_many_cuts_are_thinned_evenly_and_counted() -> None:
    values = np.linspace(0, 5, 5001)
    crossed = crossings(values, values, max_cuts=100)
    assert (len(crossed.taus), crossed.n_cuts_before_thinning) == (100, 5000)
    assert np.diff(crossed.taus).min() > 0.04


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6)).map(lambda p: (p[0] / 6, p[1] / 6)),
        min_size=1,
        max_size=10,
    )
)
def test_the_hull_keeps_what_no_other_cut_beats(points) -> None:
    s, r = zip(*points, strict=True)
    assert hull(s, r).tolist() == explicit.hull(points)


def test_r_at_matched_s_is_the_best_at_that_s_or_stricter() -> None:
    s, r = [0.8, 0.9, 1.0], [0.7, 0.2, 0.4]
    assert sensitivity_at(s, r, [0.75, 0.85, 0.95]).tolist() == [0.7, 0.4, 0.4]
    assert sensitivity_at(s, r, [1.01]).tolist() == [0.0]
    assert operating_cut(s, r, 0.85) == 2
    assert operating_cut(s, r, 1.01) is None
    assert operating_cut([], [], 0.9) is None


class TestProposition3:
    """A judge with the higher R at its default cut may be the worse instrument everywhere."""

    r = np.linspace(0, 0.95, 20)
    worse = (1 - r, r)
    better = (1 - r + 0.05, r)

    def test_the_dominated_judge_is_said_to_be_dominated(self) -> None:
        found = compare_frontiers(*self.worse, *self.better)
        assert found.relation == "dominated"
        assert found.first_above == ()
        assert found.second_above[0][0] < 0.1
        assert found.second_above[-1][1] > 0.9
        # At these default cuts the dominated judge shows the higher R.
        assert self.worse[1][18] > self.better[1][2]

    def test_the_other_way_round_it_dominates(self) -> None:
        assert compare_frontiers(*self.better, *self.worse).relation == "dominating"

    def test_equal_frontiers_are_equal(self) -> None:
        assert compare_frontiers(*self.better, *self.better).relation == "equal"

    def test_crossing_frontiers_name_where_each_is_above(self) -> None:
        # First: R 0.8 up to S 0.5, then 0.1 up to S 1. Second: R 0.4 up to S 0.9, then nothing.
        found = compare_frontiers([0.5, 1.0], [0.8, 0.1], [0.9], [0.4])
        assert found.relation == "crossing"
        assert found.first_above == ((0.0, 0.5), (0.9, 1.0))
        assert found.second_above == ((0.5, 0.9),)


def test_a_fixed_cut_is_read_as_stated() -> None:
    crossed = fixed_crossings([5, 5, np.nan], [0, 5, 1], 2.5)
    assert crossed.taus.tolist() == [2.5]
    assert crossed.changed(0).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("before", "after"), [([1, 2], [1]), ([np.inf], [1.0]), ([], []), ([[1.0]], [[1.0]])]
)
def test_what_is_no_column_of_grades_is_refused(before, after) -> None:
    with pytest.raises(StatisticsError):
        crossings(before, after)
