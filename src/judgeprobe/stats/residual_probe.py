"""Can a flexible reader still recover the surface decision from the adjusted score?

Linear decorrelation is not closure: subtraction can move the surface decision into the score's
nonlinear structure. A random forest reads the decision from the score alone, out of fold; its AUC
before and after is reported, and a rise is relocation.

Source: residualization-audit, section 6.3 ("it raises the nonlinear recoverability of the
prespecified surface decision").
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from judgeprobe.stats.auc import auc, has_both_classes
from judgeprobe.stats.folds import Folds

__all__ = ["ProbeValue", "recoverability", "relocation_probe"]

TREES = 50
LEAF = 25


@dataclass(frozen=True)
class ProbeValue:
    """AUC of a random forest that reads the surface decision from the score.

    Attributes:
        raw: From the score before.
        adjusted: From the score after.
        relocated: Whether it rose.
    """

    raw: float
    adjusted: float
    relocated: bool


def relocation_probe(
    scores: NDArray[np.float64],
    adjusted: NDArray[np.float64],
    flagged: NDArray[np.bool_],
    folds: Folds,
) -> ProbeValue | None:
    """The probe on both scores; None where a fold lacks a class of the decision.

    Args:
        scores: Before, shape (n,).
        adjusted: After, shape (n,).
        flagged: The surface decision, shape (n,).
        folds: The folds of the audit.
    """
    decision = flagged.astype(np.int64)
    before = recoverability(scores[:, None], decision, folds)
    after = recoverability(adjusted[:, None], decision, folds)
    if before is None or after is None:
        return None
    return ProbeValue(before, after, after > before)


def recoverability(
    readable: NDArray[np.float64], decision: NDArray[np.int64], folds: Folds
) -> float | None:
    """Out-of-fold AUC of a random forest for a decision; None where a fold lacks a class.

    Args:
        readable: What the forest reads, shape (n, p).
        decision: 0 or 1, shape (n,).
        folds: The partition.
    """
    if not has_both_classes(decision):
        return None
    chance = np.empty(len(decision))
    for train, held_out in folds:
        if not has_both_classes(decision[train]):
            return None
        forest = RandomForestClassifier(TREES, min_samples_leaf=LEAF, random_state=0)
        forest.fit(readable[train], decision[train])
        chance[held_out] = forest.predict_proba(readable[held_out])[:, 1]
    return auc(decision, chance)
