"""Every number of the profile against explicit loops over pairs with exact fractions."""

import numpy as np
import pytest
from tests.helpers import explicit
from tests.helpers.pair_tables import options
from tests.helpers.random_tables import AXES, pairs_of, random_table

from judgeprobe.profile import ProfileOptions
from judgeprobe.profile.entries import judge_entry
from judgeprobe.profile.figures import figures_of
from judgeprobe.profile.fixed import groups_of, make_fixed
from judgeprobe.profile.reading import NO_CUT, Reading, read_judges
from judgeprobe.stats.arrays import Design, Ints
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.tables import PairTable

TOLERANCE = 1e-12


def same(found: float | None, expected: explicit.Number | None) -> bool:
    if found is None or expected is None:
        return found is None and expected is None
    return bool(abs(found - float(expected)) <= TOLERANCE)


@pytest.mark.parametrize("block", range(6))
def test_three_hundred_random_studies_agree(block: int) -> None:
    seen: set[str] = set()
    for seed in range(50 * block, 50 * block + 50):
        rng = np.random.default_rng([20270101, seed])
        table = random_table(rng)
        settings = options(floor=float(rng.choice([0.5, 0.75, 0.9])))
        design, kept = table.design()
        for reading in read_judges(table, design, kept, settings):
            seen.add(reading.status)
            check_judge(table, design, kept, reading, settings)
    assert seen == {"frontier", "single point", "uninterpretable"}


def check_judge(
    table: PairTable, design: Design, kept: Ints, reading: Reading, settings: ProfileOptions
) -> None:
    pairs = pairs_of(table, reading.row, kept, design.base)
    once = [1] * design.n_base
    check_frontier(reading, pairs, once)
    floor = explicit.Fraction(str(settings.floor))
    taus = explicit.cuts(pairs)
    tau, point = explicit.operating_tau(pairs, taus, AXES, once, floor)
    complete = all(
        explicit.equation6(explicit.arm(pairs, name), None, once) is not None
        for name in ("control", "construct")
    )
    if complete and not taus:
        point = explicit.profile_at(pairs, None, AXES, once)
    if point is None:
        assert reading.cut is None
        return
    assert reading.tau == (None if reading.cut == NO_CUT else pytest.approx(tau, abs=TOLERANCE))
    groups, members = groups_of(table, design, kept)
    resamples = Resamples.draw(design.n_base, 20, np.random.default_rng(0))
    (fixed,) = make_fixed(design, groups, members, [reading], resamples)
    assert same(1 - fixed.rates[0], point["S"])
    assert same(fixed.rates[1], point["R"])
    for axis, rate in zip(AXES, fixed.rates[2:4], strict=True):
        assert same(None if np.isnan(rate) else float(rate), point[f"R_{axis}"])
    check_draws(fixed.draws, resamples, pairs, tau)
    figures = figures_of(table, design, kept, reading, resamples, settings)
    entry = judge_entry(table, reading, figures, fixed, settings)
    check_entry(entry, pairs, tau, design.n_base)


def check_frontier(reading: Reading, pairs: list[explicit.Pair], once: list[int]) -> None:
    taus = explicit.cuts(pairs)
    np.testing.assert_allclose(reading.crossed.taus, taus, atol=TOLERANCE)
    for k, tau in enumerate(taus):
        expected = explicit.profile_at(pairs, tau, AXES, once)
        held, moved, *axes = (None if np.isnan(v) else float(v) for v in reading.curve[:, k])
        assert same(None if held is None else 1 - held, expected["S"])
        assert same(moved, expected["R"])
        for axis, value in zip(AXES, axes, strict=True):
            assert same(value, expected[f"R_{axis}"])


def check_draws(
    draws: np.ndarray, resamples: Resamples, pairs: list[explicit.Pair], tau: float | None
) -> None:
    counts = np.concatenate(list(resamples.blocks()))
    for b in range(3):
        expected = explicit.profile_at(pairs, tau, AXES, counts[b].tolist())
        found = [None if np.isnan(value) else float(value) for value in draws[b, :4]]
        assert same(None if found[0] is None else 1 - found[0], expected["S"])
        assert same(found[1], expected["R"])
        assert same(found[2], expected["R_scope"])
        assert same(found[3], expected["R_strength"])


def check_entry(entry: dict, pairs: list[explicit.Pair], tau: float | None, n_base: int) -> None:
    rounding = 1e-9
    for name in ("construct", *AXES):
        key = "R" if name == "construct" else f"R_{name}"
        share = explicit.pooled(explicit.arm(pairs, name), tau)
        found = entry["pooled"][key]
        assert (found is None) == (share is None)
        assert found is None or abs(found - float(share)) < rounding
        low, high = explicit.bounds(explicit.arm(pairs, name), tau, n_base)
        got = entry["bounds"][key]
        assert (got is None) == (low is None)
        assert got is None or abs(got["low"] - float(low)) < rounding
        assert got is None or abs(got["high"] - float(high)) < rounding
    once = [1] * n_base
    points = [explicit.profile_at(pairs, t, AXES, once) for t in explicit.cuts(pairs)]
    vertices = explicit.hull([(p["S"], p["R"]) for p in points])
    assert [cut["hull"] for cut in entry["frontier"]] == vertices
