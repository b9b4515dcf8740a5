"""Do the intervals cover, and are the p-values what they say? (make test-statistical)"""

from math import sqrt

import numpy as np
import pytest
from scipy import stats
from tests.statistical.simulate import GRID, coverage, under_no_difference

pytestmark = pytest.mark.statistical
STUDIES = 400
NAMES = ("S", "R", "gap", "gap, BCa")


@pytest.fixture(scope="module")
def cells() -> dict[tuple[float, float], dict[str, float]]:
    return {(s, r): coverage(s, r, STUDIES) for s in GRID for r in GRID}


def test_every_cell_covers_within_binomial_error(cells) -> None:
    """Exact binomial tests of 100 shares, at one percent over all of them (Bonferroni)."""
    outside = {}
    for cell, values in cells.items():
        for name, value in values.items():
            test = stats.binomtest(round(value * STUDIES), STUDIES, 0.95)
            if test.pvalue < 0.01 / (len(cells) * len(values)):
                outside[cell, name] = value
    assert outside == {}


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_grid_covers(cells, name: str) -> None:
    """Over 10,000 studies the binomial error is 0.0022; the bootstrap's own, with 200 base items
    and 1,000 resamples, is allowed half a point."""
    mean = np.mean([values[name] for values in cells.values()])
    assert abs(mean - 0.95) < 3 * sqrt(0.95 * 0.05 / (STUDIES * len(cells))) + 0.005


@pytest.fixture(scope="module")
def null() -> tuple[np.ndarray, np.ndarray]:
    p, excluded = zip(*(under_no_difference(seed) for seed in range(1000)), strict=True)
    return np.array(p), np.array(excluded)


def test_permutation_p_values_are_uniform_under_no_axis_difference(null) -> None:
    assert stats.kstest(null[0], "uniform").pvalue > 0.001


def test_intervals_reject_as_often_as_they_say(null) -> None:
    assert abs(null[1].mean() - 0.05) < 3 * sqrt(0.05 * 0.95 / 1000)
