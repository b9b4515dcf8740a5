"""Is a difference in differences a preference, or made by the bounds of the scale?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import bootstrap, spearmanr
from tests.helpers.ratings import SCALE, cells_of, drawn_cells

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.bounded import cluster_means, endpoint, gradient, item_endpoints, part
from judgeprobe.stats.bounded_cells import OTHER, POSITIVE, Bounds, make_cells, shifts
from judgeprobe.stats.bounded_censoring import (
    headroom,
    masking,
    moved_by_bound,
    pinned,
    reconstruct,
)
from judgeprobe.stats.bounded_fragility import fragility
from judgeprobe.stats.bounded_power import bounded_power
from judgeprobe.stats.ordinal import ordinal_companion


def test_a_pinned_response_makes_the_endpoint_the_others_shift_on_every_item():
    cells = drawn_cells(np.random.default_rng(0), positive=3.5, other=-1.0, fall=1.0)
    at = pinned(cells)
    assert at.low[:, OTHER].all()
    assert np.array_equal(item_endpoints(cells), shifts(cells)[:, POSITIVE])


def test_a_common_fall_without_preference_gives_the_predicted_endpoint():
    """Positive 5 to 3; other 2 to 1, of a fall of 2 it hides 1: the endpoint is -1."""
    cells = cells_of([[[5, 5], [3, 3], [2, 2], [1, 1]]] * 6)
    assert item_endpoints(cells).tolist() == [-1.0] * 6
    made = reconstruct(cells)
    assert (made.source, made.estimate, made.rounded, made.full_clip) == (
        POSITIVE,
        -1.0,
        -1.0,
        -2.0,
    )
    free = cells_of([[[5, 5], [4, 4], [3, 3], [2, 2]]] * 6)
    assert item_endpoints(free).tolist() == [0.0] * 6


def test_reconstruction_equals_a_loop_and_goes_both_ways():
    cells = drawn_cells(np.random.default_rng(2), positive=4.5, other=1.8, fall=0.6)
    moved = shifts(cells)
    for source, target, sign in ((POSITIVE, OTHER, 1), (OTHER, POSITIVE, -1)):
        told, rounded = [], []
        for item in range(cells.n_items):
            kept = (cells.item == item) & (cells.response == target) & (cells.arm == 0)
            plain = cells.rating[kept]
            new = [min(5.0, max(1.0, r + moved[item, source])) for r in plain]
            whole = [min(5.0, max(1.0, float(np.rint(r + moved[item, source])))) for r in plain]
            told.append(sign * (moved[item, source] - (np.mean(new) - plain.mean())))
            rounded.append(sign * (moved[item, source] - (np.mean(whole) - plain.mean())))
        made = reconstruct(cells, source)
        np.testing.assert_allclose(made.items, told, atol=1e-12)
        assert made.estimate == pytest.approx(cluster_means(np.array(told), cells.cluster).mean())
        assert made.rounded == pytest.approx(cluster_means(np.array(rounded), cells.cluster).mean())
    with pytest.raises(StatisticsError):
        reconstruct(cells, 2)


def test_headroom_differs_by_twice_the_separation_as_published():
    """4.58 and 1.96 on 1 to 5: 6.62 one way, 1.38 the other."""
    high = [[5] * 58 + [4] * 42] * 2
    low = [[2] * 96 + [1] * 4] * 2
    room = headroom(cells_of([[*high, *low]]))
    assert (round(room.down, 10), round(room.up, 10)) == (6.62, 1.38)
    assert room.down - room.up == pytest.approx(2 * room.separation)


def test_fisher_of_one_in_sixteen_against_eight_in_fourteen():
    at_bound = np.arange(30) < 16
    moved = (np.arange(30) == 0) | (np.arange(30) >= 22)
    found = masking(at_bound, moved)
    counts = (found.at_bound, found.at_bound_moved, found.away, found.away_moved)
    assert counts == (16, 1, 14, 8)
    assert round(found.p, 4) == 0.0043
    assert masking(np.ones(4, dtype=bool), moved[:4]).p is None


def test_masking_reads_falls_at_the_ceiling_and_rises_at_the_floor():
    cells = cells_of([[[5], [4], [1], [1]], [[5], [5], [1], [2]], [[4], [3], [2], [3]]])
    ceiling = moved_by_bound(cells, POSITIVE, ceiling=True)
    assert (ceiling.at_bound, ceiling.at_bound_moved, ceiling.away_moved) == (2, 1, 1)
    floor = moved_by_bound(cells, OTHER, ceiling=False)
    assert (floor.at_bound, floor.at_bound_moved, floor.away_moved) == (2, 1, 1)


@given(
    arrays(float, 5, elements=st.floats(-20, 20)),
    arrays(float, 5, elements=st.floats(-20, 20)),
)
def test_clipping_never_widens_a_single_contrast(one, two):
    clipped = SCALE.clip(one) - SCALE.clip(two)
    assert (np.abs(clipped) <= np.abs(one - two) + 1e-12).all()
    # Averages over repeated ratings with one common shift inherit it.
    shift = float(two[0])
    moved = SCALE.clip(one + shift).mean() - SCALE.clip(one).mean()
    assert abs(moved) <= abs(shift) + 1e-12


def test_a_double_difference_can_be_widened_which_a_contrast_cannot():
    latent = np.array([[3.5, 1.0], [2.5, 0.0]])
    double = (latent[1] - latent[0])[0] - (latent[1] - latent[0])[1]
    shown = SCALE.clip(latent)
    observed = (shown[1] - shown[0])[0] - (shown[1] - shown[0])[1]
    assert (double, observed) == (0.0, -1.0)


def test_the_endpoint_is_the_mean_of_cluster_means():
    values = np.array([1.0, 1.0, 1.0, 4.0])
    found = endpoint(values, np.array([0, 0, 0, 1]), np.random.default_rng(0), resamples=200)
    assert (found.estimate, found.n_items, found.n_clusters, found.nonzero) == (2.5, 4, 2, 2)
    same = endpoint(np.ones(4), np.arange(4), np.random.default_rng(0), resamples=200)
    assert (same.low, same.reason) == (None, "every cluster has the same mean: no interval")
    none = part(values, np.zeros(4, dtype=int), np.zeros(4, dtype=bool))
    assert (none.estimate, none.p, none.n_items) == (None, None, 0)


def test_the_interval_is_scipys_bca():
    values = np.random.default_rng(4).gamma(2, 1, 40)
    ours = endpoint(values, np.arange(40), np.random.default_rng(0), resamples=20_000)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def explicit(cells, moves):
    """The endpoint after single rating changes: (row, direction) each."""
    rating = cells.rating.copy()
    for row, direction in moves:
        rating[row] += direction
    again = make_cells(
        cells.item, cells.response, cells.arm, rating, cells.cluster, cells.scale, n_arms=2
    )
    return cluster_means(item_endpoints(again), again.cluster).mean()


def fewest(cells, wanted):
    """Breadth-first over all states of the ratings: exact, for tiny tables."""
    start = tuple(cells.rating.tolist())
    seen, layer, depth = {start}, [start], 0
    while layer:
        for state in layer:
            moved = [(i, value - cells.rating[i]) for i, value in enumerate(state)]
            if wanted(explicit(cells, moved)):
                return depth
        following = []
        for state in layer:
            for i, value in enumerate(state):
                for step in (-1, 1):
                    new = (*state[:i], value + step, *state[i + 1 :])
                    if 1 <= value + step <= 5 and new not in seen:
                        seen.add(new)
                        following.append(new)
        layer, depth = following, depth + 1
    return None


@pytest.mark.parametrize(
    ("table", "cluster"),
    [
        ([[[3], [2], [1], [1]], [[4], [4], [2], [2]]], [0, 1]),
        ([[[3], [5], [2], [1]], [[4], [4], [2], [2]], [[4], [4], [2], [2]]], [0, 0, 1]),
        ([[[3, 3], [2, 3], [1, 1], [1, 1]]], [0]),
        ([[[3], [4], [2], [3]], [[3], [3], [2], [2]]], [0, 1]),
    ],
)
def test_fragility_equals_a_search_over_every_state(table, cluster):
    cells = cells_of(table, cluster)
    now = cluster_means(item_endpoints(cells), cells.cluster).mean()
    found = fragility(cells)
    assert found.to_zero == fewest(cells, lambda value: abs(value) < 1e-9)
    crossed = (
        (lambda v: v < -1e-9) if now > 1e-9 else (lambda v: v > 1e-9) if now < -1e-9
        else (lambda v: abs(v) > 1e-9)
    )  # fmt: skip
    assert found.past_zero == fewest(cells, crossed)


def test_fragility_without_room_or_from_zero():
    stuck = cells_of([[[1], [1], [1], [1]]])
    assert (fragility(stuck).to_zero, fragility(stuck).past_zero) == (0, 1)
    six = cells_of([[[3] * 3, [3, 3, 4], [2] * 3, [2] * 3]] * 6 + [[[3] * 3] * 4] * 12)
    assert (fragility(six).to_zero, fragility(six).past_zero) == (6, 7)


def test_a_lattice_too_fine_to_search_is_said():
    table = [[[3] * 2, [2] * 2, [2] * 3, [2] * 3]] * 600
    sizes = np.repeat(np.arange(34), np.arange(1, 35))[:595]
    cells = cells_of(table[: len(sizes)], sizes)
    found = fragility(cells)
    assert (found.to_zero, found.past_zero) == (None, None)
    assert found.reason == "cells and clusters are of too many sizes for one lattice"


def test_power_rises_with_the_effect_and_five_clusters_have_none():
    means = np.random.default_rng(5).normal(0, 0.4, 18)
    found = bounded_power(means, np.random.default_rng(0), effect=0.0, simulations=800)
    assert found.power <= 0.08
    at = bounded_power(
        means, np.random.default_rng(0), effect=found.minimum_effect, simulations=800
    )
    assert at.power >= 0.8
    below = bounded_power(
        means, np.random.default_rng(0), effect=found.minimum_effect - 0.05, simulations=800
    )
    assert below.power < 0.8
    few = bounded_power(means[:5], np.random.default_rng(0), effect=3.0)
    assert few.power is None
    assert few.reason.startswith("5 clusters cannot give")


def test_the_gradient_is_spearman_over_cluster_means():
    rng = np.random.default_rng(6)
    evidence, effect, cluster = rng.random(30), rng.random(30), np.arange(30) // 3
    found = gradient(evidence, effect, cluster)
    one, two = cluster_means(evidence, cluster), cluster_means(effect, cluster)
    assert (found.rho, found.p) == pytest.approx(tuple(spearmanr(one, two)))
    assert gradient(np.ones(30), effect, cluster).rho is None


def test_pinned_and_partly_exposed_responses_are_told_apart():
    cells = cells_of([[[5, 5], [5, 5], [1, 1], [1, 2]], [[5, 4], [5, 5], [2, 2], [3, 3]]])
    at = pinned(cells)
    assert at.high.tolist() == [[True, False], [False, False]]
    assert at.partly.tolist() == [[False, True], [True, False]]
    assert at.items.tolist() == [True, False]


def test_the_ordinal_companion_finds_a_planted_latent_interaction_and_says_when_it_cannot():
    rng = np.random.default_rng(8)
    cells = drawn_cells(
        rng, positive=3.4, other=2.6, preference=0.7, items=150, per_cluster=1, spread=0.3
    )
    found = ordinal_companion(cells)
    # Planted: 0.7 points over a latent spread of sqrt(0.3^2 + 0.3^2) points.
    assert found.low < 0.7 / np.hypot(0.3, 0.3) < found.high
    assert found.p < 0.01
    stuck = ordinal_companion(drawn_cells(rng, positive=3.5, other=-1.0, fall=1.0))
    assert (stuck.interaction, stuck.reason[:34]) == (None, "a response is wholly at a bound in")


@pytest.mark.parametrize("scale", [(5, 1, 1), (1, 5, 0), (1, 5, 3)])
def test_a_scale_that_is_none_is_refused(scale):
    with pytest.raises(StatisticsError):
        Bounds(*scale)


def test_ratings_off_the_scale_and_missing_cells_are_refused():
    with pytest.raises(StatisticsError, match="not on the scale"):
        make_cells([0] * 4, [0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 3, 3.5], [0], SCALE, n_arms=2)
    with pytest.raises(StatisticsError, match="both responses"):
        make_cells([0] * 3, [0, 0, 1], [0, 1, 0], [1, 2, 3], [0], SCALE, n_arms=2)
