"""What is a judge's error associated with?

The signed error f - Y (judge minus people) is regressed on covariates by least squares. A positive
effect means that the judge grows more generous as the covariate grows. The error of a bounded
grade is heteroscedastic by construction, so standard errors are HC3 (MacKinnon and White 1985), or
cluster-robust where rows share a group. A covariate that is constant, or a combination of others,
has no effect of its own and is refused by name: a pseudo-inverse would make one up.

Source: truescore-judge-bias, "Where judge error lands".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import statsmodels.api as sm
from numpy.typing import ArrayLike
from scipy.stats import t as student

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Floats, Ints
from judgeprobe.stats.checks import finite_vector, probability, same_length
from judgeprobe.stats.multiplicity import adjusted

__all__ = [
    "Effect",
    "ErrorRegression",
    "adjust",
    "design_matrix",
    "error_regression",
    "freedom",
    "from_standard",
    "refuse_collinear",
    "refuse_constant",
    "refuse_lone_row",
    "refuse_too_few",
    "regression_of",
]

_SAME = 1e-8


@dataclass(frozen=True)
class Effect:
    """One coefficient.

    Attributes:
        name: Covariate.
        effect: Change of the judge's error for one unit of the covariate, the others held.
        std_error: Its robust standard error.
        low: Lower end of its t interval.
        high: Upper end.
        p: Two-sided p-value of an effect of zero, 0 to 1.
        p_adjusted: The same adjusted over the covariates (not over the intercept).
    """

    name: str
    effect: float
    std_error: float
    low: float
    high: float
    p: float
    p_adjusted: float


@dataclass(frozen=True)
class ErrorRegression:
    """What the judge's error goes with.

    Attributes:
        n: Rows.
        mean_error: Mean of f - Y, in units of the grade.
        low: Lower end of its interval.
        high: Upper end.
        intercept: Error where every covariate is 0; its `p_adjusted` is its `p`.
        effects: One a covariate, in the order given.
        covariance: "HC3" or "cluster-robust".
        n_clusters: Groups, or None.
        level: Nominal coverage, 0 to 1.
        correction: "holm", "bh" or "none".
    """

    n: int
    mean_error: float
    low: float
    high: float
    intercept: Effect
    effects: tuple[Effect, ...]
    covariance: str
    n_clusters: int | None
    level: float
    correction: str


def _told(name: str, ends: Floats, p: float, p_adjusted: float) -> Effect:
    effect, std_error, low, high = (float(end) for end in ends)
    return Effect(name, effect, std_error, low, high, p, p_adjusted)


def adjust(p: Sequence[float], correction: str) -> Floats:
    """P-values adjusted by "holm" or "bh", or as they are by "none".

    Raises:
        StatisticsError: A value is no probability, or the correction is unknown.
    """
    if correction == "none" or len(p) == 0:
        return np.asarray(p, dtype=np.float64)
    return adjusted(p, correction)


def error_regression(
    error: ArrayLike,
    covariates: ArrayLike,
    names: Sequence[str],
    *,
    clusters: Ints | None = None,
    level: float = 0.95,
    correction: str = "holm",
) -> ErrorRegression:
    """Least squares of the judge's error on covariates, with robust standard errors.

    Args:
        error: f - Y of each row, in units of the grade; shape (n,).
        covariates: Shape (n, k); k may be 0.
        names: k names.
        clusters: Group code of each row, 0 to g - 1, for cluster-robust errors with the usual
            small-sample factor; t then has g - 1 degrees of freedom instead of n - k - 1.
        level: Nominal coverage, 0 to 1.
        correction: Over the covariates: "holm", "bh" or "none".

    Raises:
        StatisticsError: A value is not finite, there are too few rows or groups, or a covariate is
            constant, collinear, or differs in a single row only.
    """
    y = finite_vector("error", error)
    x = design_matrix(covariates, names, len(y))
    probability("level", level)
    if clusters is not None:
        same_length(error=y, clusters=clusters)
    n_clusters = None if clusters is None else len(np.unique(clusters))
    refuse_too_few(len(y), x.shape[1], n_clusters)
    centre, spread = x[:, 1:].mean(axis=0), x[:, 1:].std(axis=0)
    # Centred, or a covariate that varies little beside its size would look like the intercept.
    standard = np.column_stack([x[:, 0], (x[:, 1:] - centre) / spread])
    if clusters is None:
        _no_lone_row(standard, names)
    ends = _fit(y, standard, clusters, level, from_standard(centre, spread))
    whole = _fit(y, np.ones((len(y), 1)), clusters, level, np.eye(1))[:, 0]
    whole[0] = y.mean()
    return regression_of(
        ends,
        whole,
        names,
        n=len(y),
        n_clusters=n_clusters,
        level=level,
        correction=correction,
    )


def regression_of(
    ends: Floats,
    whole: Floats,
    names: Sequence[str],
    *,
    n: int,
    n_clusters: int | None,
    level: float,
    correction: str,
) -> ErrorRegression:
    """The result from its fits.

    Args:
        ends: Coefficient, standard error, low and high of the intercept and each covariate, in
            units of the grade; shape (4, 1 + k).
        whole: The same of the mean error; shape (4,).
        names: k names.
        n: Rows.
        n_clusters: Groups, or None where rows are independent.
        level: Nominal coverage, 0 to 1.
        correction: Over the covariates.
    """
    p = _p_values(ends, freedom(n, ends.shape[1], n_clusters))
    after = adjust(p[1:].tolist(), correction)
    told = [
        _told(name, ends[:, j], float(p[j]), float(p[j] if j == 0 else after[j - 1]))
        for j, name in enumerate(["intercept", *names])
    ]
    return ErrorRegression(
        n=n,
        mean_error=float(whole[0]),
        low=float(whole[2]),
        high=float(whole[3]),
        intercept=told[0],
        effects=tuple(told[1:]),
        covariance="HC3" if n_clusters is None else "cluster-robust",
        n_clusters=n_clusters,
        level=level,
        correction=correction,
    )


def design_matrix(covariates: ArrayLike, names: Sequence[str], n: int) -> Floats:
    """A leading one and the covariates, once each is known to have an effect of its own.

    Raises:
        StatisticsError: Names the covariate that is not finite, constant, or a combination of
            others (which are named too).
    """
    values = np.asarray(covariates, dtype=np.float64).reshape(n, len(names))
    for j, name in enumerate(names):
        finite_vector(name, values[:, j])
    centre, spread = values.mean(axis=0), values.std(axis=0)
    refuse_constant(names, centre, spread, values[0])
    standard = np.column_stack([np.ones(n), (values - centre) / spread])
    if n < standard.shape[1]:
        raise StatisticsError(f"{len(names)} covariates need more rows; got {n}")
    refuse_collinear(names, np.linalg.qr(standard, mode="r") / np.sqrt(n))
    return np.column_stack([np.ones(n), values])


def refuse_constant(names: Sequence[str], centre: Floats, spread: Floats, first: Floats) -> None:
    """Raise for a covariate that does not vary; `first` is its value in the first row."""
    for j, name in enumerate(names):
        if spread[j] <= 1e-12 * (1 + abs(centre[j])):
            raise StatisticsError(
                f"`{name}` is constant ({first[j]:g} in every row): it has no effect of its "
                "own; leave it out"
            )


def refuse_collinear(names: Sequence[str], root: Floats) -> None:
    """Raise for a covariate that is a combination of others.

    Args:
        names: k names.
        root: R of the QR decomposition of a leading one and the standardised covariates, over the
            square root of the rows; shape (1 + k, 1 + k).
    """
    dependent = np.flatnonzero(np.abs(np.diagonal(root)) < _SAME)
    if len(dependent):
        j = int(dependent[0])
        weights = np.linalg.lstsq(root[:, :j], root[:, j], rcond=None)[0][1:]
        others = [names[i] for i in np.flatnonzero(np.abs(weights) > 1e-6).tolist()]
        raise StatisticsError(
            f"`{names[j - 1]}` is collinear with {', '.join(f'`{o}`' for o in others)}: their "
            "effects cannot be told apart; leave one out"
        )


def refuse_too_few(n: int, k: int, n_clusters: int | None) -> None:
    """Raise where k coefficients have too few rows or groups."""
    if n <= k:
        raise StatisticsError(f"{k - 1} covariates need more than {k} rows with both; got {n}")
    if n_clusters is not None and n_clusters <= k:
        raise StatisticsError(
            f"cluster-robust errors of {k - 1} covariates need more than {k} clusters; got "
            f"{n_clusters}"
        )


def refuse_lone_row(names: Sequence[str], leverage: float, away: Floats) -> None:
    """Raise where one row has all the leverage.

    Args:
        names: k names.
        leverage: The largest of any row.
        away: How far that row's covariates lie from the others', in standard deviations.
    """
    if leverage > 1 - _SAME:
        name = names[int(np.argmax(away))]
        raise StatisticsError(
            f"a single row decides the effect of `{name}`: HC3 is undefined; leave it out or merge "
            "its levels"
        )


def _no_lone_row(x: Floats, names: Sequence[str]) -> None:
    leverage = (np.linalg.qr(x)[0] ** 2).sum(axis=1)
    row = int(np.argmax(leverage))
    away = np.abs(x[row, 1:] - np.median(x[:, 1:], axis=0))
    refuse_lone_row(names, float(leverage[row]), away)


def freedom(n: int, k: int, n_clusters: int | None) -> int:
    """Degrees of freedom of t: rows less coefficients, or groups less one."""
    return n - k if n_clusters is None else n_clusters - 1


def from_standard(centre: Floats, spread: Floats) -> Floats:
    """Turns coefficients of standardised covariates into those of the ones given.

    Returns:
        Shape (1 + k, 1 + k); the intercept takes up the centres.
    """
    back = np.diag(1 / np.append(1.0, spread))
    back[0, 1:] = -centre / spread
    return np.asarray(back, dtype=np.float64)


def _fit(y: Floats, x: Floats, clusters: Ints | None, level: float, back: Floats) -> Floats:
    """Rows: coefficient, standard error, low, high; a column a coefficient, turned by `back`."""
    model = sm.OLS(y, x)
    if clusters is None:
        fit = model.fit(cov_type="HC3", use_t=True)
    else:
        fit = model.fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    groups = None if clusters is None else len(np.unique(clusters))
    effects = back @ fit.params
    spread = np.sqrt(np.diagonal(back @ fit.cov_params() @ back.T))
    reach = student.ppf((1 + level) / 2, freedom(len(y), x.shape[1], groups)) * spread
    return np.vstack([effects, spread, effects - reach, effects + reach])


def _p_values(ends: Floats, freedom: int) -> Floats:
    effect, spread = ends[0], ends[1]
    # An error without any scatter leaves no doubt: p is 1 for an effect of 0, else 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(spread > 0, np.abs(effect) / spread, np.where(effect == 0, 0.0, np.inf))
    return np.asarray(2 * student.sf(ratio, freedom), dtype=np.float64)
