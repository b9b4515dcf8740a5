"""How does a number enter profile.json? Rounded to ten decimals, and never as NaN.

Ten decimals: the last bits of a sum differ between machines, and the same inputs must give the same
bytes.
"""

import math
from typing import Any

import numpy as np

from judgeprobe.stats.arrays import Floats
from judgeprobe.stats.bootstrap import percentile, rate_interval
from judgeprobe.stats.interval import Interval

__all__ = ["ends", "number", "pair", "percentile_ends", "rate_ends"]


def number(value: float | None) -> float | None:
    """A number for JSON; None where it is NaN, infinite or None."""
    if value is None or not math.isfinite(value):
        return None
    rounded = round(float(value), 10)
    return 0.0 if rounded == 0 else rounded


def pair(interval: Interval | None) -> list[float | None] | None:
    """[low, high], or None."""
    return None if interval is None else [number(interval.low), number(interval.high)]


def ends(interval: Interval | None) -> dict[str, Any]:
    """{low, high}, nulls where there is no interval."""
    if interval is None:
        return {"low": None, "high": None}
    return {"low": number(interval.low), "high": number(interval.high)}


def rate_ends(estimate: float, draws: Floats, level: float, *, n: int) -> Interval | None:
    """The interval of a rate (exact where no resample differs); None where it is undefined."""
    if not math.isfinite(estimate) or bool(np.isnan(draws).all()):
        return None
    return rate_interval(estimate, draws, level, n=n)


def percentile_ends(estimate: float, draws: Floats, level: float, *, n: int) -> Interval | None:
    """The percentile interval, or None where the statistic is defined in no resample."""
    if not math.isfinite(estimate) or bool(np.isnan(draws).all()):
        return None
    return percentile(estimate, draws, level, n=n)
