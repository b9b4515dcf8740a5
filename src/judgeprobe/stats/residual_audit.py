"""When a surface component is subtracted from a score, what may be claimed?

The stages run in order and a later one is not computed before the earlier one has passed: slice
eligibility (before the score is looked at), the screen (before any adjustment), the adjustment, the
slice-gain test. Index decorrelation is a separate field and grades nothing. None of this detects
that construct and artifact are entangled: a heavily loaded scorer passes every gate there.

The gain on the slice is never given alone: it lives in one object with the change on the whole
population, the observable flagged subgroup and the ranking inside groups.

Source: residualization-audit, sections 2.3, 2.4, 5.2 and 7. The gates are its heuristic defaults.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.auc import auc, auc_draws, has_both_classes
from judgeprobe.stats.folds import Folds, make_folds
from judgeprobe.stats.group_bootstrap import (
    Ends,
    correlation_draws,
    group_draws,
    mean_draws,
    percentile_ends,
)
from judgeprobe.stats.residual_operator import (
    Features,
    SurfacePredictor,
    correlation,
    fitted_component,
    surface_predictor,
)
from judgeprobe.stats.residual_probe import ProbeValue, relocation_probe
from judgeprobe.stats.residual_ranking import Ranking, group_ranking

__all__ = [
    "CLAIMS",
    "OUTCOMES",
    "AuditData",
    "Decorrelation",
    "DualReport",
    "Eligibility",
    "Gates",
    "Outcome",
    "ResidualAudit",
    "Screen",
    "eligibility_stage",
    "residual_audit",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Outcome = Literal["no usable slice", "screen refuses", "no gain established", "measured slice gain"]

OUTCOMES: tuple[Outcome, ...] = (
    "no usable slice",
    "screen refuses",
    "no gain established",
    "measured slice gain",
)
CLAIMS: dict[Outcome, str] = {
    "no usable slice": "None. The surface predictor's errors define no population on which a "
    "change could be measured; this does not show that no artifact exists.",
    "screen refuses": "None. No surface-associated degradation of the score was shown; the "
    "adjustment was not made.",
    "no gain established": "None. The adjustment was made, and its slice gain is negative or not "
    "distinguishable from zero.",
    "measured slice gain": "A slice-restricted change: alignment with the label rose on the "
    "declared slice when the fitted surface component was subtracted. It shows no repair, no "
    "validity and no gain in use, and is read only beside the full-population change.",
}
MIN_SLICE = 10


@dataclass(frozen=True)
class Gates:
    """Every constant of the procedure.

    Attributes:
        eligibility: Smallest AUC of the surface predictor.
        loading: Smallest out-of-fold R-squared of the score on the features.
        degradation: Smallest A(s) - A_slice(s).
        decorrelation: Largest |correlation| of the adjusted score with the surface index.
        alpha: Ridge strength.
        n_folds: Number of folds.
        fold_seed: Seed of the group-to-fold assignment.
        resamples: Bootstrap draws.
        level: Nominal coverage of intervals.
    """

    eligibility: float = 0.65
    loading: float = 0.05
    degradation: float = 0.03
    decorrelation: float = 0.05
    alpha: float = 1.0
    n_folds: int = 5
    fold_seed: int = 0
    resamples: int = 1000
    level: float = 0.95


@dataclass(frozen=True)
class AuditData:
    """What an audit needs before the score.

    Attributes:
        labels: 0 or 1, shape (n,).
        features: All of phi.
        artifact: The block the surface predictor sees.
        groups: Group codes 0 to g - 1, shape (n,); each row its own where nothing is grouped.
    """

    labels: IntArray
    features: Features
    artifact: Features
    groups: IntArray


@dataclass(frozen=True)
class Eligibility:
    """Do the surface predictor's errors define a slice?

    Attributes:
        auc: A(a_hat), with its interval.
        low: Lower end.
        high: Upper end.
        slice_rows: Rows that the thresholded predictor gets wrong, shape (n,).
        passed: AUC at the gate or above, and a slice with at least ten rows of each class.
        strict: Whether the whole interval is at the gate or above, and the slice is as asked.
        reason: Why it does not pass, or None.
        predictor: The surface predictor.
        folds: The folds, which later stages share.
        draws: The bootstrap draws, which later stages share.
    """

    auc: float
    low: float
    high: float
    slice_rows: NDArray[np.bool_]
    passed: bool
    strict: bool
    reason: str | None
    predictor: SurfacePredictor
    folds: Folds
    draws: FloatArray


@dataclass(frozen=True)
class Screen:
    """Does the score load on the features, and does that cost alignment on the slice?

    Attributes:
        r2: Out-of-fold R-squared of the score on the features; may be negative.
        r2_ends: Its interval.
        delta_slice: A(s) - A_slice(s); None where there is no usable slice.
        delta_ends: Its interval, or None.
        passed: Both at their gates or above; None where there is no usable slice.
        strict: Whether both intervals are wholly at the gates or above; None as above.
    """

    r2: float
    r2_ends: Ends
    delta_slice: float | None
    delta_ends: Ends | None
    passed: bool | None
    strict: bool | None


@dataclass(frozen=True)
class DualReport:
    """What changed on the slice, and everywhere else. There is no way to have only the first.

    Attributes:
        n_slice: Rows of the slice.
        slice_alignment: A_slice before and after.
        slice_change: Their difference with its interval: the gain.
        full_alignment: A on all rows before and after.
        full_change: Their difference with its interval: the cost, usually.
        flagged_alignment: A on the rows with a_hat > 1/2, before and after; None where they lack a
            class.
        ranking: Ranking inside groups before and after.
        gain_shown: Whether the interval of the slice change lies above zero.
    """

    n_slice: int
    slice_alignment: tuple[float, float]
    slice_change: tuple[float, Ends]
    full_alignment: tuple[float, float]
    full_change: tuple[float, Ends]
    flagged_alignment: tuple[float, float] | None
    ranking: tuple[Ranking, Ranking]
    gain_shown: bool


@dataclass(frozen=True)
class Decorrelation:
    """Is the adjusted score uncorrelated with the one prespecified surface index?

    Attributes:
        raw: |corr(s, c_hat)|.
        adjusted: |corr(s_adj, c_hat)|.
        ends: Interval of the latter.
        met: Point estimate at the gate or below.
        strict: Upper end at the gate or below.
    """

    raw: float
    adjusted: float
    ends: Ends
    met: bool
    strict: bool


@dataclass(frozen=True)
class ResidualAudit:
    """A finished audit; a stage not reached is None.

    Attributes:
        outcome: One of `OUTCOMES`, by point estimates at the gates.
        strict_outcome: The same, with whole intervals at every gate.
        eligibility: Always there.
        screen: Always there; without a usable slice it holds the loading only, as a diagnosis.
        report: The dual report, where an adjustment was made.
        decorrelation: Where an adjustment was made.
        probe: Nonlinear recoverability of the surface decision, where an adjustment was made.
        adjusted: The adjusted score, shape (n,), where an adjustment was made.
    """

    outcome: Outcome
    strict_outcome: Outcome
    eligibility: Eligibility
    screen: Screen
    report: DualReport | None
    decorrelation: Decorrelation | None
    probe: ProbeValue | None
    adjusted: FloatArray | None


def eligibility_stage(data: AuditData, gates: Gates, rng: np.random.Generator) -> Eligibility:
    """The first stage; it takes no score.

    Raises:
        StatisticsError: One label class only, or too few rows or groups.
    """
    if not has_both_classes(data.labels):
        raise StatisticsError("the label holds one class; alignment with it is not defined")
    folds = make_folds(
        len(data.labels),
        data.groups,
        n_folds=gates.n_folds,
        seed=gates.fold_seed,
        shuffle_groups=True,
    )
    predictor = surface_predictor(data.artifact, data.labels, folds)
    draws = group_draws(int(data.groups.max()) + 1, gates.resamples, rng)
    value = auc(data.labels, predictor.decision)
    ends = percentile_ends(
        auc_draws(data.labels, predictor.decision, draws, data.groups), gates.level
    )
    wrong = predictor.flagged != (data.labels == 1)
    smallest = int(np.bincount(data.labels[wrong], minlength=2).min())
    reason = None
    if value < gates.eligibility:
        reason = f"A(a_hat) {value:.3f} is below {gates.eligibility}"
    elif smallest < MIN_SLICE:
        reason = f"the slice holds {smallest} rows of one class; {MIN_SLICE} are needed"
    return Eligibility(
        auc=value,
        low=ends.low,
        high=ends.high,
        slice_rows=wrong,
        passed=reason is None,
        strict=reason is None and ends.low >= gates.eligibility,
        reason=reason,
        predictor=predictor,
        folds=folds,
        draws=draws,
    )


def residual_audit(
    data: AuditData, scores: FloatArray, gates: Gates, eligibility: Eligibility
) -> ResidualAudit:
    """The stages that see the score, in order; each later one only if the earlier passed.

    Args:
        data: What the first stage saw.
        scores: In the declared representation, shape (n,), finite.
        gates: The same constants as in the first stage.
        eligibility: From `eligibility_stage`.
    """
    fitted = fitted_component(scores, data.features, eligibility.folds, alpha=gates.alpha)
    screen = _screen(data, scores, fitted, gates, eligibility)
    if not eligibility.passed or not screen.passed:
        outcome: Outcome = "screen refuses" if eligibility.passed else "no usable slice"
        return ResidualAudit(
            outcome,
            _strict_outcome(eligibility, screen, None),
            eligibility,
            screen,
            None,
            None,
            None,
            None,
        )
    adjusted = scores - fitted
    report = dual_report(data, scores, adjusted, gates, eligibility)
    outcome = "measured slice gain" if report.gain_shown else "no gain established"
    return ResidualAudit(
        outcome=outcome,
        strict_outcome=_strict_outcome(eligibility, screen, report),
        eligibility=eligibility,
        screen=screen,
        report=report,
        decorrelation=decorrelation(data, scores, adjusted, gates, eligibility),
        probe=relocation_probe(scores, adjusted, eligibility.predictor.flagged, eligibility.folds),
        adjusted=adjusted,
    )


def _strict_outcome(eligibility: Eligibility, screen: Screen, report: DualReport | None) -> Outcome:
    if not eligibility.strict:
        return "no usable slice"
    if not screen.strict or report is None:
        return "screen refuses"
    return "measured slice gain" if report.gain_shown else "no gain established"


def _screen(
    data: AuditData, scores: FloatArray, fitted: FloatArray, gates: Gates, found: Eligibility
) -> Screen:
    centred = scores - scores.mean()
    r2 = 1 - float(((scores - fitted) ** 2).sum() / (centred**2).sum())
    error = mean_draws((scores - fitted) ** 2, found.draws, data.groups)
    spread = (
        mean_draws(centred**2, found.draws, data.groups)
        - mean_draws(centred, found.draws, data.groups) ** 2
    )
    r2_ends = percentile_ends(1 - error / np.where(spread > 0, spread, np.nan), gates.level)
    if not found.passed:
        return Screen(r2, r2_ends, None, None, None, None)
    rows = found.slice_rows
    delta = auc(data.labels, scores) - auc(data.labels[rows], scores[rows])
    draws = auc_draws(data.labels, scores, found.draws, data.groups) - auc_draws(
        data.labels[rows], scores[rows], found.draws, data.groups[rows]
    )
    delta_ends = percentile_ends(draws, gates.level)
    return Screen(
        r2=r2,
        r2_ends=r2_ends,
        delta_slice=delta,
        delta_ends=delta_ends,
        passed=r2 >= gates.loading and delta >= gates.degradation,
        strict=r2_ends.low >= gates.loading and delta_ends.low >= gates.degradation,
    )


def _change(
    labels: IntArray,
    before: FloatArray,
    after: FloatArray,
    draws: FloatArray,
    groups: IntArray,
    level: float,
) -> tuple[tuple[float, float], tuple[float, Ends]]:
    pair = auc(labels, before), auc(labels, after)
    moved = auc_draws(labels, after, draws, groups) - auc_draws(labels, before, draws, groups)
    return pair, (pair[1] - pair[0], percentile_ends(moved, level))


def dual_report(
    data: AuditData, scores: FloatArray, adjusted: FloatArray, gates: Gates, found: Eligibility
) -> DualReport:
    """Slice gain, full-population change, flagged subgroup and ranking, together.

    Args:
        data: Labels and groups.
        scores: Before.
        adjusted: After.
        gates: Level of the intervals.
        found: The slice and the draws.
    """
    rows = found.slice_rows
    labels, groups = data.labels, data.groups
    slice_pair, slice_change = _change(
        labels[rows], scores[rows], adjusted[rows], found.draws, groups[rows], gates.level
    )
    full_pair, full_change = _change(labels, scores, adjusted, found.draws, groups, gates.level)
    flagged = found.predictor.flagged
    flagged_pair = None
    if has_both_classes(labels[flagged]):
        flagged_pair = (
            auc(labels[flagged], scores[flagged]),
            auc(labels[flagged], adjusted[flagged]),
        )
    return DualReport(
        n_slice=int(rows.sum()),
        slice_alignment=slice_pair,
        slice_change=slice_change,
        full_alignment=full_pair,
        full_change=full_change,
        flagged_alignment=flagged_pair,
        ranking=(
            group_ranking(labels, scores, groups, rows),
            group_ranking(labels, adjusted, groups, rows),
        ),
        gain_shown=slice_change[1].low > 0,
    )


def decorrelation(
    data: AuditData, scores: FloatArray, adjusted: FloatArray, gates: Gates, found: Eligibility
) -> Decorrelation:
    """|correlation| with the surface index c_hat, before and after."""
    index = found.predictor.decision
    draws = np.abs(correlation_draws(adjusted, index, found.draws, data.groups))
    ends = percentile_ends(draws, gates.level)
    after = abs(correlation(adjusted, index))
    return Decorrelation(
        raw=abs(correlation(scores, index)),
        adjusted=after,
        ends=ends,
        met=after <= gates.decorrelation,
        strict=ends.high <= gates.decorrelation,
    )
