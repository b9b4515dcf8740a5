"""Propositions of the construct-validity reference, and equation 6 on its own examples.

The agreement with explicit loops on 300 random studies is in tests/profile/test_explicit_loop.py.
"""

import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import make_design
from judgeprobe.stats.frontier import crossings, fixed_crossings
from judgeprobe.stats.profile import CurveSteps, bounds, curve_steps, curves, pooled_rate, rate

AXES = ("scope", "strength")


def study(n: int, rng: np.random.Generator):
    edits = rng.integers(1, 5, n)
    base = np.repeat(np.arange(n), 2 * edits)
    axis = np.tile(["scope", "control"], edits.sum())
    return make_design(base, list(axis), AXES)


def test_proposition_2_the_corners() -> None:
    design = study(40, np.random.default_rng(0))
    original = np.full(len(design.base), 4.0)
    for edited, s, r in ((original, 1.0, 0.0), (np.zeros_like(original), 0.0, 1.0)):
        crossed = fixed_crossings(original, edited, 2.5)
        changed, graded = crossed.changed(0), crossed.graded
        assert 1 - rate(design, design.invariance, changed, graded) == s
        assert rate(design, design.construct, changed, graded) == r


@pytest.mark.parametrize("s", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("r", [0.0, 0.25, 0.5, 1.0])
def test_proposition_1_the_whole_square_is_attained(s: float, r: float) -> None:
    """Neither coordinate constrains the other: any (s, r) is some judge's profile."""
    base = np.repeat(np.arange(20), 8)
    design = make_design(base, (["scope"] * 4 + ["control"] * 4) * 20, AXES)
    place = np.tile(np.arange(4), 40)
    changed = place < np.where(design.construct, 4 * r, 4 * (1 - s))
    graded = np.ones(len(base), dtype=bool)
    assert 1 - rate(design, design.invariance, changed, graded) == s
    assert rate(design, design.construct, changed, graded) == r


def test_a_base_item_with_many_edits_weighs_no_more_than_one_with_few() -> None:
    base = [0] * 9 + [1]
    design = make_design(base, ["strength"] * 10, AXES)
    changed = np.array([True] * 9 + [False])
    graded = np.ones(10, dtype=bool)
    assert rate(design, design.construct, changed, graded) == 0.5
    assert pooled_rate(design.construct, changed, graded) == 0.9


def test_a_group_without_graded_pairs_has_no_rate() -> None:
    design = make_design([0, 0], ["scope", "control"], AXES)
    nothing = np.zeros(2, dtype=bool)
    with pytest.raises(StatisticsError, match="at least one graded pair"):
        rate(design, design.axes[1], nothing, ~nothing)
    assert pooled_rate(design.axes[1], nothing, ~nothing) is None
    assert bounds(design, design.axes[1], nothing, ~nothing) is None
    assert np.isnan(curves(design, design.groups, crossings([4, 4], [1, 4]))[3]).all()


@pytest.mark.parametrize(
    ("base", "axis"),
    [
        ([1, 2], ["scope", "scope"]),
        ([0, 2], ["scope", "scope"]),
        ([1, 0], ["scope", "scope"]),
        ([0], ["scope", "scope"]),
        ([0], ["width"]),
        ([], []),
    ],
)
def test_a_design_that_is_none_is_refused(base, axis) -> None:
    with pytest.raises(StatisticsError):
        make_design(base, axis, AXES)


def test_steps_of_parts_of_a_table_add_up_to_its_curves() -> None:
    rng = np.random.default_rng(5)
    base = np.sort(rng.integers(0, 9, 60))
    base = np.unique(base, return_inverse=True)[1]
    axis = rng.choice(["scope", "strength", "control"], 60)
    before, after = rng.integers(0, 5, (2, 60)).astype(float)
    after[::7] = np.nan
    whole = make_design(base, list(axis), ("scope", "strength"))
    crossed = crossings(before, after)
    parts = []
    for some in (base < 4, base >= 4):
        renumbered = np.unique(base[some], return_inverse=True)[1]
        design = make_design(renumbered, list(axis[some]), ("scope", "strength"))
        parts.append(curve_steps(design, design.groups, crossed.take(some)))
    joined = CurveSteps(parts[0].steps + parts[1].steps, parts[0].n + parts[1].n)
    np.testing.assert_allclose(joined.curves(), curves(whole, whole.groups, crossed), atol=1e-13)
