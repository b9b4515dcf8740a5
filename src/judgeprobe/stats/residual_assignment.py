"""What do the gates read as construct and artifact are made collinear by choosing candidates?

On a designed set every unit has four verified candidates (good or bad, plain or edited). With
probability p a unit contributes its good candidate edited and its bad one plain, else the reverse;
no text is touched. At p = 1/2 format says nothing of correctness, at p = 1 everything. A score that
tracks correctness then loads on format, and subtracting format removes construct: the damage is the
fall of the paired win rate, and no gate reads it.

Source: residualization-audit, section 6.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.residual_audit import eligibility_stage, residual_audit
from judgeprobe.stats.residual_operator import Features, correlation, fitted_component
from judgeprobe.stats.residual_types import AuditData, Gates

__all__ = ["AssignmentPoint", "assignment_probe"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class AssignmentPoint:
    """One assignment probability.

    Attributes:
        p: Chance that the good candidate is the edited one.
        rho: Correlation of format and construct that it induced.
        win_raw: Share of units whose good candidate scores above its bad one (ties half).
        win_adjusted: The same after adjustment on this sample.
        eligibility: A(a_hat).
        loading: R-squared of the score on the features.
        outcome: Where the committed procedure ends on this sample.
    """

    p: float
    rho: float
    win_raw: float
    win_adjusted: float
    eligibility: float
    loading: float
    outcome: str


def assignment_probe(
    scores: FloatArray,
    features: Features,
    units: IntArray,
    formats: IntArray,
    good: NDArray[np.bool_],
    gates: Gates,
    rng: np.random.Generator,
    *,
    probabilities: Sequence[float] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
) -> tuple[AssignmentPoint, ...]:
    """Sweep the assignment probability.

    Args:
        scores: s, shape (n,).
        features: All of phi.
        units: Unit codes.
        formats: 0 plain, 1 edited; rows of other formats take no part.
        good: Whether a row is at the good construct level, shape (n,).
        gates: The committed constants.
        rng: Source of the assignment; one uniform a unit serves all probabilities.
        probabilities: From 1/2 to 1.

    Raises:
        StatisticsError: Fewer than 20 units have all four candidates.
    """
    table = _four_candidates(units, formats, good)
    if len(table) < 20:
        raise StatisticsError(
            f"the assignment probe needs 20 units with all four candidates; got {len(table)}"
        )
    uniform = rng.random(len(table))
    return tuple(_point(p, uniform < p, table, scores, features, gates) for p in probabilities)


def _four_candidates(units: IntArray, formats: IntArray, good: NDArray[np.bool_]) -> IntArray:
    """Rows of (good plain, good edited, bad plain, bad edited) for each complete unit."""
    table = np.full((int(units.max()) + 1, 4), -1, dtype=np.int64)
    used = np.flatnonzero(formats <= 1)
    # The first row of a cell counts: later ones are written first.
    for row in used[::-1]:
        table[units[row], 2 * int(not good[row]) + formats[row]] = row
    return table[(table >= 0).all(axis=1)]


def _point(
    p: float,
    edited_is_good: NDArray[np.bool_],
    table: IntArray,
    scores: FloatArray,
    features: Features,
    gates: Gates,
) -> AssignmentPoint:
    winners = np.where(edited_is_good, table[:, 1], table[:, 0])
    losers = np.where(edited_is_good, table[:, 2], table[:, 3])
    rows = np.concatenate([winners, losers])
    n = len(winners)
    labels = np.repeat([1, 0], n)
    shown = np.concatenate([edited_is_good, ~edited_is_good]).astype(np.float64)
    groups = np.tile(np.arange(n), 2)
    sample = features.rows(rows)
    data = AuditData(labels, sample, sample, groups)
    found = eligibility_stage(data, gates, np.random.default_rng(gates.fold_seed))
    audit = residual_audit(data, scores[rows], gates, found)
    adjusted = scores[rows] - fitted_component(scores[rows], sample, found.folds, alpha=gates.alpha)
    return AssignmentPoint(
        p=p,
        rho=correlation(shown, labels.astype(np.float64)),
        win_raw=_win_rate(scores[rows], n),
        win_adjusted=_win_rate(adjusted, n),
        eligibility=found.auc,
        loading=audit.screen.r2,
        outcome=audit.outcome,
    )


def _win_rate(values: FloatArray, n: int) -> float:
    return float(((np.sign(values[:n] - values[n:]) + 1) / 2).mean())
