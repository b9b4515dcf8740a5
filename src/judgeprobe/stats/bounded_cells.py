"""What ratings does a bounded difference in differences rest on, item by item?

Each item has two responses, rated some times in each condition arm on a scale with a lowest and a
highest value. A cell is one item, response and arm. Response 0 is the positive one (whose shift is
counted up), 1 the other; arm 0 is the control, 1 the treated one, further arms follow.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.stats.checks import finite_vector, same_length

__all__ = ["CONTROL", "OTHER", "POSITIVE", "TREATED", "Bounds", "Cells", "make_cells", "shifts"]

POSITIVE, OTHER = 0, 1
CONTROL, TREATED = 0, 1
_NEAR = 1e-9


@dataclass(frozen=True)
class Bounds:
    """A rating scale.

    Attributes:
        low: Lowest rating.
        high: Highest rating.
        step: Distance of neighbouring ratings.
    """

    low: float
    high: float
    step: float = 1.0

    def __post_init__(self) -> None:
        """Check that the scale has at least two ratings.

        Raises:
            StatisticsError: It has not, or the step does not divide it.
        """
        if not self.high > self.low or not self.step > 0:
            raise StatisticsError(f"a scale needs low < high; got {self.low} to {self.high}")
        steps = (self.high - self.low) / self.step
        if abs(steps - round(steps)) > _NEAR:
            raise StatisticsError(f"a step of {self.step} does not divide {self.low}..{self.high}")

    def clip(self, values: Floats) -> Floats:
        """Values held within the scale."""
        return np.clip(values, self.low, self.high)

    def lattice(self, values: Floats) -> Floats:
        """The nearest ratings (halves to the even one), held within the scale."""
        return self.clip(self.low + self.step * np.rint((values - self.low) / self.step))


@dataclass(frozen=True)
class Cells:
    """Ratings by item, response and arm.

    Attributes:
        scale: The rating scale.
        item: Item of each rating; shape (ratings,).
        response: Response of each rating.
        arm: Arm of each rating.
        rating: The rating.
        mean: Mean rating; shape (items, 2, arms), NaN where a cell is empty.
        count: Ratings of a cell; the same shape.
        least: Lowest rating of a cell; the same shape.
        most: Highest rating of a cell; the same shape.
        cluster: Cluster of each item, 0 to n_clusters - 1; shape (items,).
    """

    scale: Bounds
    item: Ints
    response: Ints
    arm: Ints
    rating: Floats
    mean: Floats
    count: Ints
    least: Floats
    most: Floats
    cluster: Ints

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.cluster)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(np.unique(self.cluster))

    def at(self, bound: float) -> Bools:
        """Cells whose every rating is at a bound; an empty cell counts as at both."""
        there = (np.abs(self.least - bound) < _NEAR) & (np.abs(self.most - bound) < _NEAR)
        return np.asarray(there | (self.count == 0), dtype=np.bool_)


def make_cells(
    item: ArrayLike,
    response: ArrayLike,
    arm: ArrayLike,
    rating: ArrayLike,
    cluster: ArrayLike,
    scale: Bounds,
    *,
    n_arms: int,
) -> Cells:
    """Cells from a long table.

    Args:
        item: Item of each rating, 0 to n_items - 1, each with ratings.
        response: 0 (positive) or 1 (other).
        arm: 0 (control), 1 (treated), 2, ...
        rating: On the scale.
        cluster: Cluster of each item; shape (items,).
        scale: The rating scale.
        n_arms: Number of arms, at least 2.

    Raises:
        StatisticsError: A rating is off the scale, or an item lacks a rating of either response in
            the control or the treated arm.
    """
    items = np.asarray(item, dtype=np.int64)
    responses, arms = np.asarray(response, dtype=np.int64), np.asarray(arm, dtype=np.int64)
    values = finite_vector("rating", rating)
    same_length(item=items, response=responses, arm=arms, rating=values)
    groups = np.unique(np.asarray(cluster), return_inverse=True)[1].astype(np.int64)
    off = np.abs(scale.lattice(values) - values) > _NEAR
    if off.any():
        raise StatisticsError(
            f"a rating of {values[off][0]:g} is not on the scale {scale.low:g} to {scale.high:g} "
            f"in steps of {scale.step:g}"
        )
    shape = (len(groups), 2, n_arms)
    flat = (items * 2 + responses) * n_arms + arms
    size = int(np.prod(shape))
    count = np.bincount(flat, minlength=size)
    total = np.bincount(flat, values, minlength=size)
    least, most = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, flat, values)
    np.maximum.at(most, flat, values)
    mean = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
    made = Cells(
        scale, items, responses, arms, values, mean.reshape(shape), count.reshape(shape),
        least.reshape(shape), most.reshape(shape), groups,
    )  # fmt: skip
    if (made.count[:, :, :2] == 0).any():
        raise StatisticsError("every item needs both responses in the control and the treated arm")
    return made


def shifts(cells: Cells, arm: int = TREATED, against: int = CONTROL) -> Floats:
    """How far each response's mean moves between two arms; shape (items, 2)."""
    return np.asarray(cells.mean[:, :, arm] - cells.mean[:, :, against])
