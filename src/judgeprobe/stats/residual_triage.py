"""Which items should be labelled again first? A risk flag that changes no score.

The flag is the chance, from what is observable without the label, that an item lies in the slice:
a cross-fitted logistic regression on the surface index, its distance from the cut, the score, the
removed component, and score times index. Items are ranked by it; no score is adjusted and none is
dropped.

Source: residualization-audit, section 5.2 ("an observable risk flag that changes no score but ranks
examples for re-annotation").
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.auc import auc, has_both_classes
from judgeprobe.stats.convergence import counted
from judgeprobe.stats.residual_operator import Features
from judgeprobe.stats.residual_types import Eligibility

__all__ = ["Triage", "triage"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Triage:
    """A ranking for re-annotation.

    Attributes:
        risk: Chance of lying in the slice, out of fold, shape (n,).
        order: Rows from the riskiest; ties in row order.
        auc: How well the flag finds the slice, out of fold.
        caught: Share of the slice among the first tenth of the order.
        not_converged: Folds whose solver stopped early.
    """

    risk: FloatArray
    order: NDArray[np.int64]
    auc: float
    caught: float
    not_converged: int


def triage(scores: FloatArray, fitted: FloatArray, found: Eligibility) -> Triage:
    """Rank rows by the chance that the surface misleads about them.

    Args:
        scores: s, shape (n,).
        fitted: g_hat, shape (n,).
        found: Slice, surface index and folds.

    Raises:
        StatisticsError: The slice is empty or everything, in all rows or in a fold's training rows.
    """
    in_slice = found.slice_rows.astype(np.int64)
    index = found.predictor.decision
    standard = (scores - scores.mean()) / max(float(scores.std()), 1e-12)
    columns = np.column_stack([index, np.abs(index), standard, fitted, standard * index])
    features = Features(columns, ("index", "distance", "score", "fitted", "product"))
    risk = np.empty(len(scores))
    not_converged = 0
    for train, held_out in found.folds:
        if not has_both_classes(in_slice[train]):
            raise StatisticsError("the slice is empty or everything; there is nothing to rank by")
        x_train, x_held = features.split(train, held_out)
        with counted() as stopped:
            model = LogisticRegression(max_iter=2000).fit(x_train, in_slice[train])
        not_converged += stopped.count > 0
        risk[held_out] = model.predict_proba(x_held)[:, 1]
    order = np.argsort(-risk, kind="stable")
    first = order[: max(1, len(order) // 10)]
    return Triage(
        risk=risk,
        order=order,
        auc=auc(in_slice, risk),
        caught=float(in_slice[first].sum() / in_slice.sum()),
        not_converged=not_converged,
    )
