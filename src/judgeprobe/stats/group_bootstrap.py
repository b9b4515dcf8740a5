"""How much would a number move had other groups been drawn? Bootstrap draws of whole groups.

One set of draws serves every statistic of an audit, so that a difference of two statistics is
resampled as a difference. A draw on which a statistic is not defined is NaN; it is left out of the
percentiles and counted.

Source: residualization-audit, section 2.4 ("bootstrap interval, clustered by query or problem").
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError

__all__ = [
    "Ends",
    "correlation_draws",
    "group_draws",
    "mean_draws",
    "percentile_ends",
    "studentised_ends",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Ends:
    """Ends of a percentile interval.

    Attributes:
        low: Lower end.
        high: Upper end.
        undefined: Draws on which the statistic was not defined.
    """

    low: float
    high: float
    undefined: int


def group_draws(n_groups: int, resamples: int, rng: np.random.Generator) -> FloatArray:
    """How often each group is drawn, shape (resamples, n_groups); each row sums to n_groups."""
    if n_groups < 2:
        raise StatisticsError(f"a bootstrap over groups needs at least 2; got {n_groups}")
    chances = np.full(n_groups, 1 / n_groups)
    return rng.multinomial(n_groups, chances, size=resamples).astype(np.float64)


def percentile_ends(draws: FloatArray, level: float = 0.95) -> Ends:
    """The percentile interval of bootstrap draws.

    Raises:
        StatisticsError: Fewer than half of the draws are defined.
    """
    undefined = int(np.isnan(draws).sum())
    if undefined * 2 > len(draws):
        raise StatisticsError(
            f"the statistic is not defined on {undefined} of {len(draws)} bootstrap draws"
        )
    low, high = np.nanquantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Ends(float(low), float(high), undefined)


def studentised_ends(
    values: FloatArray, draws: FloatArray, groups: IntArray, level: float = 0.95
) -> Ends | None:
    """The bootstrap-t interval of the mean over rows.

    Each draw's distance from the mean is divided by that draw's own standard error, which is that
    of a ratio of sums over groups (Efron and Tibshirani 1993, section 12.5).

    Args:
        values: One a row, shape (n,).
        draws: Shape (b, n_groups).
        groups: Group code of each row, shape (n,).
        level: Nominal coverage.

    Returns:
        The ends; None where a share of the draws as large as a tail has no spread, so that its
        distance cannot be divided.
    """
    n_groups = draws.shape[1]
    sums = np.bincount(groups, values, minlength=n_groups).astype(np.float64)
    counts = np.bincount(groups, minlength=n_groups).astype(np.float64)
    mean = sums.sum() / counts.sum()
    error = _ratio_error(np.ones((1, n_groups)), sums, counts)[0]
    errors = _ratio_error(draws, sums, counts)
    means = mean_draws(values, draws, groups)
    defined = errors > 1e-12
    if error <= 1e-12 or (~defined).mean() >= (1 - level) / 2:
        return None
    t = (means[defined] - mean) / errors[defined]
    low, high = np.quantile(t, [(1 - level) / 2, (1 + level) / 2])
    undefined = int((~defined).sum())
    return Ends(float(mean - high * error), float(mean - low * error), undefined)


def _ratio_error(draws: FloatArray, sums: FloatArray, counts: FloatArray) -> FloatArray:
    """Standard error of sum / count in each draw, by linearisation over groups."""
    n_groups = draws.shape[1]
    size = draws @ counts
    ratio = (draws @ sums) / size
    # sum w (s - r c)^2, written out so that it is three products.
    spread = (
        draws @ sums**2 - 2 * ratio * (draws @ (sums * counts)) + ratio**2 * (draws @ counts**2)
    )
    scale = n_groups / (n_groups - 1)
    result: FloatArray = np.sqrt(np.maximum(scale * spread, 0.0)) / size
    return result


def mean_draws(values: FloatArray, draws: FloatArray, groups: IntArray) -> FloatArray:
    """The mean over rows of each draw, shape (b,).

    Args:
        values: One a row, shape (n,).
        draws: Shape (b, n_groups).
        groups: Group code of each row, shape (n,).
    """
    n_groups = draws.shape[1]
    sums = np.bincount(groups, values, minlength=n_groups)
    counts = np.bincount(groups, minlength=n_groups)
    size = draws @ counts
    result: FloatArray = np.divide(
        draws @ sums, size, out=np.full(len(draws), np.nan), where=size > 0
    )
    return result


def correlation_draws(
    x: FloatArray, y: FloatArray, draws: FloatArray, groups: IntArray
) -> FloatArray:
    """Pearson's correlation over rows of each draw, shape (b,); NaN where one side is constant.

    Args:
        x: One a row, shape (n,).
        y: The same.
        draws: Shape (b, n_groups).
        groups: Group code of each row, shape (n,).
    """
    # Centred first: sums of squares of large offsets would cancel.
    x, y = x - x.mean(), y - y.mean()
    mx, my, mxx, myy, mxy = (
        mean_draws(each, draws, groups) for each in (x, y, x * x, y * y, x * y)
    )
    variance = (mxx - mx**2) * (myy - my**2)
    result: FloatArray = np.divide(
        mxy - mx * my,
        np.sqrt(np.maximum(variance, 0)),
        out=np.full(len(draws), np.nan),
        where=variance > 1e-24,
    )
    return result
