"""How much do the audit's figures move with choices that were fixed beforehand?

Every sweep keeps the slice of the committed run unless it says otherwise, and gives the slice gain
beside the full-population change. None of them changes the outcome: a constant that is moved after
the figures were seen is no longer committed.

Source: residualization-audit, appendices P, Q.1 to Q.3, S and V.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import Lasso, LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer
from threadpoolctl import threadpool_limits

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.auc import auc, has_both_classes
from judgeprobe.stats.convergence import counted
from judgeprobe.stats.folds import Folds, make_folds
from judgeprobe.stats.residual_audit import dual_report, eligibility_stage
from judgeprobe.stats.residual_operator import (
    REPRESENTATIONS,
    correlation,
    fitted_component,
    represent,
)
from judgeprobe.stats.residual_types import AuditData, Eligibility, Gates, Outcome

__all__ = [
    "LENGTH_FORMS",
    "RESIDUALIZERS",
    "Variant",
    "alpha_sweep",
    "fold_seeds",
    "gate_sweep",
    "label_noise",
    "length_only",
    "representations",
    "residualizers",
    "row_level_folds",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
RESIDUALIZERS = ("ols", "lasso", "random_forest", "conditional_quantile")
LENGTH_FORMS = ("linear", "isotonic", "spline", "boosted")
QUANTILE_BINS = 20
GATE_GRIDS = {
    "eligibility": (0.55, 0.60, 0.65, 0.70, 0.75),
    "loading": (0.01, 0.03, 0.05, 0.10, 0.20),
    "degradation": (0.01, 0.02, 0.03, 0.05, 0.10),
}


@dataclass(frozen=True)
class Variant:
    """The figures of one variant.

    Attributes:
        name: What was varied, and to what.
        gain: Change of alignment on the slice; None where the slice lacks a class.
        full_change: Change of alignment on all rows.
        decorrelation: |corr(s_adj, c_hat)|.
        r2: Out-of-fold R-squared of the removed part, or None where no part is fitted.
        remark: What else to know.
    """

    name: str
    gain: float | None
    full_change: float
    decorrelation: float
    r2: float | None
    remark: str = ""


def _variant(
    name: str,
    data: AuditData,
    scores: FloatArray,
    adjusted: FloatArray,
    found: Eligibility,
    *,
    fitted: FloatArray | None = None,
    remark: str = "",
) -> Variant:
    rows, labels = found.slice_rows, data.labels
    gain = None
    if has_both_classes(labels[rows]):
        gain = auc(labels[rows], adjusted[rows]) - auc(labels[rows], scores[rows])
    r2 = None
    if fitted is not None:
        spread = float(((scores - scores.mean()) ** 2).sum())
        r2 = 1 - float(((scores - fitted) ** 2).sum()) / spread
    return Variant(
        name=name,
        gain=gain,
        full_change=auc(labels, adjusted) - auc(labels, scores),
        decorrelation=abs(correlation(adjusted, found.predictor.decision)),
        r2=r2,
        remark=remark,
    )


def gate_sweep(
    data: AuditData, scores: FloatArray, gates: Gates, found: Eligibility
) -> list[dict[str, Any]]:
    """The outcome as one gate at a time is moved; the statistics stay, their thresholds move.

    Returns:
        Rows of gate, value and outcome; empty where the slice lacks a class.
    """
    rows, labels = found.slice_rows, data.labels
    if not has_both_classes(labels[rows]):
        return []
    fitted = fitted_component(scores, data.features, found.folds, alpha=gates.alpha)
    base = _variant("committed", data, scores, scores - fitted, found, fitted=fitted)
    report = dual_report(data, scores, scores - fitted, gates, found)
    delta = auc(labels, scores) - auc(labels[rows], scores[rows])
    read = {"eligibility": found.auc, "loading": base.r2 or 0.0, "degradation": delta}
    committed = {
        "eligibility": gates.eligibility,
        "loading": gates.loading,
        "degradation": gates.degradation,
    }
    told = []
    for gate, values in GATE_GRIDS.items():
        for value in values:
            at = {**committed, gate: value}
            outcome: Outcome = "measured slice gain" if report.gain_shown else "no gain established"
            if read["eligibility"] < at["eligibility"]:
                outcome = "no usable slice"
            elif any(read[name] < at[name] for name in ("loading", "degradation")):
                outcome = "screen refuses"
            told.append({"gate": gate, "value": value, "outcome": outcome})
    return told


def alpha_sweep(
    data: AuditData,
    scores: FloatArray,
    found: Eligibility,
    alphas: Sequence[float] = (0.1, 1.0, 10.0, 100.0),
) -> list[Variant]:
    """Ridge strengths."""
    told = []
    for alpha in alphas:
        fitted = fitted_component(scores, data.features, found.folds, alpha=alpha)
        told.append(
            _variant(f"alpha {alpha:g}", data, scores, scores - fitted, found, fitted=fitted)
        )
    return told


def fold_seeds(
    data: AuditData, scores: FloatArray, gates: Gates, seeds: Sequence[int] = tuple(range(20))
) -> list[Variant]:
    """The whole pipeline, slice included, under other group-to-fold assignments."""
    told = []
    for seed in seeds:
        moved = replace(gates, fold_seed=seed, resamples=20)
        found = eligibility_stage(data, moved, np.random.default_rng(0))
        fitted = fitted_component(scores, data.features, found.folds, alpha=gates.alpha)
        told.append(
            _variant(f"fold seed {seed}", data, scores, scores - fitted, found, fitted=fitted)
        )
    return told


def row_level_folds(
    data: AuditData, scores: FloatArray, gates: Gates, found: Eligibility
) -> list[Variant]:
    """The loading with rows of one group on both sides of a fold: what grouping removes."""
    told = []
    plain = make_folds(len(scores), None, n_folds=gates.n_folds, seed=gates.fold_seed)
    for name, folds in (("grouped folds", found.folds), ("row-level folds", plain)):
        fitted = fitted_component(scores, data.features, folds, alpha=gates.alpha)
        told.append(_variant(name, data, scores, scores - fitted, found, fitted=fitted))
    return told


def representations(
    data: AuditData, scores: FloatArray, gates: Gates, found: Eligibility
) -> list[Variant]:
    """The same score in the four representations."""
    told = []
    for kind in REPRESENTATIONS:
        shown = represent(scores, kind)
        fitted = fitted_component(shown, data.features, found.folds, alpha=gates.alpha)
        told.append(_variant(kind, data, shown, shown - fitted, found, fitted=fitted))
    return told


def residualizers(data: AuditData, scores: FloatArray, found: Eligibility) -> list[Variant]:
    """OLS, lasso, a random forest, and conditioning on quantiles of the fitted part."""
    told = []
    spread = float(scores.std())
    makers: dict[str, Callable[[], Any]] = {
        "ols": LinearRegression,
        "lasso": lambda: Lasso(alpha=0.01 * spread, max_iter=5000),
        "random_forest": lambda: RandomForestRegressor(100, min_samples_leaf=10, random_state=0),
    }
    for name, maker in makers.items():
        with counted() as stopped:
            fitted = _crossfit(maker, data, scores, found.folds)
        remark = f"{stopped.count} folds did not converge" if stopped.count else ""
        adjusted = scores - fitted
        told.append(_variant(name, data, scores, adjusted, found, fitted=fitted, remark=remark))
    linear = fitted_component(scores, data.features, found.folds)
    erased = conditional_quantile(scores, linear)
    remark = "gives ranks inside bins of the fitted part; the score's scale is gone"
    told.append(_variant("conditional_quantile", data, scores, erased, found, remark=remark))
    return told


def _crossfit(
    maker: Callable[[], Any], data: AuditData, scores: FloatArray, folds: Folds
) -> FloatArray:
    fitted = np.empty(len(scores))
    with threadpool_limits(limits=1, user_api="blas"):
        for train, held_out in folds:
            x_train, x_held = data.features.split(train, held_out)
            fitted[held_out] = maker().fit(x_train, scores[train]).predict(x_held)
    return fitted


def conditional_quantile(scores: FloatArray, fitted: FloatArray) -> FloatArray:
    """The rank of each score among rows whose fitted part is alike, between 0 and 1.

    Rows are cut into 20 bins of the fitted part; ties share their mean rank.
    """
    edges = np.quantile(fitted, np.linspace(0, 1, QUANTILE_BINS + 1)[1:-1])
    bins = np.searchsorted(edges, fitted)
    erased = np.empty(len(scores))
    for each in np.unique(bins):
        rows = np.flatnonzero(bins == each)
        ordered = np.sort(scores[rows])
        below = np.searchsorted(ordered, scores[rows], side="left")
        upto = np.searchsorted(ordered, scores[rows], side="right")
        erased[rows] = (below + upto) / 2 / len(rows)
    return erased


def length_only(
    data: AuditData, scores: FloatArray, found: Eligibility, length: FloatArray
) -> list[Variant]:
    """Corrections that read one length alone, in four forms.

    Args:
        data: Labels, features and groups.
        scores: In the declared representation.
        found: The slice and folds of the committed run.
        length: One number a row.

    Raises:
        StatisticsError: The length is constant.
    """
    if np.ptp(length) == 0:
        raise StatisticsError("the length is constant; there is nothing to correct for")
    return [
        _variant(f"length only, {form}", data, scores, scores - fitted, found, fitted=fitted)
        for form in LENGTH_FORMS
        for fitted in [length_component(form, scores, length, found.folds)]
    ]


def length_component(form: str, scores: FloatArray, length: FloatArray, folds: Folds) -> FloatArray:
    """Out-of-fold prediction of the score from one length, in one of `LENGTH_FORMS`."""
    makers: dict[str, Callable[[], Any]] = {
        "linear": LinearRegression,
        "isotonic": lambda: IsotonicRegression(increasing="auto", out_of_bounds="clip"),
        "spline": lambda: make_pipeline(SplineTransformer(n_knots=5), LinearRegression()),
        "boosted": lambda: HistGradientBoostingRegressor(random_state=0),
    }
    fitted = np.empty(len(scores))
    x = length if form == "isotonic" else length[:, None]
    # Boosting on one column loses more to its threads than it gains.
    with threadpool_limits(limits=1):
        for train, held_out in folds:
            model = makers[form]()
            fitted[held_out] = model.fit(x[train], scores[train]).predict(x[held_out])
    return fitted


def label_noise(
    data: AuditData, scores: FloatArray, gates: Gates, rng: np.random.Generator
) -> list[Variant]:
    """The audit with labels flipped: at random, and where the surface predictor agrees with them.

    The slice and both alignments are computed from the noisy labels, as an auditor who has only
    these would. A sign that turns over under directed noise is the damage that shared conventions
    of label and artifact can do.
    """
    clean = eligibility_stage(data, replace(gates, resamples=20), np.random.default_rng(0))
    agrees = clean.predictor.flagged == (data.labels == 1)
    told = []
    for kind in ("independent", "artifact-directed"):
        for rate in (0.1, 0.2, 0.3):
            weights = np.ones(len(agrees)) if kind == "independent" else agrees + 1e-9
            flips = rng.choice(
                len(agrees), round(rate * len(agrees)), replace=False, p=weights / weights.sum()
            )
            labels = data.labels.copy()
            labels[flips] = 1 - labels[flips]
            noisy = replace(data, labels=labels)
            found = eligibility_stage(noisy, replace(gates, resamples=20), np.random.default_rng(0))
            fitted = fitted_component(scores, data.features, found.folds, alpha=gates.alpha)
            remark = f"A(a_hat) {found.auc:.3f}"
            told.append(
                _variant(
                    f"{kind} flips {rate:.0%}",
                    noisy,
                    scores,
                    scores - fitted,
                    found,
                    fitted=fitted,
                    remark=remark,
                )
            )
    return told
