"""Where label-preserving edits exist: how far does the adjustment attenuate the format effect?

The paired contrasts are the measurement target, and the slice stages do not enter. Inside a unit (a
problem, a base item) rows differ in format and in construct. A format effect is the mean over units
of s(edited) - s(plain) at one construct level; a construct margin the mean of s(good) - s(bad) at
one format; the cross-format preference the share of units where the good one in one format beats
the bad one in the other. Each is given raw, residualized and as the change, resampled over units.

Attenuation is not equivalence: that is claimed only against a margin declared beforehand, by two
one-sided tests.

Source: residualization-audit, section 3 and table 1.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.group_bootstrap import Ends, group_draws, percentile_ends

__all__ = ["Contrast", "Equivalence", "designed_contrasts", "equivalence"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Kind = Literal["format effect", "construct margin", "cross-format preference"]


@dataclass(frozen=True)
class Contrast:
    """One paired contrast.

    Attributes:
        kind: Format effect, construct margin, or cross-format preference.
        name: What is compared, and what is held.
        units: Units that have all its cells.
        raw: Value on the score, with its interval.
        raw_ends: Interval.
        adjusted: Value on the residual.
        adjusted_ends: Interval.
        change: Adjusted minus raw.
        change_ends: Interval of the change, resampled as a difference.
        attenuated: For a format effect: whether the adjusted value is nearer zero and the change's
            interval excludes zero; None for the others.
    """

    kind: Kind
    name: str
    units: int
    raw: float
    raw_ends: Ends
    adjusted: float
    adjusted_ends: Ends
    change: float
    change_ends: Ends
    attenuated: bool | None


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of one adjusted format effect against a declared margin.

    Attributes:
        name: The contrast.
        margin: Declared beforehand, above 0, in units of the score.
        low: Lower end of the interval of level 1 - 2 * alpha.
        high: Upper end.
        equivalent: Whether the interval lies strictly inside the margin.
    """

    name: str
    margin: float
    low: float
    high: float
    equivalent: bool


@dataclass(frozen=True)
class _Cells:
    """Mean score of each unit in each (format, construct) cell, raw and adjusted; NaN if empty."""

    raw: FloatArray
    adjusted: FloatArray


def designed_contrasts(
    scores: FloatArray,
    adjusted: FloatArray,
    units: IntArray,
    formats: IntArray,
    constructs: IntArray,
    rng: np.random.Generator,
    *,
    format_names: tuple[str, ...],
    construct_names: tuple[str, ...],
    resamples: int = 1000,
    level: float = 0.95,
) -> tuple[Contrast, ...]:
    """All paired contrasts of a designed set.

    Args:
        scores: s, shape (n,).
        adjusted: s - g_hat, shape (n,).
        units: Unit codes 0 to u - 1.
        formats: Format codes; 0 is the plain one that others are compared with.
        constructs: Construct codes; 0 is the good level, 1 the bad one; a set whose construct does
            not vary has zeros only.
        rng: Source of the draws.
        format_names: Names by code.
        construct_names: Names by code, one or two.
        resamples: Draws of units.
        level: Nominal coverage.

    Raises:
        StatisticsError: No format effect has two units, or more than two construct levels.
    """
    if len(construct_names) > 2:
        raise StatisticsError(f"a construct has two levels; got {', '.join(construct_names)}")
    n_units, n_formats = int(units.max()) + 1, len(format_names)
    shape = (n_units, n_formats, len(construct_names))
    cells = _Cells(
        _cell_means(scores, units, formats, constructs, shape),
        _cell_means(adjusted, units, formats, constructs, shape),
    )
    draws = group_draws(n_units, resamples, rng)
    found: list[Contrast | None] = []
    for f in range(1, n_formats):
        for c, construct in enumerate(construct_names):
            name = f"{format_names[f]} against {format_names[0]}, given {construct}"
            found.append(_difference("format effect", name, cells, (f, c), (0, c), draws, level))
    if len(construct_names) == 2:
        good, bad = construct_names
        for f, format_name in enumerate(format_names):
            name = f"{good} against {bad}, given {format_name}"
            found.append(_difference("construct margin", name, cells, (f, 0), (f, 1), draws, level))
        for f in range(1, n_formats):
            for one, other in ((0, f), (f, 0)):
                name = f"{format_names[one]} {good} over {format_names[other]} {bad}"
                found.append(_preference(name, cells, (one, 0), (other, 1), draws, level))
    contrasts = tuple(each for each in found if each is not None)
    if not any(each.kind == "format effect" for each in contrasts):
        raise StatisticsError("no two units hold both formats at one construct level")
    return contrasts


def _cell_means(
    scores: FloatArray,
    units: IntArray,
    formats: IntArray,
    constructs: IntArray,
    shape: tuple[int, int, int],
) -> FloatArray:
    cell = (units * shape[1] + formats) * shape[2] + constructs
    size = int(np.prod(shape))
    counts = np.bincount(cell, minlength=size)
    sums = np.bincount(cell, scores, minlength=size)
    means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
    return np.asarray(means.reshape(shape))


def _difference(
    kind: Kind,
    name: str,
    cells: _Cells,
    first: tuple[int, int],
    second: tuple[int, int],
    draws: FloatArray,
    level: float,
) -> Contrast | None:
    raw = cells.raw[:, *first] - cells.raw[:, *second]
    adjusted = cells.adjusted[:, *first] - cells.adjusted[:, *second]
    return _contrast(kind, name, raw, adjusted, draws, level)


def _preference(
    name: str,
    cells: _Cells,
    first: tuple[int, int],
    second: tuple[int, int],
    draws: FloatArray,
    level: float,
) -> Contrast | None:
    wins = []
    for means in (cells.raw, cells.adjusted):
        gap = means[:, *first] - means[:, *second]
        # A tie is half a win; an absent cell stays NaN.
        wins.append(np.where(np.isnan(gap), np.nan, (np.sign(gap) + 1) / 2))
    return _contrast("cross-format preference", name, wins[0], wins[1], draws, level)


def _contrast(
    kind: Kind,
    name: str,
    raw: FloatArray,
    adjusted: FloatArray,
    draws: FloatArray,
    level: float,
) -> Contrast | None:
    there = ~np.isnan(raw)
    if there.sum() < 2:
        return None
    weights = draws[:, there]
    size = weights.sum(axis=1)
    drawn = [
        np.divide(weights @ each[there], size, out=np.full(len(size), np.nan), where=size > 0)
        for each in (raw, adjusted)
    ]
    before, after = float(raw[there].mean()), float(adjusted[there].mean())
    change_ends = percentile_ends(drawn[1] - drawn[0], level)
    moved = change_ends.low > 0 or change_ends.high < 0
    return Contrast(
        kind=kind,
        name=name,
        units=int(there.sum()),
        raw=before,
        raw_ends=percentile_ends(drawn[0], level),
        adjusted=after,
        adjusted_ends=percentile_ends(drawn[1], level),
        change=after - before,
        change_ends=change_ends,
        attenuated=abs(after) < abs(before) and moved if kind == "format effect" else None,
    )


def equivalence(
    effects: FloatArray,
    name: str,
    margin: float,
    rng: np.random.Generator,
    *,
    alpha: float = 0.05,
    resamples: int = 1000,
) -> Equivalence:
    """Is a mean paired effect inside a declared margin? Two one-sided bootstrap tests.

    Args:
        effects: Adjusted effect of each unit, shape (u,).
        name: Of the contrast.
        margin: Declared beforehand, above 0.
        rng: Source of the draws.
        alpha: Level of each one-sided test.
        resamples: Draws of units.

    Raises:
        StatisticsError: The margin is not above 0.
    """
    if not margin > 0:
        raise StatisticsError(f"`margin` must be above 0; got {margin}")
    draws = group_draws(len(effects), resamples, rng)
    ends = percentile_ends(draws @ effects / len(effects), 1 - 2 * alpha)
    inside = -margin < ends.low and ends.high < margin
    return Equivalence(name, margin, ends.low, ends.high, inside)


def unit_effects(
    scores: FloatArray,
    units: IntArray,
    formats: IntArray,
    constructs: IntArray,
    *,
    edited: int,
    construct: int,
) -> FloatArray:
    """s(edited) - s(plain) of each unit that has both, at one construct level."""
    shape = (int(units.max()) + 1, int(formats.max()) + 1, int(constructs.max()) + 1)
    means = _cell_means(scores, units, formats, constructs, shape)
    gap = means[:, edited, construct] - means[:, 0, construct]
    return np.asarray(gap[~np.isnan(gap)])
