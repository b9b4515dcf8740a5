"""What is a judge's error associated with?"""

from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm
import truescore
from scipy.stats import t as student

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.judge_error import adjust, error_regression


def drawn(n: int = 80, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(300, 80, n), rng.integers(0, 2, n)])
    y = 0.002 * x[:, 0] + rng.normal(0, 0.2 + 0.3 * x[:, 1], n)
    return y, x


def hc3_by_loop(y: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and standard errors straight from the definition."""
    x = np.column_stack([np.ones(len(y)), x])
    inverse = np.linalg.inv(x.T @ x)
    beta = inverse @ x.T @ y
    middle = np.zeros((x.shape[1], x.shape[1]))
    for row, value in zip(x, y, strict=True):
        leverage = row @ inverse @ row
        middle += (value - row @ beta) ** 2 / (1 - leverage) ** 2 * np.outer(row, row)
    return beta, np.sqrt(np.diag(inverse @ middle @ inverse))


def test_hc3_equals_an_explicit_loop_and_statsmodels():
    y, x = drawn()
    found = error_regression(y, x, ["length", "list"])
    beta, spread = hc3_by_loop(y, x)
    fit = sm.OLS(y, sm.add_constant(x)).fit(cov_type="HC3", use_t=True)
    told = [found.intercept, *found.effects]
    np.testing.assert_allclose([e.effect for e in told], beta, rtol=1e-10)
    np.testing.assert_allclose([e.std_error for e in told], spread, rtol=1e-10)
    np.testing.assert_allclose([e.std_error for e in told], fit.bse, rtol=1e-10)
    np.testing.assert_allclose([e.p for e in told], fit.pvalues, rtol=1e-8)
    np.testing.assert_allclose([[e.low, e.high] for e in told], fit.conf_int(), rtol=1e-9)


def test_hc3_agrees_with_truescore_where_both_define_it():
    """Same coefficients and standard errors; truescore's intervals are normal, ours are t."""
    y, x = drawn(seed=3)
    gold = (np.arange(len(y)) % 2).astype(float)
    theirs = truescore.judge_error_regression(gold + y, gold, {"length": x[:, 0], "list": x[:, 1]})
    ours = error_regression(y, x, ["length", "list"])
    by_name = {effect.name: effect for effect in theirs.effects}
    for effect in ours.effects:
        assert effect.effect == pytest.approx(by_name[effect.name].effect, rel=1e-9)
        assert effect.std_error == pytest.approx(by_name[effect.name].std_error, rel=1e-9)


def test_cluster_robust_errors_equal_a_loop_over_clusters():
    y, x = drawn(90)
    groups = np.arange(90) // 6
    found = error_regression(y, x, ["a", "b"], clusters=groups)
    design = np.column_stack([np.ones(90), x])
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ y
    middle = np.zeros((3, 3))
    for group in range(15):
        score = design[groups == group].T @ (y - design @ beta)[groups == group]
        middle += np.outer(score, score)
    factor = 15 / 14 * 89 / 87
    spread = np.sqrt(np.diag(factor * inverse @ middle @ inverse))
    told = [found.intercept, *found.effects]
    np.testing.assert_allclose([e.std_error for e in told], spread, rtol=1e-9)
    reach = student.ppf(0.975, 14) * spread[1]
    assert found.effects[0].high == pytest.approx(beta[1] + reach, rel=1e-9)
    assert found.n_clusters == 15


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (np.full(80, 7.0), "`third` is constant"),
        (None, "`third` is collinear with `length`, `list`"),
        (np.eye(80)[4], "a single row decides the effect of `third`"),
    ],
)
def test_a_covariate_without_an_effect_of_its_own_is_refused_by_name(column, message):
    y, x = drawn()
    third = 2 * x[:, 0] - x[:, 1] + 1 if column is None else column
    with pytest.raises(StatisticsError, match=message):
        error_regression(y, np.column_stack([x, third]), ["length", "list", "third"])


def test_too_few_rows_or_clusters_are_refused():
    y, x = drawn()
    with pytest.raises(StatisticsError, match="need more"):
        error_regression(y[:3], x[:3], ["a", "b"])
    with pytest.raises(StatisticsError, match="more than 3 clusters; got 2"):
        error_regression(y, x, ["a", "b"], clusters=np.arange(80) % 2)


def test_an_error_without_scatter_is_certain_and_the_rest_is_adjusted():
    _, x = drawn()
    found = error_regression(np.full(80, 0.5), x, ["a", "b"])
    assert found.mean_error == 0.5
    assert found.low == pytest.approx(0.5)
    y, x = drawn()
    both = error_regression(y, x, ["a", "b"], correction="holm")
    raw = [effect.p for effect in both.effects]
    assert [e.p_adjusted for e in both.effects] == adjust(raw, "holm").tolist()
    none = error_regression(y, x, ["a", "b"], correction="none")
    assert [e.p_adjusted for e in none.effects] == raw


def test_a_covariate_that_varies_little_beside_its_size_has_its_exact_effect():
    rng = np.random.default_rng(0)
    x, y = 1e5 + 1e-3 * rng.normal(size=40), rng.integers(-8, 9, 40) / 4
    exact_x, exact_y = [Fraction(v) for v in x], [Fraction(v) for v in y]
    mx, my = sum(exact_x) / 40, sum(exact_y) / 40
    above = sum((a - mx) * (b - my) for a, b in zip(exact_x, exact_y, strict=True))
    slope = float(above / sum((a - mx) ** 2 for a in exact_x))
    found = error_regression(y, x[:, None], ["x"])
    assert found.effects[0].effect == pytest.approx(slope, rel=1e-9)
    assert found.intercept.effect == pytest.approx(float(my) - slope * float(mx), rel=1e-9)
