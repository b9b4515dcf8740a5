"""Of the units of a class, how many does a judge find, and of those it names, how many are it?

Recall of a class is the share of its units that were given it; precision the share of the units
given it that are it. A class that no unit has has no recall, and one that was never named has no
precision: both are then None, never 0. Intervals resample whole groups.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgeprobe.stats.checks import same_length
from judgeprobe.stats.group_bootstrap import percentile_ends
from judgeprobe.stats.interval import Interval

__all__ = ["ClassRate", "class_rate", "share"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class ClassRate:
    """One class of one label set against one judge.

    Attributes:
        n: Units of the class.
        named: Units that the judge gave it.
        right: Units of the class that the judge gave it.
        recall: right / n, or None for n = 0.
        precision: right / named, or None for named = 0.
    """

    n: int
    named: int
    right: int
    recall: Interval | None
    precision: Interval | None


def class_rate(
    is_class: BoolArray,
    is_named: BoolArray,
    groups: IntArray,
    draws: FloatArray,
    *,
    level: float = 0.95,
    unit: str = "group",
) -> ClassRate:
    """Precision and recall of one class.

    Args:
        is_class: Whether each unit is of the class, shape (n,).
        is_named: Whether the judge gave it that class, shape (n,).
        groups: Group codes, shape (n,).
        draws: How often each group is drawn, shape (resamples, groups).
        level: Nominal coverage.
        unit: What a group is, in words.

    Raises:
        StatisticsError: The arrays differ in length.
    """
    same_length(is_class=is_class, is_named=is_named, groups=groups)
    right = is_class & is_named
    return ClassRate(
        n=int(is_class.sum()),
        named=int(is_named.sum()),
        right=int(right.sum()),
        recall=share(right, is_class, groups, draws, level=level, unit=unit),
        precision=share(right, is_named, groups, draws, level=level, unit=unit),
    )


def share(
    hits: BoolArray,
    of: BoolArray,
    groups: IntArray,
    draws: FloatArray,
    *,
    level: float,
    unit: str,
) -> Interval | None:
    """Share `hits` of `of`, with a bootstrap interval over groups; None where `of` is empty."""
    n = int(of.sum())
    if n == 0:
        return None
    above = draws @ np.bincount(groups, hits & of, minlength=draws.shape[1])
    below = draws @ np.bincount(groups, of, minlength=draws.shape[1])
    filled = below > 0
    values = above[filled] / below[filled]
    ends = percentile_ends(values, level)
    method = f"percentile bootstrap over {unit}s, {int(filled.sum())} of {len(draws)} draws"
    return Interval(int((hits & of).sum()) / n, ends.low, ends.high, method, level, n, unit)
