"""How far would a rate move with other base items?

Intervals resample whole base items with replacement, never edits: edits of one base item share its
content (appendix A.2 of the construct-validity reference). A resample is a row of counts, one per
base item, so that every statistic that is a sum over base items is a matrix product. All statistics
of a study use the same resamples, which makes their differences paired.

Two intervals: percentile, and bias-corrected and accelerated (BCa; Efron 1987, acceleration by the
jackknife over base items).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Floats, Ints
from judgeprobe.stats.checks import probability
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.profile import Shares

__all__ = [
    "Counts",
    "Resamples",
    "bca",
    "jackknife_rates",
    "left_out_rates",
    "percentile",
    "rate_draws",
    "rate_interval",
    "ratio_draws",
    "ratio_sums",
    "ratios",
]

_BLOCK_CELLS = 1 << 24
_CACHE_CELLS = 1 << 29
_FLOAT_CELLS = 1 << 23
_TALL_CELLS = 1 << 28

Counts = NDArray[np.float64] | NDArray[np.uint16] | NDArray[np.uint8]


@dataclass
class Resamples:
    """The resamples of a study's base items, the same at every pass.

    Attributes:
        n: Base items.
        count: Resamples.
        seed: What the counts are drawn from.
    """

    n: int
    count: int
    seed: int
    _cache: list[Counts] = field(default_factory=list, repr=False)

    @classmethod
    def draw(cls, n: int, count: int, rng: np.random.Generator) -> "Resamples":
        """Fix the resamples of n base items.

        Raises:
            StatisticsError: There is no base item, or fewer than one resample is asked for.
        """
        if n < 1 or count < 1:
            raise StatisticsError(
                f"a bootstrap needs base items and resamples; got {n} and {count}"
            )
        return cls(n=n, count=count, seed=int(rng.integers(2**63)))

    def blocks(self) -> Iterator[Counts]:
        """Counts of each base item, block by block; each block (resamples in it, base items).

        Few counts are kept as floats, ready to multiply; many as the smallest integers that hold
        them; very many are drawn again at every pass, the same ones.
        """
        if self._cache:
            yield from self._cache
            return
        keep = self.n * self.count <= _CACHE_CELLS
        made: list[Counts] = []
        for block in self._drawn():
            if self.n * self.count <= _FLOAT_CELLS:
                block = block.astype(np.float64)
            if keep:
                made.append(block)
            yield block
        self._cache = made

    def _drawn(self) -> Iterator[Counts]:
        rng = np.random.default_rng(self.seed)
        rows = max(1, _BLOCK_CELLS // self.n)
        for start in range(0, self.count, rows):
            yield _counts(rng, min(rows, self.count - start), self.n)

    def tall_blocks(self, cells: int = _TALL_CELLS, most: int | None = None) -> Iterator[Counts]:
        """The same counts in as few blocks as `cells` bytes and `most` resamples allow, none kept.

        For a table that is read in parts: each block is one pass over the parts.
        """
        rows = max(1, min(self.count, cells // self.n, self.count if most is None else most))
        tall = np.empty((rows, self.n), dtype=np.uint8)
        filled = 0
        for block in self._drawn():
            # A count above 255 needs a base item that takes more than 255 times its part.
            tall = tall.astype(np.promote_types(tall.dtype, block.dtype), copy=False)
            start = 0
            while start < len(block):
                some = min(rows - filled, len(block) - start)
                tall[filled : filled + some] = block[start : start + some]
                filled, start = filled + some, start + some
                if filled == rows:
                    yield tall
                    filled = 0
        if filled:
            yield tall[:filled]


def _counts(rng: np.random.Generator, rows: int, n: int) -> NDArray[np.uint16] | NDArray[np.uint8]:
    """Counts of `rows` resamples; one byte each where no count needs two."""
    counts = np.empty((rows, n), dtype=np.uint16)
    # Few enough cells that the counts stay in the processor's cache.
    step = max(1, (1 << 15) // n)
    for start in range(0, rows, step):
        some = min(step, rows - start)
        picks = rng.integers(0, n, size=(some, n), dtype=np.int64)
        picks += np.arange(some)[:, None] * n
        counts[start : start + some] = np.bincount(picks.ravel(), minlength=some * n).reshape(
            some, n
        )
    # A count above 65,535 would need as many base items and one that takes nearly every draw.
    return counts.astype(np.uint8) if counts.max() < 256 else counts


def ratio_draws(resamples: Resamples, numerators: Floats, denominators: Floats) -> Floats:
    """Ratios of sums over base items in every resample.

    Args:
        resamples: Of the same base items.
        numerators: Shape (base items, columns).
        denominators: Same shape, none negative.

    Returns:
        Shape (resamples, columns); NaN where a denominator sums to zero.

    Raises:
        StatisticsError: The numbers of base items differ.
    """
    if len(numerators) != resamples.n or numerators.shape != denominators.shape:
        raise StatisticsError(
            f"both must be of shape ({resamples.n}, columns); got {numerators.shape} and "
            f"{denominators.shape}"
        )
    draws = np.empty((resamples.count, numerators.shape[1]))
    columns = _distinct_columns(denominators)
    start = 0
    for block in resamples.blocks():
        weights = block.astype(np.float64, copy=False)
        draws[start : start + len(block)] = ratios(*_sums(weights, numerators, columns))
        start += len(block)
    return draws


def ratio_sums(weights: Floats, numerators: Floats, denominators: Floats) -> tuple[Floats, Floats]:
    """Sums over some base items in every resample, which add up over parts of a table.

    Args:
        weights: Counts of those base items; shape (resamples, base items).
        numerators: Shape (base items, columns).
        denominators: Same shape.

    Returns:
        Sums of the numerators and of the denominators; shape (resamples, columns) each.
    """
    return _sums(weights, numerators, _distinct_columns(denominators))


def ratios(above: Floats, below: Floats) -> Floats:
    """One over the other; NaN where the denominator sums to zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = above / below
    found[below <= 0] = np.nan
    return found


def _sums(
    weights: Floats, numerators: Floats, columns: tuple[Floats, Ints]
) -> tuple[Floats, Floats]:
    # Columns with the same denominator (every judge, when nothing is missing) share its product.
    patterns, where = columns
    return weights @ numerators, (weights @ patterns)[:, where]


def _distinct_columns(values: Floats) -> tuple[Floats, Ints]:
    """The distinct columns, and which of them each column is."""
    index: dict[bytes, int] = {}
    where = [
        index.setdefault(np.ascontiguousarray(values[:, c]).tobytes(), len(index))
        for c in range(values.shape[1])
    ]
    first = [where.index(code) for code in range(len(index))]
    return values[:, first], np.array(where, dtype=np.int64)


def rate_draws(resamples: Resamples, shares: Shares) -> Floats:
    """Equation 6 of every group in every resample.

    Returns:
        Shape (resamples, groups); NaN where a resample holds no base item with an edit in the
        group.
    """
    return ratio_draws(resamples, shares.share, shares.has.astype(np.float64))


def jackknife_rates(shares: Shares) -> Floats:
    """Equation 6 of every group with one base item left out at a time.

    Returns:
        Shape (base items, groups); NaN where nothing is left.
    """
    return left_out_rates(shares, shares.share.sum(axis=0), shares.has.sum(axis=0))


def left_out_rates(shares: Shares, total: Floats, n: Ints) -> Floats:
    """The same for some base items of a table with these sums of shares and of base items."""
    left = n - shares.has
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(left > 0, (total - shares.share) / left, np.nan)


def percentile(
    estimate: float, draws: Floats, level: float, *, n: int, unit: str = "base item"
) -> Interval:
    """The percentile interval of one statistic.

    Resamples in which the statistic is undefined are left out; the method says how many.

    Args:
        estimate: The statistic on the data.
        draws: The statistic in each resample, NaN where undefined; shape (resamples,).
        level: Nominal coverage, 0 to 1.
        n: Units that the statistic rests on.
        unit: What a unit is.

    Raises:
        StatisticsError: The statistic is defined in no resample.
    """
    probability("level", level)
    kept = draws[~np.isnan(draws)]
    if len(kept) == 0:
        raise StatisticsError("the statistic is defined in no resample")
    low, high = np.quantile(kept, ((1 - level) / 2, (1 + level) / 2))
    method = f"percentile bootstrap over {unit}s, {len(draws)} resamples"
    if len(kept) < len(draws):
        method += f", undefined in {len(draws) - len(kept)}"
    return Interval(float(estimate), float(low), float(high), method, level, n, unit)


def rate_interval(
    estimate: float, draws: Floats, level: float, *, n: int, unit: str = "base item"
) -> Interval:
    """The percentile interval of a rate, or an exact one where no resample can differ.

    Where every unit has a share of 0, or every one a share of 1, all resamples are equal and the
    bootstrap would claim certainty. There the interval is the exact binomial one (Clopper and
    Pearson 1934) with the units as trials; the method says so.

    Args:
        estimate: The rate, 0 to 1.
        draws: The rate in each resample; shape (resamples,).
        level: Nominal coverage, 0 to 1.
        n: Units that the rate rests on.
        unit: What a unit is.

    Raises:
        StatisticsError: The rate is defined in no resample.
    """
    plain = percentile(estimate, draws, level, n=n, unit=unit)
    if plain.low != plain.high or estimate not in (0.0, 1.0) or n < 1:
        return plain
    reach = ((1 - level) / 2) ** (1 / n)
    low, high = (0.0, 1 - reach) if estimate == 0 else (reach, 1.0)
    method = f"exact binomial over {unit}s: all {n} are alike, so no resample differs"
    return Interval(estimate, low, high, method, level, n, unit)


def bca(
    estimate: float,
    draws: Floats,
    jackknife: Floats,
    level: float,
    *,
    n: int,
    unit: str = "base item",
) -> Interval:
    """The bias-corrected and accelerated interval of one statistic.

    Args:
        estimate: The statistic on the data.
        draws: The statistic in each resample; shape (resamples,).
        jackknife: The statistic with each unit left out; shape (units,). NaN is left out.
        level: Nominal coverage, 0 to 1.
        n: Units that the statistic rests on.
        unit: What a unit is.

    Raises:
        StatisticsError: The statistic is defined in no resample, or the estimate lies outside
            every draw, so that no bias correction exists.
    """
    plain = percentile(estimate, draws, level, n=n, unit=unit)
    kept = draws[~np.isnan(draws)]
    left = jackknife[~np.isnan(jackknife)]
    deviation = left.mean() - left if len(left) else np.zeros(1)
    spread = float((deviation**2).sum())
    method = plain.method.replace("percentile", "BCa")
    # Draws equal to the estimate count half: shares are discrete (Efron and Narasimhan 2020).
    below = np.mean(kept < estimate - 1e-12)
    share = float(below + 0.5 * np.mean(np.abs(kept - estimate) <= 1e-12))
    if spread < 1e-24 and np.ptp(kept) < 1e-12:
        return Interval(plain.estimate, plain.low, plain.high, method, level, n, unit)
    if not 0 < share < 1:
        raise StatisticsError("every resample lies on one side of the estimate; BCa is undefined")
    acceleration = float((deviation**3).sum()) / (6 * spread**1.5) if spread >= 1e-24 else 0.0
    bias = float(ndtri(share))
    z = ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    moved = ndtr(bias + (bias + z) / (1 - acceleration * (bias + z)))
    low, high = np.quantile(kept, moved)
    return Interval(plain.estimate, float(low), float(high), method, level, n, unit)
