import numpy as np
import pytest
from scipy import stats
from tests.helpers import explicit

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.bootstrap import (
    Resamples,
    bca,
    jackknife_rates,
    percentile,
    rate_draws,
    rate_interval,
)
from judgeprobe.stats.profile import Shares


def one_column(values: np.ndarray) -> Shares:
    return Shares(values[:, None], np.ones((len(values), 1), dtype=bool))


def test_every_resample_draws_as_many_base_items_and_all_passes_are_the_same() -> None:
    drawn = Resamples.draw(37, 500, np.random.default_rng(1))
    first = np.concatenate(list(drawn.blocks()))
    again = np.concatenate(list(drawn.blocks()))
    assert first.shape == (500, 37)
    assert (first.sum(axis=1) == 37).all()
    assert np.array_equal(first, again)
    other = np.concatenate(list(Resamples.draw(37, 500, np.random.default_rng(2)).blocks()))
    assert not np.array_equal(first, other)


def test_counts_are_those_of_drawing_with_replacement() -> None:
    counts = np.concatenate(list(Resamples.draw(5, 20_000, np.random.default_rng(3)).blocks()))
    # Binomial(5, 1/5): mean 1, variance 0.8; and pairs of counts correlate as in a multinomial.
    assert np.abs(counts.mean(axis=0) - 1).max() < 4 * np.sqrt(0.8 / 20_000)
    assert np.abs(counts.var(axis=0) - 0.8).max() < 0.05
    assert np.abs(np.corrcoef(counts.T)[0, 1] + 0.25) < 0.03


def test_uncached_counts_are_drawn_alike_at_every_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    import judgeprobe.stats.bootstrap as module

    kept = np.concatenate(list(Resamples(50, 300, seed=9).blocks()))
    monkeypatch.setattr(module, "_CACHE_CELLS", 0)
    monkeypatch.setattr(module, "_BLOCK_CELLS", 50 * 70)
    drawn = Resamples(50, 300, seed=9)
    assert [len(block) for block in drawn.blocks()] == [70, 70, 70, 70, 20]
    assert np.array_equal(np.concatenate(list(drawn.blocks())), kept)
    assert drawn._cache == []


def test_a_resample_without_the_group_is_undefined_not_zero() -> None:
    has = np.array([[True], [False]])
    drawn = Resamples.draw(2, 200, np.random.default_rng(4))
    draws = rate_draws(drawn, Shares(np.array([[1.0], [0.0]]), has))[:, 0]
    assert set(draws[~np.isnan(draws)]) == {1.0}
    assert 0.15 < np.isnan(draws).mean() < 0.35
    found = percentile(1.0, draws, 0.95, n=1)
    assert f"undefined in {int(np.isnan(draws).sum())}" in found.method


def test_percentiles_interpolate_as_by_hand() -> None:
    draws = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    found = percentile(3.0, draws, 0.5, n=5)
    assert (found.low, found.high) == (explicit.quantile(list(draws), 0.25), 4.0)


def test_the_jackknife_leaves_one_base_item_out() -> None:
    values = np.array([0.0, 0.5, 1.0])
    assert jackknife_rates(one_column(values))[:, 0].tolist() == [0.75, 0.5, 0.25]


@pytest.mark.parametrize("seed", range(5))
def test_bca_agrees_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.beta(0.6, 2.5, 60)
    drawn = Resamples.draw(60, 40_000, rng)
    shares = one_column(values)
    draws = rate_draws(drawn, shares)[:, 0]
    ours = bca(float(values.mean()), draws, jackknife_rates(shares)[:, 0], 0.95, n=60)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method="BCa", rng=rng
    ).confidence_interval
    # Monte Carlo error of a 2.5 percent quantile with 40,000 draws, on each side.
    error = np.sqrt(2 * 0.025 * 0.975 / 40_000)
    tolerance = 4 * error * values.std() / np.sqrt(60) / stats.norm.pdf(1.96)
    assert ours.low == pytest.approx(theirs.low, abs=tolerance)
    assert ours.high == pytest.approx(theirs.high, abs=tolerance)


def test_bca_of_a_skewed_mean_leans_the_way_of_the_skew() -> None:
    rng = np.random.default_rng(7)
    values = rng.exponential(size=40)
    shares = one_column(values)
    draws = rate_draws(Resamples.draw(40, 20_000, rng), shares)[:, 0]
    plain = percentile(float(values.mean()), draws, 0.95, n=40)
    found = bca(float(values.mean()), draws, jackknife_rates(shares)[:, 0], 0.95, n=40)
    assert found.low > plain.low
    assert found.high > plain.high


def test_a_rate_that_no_resample_can_move_gets_an_exact_interval() -> None:
    draws = np.zeros(100)
    found = rate_interval(0.0, draws, 0.95, n=30)
    assert (found.low, found.high) == (0.0, pytest.approx(stats.beta.ppf(0.975, 1, 30)))
    assert "exact binomial" in found.method
    ones = rate_interval(1.0, draws + 1, 0.95, n=30)
    assert (ones.low, ones.high) == (pytest.approx(stats.beta.ppf(0.025, 30, 1)), 1.0)
    assert rate_interval(0.5, np.array([0.4, 0.6]), 0.95, n=2).method.startswith("percentile")


def test_degenerate_input_is_refused() -> None:
    with pytest.raises(StatisticsError, match="needs base items"):
        Resamples.draw(0, 10, np.random.default_rng(0))
    with pytest.raises(StatisticsError, match="defined in no resample"):
        percentile(0.5, np.full(10, np.nan), 0.95, n=3)
    with pytest.raises(StatisticsError, match="one side"):
        bca(0.5, np.array([0.6, 0.7]), np.array([0.4, 0.6]), 0.95, n=2)
    with pytest.raises(StatisticsError, match="must be of shape"):
        rate_draws(Resamples.draw(3, 10, np.random.default_rng(0)), one_column(np.zeros(2)))


@pytest.mark.parametrize("cells", [1, 50, 10**6])
def test_tall_blocks_hold_the_same_counts(cells: int) -> None:
    resamples = Resamples.draw(23, 40, np.random.default_rng(3))
    plain = np.concatenate(list(resamples.blocks()))
    tall = np.concatenate([block.copy() for block in resamples.tall_blocks(cells)])
    np.testing.assert_array_equal(plain, tall)


def test_tall_blocks_widen_where_a_count_needs_two_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [np.array([[1, 2]], dtype=np.uint8), np.array([[300, 0], [4, 5]], dtype=np.uint16)]
    monkeypatch.setattr(Resamples, "_drawn", lambda self: iter(drawn))
    resamples = Resamples(n=2, count=3, seed=0)
    for cells in (2, 4, 100):
        tall = np.concatenate([block.copy() for block in resamples.tall_blocks(cells)])
        assert tall.tolist() == [[1, 2], [300, 0], [4, 5]]
