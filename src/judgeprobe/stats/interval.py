"""What is an interval? A frozen object that carries its method, level, n and unit."""

from dataclasses import dataclass

__all__ = ["Interval"]


@dataclass(frozen=True)
class Interval:
    """An estimate with its interval.

    Attributes:
        estimate: The point estimate.
        low: Lower end.
        high: Upper end.
        method: How the interval was made, in words.
        level: Nominal coverage, 0 to 1.
        n: Number of units resampled or counted.
        unit: What a unit is ("base item", "document", "comparison").
    """

    estimate: float
    low: float
    high: float
    method: str
    level: float
    n: int
    unit: str
