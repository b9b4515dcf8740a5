"""Do paired differences lean to one side?"""

from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.signed_rank import many_signed_rank, signed_rank, smallest_p


@pytest.mark.parametrize(("nonzero", "floor"), [(8, 0.0078125), (5, 0.0625), (9, 0.00390625)])
def test_the_floors_of_the_reference(nonzero, floor):
    assert smallest_p(nonzero) == floor
    found = signed_rank([*np.arange(1, nonzero + 1), 0.0, 0.0])
    assert (found.p, found.smallest_p, found.nonzero) == (floor, floor, nonzero)
    tied = signed_rank(np.full(nonzero, -1 / 3))
    assert tied.p == floor


def by_signs(values: np.ndarray) -> float:
    """Every sign of every nonzero difference, counted."""
    kept = values[values != 0]
    ranks = rankdata(np.abs(kept))
    observed = ranks[kept > 0].sum()
    sums = [ranks[np.array(signs, dtype=bool)].sum() for signs in product((0, 1), repeat=len(kept))]
    low, high = np.mean(np.array(sums) <= observed), np.mean(np.array(sums) >= observed)
    return min(1.0, 2 * min(low, high))


def test_it_equals_the_count_of_all_signs_with_ties_and_zeros():
    rng = np.random.default_rng(0)
    for _ in range(25):
        values = rng.integers(-3, 4, size=9).astype(float)
        assert signed_rank(values).p == pytest.approx(by_signs(values), abs=1e-12)


def test_it_equals_scipy_without_ties():
    values = np.random.default_rng(1).normal(0.4, 1, 30)
    assert signed_rank(values).p == pytest.approx(wilcoxon(values, method="exact").pvalue)


def test_many_at_once_equal_one_at_a_time_without_ties():
    values = np.random.default_rng(2).normal(0.3, 1, (40, 12))
    values[:5, 0] = 0.0
    one = [signed_rank(row).p for row in values]
    np.testing.assert_allclose(many_signed_rank(values), one, rtol=1e-12)


def test_nothing_but_zeros_is_p_one_and_many_differences_are_normal():
    assert signed_rank([0.0, 1e-12]).p == 1.0
    values = np.random.default_rng(3).normal(0.05, 1, 1200)
    found = signed_rank(values)
    assert found.method == "normal"
    assert found.p == pytest.approx(
        wilcoxon(values, method="approx", correction=True).pvalue, rel=0.02
    )
    with pytest.raises(StatisticsError):
        smallest_p(-1)
