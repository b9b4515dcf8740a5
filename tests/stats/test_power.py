import numpy as np
import pytest
from scipy import stats

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.power import from_pilot, from_rates, simulate_study
from judgeprobe.stats.profile import Shares


def test_with_one_edit_each_the_half_widths_are_binomial() -> None:
    sampler = from_rates(0.9, (0.4, 0.4), (1, 1, 1), 0.0, 1)
    found = simulate_study(
        sampler, 300, simulations=150, resamples=600, level=0.95, rng=np.random.default_rng(0)
    )
    assert found.half_width_s == pytest.approx(1.96 * np.sqrt(0.09 / 300), rel=0.05)
    # Two independent edits of one base item, averaged.
    assert found.half_width_r == pytest.approx(1.96 * np.sqrt(0.24 / 600), rel=0.05)
    assert found.half_width_gap == pytest.approx(1.96 * np.sqrt(2 * 0.24 / 300), rel=0.05)
    # Without a gap the interval excludes zero about one time in twenty.
    assert found.power < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_power_is_near_the_normal_approximation() -> None:
    sampler = from_rates(0.9, (0.5, 0.4), (1, 1, 1), 0.0, 1)
    found = simulate_study(
        sampler, 300, simulations=300, resamples=500, level=0.95, rng=np.random.default_rng(1)
    )
    error = np.sqrt((0.25 + 0.24) / 300)
    expected = stats.norm.sf(1.96 - 0.1 / error)
    assert found.power == pytest.approx(expected, abs=3 * np.sqrt(expected * (1 - expected) / 300))


def test_edits_that_hang_together_tell_less() -> None:
    def width(correlation: float) -> float:
        sampler = from_rates(0.9, (0.4, 0.3), (3, 3, 3), correlation, 1)
        return simulate_study(
            sampler, 100, simulations=60, resamples=300, level=0.95, rng=np.random.default_rng(2)
        ).half_width_r

    # Variance of a mean of 3 edits with correlation c: (1 + 2 c) / 3.
    assert width(0.5) / width(0.0) == pytest.approx(np.sqrt(2), rel=0.1)


def test_a_pilot_is_drawn_by_whole_base_items() -> None:
    share = np.array([[0.0, 1.0, 1.0, 0.0], [0.5, 0.5, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0]])
    has = np.array([[True, True, True, False], [True] * 4, [True] * 4])
    drawn = from_pilot(Shares(share, has))(500, np.random.default_rng(0))
    kinds = {(tuple(s), tuple(h)) for s, h in zip(drawn.share, drawn.has, strict=True)}
    assert kinds == {(tuple(s), tuple(h)) for s, h in zip(share, has, strict=True)}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((1.1, (0.4, 0.3), (1, 1, 1), 0.1, 1), "`s`"),
        ((0.9, (0.4, -0.3), (1, 1, 1), 0.1, 1), "rates"),
        ((0.9, (0.4, 0.3), (1, 0, 1), 0.1, 1), "edits"),
        ((0.9, (0.4, 0.3), (1, 1, 1), 1.0, 1), "correlation"),
        ((0.9, (0.4, 0.3), (1, 1, 1), 0.1, 0), "judges"),
    ],
)
def test_rates_that_are_none_are_refused(arguments, told: str) -> None:
    with pytest.raises(StatisticsError, match=told):
        from_rates(*arguments)


def test_a_plan_of_nothing_is_refused() -> None:
    sampler = from_rates(0.9, (0.4, 0.3), (1, 1, 1), 0.1, 1)
    rng = np.random.default_rng(0)
    with pytest.raises(StatisticsError, match="two base items"):
        simulate_study(sampler, 1, simulations=3, resamples=100, level=0.95, rng=rng)
    with pytest.raises(StatisticsError, match="four columns"):
        from_pilot(Shares(np.zeros((3, 3)), np.ones((3, 3), dtype=bool)))
