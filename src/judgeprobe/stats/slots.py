"""How much of the spread between slots does a grouping of them account for?

Eta squared is the between-group sum of squares over the total sum of squares, each slot one
observation (section 5.2 of the construct-validity reference). With a handful of slots a grouping
fits well by chance, and more groups fit better: compare groupings with equally many groups.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.checks import finite_vector, same_length

__all__ = ["eta_squared"]


def eta_squared(rates: ArrayLike, groups: Sequence[str]) -> float:
    """Share of the variance between slots that lies between groups.

    Args:
        rates: Rate of each slot.
        groups: Group of each slot.

    Returns:
        0 (the groups have equal means) to 1 (the slots of a group are equal).

    Raises:
        StatisticsError: There are fewer than two groups, as many groups as slots, or all rates are
            equal, so that there is no variance to share out.
    """
    values = finite_vector("rates", rates)
    same_length(rates=values, groups=groups)
    names = sorted(set(groups))
    if len(names) < 2:
        raise StatisticsError("eta squared needs at least two groups of slots")
    if len(names) == len(values):
        raise StatisticsError("every slot is a group of its own, so eta squared is 1 by definition")
    total = float(((values - values.mean()) ** 2).sum())
    if total < 1e-20:
        raise StatisticsError(
            "all slots have the same rate, so there is no variance to account for"
        )
    labels = np.array(groups)
    between = sum(
        int((labels == name).sum()) * (values[labels == name].mean() - values.mean()) ** 2
        for name in names
    )
    return float(between / total)
