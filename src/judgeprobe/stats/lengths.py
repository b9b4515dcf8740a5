"""Could a difference in length pass for a difference between the axes?

Three controls of section 5.2 of the construct-validity reference: how long the edits of each slot
are, whether a judge's grades follow length at all, and the contrast with length held in a
regression. (The contrast by the sign of the length change is the contrast on a subset.)

The regression is a linear probability model: the change of verdict on the axis, the relative length
change and its absolute value. Each edit has the weight that equation 6 gives it within its axis, so
that without the two length terms the coefficient of the axis is the plain contrast. Length depends
on the operation, so this adjustment leans on slots whose lengths overlap; it bounds nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Design, Floats, Ints
from judgeprobe.stats.bootstrap import Resamples, percentile
from judgeprobe.stats.checks import finite_vector, same_length
from judgeprobe.stats.interval import Interval

__all__ = ["LengthChange", "adjusted_contrast", "grade_length_correlation", "length_change"]


@dataclass(frozen=True)
class LengthChange:
    """Relative length changes of some edits: (edited - original) / original.

    Attributes:
        n: Edits.
        median_absolute: Median size of the change.
        median_signed: Median change.
        longer: Share of edits that lengthen.
        shorter: Share that shorten.
    """

    n: int
    median_absolute: float
    median_signed: float
    longer: float
    shorter: float


def length_change(change: ArrayLike) -> LengthChange:
    """Summarise the relative length changes of some edits.

    Raises:
        StatisticsError: There is none, or one is not finite.
    """
    values = finite_vector("change", change)
    return LengthChange(
        n=len(values),
        median_absolute=float(np.median(np.abs(values))),
        median_signed=float(np.median(values)),
        longer=float((values > 0).mean()),
        shorter=float((values < 0).mean()),
    )


def grade_length_correlation(
    grades: ArrayLike, lengths: ArrayLike, base: Ints, resamples: Resamples, level: float
) -> Interval:
    """Pearson correlation of grade and length over unique texts, with its interval.

    Args:
        grades: Grade of each text, in grade units.
        lengths: Length of each text.
        base: Base item of each text, 0 to resamples.n - 1.
        resamples: Of the base items.
        level: Nominal coverage.

    Raises:
        StatisticsError: There are fewer than three texts, or grades or lengths are all equal.
    """
    x, y = finite_vector("lengths", lengths), finite_vector("grades", grades)
    n = same_length(lengths=x, grades=y, base=base)
    if n < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        raise StatisticsError("a correlation needs three texts that differ in grade and in length")
    x, y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    moments = np.stack(
        [
            np.bincount(base, column, minlength=resamples.n)
            for column in (np.ones(n), x, y, x * x, y * y, x * y)
        ],
        axis=1,
    )
    drawn = np.concatenate(
        [block.astype(np.float64, copy=False) @ moments for block in resamples.blocks()]
    )
    estimate = _correlation(moments.sum(axis=0)[None])[0]
    return percentile(float(estimate), _correlation(drawn), level, n=n, unit="base item")


def _correlation(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.maximum(xx / n - (x / n) ** 2, 0) * np.maximum(yy / n - (y / n) ** 2, 0)
        found = (xy / n - x * y / n**2) / np.sqrt(variance)
    return np.where(variance > 1e-18, found, np.nan)


def adjusted_contrast(
    design: Design,
    changed: Bools,
    graded: Bools,
    change: Floats,
    resamples: Resamples,
) -> tuple[float, Floats]:
    """The contrast of the first two axes with length held, for one judge.

    Args:
        design: The pairs.
        changed: Pairs whose verdict changed.
        graded: Pairs with both members graded.
        change: Relative length change of each pair; NaN leaves the pair out.
        resamples: Of the base items.

    Returns:
        The coefficient of the first axis, and the same in each resample (NaN where undefined).

    Raises:
        StatisticsError: The length terms and the axis cannot be told apart on these pairs.
    """
    first = design.axes[0]
    kept = (design.axes[0] | design.axes[1]) & graded & np.isfinite(change)
    if not (kept & first).any() or not (kept & ~first).any():
        raise StatisticsError("the contrast needs graded pairs of known length on both axes")
    base, size = design.base[kept], change[kept]
    predictors = np.stack([np.ones(len(base)), first[kept], size, np.abs(size)], axis=1)
    weight = np.zeros(len(base))
    for members in (first[kept], ~first[kept]):
        edits = np.bincount(base[members], minlength=design.n_base)
        weight[members] = 1.0 / (edits[base[members]] * (edits > 0).sum())
    outcome = changed[kept].astype(np.float64)
    squares = predictors[:, :, None] * predictors[:, None, :] * weight[:, None, None]
    columns = np.concatenate(
        [squares.reshape(len(base), 16), predictors * (weight * outcome)[:, None]], axis=1
    )
    sums = np.zeros((design.n_base, 20))
    starts = np.flatnonzero(np.r_[True, np.diff(base) > 0])
    sums[base[starts]] = np.add.reduceat(columns, starts, axis=0)
    estimate = _coefficient(sums.sum(axis=0)[None])[0]
    if np.isnan(estimate):
        raise StatisticsError("length and axis cannot be told apart on these pairs")
    drawn = np.concatenate(
        [block.astype(np.float64, copy=False) @ sums for block in resamples.blocks()]
    )
    return float(estimate), _coefficient(drawn)


def _coefficient(sums: Floats) -> Floats:
    """Second coefficient of each set of normal equations; NaN where they are singular."""
    matrices, right = sums[:, :16].reshape(-1, 4, 4), sums[:, 16:]
    scale = np.sqrt(np.maximum(np.einsum("bii->bi", matrices), 1e-300))
    scaled = matrices / scale[:, :, None] / scale[:, None, :]
    solvable = np.linalg.eigvalsh(scaled)[:, 0] > 1e-9
    found = np.full(len(sums), np.nan)
    if solvable.any():
        answer = np.linalg.solve(scaled[solvable], (right / scale)[solvable][:, :, None])
        found[solvable] = answer[:, 1, 0] / scale[solvable, 1]
    return found
