"""Does an adjusted score rank better inside a group? Mean reciprocal rank and per-group AUC.

A pooled gain on a label-defined slice does not say so; the two are reported beside each other.

Source: residualization-audit, section 5.2 and table 4 ("restricted to queries touching the slice").
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

__all__ = ["Ranking", "group_ranking"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Ranking:
    """Within-group ranking of one score.

    Attributes:
        mrr: Mean over groups of 1 / rank of the first positive; None where no group counts.
        auc: Mean over groups of the AUC inside the group; None as above.
        groups: Groups that touch the slice and hold both classes.
    """

    mrr: float | None
    auc: float | None
    groups: int


def group_ranking(
    labels: IntArray, scores: FloatArray, groups: IntArray, touched: NDArray[np.bool_]
) -> Ranking:
    """Rank inside the groups that have a row in the slice and rows of both classes.

    Ranks count from the highest score; ties share their mean rank.

    Args:
        labels: 0 or 1, shape (n,).
        scores: Shape (n,).
        groups: Group codes, shape (n,).
        touched: Rows of the slice, shape (n,).
    """
    n_groups = int(groups.max()) + 1
    size = np.bincount(groups, minlength=n_groups)
    positives = np.bincount(groups, labels, minlength=n_groups)
    slice_rows = np.bincount(groups, touched, minlength=n_groups)
    kept = (positives > 0) & (positives < size) & (slice_rows > 0)
    if not kept.any():
        return Ranking(None, None, 0)
    ranks = _descending_ranks(scores, groups)
    is_positive = labels == 1
    first = np.full(n_groups, np.inf)
    np.minimum.at(first, groups[is_positive], ranks[is_positive])
    rank_sum = np.bincount(groups[is_positive], ranks[is_positive], minlength=n_groups)
    n_pos, n_neg = positives[kept], size[kept] - positives[kept]
    # Mann-Whitney from descending ranks: the best possible sum is 1 + ... + n_pos.
    misplaced = rank_sum[kept] - n_pos * (n_pos + 1) / 2
    return Ranking(
        mrr=float((1 / first[kept]).mean()),
        auc=float((1 - misplaced / (n_pos * n_neg)).mean()),
        groups=int(kept.sum()),
    )


def _descending_ranks(scores: FloatArray, groups: IntArray) -> FloatArray:
    """Mid-rank of each row inside its group, 1 for the highest score."""
    ranks = np.empty(len(scores))
    order = np.lexsort((-scores, groups))
    bounds = np.flatnonzero(np.r_[True, np.diff(groups[order]) != 0, True])
    for start, end in pairwise(bounds):
        rows = order[start:end]
        ranks[rows] = rankdata(-scores[rows])
    return ranks
