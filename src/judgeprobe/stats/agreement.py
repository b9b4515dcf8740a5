"""How far do several people give the same label, and what does each coefficient make of it?

Raw pairwise agreement is the quantity that a bar is set on. Fleiss' kappa, Krippendorff's alpha
(nominal) and Gwet's AC1 stand beside it, because kappa and alpha collapse where one label rightly
dominates. People may miss units: every figure is over the units with two or more labels, each
such unit weighing the same, so that all of them describe one set of units.

References: Fleiss 1971; Cohen 1960; Krippendorff 2011, "Computing Krippendorff's
Alpha-Reliability"; Gwet 2008 (AC1), Gwet 2014 chapter 2 (missing ratings); Clopper and Pearson
1934; appendix C of the construct-validity reference (the bar, the degenerate cells).
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.checks import probability
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.kappa import cohen_kappa as vector_kappa

__all__ = [
    "DEGENERATE_SHARE",
    "MISSING",
    "Agreement",
    "Coefficient",
    "PairAgreement",
    "agreement",
    "annotator_pairs",
    "binomial_interval",
    "bootstrap_pairwise",
    "cohen_kappa",
    "count_labels",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha",
    "pairwise_agreement",
    "reachable_agreement",
]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

MISSING = -1
DEGENERATE_SHARE = 0.90
CONSTANT_RULE = "every label is the same: 0 by rule"
NO_VARIATION = "every label is the same: chance agreement is 1 and the coefficient is undefined"
ONE_CATEGORY = "there is one category: chance agreement is undefined"


@dataclass(frozen=True)
class Coefficient:
    """A chance-corrected coefficient.

    Attributes:
        value: At most 1, or None where the definition gives no number.
        reason: Why there is no number, or by which rule it was set; "" otherwise.
    """

    value: float | None
    reason: str = ""


@dataclass(frozen=True)
class PairAgreement:
    """Two annotators on the units that both labelled.

    Attributes:
        a: Column of the first annotator.
        b: Column of the second.
        n: Units labelled by both.
        agreement: Share of them with equal labels, or None for n = 0.
        kappa: Cohen's kappa.
    """

    a: int
    b: int
    n: int
    agreement: float | None
    kappa: Coefficient


@dataclass(frozen=True)
class Agreement:
    """Agreement on one set of units.

    Attributes:
        n_units: Units with two or more labels.
        n_labels: Labels on those units.
        pairwise: Raw pairwise agreement, 0 to 1.
        interval: Bootstrap interval of `pairwise`, or None with fewer than two clusters.
        dominant: Code of the most frequent label (the smallest code of a tie).
        dominant_share: Its share of the labels.
        degenerate: Whether that share is at or above `DEGENERATE_SHARE`, where kappa and alpha
            say little.
    """

    n_units: int
    n_labels: int
    pairwise: float
    interval: Interval | None
    fleiss_kappa: Coefficient
    krippendorff_alpha: Coefficient
    gwet_ac1: Coefficient
    dominant: int
    dominant_share: float
    degenerate: bool


def count_labels(codes: ArrayLike, categories: int) -> Codes:
    """Labels of each kind on each unit.

    Args:
        codes: Units x annotators; 0 to `categories` - 1, or -1 where an annotator gave no label.
        categories: How many labels there are to choose from.

    Returns:
        Units x categories.

    Raises:
        StatisticsError: The array has another shape or holds another code.
    """
    array = np.asarray(codes)
    if array.ndim != 2:
        raise StatisticsError(f"`codes` must be units x annotators; got shape {array.shape}")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise StatisticsError(f"`codes` must be whole numbers; got {array.dtype}")
    if array.size and (array.min() < MISSING or array.max() >= categories):
        raise StatisticsError(
            f"`codes` must be from -1 to {categories - 1}; got {array.min()} to {array.max()}"
        )
    kinds = np.arange(categories)
    return np.asarray((array[:, :, None] == kinds).sum(axis=1), dtype=np.int64)


def pairwise_agreement(counts: ArrayLike) -> float:
    """Raw pairwise agreement: the mean over units of the share of label pairs that are equal.

    A unit with labels n_1, ..., n_q (n in all) has sum n_j (n_j - 1) / (n (n - 1)), Fleiss 1971
    equation 2. Units with fewer than two labels say nothing and are left out.

    Raises:
        StatisticsError: No unit has two labels.
    """
    return float(_unit_agreement(_paired(counts)).mean())


def fleiss_kappa(counts: ArrayLike) -> Coefficient:
    """Fleiss' kappa, with missing ratings as in Gwet 2014 (chapter 2).

    Chance agreement is sum p_j^2, with p_j the mean over units of n_j / n. With equally many
    labels on every unit this is Fleiss 1971. A constant table is 0 by rule, and says so.

    Raises:
        StatisticsError: No unit has two labels.
    """
    table = _paired(counts)
    shares = _shares(table)
    if _constant(table):
        return Coefficient(0.0, CONSTANT_RULE)
    return _corrected(float(_unit_agreement(table).mean()), float((shares**2).sum()))


def gwet_ac1(counts: ArrayLike) -> Coefficient:
    """Gwet's AC1 (Gwet 2008): chance agreement sum p_j (1 - p_j) / (q - 1).

    q is the number of columns, so a label that nobody chose counts as long as it could have been.

    Raises:
        StatisticsError: No unit has two labels.
    """
    table = _paired(counts)
    if table.shape[1] < 2:
        return Coefficient(None, ONE_CATEGORY)
    shares = _shares(table)
    chance = float((shares * (1 - shares)).sum() / (table.shape[1] - 1))
    return _corrected(float(_unit_agreement(table).mean()), chance)


def krippendorff_alpha(counts: ArrayLike) -> Coefficient:
    """Krippendorff's alpha for nominal labels (Krippendorff 2011, part C), missing labels allowed.

    Raises:
        StatisticsError: No unit has two labels.
    """
    table = _paired(counts)
    if _constant(table):
        return Coefficient(None, NO_VARIATION)
    per_unit = table.sum(axis=1)
    n = float(per_unit.sum())
    totals = table.sum(axis=0).astype(np.float64)
    equal = (table * (table - 1)).sum(axis=1)
    observed = float(((per_unit * (per_unit - 1) - equal) / (per_unit - 1)).sum()) / n
    expected = (n * n - float((totals**2).sum())) / (n * (n - 1))
    return Coefficient(1.0 - observed / expected)


def cohen_kappa(first: ArrayLike, second: ArrayLike) -> Coefficient:
    """Cohen's kappa of two annotators on the units that both labelled.

    Args:
        first: Codes of one annotator, -1 where there is no label.
        second: Codes of the other, of the same length.

    Returns:
        None with a reason where they share no unit; 0 by rule where both gave one and the same
        label throughout.

    Raises:
        StatisticsError: The vectors differ in length.
    """
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape or a.ndim != 1:
        raise StatisticsError(
            f"`first` and `second` must be vectors of one length; got {a.shape} and {b.shape}"
        )
    both = (a != MISSING) & (b != MISSING)
    if not both.any():
        return Coefficient(None, "the two annotators share no unit")
    a, b = a[both].astype(np.int64), b[both].astype(np.int64)
    found = vector_kappa(a, b, int(max(a.max(), b.max())) + 1)
    return Coefficient(found.value, CONSTANT_RULE if found.degenerate else "")


def annotator_pairs(codes: ArrayLike) -> tuple[PairAgreement, ...]:
    """Raw agreement and Cohen's kappa of every pair of annotators.

    Args:
        codes: Units x annotators; -1 where there is no label.
    """
    array = np.asarray(codes)
    found = []
    for a, b in combinations(range(array.shape[1]), 2):
        both = (array[:, a] != MISSING) & (array[:, b] != MISSING)
        n = int(both.sum())
        share = float((array[both, a] == array[both, b]).mean()) if n else None
        found.append(PairAgreement(a, b, n, share, cohen_kappa(array[:, a], array[:, b])))
    return tuple(found)


def binomial_interval(successes: int, n: int, *, level: float = 0.95, unit: str) -> Interval:
    """The exact interval of a share (Clopper and Pearson 1934).

    Args:
        successes: 0 to n.
        n: Trials, at least 1.
        level: Nominal coverage.
        unit: What a trial is.

    Raises:
        StatisticsError: n is below 1, or `successes` is not from 0 to n.
    """
    from scipy.special import betaincinv

    probability("level", level)
    if n < 1 or not 0 <= successes <= n:
        raise StatisticsError(
            f"`successes` must be from 0 to `n`, and `n` at least 1; got {successes} of {n}"
        )
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(successes / n, low, high, "exact binomial (Clopper-Pearson)", level, n, unit)


def bootstrap_pairwise(
    counts: ArrayLike,
    clusters: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    unit: str = "base item",
) -> Interval:
    """A percentile interval of raw pairwise agreement, whole clusters drawn with replacement.

    Units made from one base item share its evidence and stand or fall together, so base items are
    drawn and not units.

    Args:
        counts: Units x categories.
        clusters: Cluster of each unit, any labels, one a unit.
        rng: Source of every draw.
        resamples: How many draws.
        level: Nominal coverage.
        unit: What a cluster is.

    Raises:
        StatisticsError: Fewer than two clusters hold a unit with two labels.
    """
    table = np.asarray(counts)
    kept = table.sum(axis=1) >= 2
    share = _unit_agreement(_paired(table))
    names, cluster = np.unique(np.asarray(clusters)[kept], return_inverse=True)
    if len(names) < 2:
        raise StatisticsError(f"a bootstrap needs two or more clusters; got {len(names)}")
    sums = np.bincount(cluster, weights=share)
    sizes = np.bincount(cluster).astype(np.float64)
    draws = rng.integers(0, len(names), size=(resamples, len(names)))
    values = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    tail = (1 - probability("level", level)) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(
        float(share.mean()),
        float(low),
        float(high),
        f"percentile bootstrap over {unit}s, {resamples} resamples",
        level,
        len(names),
        unit,
    )


def agreement(
    counts: ArrayLike,
    clusters: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    unit: str = "base item",
) -> Agreement:
    """Every agreement figure of one set of units.

    Args:
        counts: Units x categories, as from `count_labels`.
        clusters: Cluster (base item) of each unit.
        rng: Source of every draw.
        resamples: Bootstrap draws.
        level: Nominal coverage of the interval.
        unit: What a cluster is.

    Raises:
        StatisticsError: No unit has two labels.
    """
    table = _paired(counts)
    totals = table.sum(axis=0)
    share = float(totals.max() / totals.sum())
    kept = np.asarray(clusters)[np.asarray(counts).sum(axis=1) >= 2]
    interval = None
    if len(np.unique(kept)) > 1:
        interval = bootstrap_pairwise(
            table, kept, rng=rng, resamples=resamples, level=level, unit=unit
        )
    return Agreement(
        n_units=len(table),
        n_labels=int(totals.sum()),
        pairwise=pairwise_agreement(table),
        interval=interval,
        fleiss_kappa=fleiss_kappa(table),
        krippendorff_alpha=krippendorff_alpha(table),
        gwet_ac1=gwet_ac1(table),
        dominant=int(totals.argmax()),
        dominant_share=share,
        degenerate=share >= DEGENERATE_SHARE,
    )


def reachable_agreement(counts: ArrayLike, annotators: int) -> float:
    """The largest raw pairwise agreement that labels still to come can bring.

    Each unit's missing labels are given to the label that it already has most of.

    Args:
        counts: Units x categories, units without a label included.
        annotators: Labels that each unit will have in the end, at least 2.

    Raises:
        StatisticsError: A unit has more labels than that, or there is none.
    """
    table = np.array(counts, dtype=np.int64)
    if annotators < 2 or table.ndim != 2 or not len(table):
        raise StatisticsError("`counts` must hold a unit and `annotators` be at least 2")
    missing = annotators - table.sum(axis=1)
    if (missing < 0).any():
        raise StatisticsError(f"`counts` must hold at most {annotators} labels a unit")
    table[np.arange(len(table)), table.argmax(axis=1)] += missing
    return float(_unit_agreement(table).mean())


def _paired(counts: ArrayLike) -> Codes:
    table = np.asarray(counts, dtype=np.int64)
    if table.ndim != 2:
        raise StatisticsError(f"`counts` must be units x categories; got shape {table.shape}")
    kept: Codes = table[table.sum(axis=1) >= 2]
    if not len(kept):
        raise StatisticsError("agreement needs a unit with two or more labels; got none")
    return kept


def _unit_agreement(table: Codes) -> Floats:
    n = table.sum(axis=1)
    return np.asarray((table * (table - 1)).sum(axis=1) / (n * (n - 1)), dtype=np.float64)


def _shares(table: Codes) -> Floats:
    return np.asarray((table / table.sum(axis=1, keepdims=True)).mean(axis=0), dtype=np.float64)


def _constant(table: Codes) -> bool:
    return int((table.sum(axis=0) > 0).sum()) == 1


def _corrected(observed: float, chance: float) -> Coefficient:
    return Coefficient((observed - chance) / (1 - chance))
