import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.length_balance import (
    NEGLIGIBLE,
    cliffs_delta,
    length_balance,
    matched_sets,
)

SMALL = st.lists(st.integers(-5, 5), min_size=1, max_size=6)


@given(SMALL, SMALL)
def test_cliffs_delta_is_the_count_over_all_pairs(x, y):
    signs = [np.sign(a - b) for a in x for b in y]
    assert cliffs_delta(x, y) == pytest.approx(np.mean(signs))


def test_cliffs_delta_agrees_with_the_rank_sum():
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.3, 1, 40), rng.normal(0, 1, 25)
    u = mannwhitneyu(x, y).statistic
    assert cliffs_delta(x, y) == pytest.approx(2 * u / (40 * 25) - 1)


def test_equal_medians_with_unequal_tails_are_not_balanced():
    first = [0.04, 0.05, 0.05, 0.05, 0.30, 0.40, 0.50]
    second = [-0.05, -0.05, 0.05, 0.05, 0.05, 0.05, 0.05]
    found = length_balance(first, second)
    assert found.first.median_absolute == found.second.median_absolute == 0.05
    assert found.delta_absolute == pytest.approx((3 * 7 - 1 * 7) / 49)
    assert not found.balanced
    assert length_balance(first, first).balanced
    assert length_balance(first, first).delta_absolute == 0 < NEGLIGIBLE


def most_sets(groups, caliper):
    """The largest number of disjoint sets within the caliper, by trying every choice."""
    options = [
        choice
        for choice in itertools.product(*(range(len(group)) for group in groups))
        if np.ptp([group[at] for group, at in zip(groups, choice, strict=True)]) <= caliper
    ]

    def best(left):
        return max(
            (
                1 + best([o for o in left if all(a != b for a, b in zip(o, choice, strict=True))])
                for choice in left
            ),
            default=0,
        )

    return best(options)


@pytest.mark.parametrize("kinds", [2, 3])
def test_no_matching_has_more_sets(kinds):
    rng = np.random.default_rng(7)
    for _ in range(40):
        groups = [list(rng.integers(0, 8, rng.integers(0, 4)).astype(float)) for _ in range(kinds)]
        caliper = float(rng.integers(0, 4))
        found = matched_sets(groups, caliper)
        assert len(found) == most_sets(groups, caliper)
        for at in range(kinds):
            used = [matched[at] for matched in found]
            assert len(set(used)) == len(used)
        for matched in found:
            values = [group[at] for group, at in zip(groups, matched, strict=True)]
            assert np.ptp(values) <= caliper


def test_a_difference_of_the_caliper_itself_matches():
    assert matched_sets([[0.05], [0.03]], 0.02) == [(0, 0)]


@pytest.mark.parametrize(
    ("groups", "caliper"), [([[0.1]], 0.1), ([[0.1], [0.1]], -0.1), ([[0.1], [np.nan]], 0.1)]
)
def test_what_the_definition_does_not_cover_is_refused(groups, caliper):
    with pytest.raises(StatisticsError):
        matched_sets(groups, caliper)
