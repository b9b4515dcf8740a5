"""Do the edits of two axes change the length alike, and which of them match?

Edit length is the first alternative explanation of a difference between axes (section 5.2 of the
construct-validity reference). The check compares the whole distributions of the absolute length
change by Cliff's delta, P(X > Y) - P(X < Y), because equal medians may hide unequal tails. The
matched selection keeps sets of one edit an axis whose absolute changes lie within a caliper.

It describes the edits that are there. Edits of one base item are not independent, so no test is
made of it; and matched edits are a selection, whose slots are no longer in their own proportions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.checks import finite_vector
from judgeprobe.stats.lengths import LengthChange, length_change

__all__ = ["NEGLIGIBLE", "LengthBalance", "cliffs_delta", "length_balance", "matched_sets"]

# Below this |delta| a difference is called negligible (Romano, Kromrey, Coraggio and Skowronek
# 2006, from Cohen's d = 0.2).
NEGLIGIBLE = 0.147
# So that 0.05 and 0.03 are 0.02 apart.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class LengthBalance:
    """Relative length changes of the edits of two axes, held against each other.

    Attributes:
        first: Of the one axis.
        second: Of the other.
        delta_absolute: Cliff's delta of the absolute changes, -1 to 1; positive where those of the
            first are the larger ones.
        delta_signed: Cliff's delta of the changes; positive where the first lengthens more.
        balanced: Whether |delta_absolute| < NEGLIGIBLE.
    """

    first: LengthChange
    second: LengthChange
    delta_absolute: float
    delta_signed: float
    balanced: bool


def length_balance(first: ArrayLike, second: ArrayLike) -> LengthBalance:
    """Compare the relative length changes of two axes.

    Args:
        first: (edited - original) / original of each edit of the one axis.
        second: Of the other.

    Raises:
        StatisticsError: One has no edits, or a change is not finite.
    """
    x, y = finite_vector("first", first), finite_vector("second", second)
    absolute = cliffs_delta(np.abs(x), np.abs(y))
    return LengthBalance(
        first=length_change(x),
        second=length_change(y),
        delta_absolute=absolute,
        delta_signed=cliffs_delta(x, y),
        balanced=abs(absolute) < NEGLIGIBLE,
    )


def cliffs_delta(first: ArrayLike, second: ArrayLike) -> float:
    """P(X > Y) - P(X < Y) over all pairs of one value from each (Cliff 1993); -1 to 1.

    Raises:
        StatisticsError: One has no values, or a value is not finite.
    """
    x, y = finite_vector("first", first), np.sort(finite_vector("second", second))
    below = np.searchsorted(y, x, side="left").sum()
    above = (len(y) - np.searchsorted(y, x, side="right")).sum()
    return float((below - above) / (len(x) * len(y)))


def matched_sets(groups: Sequence[ArrayLike], caliper: float) -> list[tuple[int, ...]]:
    """As many sets of one value a group as the caliper allows, no value in two of them.

    The values of each group are taken in rising order. Where the smallest ones left lie within the
    caliper they are a set; where not, the smallest of them is within reach of nothing that is left
    and goes. No larger number of sets is possible.

    Args:
        groups: Values of each group, two groups or more.
        caliper: Largest difference inside a set, 0 or more.

    Returns:
        Positions in each group, by rising value.

    Raises:
        StatisticsError: There are fewer than two groups, the caliper is negative, or a value is not
            finite.
    """
    if len(groups) < 2:
        raise StatisticsError("matching needs two groups or more")
    if caliper < 0:
        raise StatisticsError(f"`caliper` must be 0 or more; got {caliper}")
    values = [np.asarray(group, dtype=float) for group in groups]
    if not all(np.isfinite(group).all() for group in values):
        raise StatisticsError("a value to match is not finite")
    orders = [np.argsort(group, kind="stable") for group in values]
    heads = [0] * len(values)
    sets: list[tuple[int, ...]] = []
    while all(head < len(order) for head, order in zip(heads, orders, strict=True)):
        positions = [int(order[head]) for head, order in zip(heads, orders, strict=True)]
        found = [float(group[at]) for group, at in zip(values, positions, strict=True)]
        if max(found) - min(found) <= caliper + _ROUNDING:
            sets.append(tuple(positions))
            heads = [head + 1 for head in heads]
        else:
            heads[found.index(min(found))] += 1
    return sets
