"""How many of many p-values would chance give?

Benjamini-Hochberg controls the false discovery rate over a table of rows; Holm controls the chance
of any false discovery and asks more.
"""

from collections.abc import Sequence

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Floats
from judgeprobe.stats.checks import finite_vector

__all__ = ["adjusted"]

_METHODS = ("bh", "holm")


def adjusted(p: Sequence[float], method: str = "bh") -> Floats:
    """P-values adjusted over a table.

    Args:
        p: P-values of the rows, 0 to 1.
        method: "bh" (Benjamini and Hochberg 1995) or "holm" (Holm 1979).

    Returns:
        Adjusted p-values in the same order; a row is found at level a when its value is at most a.

    Raises:
        StatisticsError: A value is no probability, or the method is unknown.
    """
    values = finite_vector("p", p)
    if ((values < 0) | (values > 1)).any():
        raise StatisticsError("`p` must hold probabilities")
    if method not in _METHODS:
        raise StatisticsError(f"`method` must be one of {', '.join(_METHODS)}; got {method!r}")
    n = len(values)
    order = np.argsort(values, kind="stable")
    found = np.empty(n)
    if method == "bh":
        scaled = values[order] * n / np.arange(1, n + 1)
        steps = np.minimum.accumulate(scaled[::-1])[::-1]
    else:
        steps = np.maximum.accumulate(values[order] * np.arange(n, 0, -1))
    found[order] = np.minimum(steps, 1.0)
    return found
