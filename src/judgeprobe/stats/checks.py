"""Checks at the boundary of `stats`: an error says "`name` must be ...; got ..."."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgeprobe.errors import StatisticsError

__all__ = ["finite_vector", "probability", "same_length"]


def finite_vector(name: str, values: ArrayLike, *, allow_nan: bool = False) -> NDArray[np.float64]:
    """A one-dimensional float array.

    Raises:
        StatisticsError: It has another shape, is empty, or holds NaN (unless allowed) or infinity.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise StatisticsError(
            f"`{name}` must be a vector with at least one value; got shape {array.shape}"
        )
    bad = np.isinf(array) if allow_nan else ~np.isfinite(array)
    if bad.any():
        raise StatisticsError(
            f"`{name}` must be finite; got {array[bad][0]} at position {int(np.argmax(bad))}"
        )
    return array


def same_length(**arrays: Any) -> int:
    """The common length of some arrays.

    Raises:
        StatisticsError: They differ in length.
    """
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"`{name}` {length}" for name, length in lengths.items())
        raise StatisticsError(f"arrays must be of one length; got {told}")
    return next(iter(lengths.values()))


def probability(name: str, value: float) -> float:
    """A number from 0 to 1.

    Raises:
        StatisticsError: It is not.
    """
    if not 0 <= value <= 1:
        raise StatisticsError(f"`{name}` must be from 0 to 1; got {value}")
    return float(value)
