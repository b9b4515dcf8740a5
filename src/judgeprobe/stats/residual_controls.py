"""Is the slice gain only the echo of how the slice was made? Four controls.

Nested split-half: the slice rule and the operator are fitted on one half of the groups and the gain
is read on the other. Placebo: a predictor of the same AUC that knows nothing of the features.
Sub-blocks: slices from proper parts of the features. Disjoint label: all is defined on the first
label and evaluated on the second. None removes the conditioning that a slice of errors brings; they
show that it is not the whole of the gain.

Source: residualization-audit, section 5.1 ("four controls examine it").
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.auc import auc, auc_draws, has_both_classes
from judgeprobe.stats.folds import Folds
from judgeprobe.stats.group_bootstrap import Ends, percentile_ends
from judgeprobe.stats.residual_operator import Features, fitted_component, surface_predictor
from judgeprobe.stats.residual_types import AuditData, Eligibility, Gates

__all__ = ["Control", "disjoint_label", "nested_split_half", "placebo", "sub_blocks"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Control:
    """One control: the gain on its slice beside the change on all of its rows.

    Attributes:
        name: Which control.
        n_slice: Rows of its slice.
        gain: Change of alignment on the slice; None where the slice lacks a class.
        ends: Interval of the gain, or None.
        full_change: Change of alignment on the rows evaluated.
        remark: What else to know.
    """

    name: str
    n_slice: int
    gain: float | None
    ends: Ends | None
    full_change: float
    remark: str = ""


def _control(
    name: str,
    labels: IntArray,
    scores: FloatArray,
    adjusted: FloatArray,
    rows: NDArray[np.bool_],
    draws: FloatArray,
    groups: IntArray,
    level: float,
    remark: str = "",
) -> Control:
    gain = ends = None
    if has_both_classes(labels[rows]):
        gain = auc(labels[rows], adjusted[rows]) - auc(labels[rows], scores[rows])
        moved = auc_draws(labels[rows], adjusted[rows], draws, groups[rows]) - auc_draws(
            labels[rows], scores[rows], draws, groups[rows]
        )
        ends = percentile_ends(moved, level)
    full = auc(labels, adjusted) - auc(labels, scores)
    return Control(name, int(rows.sum()), gain, ends, full, remark)


def nested_split_half(
    data: AuditData,
    scores: FloatArray,
    gates: Gates,
    found: Eligibility,
    rng: np.random.Generator,
) -> Control:
    """Everything fitted on one half of the groups, read on the other.

    Raises:
        StatisticsError: A half lacks a label class.
    """
    n_groups = int(data.groups.max()) + 1
    half = rng.permutation(n_groups) < n_groups // 2
    fit_rows = half[data.groups]
    # One split as folds: the half that fits, then the half that is read.
    split = Folds("grouped", 1, np.where(fit_rows, -1, 0))
    predictor = surface_predictor(data.artifact, data.labels, split)
    fitted = fitted_component(scores, data.features, split, alpha=gates.alpha)
    read = ~fit_rows
    wrong = (predictor.flagged != (data.labels == 1))[read]
    if not has_both_classes(data.labels[read]):
        raise StatisticsError("a half of the groups holds one label class")
    return _control(
        "nested split-half",
        data.labels[read],
        scores[read],
        (scores - fitted)[read],
        wrong,
        found.draws,
        data.groups[read],
        gates.level,
        remark=f"read on {int(read.sum())} rows",
    )


def placebo(
    data: AuditData,
    scores: FloatArray,
    adjusted: FloatArray,
    gates: Gates,
    found: Eligibility,
    rng: np.random.Generator,
) -> Control:
    """A slice of errors of a predictor with the same AUC that is noise given the label.

    The placebo is N(d y, 1) with d from the binormal identity AUC = Phi(d / sqrt 2), cut so that it
    flags as many rows as the surface predictor does.
    """
    target = min(max(found.auc, 1e-6), 1 - 1e-6)
    distance = float(np.sqrt(2) * ndtri(target))
    decision = distance * data.labels + rng.normal(size=len(scores))
    cut = np.quantile(decision, 1 - found.predictor.flagged.mean())
    wrong = (decision > cut) != (data.labels == 1)
    return _control(
        "placebo of matched AUC",
        data.labels,
        scores,
        adjusted,
        wrong,
        found.draws,
        data.groups,
        gates.level,
        remark=f"placebo AUC {auc(data.labels, decision):.3f}",
    )


def sub_blocks(
    data: AuditData,
    scores: FloatArray,
    adjusted: FloatArray,
    gates: Gates,
    found: Eligibility,
    blocks: Sequence[tuple[str, Features]],
) -> list[Control]:
    """Slices from proper parts of the features; the adjustment stays that of all of them.

    Args:
        data: Labels and groups.
        scores: Before.
        adjusted: After.
        gates: Level of the intervals.
        found: Folds and draws of the committed run.
        blocks: Name and features of each part.
    """
    told = []
    for name, block in blocks:
        predictor = surface_predictor(block, data.labels, found.folds)
        wrong = predictor.flagged != (data.labels == 1)
        told.append(
            _control(
                f"slice from {name}",
                data.labels,
                scores,
                adjusted,
                wrong,
                found.draws,
                data.groups,
                gates.level,
                remark=f"A(a_hat) {auc(data.labels, predictor.decision):.3f}",
            )
        )
    return told


def disjoint_label(
    data: AuditData,
    scores: FloatArray,
    adjusted: FloatArray,
    gates: Gates,
    found: Eligibility,
    second: IntArray,
) -> Control:
    """Slice and adjustment from the first label, alignment with the second.

    Args:
        data: The first label and groups.
        scores: Before.
        adjusted: After.
        gates: Level of the intervals.
        found: The slice of the first label.
        second: 0 or 1, -1 where missing, shape (n,).

    Raises:
        StatisticsError: The second label lacks a class.
    """
    there = second >= 0
    if not has_both_classes(second[there]):
        raise StatisticsError("the second label holds one class")
    agreement = float((second[there] == data.labels[there]).mean())
    return _control(
        "disjoint second label",
        second[there],
        scores[there],
        adjusted[there],
        found.slice_rows[there],
        found.draws,
        data.groups[there],
        gates.level,
        remark=f"agreement with the first {agreement:.3f} on {int(there.sum())} rows; what both "
        "share is invisible to this control",
    )
