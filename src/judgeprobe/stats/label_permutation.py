"""What would the labels look like if they had nothing to do with the text?

Labels are permuted inside a group, so that what a group shares (topic, difficulty, how many of its
items carry the label) stays in the null. Where that moves too little, another exchange is used and
named: whole groups of equal size trade their labels, or, for pairs whose side order was drawn at
random, each pair's label is flipped with probability one half.

Source: judge-construct-validity, section 4.4 and appendix E ("refit on labels permuted within
group under identical folds").
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError

__all__ = ["MOVABLE_SHARE", "PermutationScheme", "choose_scheme", "permuted_labels"]

IntArray = NDArray[np.int64]
Kind = Literal["within groups", "across groups of equal size", "sides flipped", "over all items"]

# Below this share the unmoved labels would keep their relation to the text inside the null.
MOVABLE_SHARE = 0.5


@dataclass(frozen=True)
class PermutationScheme:
    """How labels are exchanged.

    Attributes:
        kind: The exchange, in words.
        movable: Share of items whose label the exchange can change, 0 to 1.
    """

    kind: Kind
    movable: float


def choose_scheme(labels: IntArray, groups: IntArray | None, *, paired: bool) -> PermutationScheme:
    """The first exchange that can move at least half of the labels.

    Order: within groups; then, for pairs, sides flipped; for items, across groups of equal size,
    and over all items where that too moves little.

    Args:
        labels: Class codes, shape (n,); for pairs 0 and 1.
        groups: Group codes, shape (n,), or None.
        paired: Whether a label names a side of a pair whose side order was drawn at random.
    """
    if groups is not None:
        within = _share_in_mixed_groups(labels, groups)
        if within >= MOVABLE_SHARE:
            return PermutationScheme("within groups", within)
    if paired:
        return PermutationScheme("sides flipped", 1.0)
    if groups is not None:
        across = _share_in_mixed_sizes(labels, groups)
        if across >= MOVABLE_SHARE:
            return PermutationScheme("across groups of equal size", across)
    return PermutationScheme("over all items", 1.0)


def _share_in_mixed_groups(labels: IntArray, groups: IntArray) -> float:
    lowest = np.full(groups.max() + 1, np.iinfo(np.int64).max)
    highest = np.full(groups.max() + 1, -1)
    np.minimum.at(lowest, groups, labels)
    np.maximum.at(highest, groups, labels)
    return float((highest != lowest)[groups].mean())


def _share_in_mixed_sizes(labels: IntArray, groups: IntArray) -> float:
    moved = sum(
        block.size for block in _blocks(groups) if len(np.unique(labels[block], axis=0)) > 1
    )
    return moved / len(labels)


def _blocks(groups: IntArray) -> list[IntArray]:
    """Row positions of the groups of each size, shape (number of such groups, size)."""
    order = np.argsort(groups, kind="stable")
    codes, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    del codes
    return [
        order[starts[sizes == size][:, None] + np.arange(size)[None, :]]
        for size in np.unique(sizes)
    ]


def permuted_labels(
    labels: IntArray,
    groups: IntArray | None,
    scheme: PermutationScheme,
    n: int,
    rng: np.random.Generator,
) -> IntArray:
    """Label vectors under the null, shape (n, len(labels)).

    Args:
        labels: Class codes, shape (n_items,).
        groups: Group codes, shape (n_items,); None where the scheme needs none.
        scheme: From `choose_scheme`.
        n: How many vectors.
        rng: Source of randomness.

    Raises:
        StatisticsError: The scheme exchanges inside or across groups and there are none.
    """
    n_items = len(labels)
    if scheme.kind == "sides flipped":
        flips = rng.integers(0, 2, size=(n, n_items))
        return np.where(flips == 1, 1 - labels, labels).astype(np.int64)
    if scheme.kind == "over all items":
        return labels[rng.random((n, n_items)).argsort(axis=1)]
    if groups is None:
        raise StatisticsError(f"permuting {scheme.kind} needs `groups`")
    drawn = np.tile(labels, (n, 1))
    if scheme.kind == "within groups":
        slots = np.argsort(groups, kind="stable")
        # A group code plus a fraction sorts by group first and at random inside it.
        order = (groups + rng.random((n, n_items))).argsort(axis=1)
        drawn[:, slots] = labels[order]
        return drawn
    for block in _blocks(groups):
        rows = rng.random((n, len(block))).argsort(axis=1)
        drawn[:, block] = labels[block[rows]]
    return drawn
