"""Is a planted inflation inside its interval as often as it says? Docs hold 300 simulations."""

import pytest
from scipy import stats
from tests.statistical.inflation import CONDITIONS, SIZES, covered

pytestmark = pytest.mark.statistical

STUDIES = 120
# Below this many of 120, coverage at or above 0.91 is refuted at one in a thousand; the percentile
# interval of thirty base items is known to fall short of 0.95 (docs/methods/inflation.md).
LEAST = int(stats.binom.ppf(0.001, STUDIES, 0.91))
MOST_REJECTED = int(stats.binom.ppf(0.999, STUDIES, 0.05))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("planted", CONDITIONS, ids=lambda one: one.name)
def test_the_interval_holds_the_planted_delta(planted, size):
    holds, rejects, mean, width = covered(planted, size, STUDIES)
    print(planted.name, size, holds / STUDIES, rejects / STUDIES, mean)
    assert holds >= LEAST
    # Four standard errors of the mean; the width is about four standard errors of one estimate.
    assert abs(mean - planted.delta) <= width / STUDIES**0.5
    if planted.delta == 0:
        assert rejects <= MOST_REJECTED
