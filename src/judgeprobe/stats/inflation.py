"""By how much does a judge look better against inherited labels than against blinded ones?

Delta is the accuracy of a judge's verdicts against the inherited labels minus their accuracy
against the blinded labels, on the same units:

    Delta = (1/n) sum_i d_i,   d_i = 1[v_i = y_i] - 1[v_i = b_i],

with v the verdict, y the inherited and b the blinded label of unit i. d_i is 0 wherever the two
labels are equal, so only units on which the sets differ move Delta. Beside it stands the same
difference of Cohen's kappas, which chance agreement cannot lift.

Intervals resample whole groups (pairs, base items) with replacement; all figures of a judge use the
same draws, so a difference is resampled as a difference. That of Delta is studentised (bootstrap-t)
where at least five groups differ from zero, because percentiles fall short of their level where
wrong roles are rare; the others are percentiles. The p-value flips the signs of the groups' sums of
d: where validating on either set would come to the same, the two label sets are exchangeable within
a group.

Assumes that groups are the independent units. Guarantees Delta = 0, with an interval of [0, 0] and
p = 1, where the two sets give every unit the same label.

Source: judge-construct-validity, section 5.5 (C5), which defines Delta and does not measure it;
Cohen 1960; the sign flip is Fisher's randomisation test of paired differences.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.checks import probability, same_length
from judgeprobe.stats.group_bootstrap import (
    group_draws,
    mean_draws,
    percentile_ends,
    studentised_ends,
)
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.kappa import Kappa, cohen_kappa
from judgeprobe.stats.validation_power import group_kappa_draws

__all__ = ["Inflation", "SignFlip", "inflation", "mean_inflation", "sign_flip"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

# All 2^m signs are run through up to this m; beyond it they are drawn.
MOST_EXACT = 12
# With fewer groups that differ from zero, percentiles stand in for the bootstrap-t.
LEAST_STUDENTISED = 5
_TIE = 1e-9


@dataclass(frozen=True)
class SignFlip:
    """A sign-flip test of a sum of groups.

    Attributes:
        p: Two-sided; 1 where no group's sum differs from zero.
        nonzero: Groups whose sum differs from zero; only these can speak.
        exact: Whether every pattern of signs was run through.
        patterns: Patterns run through, or drawn.
    """

    p: float
    nonzero: int
    exact: bool
    patterns: int


@dataclass(frozen=True)
class Inflation:
    """One judge against both label sets, on the same units.

    Attributes:
        n: Units.
        groups: Groups they come from.
        differ: Units on which the two sets give different labels.
        inherited: Accuracy against the inherited labels, 0 to 1.
        blinded: Accuracy against the blinded labels.
        delta: `inherited` minus `blinded`, -1 to 1.
        test: Of delta = 0.
        kappa_inherited: Cohen's kappa against the inherited labels.
        kappa_blinded: The same against the blinded labels.
        kappa_delta: Their difference.
    """

    n: int
    groups: int
    differ: int
    inherited: Interval
    blinded: Interval
    delta: Interval
    test: SignFlip
    kappa_inherited: Kappa
    kappa_blinded: Kappa
    kappa_delta: Interval


def inflation(
    verdicts: IntArray,
    inherited: IntArray,
    blinded: IntArray,
    groups: IntArray,
    n_classes: int,
    rng: np.random.Generator,
    *,
    resamples: int = 10_000,
    flips: int = 10_000,
    level: float = 0.95,
    unit: str = "group",
) -> Inflation:
    """Delta of one judge.

    Args:
        verdicts: The judge's classes, 0 to n_classes - 1, shape (n,); units without a verdict or a
            label are left out before.
        inherited: Labels that come from how each unit was made, same codes and shape.
        blinded: Labels of people who did not know how it was made, same codes and shape.
        groups: Group codes 0 to g - 1 without gaps, shape (n,).
        n_classes: Number of classes, at least 2.
        rng: Source of every draw.
        resamples: Bootstrap draws of groups.
        flips: Sign patterns drawn, where there are too many to run through.
        level: Nominal coverage, 0 to 1.
        unit: What a group is, in words.

    Raises:
        StatisticsError: There is no unit, fewer than two groups, an unknown code, or arrays of
            different lengths.
    """
    n = same_length(verdicts=verdicts, inherited=inherited, blinded=blinded, groups=groups)
    probability("level", level)
    if n == 0:
        raise StatisticsError("Delta needs a unit with a verdict and both labels; got none")
    n_groups = int(groups.max()) + 1
    if len(np.unique(groups)) != n_groups:
        raise StatisticsError("`groups` must be numbered 0, 1, ... without gaps")
    kappa_inherited = cohen_kappa(inherited, verdicts, n_classes)
    kappa_blinded = cohen_kappa(blinded, verdicts, n_classes)
    hits = np.stack([verdicts == inherited, verdicts == blinded]).astype(np.float64)
    draws = group_draws(n_groups, resamples, rng)
    drawn = [mean_draws(row, draws, groups) for row in hits]
    kappas = [
        group_kappa_draws(truth, verdicts, groups, n_classes, draws)
        for truth in (inherited, blinded)
    ]

    def interval(estimate: float, values: FloatArray) -> Interval:
        ends = percentile_ends(values, level)
        method = f"percentile bootstrap over {unit}s, {resamples} draws"
        return Interval(estimate, ends.low, ends.high, method, level, n_groups, unit)

    right = hits.mean(axis=1)
    differences = hits[0] - hits[1]
    sums = np.bincount(groups, differences, minlength=n_groups).astype(np.float64)
    return Inflation(
        n=n,
        groups=n_groups,
        differ=int((inherited != blinded).sum()),
        inherited=interval(float(right[0]), drawn[0]),
        blinded=interval(float(right[1]), drawn[1]),
        # Of the differences, not of two means: equal sets then give exactly 0.
        delta=_mean_interval(differences, draws, groups, level, unit),
        test=sign_flip(sums, rng, flips=flips),
        kappa_inherited=kappa_inherited,
        kappa_blinded=kappa_blinded,
        kappa_delta=interval(kappa_inherited.value - kappa_blinded.value, kappas[0] - kappas[1]),
    )


def mean_inflation(
    verdicts: IntArray,
    inherited: IntArray,
    blinded: IntArray,
    groups: IntArray,
    rng: np.random.Generator,
    *,
    resamples: int = 10_000,
    flips: int = 10_000,
    level: float = 0.95,
    unit: str = "group",
) -> tuple[Interval, SignFlip]:
    """Delta as the mean over judges, on units that all of them gave a verdict on.

    Args:
        verdicts: Classes, shape (judges, n).
        inherited: Labels, shape (n,).
        blinded: Labels, shape (n,).
        groups: Group codes 0 to g - 1 without gaps, shape (n,).
        rng: Source of every draw.
        resamples: Bootstrap draws of groups.
        flips: Sign patterns drawn.
        level: Nominal coverage.
        unit: What a group is, in words.

    Raises:
        StatisticsError: There is no unit or judge, or fewer than two groups.
    """
    if verdicts.ndim != 2 or not verdicts.size:
        raise StatisticsError(f"`verdicts` must be judges x units; got shape {verdicts.shape}")
    right = (verdicts == inherited).astype(np.float64) - (verdicts == blinded)
    differences = right.mean(axis=0)
    n_groups = int(groups.max()) + 1
    draws = group_draws(n_groups, resamples, rng)
    found = _mean_interval(differences, draws, groups, level, unit)
    sums = np.bincount(groups, differences, minlength=n_groups).astype(np.float64)
    return found, sign_flip(sums, rng, flips=flips)


def _mean_interval(
    differences: FloatArray, draws: FloatArray, groups: IntArray, level: float, unit: str
) -> Interval:
    """Bootstrap-t where enough groups differ from zero, percentiles otherwise; the method says."""
    resamples, n_groups = draws.shape
    sums = np.bincount(groups, differences, minlength=n_groups)
    ends = None
    if (np.abs(sums) > _TIE).sum() >= LEAST_STUDENTISED:
        ends = studentised_ends(differences, draws, groups, level)
    kind = "percentile" if ends is None else "studentised"
    if ends is None:
        ends = percentile_ends(mean_draws(differences, draws, groups), level)
    return Interval(
        estimate=float(differences.mean()),
        low=max(ends.low, -1.0),
        high=min(ends.high, 1.0),
        method=f"{kind} bootstrap over {unit}s, {resamples} draws",
        level=level,
        n=n_groups,
        unit=unit,
    )


def sign_flip(sums: FloatArray, rng: np.random.Generator, *, flips: int = 10_000) -> SignFlip:
    """Could the total have come about with every group's sign drawn by a coin?

    Up to `MOST_EXACT` nonzero groups every pattern is run through; else p is
    (1 + patterns at least as extreme) / (1 + flips).

    Args:
        sums: One a group, shape (g,).
        rng: Source of the signs.
        flips: Patterns drawn.

    Raises:
        StatisticsError: `flips` is below 1.
    """
    if flips < 1:
        raise StatisticsError(f"`flips` must be at least 1; got {flips}")
    kept = sums[np.abs(sums) > _TIE]
    m = len(kept)
    if m == 0:
        return SignFlip(p=1.0, nonzero=0, exact=True, patterns=1)
    bar = abs(float(kept.sum())) - _TIE
    if m <= MOST_EXACT:
        bits = np.arange(2**m)[:, None] >> np.arange(m)[None, :] & 1
        extreme = np.abs((1.0 - 2.0 * bits) @ kept) >= bar
        return SignFlip(float(extreme.mean()), m, exact=True, patterns=2**m)
    # A sum with random signs is the whole minus twice the sum of those that were flipped.
    flipped = rng.integers(0, 2, size=(flips, m), dtype=np.int8).astype(np.float64)
    extreme = np.abs(kept.sum() - 2.0 * (flipped @ kept)) >= bar
    return SignFlip(float((1 + extreme.sum()) / (1 + flips)), m, exact=False, patterns=flips)
