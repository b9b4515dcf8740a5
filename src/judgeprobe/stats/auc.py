"""How well does a score order two classes, and how does that vary over resampled groups?

The area under the ROC curve as the share of (positive, negative) pairs in the right order, a tie
counting one half; weighted by how often each row is drawn, for all bootstrap draws at once.

Source: residualization-audit, section 2.2, "A(u) = AUC(y, u)".
"""

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError

__all__ = ["auc", "auc_draws", "has_both_classes"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Draws handled at once: bounds the memory at about this many rows of weights.
CHUNK = 64


def has_both_classes(labels: IntArray) -> bool:
    """Whether 0 and 1 both occur."""
    return bool(len(labels)) and bool((labels == 1).any()) and bool((labels == 0).any())


def auc(labels: IntArray, scores: FloatArray) -> float:
    """AUC of scores for labels 0 and 1.

    Args:
        labels: 0 or 1, shape (n,).
        scores: Shape (n,), finite.

    Raises:
        StatisticsError: A class is missing.
    """
    if not has_both_classes(labels):
        raise StatisticsError("AUC needs both classes; got one")
    return float(auc_draws(labels, scores, np.ones((1, len(labels))), np.arange(len(labels)))[0])


def auc_draws(
    labels: IntArray, scores: FloatArray, draws: FloatArray, groups: IntArray
) -> FloatArray:
    """AUC of each bootstrap draw of groups.

    Args:
        labels: 0 or 1, shape (n,).
        scores: Shape (n,), finite.
        draws: How often each group is drawn, shape (b, n_groups).
        groups: Group code of each row, shape (n,).

    Returns:
        Shape (b,); NaN where a draw lacks a class.
    """
    order = np.argsort(scores, kind="stable")
    ranked = scores[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    positive = labels[order].astype(np.float64)
    group = groups[order]
    values = np.empty(len(draws))
    for start in range(0, len(draws), CHUNK):
        weights = draws[start : start + CHUNK][:, group]
        pos = np.add.reduceat(weights * positive, starts, axis=1)
        neg = np.add.reduceat(weights * (1 - positive), starts, axis=1)
        below = np.cumsum(neg, axis=1) - neg
        pairs = pos.sum(axis=1) * neg.sum(axis=1)
        won = (pos * (below + neg / 2)).sum(axis=1)
        values[start : start + CHUNK] = np.divide(
            won, pairs, out=np.full(len(won), np.nan), where=pairs > 0
        )
    return values
