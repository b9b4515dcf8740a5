"""Which pairs stand in which arm? The arrays that every profile statistic shares.

A pair is an original and one edit of it, graded by one judge. Pairs are kept in the order of their
base items, so that a base item's pairs are one slice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgeprobe.errors import StatisticsError

__all__ = ["Bools", "Design", "Floats", "Ints", "make_design"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Design:
    """The pairs of a study, whoever grades them.

    Attributes:
        base: Base item of each pair, 0 to n_base - 1, ascending; shape (pairs,).
        n_base: Number of base items.
        invariance: Pairs whose verdict should hold; shape (pairs,).
        construct: Pairs whose verdict should change; shape (pairs,).
        axes: For each construct axis, its pairs; shape (axes, pairs).
    """

    base: Ints
    n_base: int
    invariance: Bools
    construct: Bools
    axes: Bools

    @property
    def groups(self) -> Bools:
        """Membership in invariance, construct and each axis, in that order; (2 + axes, pairs)."""
        return np.vstack([self.invariance, self.construct, self.axes])


def make_design(base: ArrayLike, axis: Sequence[str | None], axes: Sequence[str]) -> Design:
    """A design from plain columns.

    Args:
        base: Base item of each pair, 0 to n_base - 1, ascending.
        axis: Axis of each pair: one of `axes`, "control" (the invariance arm), or None (neither).
        axes: Names of the construct axes, in the order wanted.

    Raises:
        StatisticsError: Base items are not numbered 0, 1, ... in ascending order, or an axis is
            unknown.
    """
    numbers = np.asarray(base, dtype=np.int64)
    names = np.asarray(["" if name is None else name for name in axis], dtype=object)
    if numbers.ndim != 1 or len(numbers) != len(names):
        raise StatisticsError("`base` and `axis` must be vectors of one length")
    if len(numbers) == 0 or numbers[0] != 0 or not np.isin(np.diff(numbers), (0, 1)).all():
        raise StatisticsError("`base` must ascend from 0 without gaps, with at least one pair")
    unknown = set(names) - {*axes, "control", ""}
    if unknown:
        raise StatisticsError(f"`axis` must be one of {list(axes)}; got {sorted(unknown)[0]!r}")
    members = np.array([names == name for name in axes]).reshape(len(axes), len(names))
    return Design(
        base=numbers,
        n_base=int(numbers[-1]) + 1,
        invariance=names == "control",
        construct=np.asarray(members.any(axis=0), dtype=np.bool_),
        axes=members,
    )
