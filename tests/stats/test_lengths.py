import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import WLS

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import make_design
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.stats.lengths import (
    adjusted_contrast,
    grade_length_correlation,
    length_change,
)
from judgeprobe.stats.profile import rate


def test_length_changes_are_summarised() -> None:
    found = length_change([0.1, -0.3, 0.0, 0.2])
    assert (found.n, found.median_absolute, found.median_signed) == (4, pytest.approx(0.15), 0.05)
    assert (found.longer, found.shorter) == (0.5, 0.25)
    with pytest.raises(StatisticsError):
        length_change([])


def test_the_correlation_is_pearsons_with_a_clustered_interval() -> None:
    rng = np.random.default_rng(0)
    base = np.repeat(np.arange(40), 4)
    lengths = rng.integers(60, 200, 160).astype(float)
    grades = 0.004 * lengths + rng.normal(0, 0.5, 160)
    drawn = Resamples.draw(40, 3000, rng)
    found = grade_length_correlation(grades, lengths, base, drawn, 0.95)
    assert found.estimate == pytest.approx(stats.pearsonr(lengths, grades).statistic, abs=1e-12)
    counts = np.concatenate(list(drawn.blocks()))[:200].astype(int)
    looped = []
    for row in counts:
        picks = np.concatenate([np.flatnonzero(base == i) for i in np.repeat(np.arange(40), row)])
        looped.append(stats.pearsonr(lengths[picks], grades[picks]).statistic)
    again = grade_length_correlation(grades, lengths, base, Resamples(40, 3000, drawn.seed), 0.95)
    assert (found.low, found.high) == (again.low, again.high)
    assert found.low == pytest.approx(np.quantile(looped, 0.025), abs=0.05)
    with pytest.raises(StatisticsError, match="differ"):
        grade_length_correlation(grades, np.full(160, 9.0), base, drawn, 0.95)


def planted(rng: np.random.Generator, n: int = 150):
    base = np.repeat(np.arange(n), 3)
    axis = np.tile(["scope", "strength", "control"], n)
    design = make_design(base, list(axis), ["scope", "strength"])
    change = np.where(
        axis == "scope", rng.normal(0.05, 0.08, 3 * n), rng.normal(-0.02, 0.08, 3 * n)
    )
    return design, change


def test_the_adjusted_contrast_is_weighted_least_squares() -> None:
    rng = np.random.default_rng(1)
    design, change = planted(rng)
    changed = rng.random(len(change)) < 0.3 + 0.8 * np.abs(change)
    graded = rng.random(len(change)) < 0.9
    drawn = Resamples.draw(design.n_base, 50, rng)
    estimate, draws = adjusted_contrast(design, changed, graded, change, drawn)
    kept = design.construct & graded
    first = design.axes[0][kept]
    weight = np.where(first, 1 / first.sum(), 1 / (~first).sum())
    x = np.stack([np.ones(kept.sum()), first, change[kept], np.abs(change[kept])], axis=1)
    fitted = WLS(changed[kept].astype(float), x, weights=weight).fit()
    assert estimate == pytest.approx(fitted.params[1], abs=1e-10)
    assert np.abs(draws - estimate).max() < 0.5
    assert draws.std() == pytest.approx(fitted.get_robustcov_results("HC0").bse[1], rel=0.35)


def test_without_a_length_effect_it_is_near_the_plain_contrast_and_with_one_it_is_not() -> None:
    rng = np.random.default_rng(2)
    design, change = planted(rng, 4000)
    graded = np.ones(len(change), dtype=bool)
    drawn = Resamples.draw(design.n_base, 10, rng)
    by_length = rng.random(len(change)) < np.clip(0.3 + 2.0 * change, 0, 1)
    plain = rate(design, design.axes[0], by_length, graded) - rate(
        design, design.axes[1], by_length, graded
    )
    adjusted, _ = adjusted_contrast(design, by_length, graded, change, drawn)
    # All of the plain contrast is length here: 2.0 * (0.05 + 0.02) = 0.14.
    assert plain == pytest.approx(0.14, abs=0.03)
    assert adjusted == pytest.approx(0.0, abs=0.04)


def test_lengths_that_tell_the_axes_apart_are_refused() -> None:
    design = make_design([0, 0, 1, 1], ["scope", "strength"] * 2, ["scope", "strength"])
    yes = np.ones(4, dtype=bool)
    drawn = Resamples.draw(2, 10, np.random.default_rng(0))
    with pytest.raises(StatisticsError, match="told apart"):
        adjusted_contrast(design, yes, yes, np.array([0.1, 0.0, 0.1, 0.0]), drawn)
    with pytest.raises(StatisticsError, match="known length"):
        adjusted_contrast(design, yes, yes, np.full(4, np.nan), drawn)
