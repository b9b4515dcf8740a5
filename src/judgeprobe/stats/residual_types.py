"""What does a residualization audit take, decide and say? Its constants, claims and results.

The gain on the slice has no object of its own: `DualReport` holds it together with the change on
the whole population, the observable flagged subgroup and the ranking inside groups.

Source: residualization-audit, sections 2.3, 2.4, 5.2 and 7. The gates are its heuristic defaults.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judgeprobe.stats.folds import Folds
from judgeprobe.stats.group_bootstrap import Ends
from judgeprobe.stats.residual_operator import Features, SurfacePredictor
from judgeprobe.stats.residual_probe import ProbeValue
from judgeprobe.stats.residual_ranking import Ranking

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
