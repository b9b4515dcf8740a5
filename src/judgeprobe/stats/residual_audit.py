"""When a surface component is subtracted from a score, what may be claimed?

The stages run in order and a later one is not computed before the earlier one has passed: slice
eligibility (before the score is looked at), the screen (before any adjustment), the adjustment, the
slice-gain test. Index decorrelation is a separate field and grades nothing. None of this detects
that construct and artifact are entangled: a heavily loaded scorer passes every gate there.

The gain on the slice is never given alone: it lives in one object with the change on the whole
population, the observable flagged subgroup and the ranking inside groups.

Source: residualization-audit, sections 2.3, 2.4, 5.2 and 7. The gates are its heuristic defaults.
"""

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.auc import auc, auc_draws, has_both_classes
from judgeprobe.stats.folds import make_folds
from judgeprobe.stats.group_bootstrap import (
    Ends,
    correlation_draws,
    group_draws,
    mean_draws,
    percentile_ends,
)
from judgeprobe.stats.residual_operator import (
    correlation,
    fitted_component,
    surface_predictor,
)
from judgeprobe.stats.residual_probe import relocation_probe
from judgeprobe.stats.residual_ranking import group_ranking
from judgeprobe.stats.residual_types import (
    AuditData,
    Decorrelation,
    DualReport,
    Eligibility,
    Gates,
    Outcome,
    ResidualAudit,
    Screen,
)

__all__ = ["decorrelation", "dual_report", "eligibility_stage", "residual_audit"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MIN_SLICE = 10


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
