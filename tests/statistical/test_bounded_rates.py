"""How often does a bounded scale invent an interaction, and does the diagnosis say so?"""

import numpy as np
import pytest
from tests.helpers.ratings import drawn_cells

from judgeprobe.stats.bounded import item_endpoints, part
from judgeprobe.stats.bounded_censoring import reconstruct

pytestmark = pytest.mark.statistical

SIMULATIONS = 300


def rates(seed: int, **planted: float) -> tuple[float, float, float]:
    """Share of audits that reject at 0.05, mean endpoint, median reconstructed share."""
    rng = np.random.default_rng(seed)
    rejected, sizes, shares = 0, [], []
    for _ in range(SIMULATIONS):
        cells = drawn_cells(rng, **planted)
        found = part(item_endpoints(cells), cells.cluster, np.ones(cells.n_items, dtype=bool))
        rejected += found.p <= 0.05
        sizes.append(found.estimate)
        if abs(found.estimate) > 0.05:
            shares.append(reconstruct(cells).estimate / found.estimate)
    share = float(np.median(shares))
    print(planted, rejected / SIMULATIONS, float(np.mean(sizes)), share)
    return rejected / SIMULATIONS, float(np.mean(sizes)), share


def test_a_common_fall_at_the_floor_is_rejected_and_attributed():
    rejected, size, share = rates(1, positive=3.6, other=1.1, fall=0.6)
    assert rejected > 0.8
    # The positive response shows the whole fall, the other hides most of its own.
    assert -0.6 < size < -0.3
    assert share > 0.8


def test_a_common_fall_mid_scale_holds_its_level():
    rejected, size, _ = rates(2, positive=3.6, other=2.6, fall=0.6)
    # 300 simulations: the standard error at 0.05 is 0.0126.
    assert rejected <= 0.05 + 3 * 0.0126
    assert abs(size) < 0.03


def test_a_true_preference_mid_scale_is_found_and_not_attributed():
    rejected, size, share = rates(3, positive=3.2, other=2.6, preference=0.5)
    assert rejected > 0.8
    assert size == pytest.approx(0.5, abs=0.05)
    assert share < 0.2
