"""How far do two sets of labels agree beyond chance?

Cohen's kappa, unweighted or linearly weighted, from a confusion matrix; many at once, because
bootstrap and permutation need thousands. Where expected disagreement is zero (both constant on one
class) kappa is 0/0 and counts as 0; the result says so.

Source: judge-construct-validity, appendix A.3 (Cohen 1960; Cohen 1968 for the linear weights).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.checks import same_length

__all__ = ["Kappa", "cohen_kappa", "confusions", "group_confusions", "kappas"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Kappa:
    """Agreement beyond chance.

    Attributes:
        value: From -1 to 1; 0 by rule where degenerate.
        accuracy: Share of equal labels, 0 to 1.
        n: Items compared.
        degenerate: Whether both sides are constant on one class (kappa is then 0/0).
    """

    value: float
    accuracy: float
    n: int
    degenerate: bool


def confusions(truth: IntArray, predicted: IntArray, n_classes: int) -> FloatArray:
    """Confusion matrices of one truth, or one a row, against rows of predictions.

    Args:
        truth: Class codes 0 to n_classes - 1, shape (n,) or (m, n).
        predicted: The same, shape (m, n).
        n_classes: Number of classes.

    Returns:
        Counts, shape (m, n_classes, n_classes): truth down, prediction across.
    """
    predicted = np.atleast_2d(predicted)
    m = predicted.shape[0]
    cells = np.broadcast_to(truth, predicted.shape) * n_classes + predicted
    offset = np.arange(m)[:, None] * n_classes**2
    counts = np.bincount((cells + offset).ravel(), minlength=m * n_classes**2)
    return counts.reshape(m, n_classes, n_classes).astype(np.float64)


def group_confusions(
    truth: IntArray, predicted: IntArray, groups: IntArray, n_groups: int, n_classes: int
) -> FloatArray:
    """One confusion matrix a group, shape (n_groups, n_classes, n_classes); they sum to the whole.

    Args:
        truth: Class codes, shape (n,).
        predicted: Class codes, shape (n,).
        groups: Group codes 0 to n_groups - 1, shape (n,).
        n_groups: Number of groups.
        n_classes: Number of classes.
    """
    cells = (groups * n_classes + truth) * n_classes + predicted
    counts = np.bincount(cells, minlength=n_groups * n_classes**2)
    return counts.reshape(n_groups, n_classes, n_classes).astype(np.float64)


def kappas(counts: FloatArray, *, linear: bool = False) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Kappa of each confusion matrix.

    Args:
        counts: Shape (m, k, k), each with at least one count.
        linear: Weight a disagreement by how many classes it spans (classes are in order).

    Returns:
        The kappas, shape (m,), 0 where degenerate; and which are degenerate.

    Raises:
        StatisticsError: A matrix is empty.
    """
    k = counts.shape[-1]
    totals = counts.sum(axis=(1, 2))
    if (totals <= 0).any():
        raise StatisticsError("kappa needs at least one compared item; got an empty table")
    index = np.arange(k)
    weights = np.abs(index[:, None] - index[None, :]) if linear else index[:, None] != index
    observed = (counts * weights).sum(axis=(1, 2)) / totals
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    expected = np.einsum("mi,ij,mj->m", rows, weights.astype(np.float64), columns) / totals**2
    degenerate = expected <= 0
    ratio = np.divide(observed, expected, out=np.ones_like(observed), where=~degenerate)
    return 1 - ratio, degenerate


def cohen_kappa(
    truth: IntArray, predicted: IntArray, n_classes: int, *, linear: bool = False
) -> Kappa:
    """Kappa of two vectors of class codes.

    Args:
        truth: Codes 0 to n_classes - 1, shape (n,).
        predicted: The same.
        n_classes: Number of classes, at least 1.
        linear: Whether disagreements are weighted by their distance.

    Raises:
        StatisticsError: The vectors are empty, differ in length, or hold another code.
    """
    n = same_length(truth=truth, predicted=predicted)
    for name, codes in (("truth", truth), ("predicted", predicted)):
        if n and (codes.min() < 0 or codes.max() >= n_classes):
            raise StatisticsError(f"`{name}` must hold codes 0 to {n_classes - 1}")
    counts = confusions(truth, predicted, n_classes)
    values, degenerate = kappas(counts, linear=linear)
    accuracy = float(np.trace(counts[0]) / counts[0].sum())
    return Kappa(float(values[0]), accuracy, n, bool(degenerate[0]))
