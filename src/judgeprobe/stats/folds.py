"""Which items may a model see when it predicts one? Folds that keep a group together.

Two items of one document share topic, register and often phrasing; a split between them lets a
predictor recognise the document and recover the label through it.

Source: judge-construct-validity, appendix E ("Folds and scoring"); residualization-audit, "Why
grouping".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold

from judgeprobe.errors import StatisticsError

__all__ = ["Folds", "make_folds"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Folds:
    """A partition of rows.

    Attributes:
        kind: "grouped" (no group in two folds) or "shuffled" (rows, seeded).
        n: Number of folds.
        fold: Fold of each row, 0 to n - 1, shape (n_rows,).
    """

    kind: Literal["grouped", "shuffled"]
    n: int
    fold: IntArray

    def __iter__(self) -> Iterator[tuple[IntArray, IntArray]]:
        """(training rows, held-out rows) of each fold."""
        for index in range(self.n):
            yield np.flatnonzero(self.fold != index), np.flatnonzero(self.fold == index)


def make_folds(
    n_rows: int,
    groups: IntArray | None,
    *,
    n_folds: int = 5,
    seed: int = 0,
    shuffle_groups: bool = False,
) -> Folds:
    """Grouped folds where there are enough groups, shuffled ones otherwise.

    Args:
        n_rows: Number of rows.
        groups: Group code of each row, shape (n_rows,), or None where no group is known.
        n_folds: Number of folds.
        seed: Of the shuffle.
        shuffle_groups: Assign groups to folds at random, instead of by size alone.

    Raises:
        StatisticsError: There are fewer rows than folds.
    """
    if n_rows < n_folds:
        raise StatisticsError(f"{n_folds} folds need at least {n_folds} rows; got {n_rows}")
    fold = np.empty(n_rows, dtype=np.int64)
    blank = np.zeros((n_rows, 1))
    if groups is not None and len(np.unique(groups)) >= n_folds:
        random_state = seed if shuffle_groups else None
        grouped = GroupKFold(n_folds, shuffle=shuffle_groups, random_state=random_state)
        for index, (_, held_out) in enumerate(grouped.split(blank, groups=groups)):
            fold[held_out] = index
        return Folds("grouped", n_folds, fold)
    plain = KFold(n_folds, shuffle=True, random_state=seed)
    for index, (_, held_out) in enumerate(plain.split(blank)):
        fold[held_out] = index
    return Folds("shuffled", n_folds, fold)
