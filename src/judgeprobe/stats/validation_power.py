"""Could agreement with this label set be evidence of anything?

Validation power is what the humans' agreement leaves above the best predictor that is denied the
construct: VP(L; M) = a_hum(L; M) - a_imp(L; M), in an input mode M (one text, or a pair). Every
member's kappa is of the pooled out-of-fold predictions and stands against a null of permuted
labels, refitted under the same folds; the human ceiling has its own interval.

Assumes that groups are the independent units. Guarantees that no member is added: the family is
asserted on every call.

Source: judge-construct-validity, definition 6, section 4.4, appendix E.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.checks import same_length
from judgeprobe.stats.folds import Folds, make_folds
from judgeprobe.stats.impoverished import MEMBERS, Predictions, out_of_fold
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.kappa import cohen_kappa, confusions, group_confusions, kappas
from judgeprobe.stats.label_permutation import PermutationScheme, choose_scheme, permuted_labels

__all__ = ["MemberScore", "Power", "ValidationPower", "group_kappa_draws", "validation_power"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
PowerStatus = Literal["resolved", "not resolvable", "ceiling exceeded", "no human ceiling"]

FROZEN = ("length_only", "numeric_surface", "surface_ngram")


@dataclass(frozen=True)
class MemberScore:
    """What one member of the family reached.

    Attributes:
        name: The member.
        kappa: Of the pooled out-of-fold predictions.
        kappa_linear: The linearly weighted one where labels are in order, else None.
        accuracy: Share predicted right, 0 to 1.
        degenerate: Whether kappa is 0 by rule.
        null: Kappas under permuted labels, shape (permutations,).
        p: (1 + number of null kappas at or above kappa) / (1 + permutations).
        predictions: Out-of-fold classes of the true labels, shape (n,).
        features: Number of features in the largest fold.
        not_converged: Fits that stopped before the solver's criterion, of all fits.
        constant: Fits whose training labels held one class.
        fits: Fits in all.
    """

    name: str
    kappa: float
    kappa_linear: float | None
    accuracy: float
    degenerate: bool
    null: FloatArray
    p: float
    predictions: IntArray
    features: int
    not_converged: int
    constant: int
    fits: int

    @property
    def null_mean(self) -> float:
        """Mean kappa under permuted labels; well above 0 it says that the pipeline leaks."""
        return float(self.null.mean())

    def null_quantile(self, q: float) -> float:
        """A quantile of the null, 0 <= q <= 1."""
        return float(np.quantile(self.null, q))


@dataclass(frozen=True)
class Power:
    """Validation power.

    Attributes:
        estimate: Human ceiling minus the best member's kappa, or None without a ceiling.
        interval: Its interval, or None.
        status: "resolved"; "not resolvable" where the intervals of ceiling and best member
            overlap; "ceiling exceeded" where the member's lies wholly above; "no human ceiling".
    """

    estimate: float | None
    interval: Interval | None
    status: PowerStatus


@dataclass(frozen=True)
class ValidationPower:
    """The audit of one label set in one input mode.

    Attributes:
        n: Items or pairs.
        n_classes: Number of label classes.
        folds: The partition.
        scheme: How labels were permuted.
        members: One score a member, in the family's order.
        best: The member with the largest kappa (the earliest on a tie).
        a_imp: Its kappa, with an interval conditional on its predictions.
        a_imp_p: p of the maximum over members against the maximum over members of the null.
        a_hum: Kappa of two annotators (the mean over pairs of more), or None.
        n_double: Items labelled twice.
        power: Ceiling minus a_imp.
    """

    n: int
    n_classes: int
    folds: Folds
    scheme: PermutationScheme
    members: tuple[MemberScore, ...]
    best: str
    a_imp: Interval
    a_imp_p: float
    a_hum: Interval | None
    n_double: int
    power: Power


def validation_power(
    texts: Sequence[str],
    labels: IntArray,
    rng: np.random.Generator,
    *,
    texts_b: Sequence[str] | None = None,
    groups: IntArray | None = None,
    second: IntArray | None = None,
    raters: IntArray | None = None,
    ordered: bool = False,
    permutations: int = 100,
    resamples: int = 2000,
    level: float = 0.95,
    fold_seed: int = 0,
    dtype: type[np.floating[Any]] = np.float64,
) -> ValidationPower:
    """Audit a label set with the frozen family.

    Args:
        texts: Texts, or the first sides of pairs; length n.
        labels: Class codes 0 to k - 1, shape (n,); for pairs 0 names the first side.
        rng: Source of the permutations and resamples.
        texts_b: Second sides of pairs; their order must have been drawn at random.
        groups: Group codes 0 to g - 1, shape (n,), or None where items are their own groups.
        second: A second annotator's codes, shape (n,), -1 where missing; or None.
        raters: Codes of two or more people, shape (n, people), -1 where missing; or None. Where
            given, the ceiling is the mean kappa over pairs of people and `second` is not read: a
            label that is the people's own majority agrees with each of them by construction.
        ordered: Whether codes are in order (the linearly weighted kappa is then given too).
        permutations: Label vectors in the null; fewer than 19 cannot reach p = 0.05.
        resamples: Bootstrap draws of groups for the intervals.
        level: Nominal coverage of the intervals, 0 to 1.
        fold_seed: Of the shuffle, where folds are not grouped.
        dtype: Of the n-gram matrices.

    Raises:
        StatisticsError: Fewer rows than folds, one class only, or arrays that do not match.
    """
    if MEMBERS != FROZEN:
        raise StatisticsError(f"the family is frozen as {FROZEN}; got {MEMBERS}")
    n = same_length(texts=texts, labels=labels)
    if texts_b is not None:
        same_length(texts=texts, texts_b=texts_b)
    if permutations < 1:
        raise StatisticsError(f"`permutations` must be at least 1; got {permutations}")
    people = _people(labels, second, raters)
    n_classes = 1 + int(max(labels.max(), *(codes.max() for pair in people for codes in pair), -1))
    if len(np.unique(labels)) < 2:
        raise StatisticsError(
            "the labels hold one class; agreement with them can be evidence of nothing"
        )
    folds = make_folds(n, groups, seed=fold_seed)
    scheme = choose_scheme(labels, groups, paired=texts_b is not None)
    drawn = permuted_labels(labels, groups, scheme, permutations, rng)
    vectors = np.vstack([labels[None, :], drawn])
    members = tuple(
        _score(out_of_fold(name, texts, texts_b, vectors, folds, dtype), vectors, ordered=ordered)
        for name in MEMBERS
    )
    best = max(members, key=lambda member: member.kappa)
    units = np.arange(n) if groups is None else groups
    draws = _resampled_groups(int(units.max()) + 1, resamples, rng)
    imp_draws = group_kappa_draws(labels, best.predictions, units, n_classes, draws)
    unit = "item" if groups is None else "group"
    a_imp = _interval(best.kappa, imp_draws, level, draws.shape[1], unit)
    a_hum, n_double, power = _ceiling(
        people, units, n_classes, draws, imp_draws, a_imp, level, unit
    )
    top = np.max([member.null for member in members], axis=0)
    return ValidationPower(
        n=n,
        n_classes=n_classes,
        folds=folds,
        scheme=scheme,
        members=members,
        best=best.name,
        a_imp=a_imp,
        a_imp_p=_p_value(best.kappa, top),
        a_hum=a_hum,
        n_double=n_double,
        power=power,
    )


def _score(found: Predictions, vectors: IntArray, *, ordered: bool) -> MemberScore:
    n_classes = int(vectors.max()) + 1
    values, _ = kappas(confusions(vectors, found.classes, n_classes))
    labels, predicted = vectors[0], found.classes[0]
    kappa = cohen_kappa(labels, predicted, n_classes)
    weighted = cohen_kappa(labels, predicted, n_classes, linear=True).value if ordered else None
    return MemberScore(
        name=found.member,
        kappa=kappa.value,
        kappa_linear=weighted,
        accuracy=kappa.accuracy,
        degenerate=kappa.degenerate,
        null=values[1:],
        p=_p_value(kappa.value, values[1:]),
        predictions=predicted,
        features=found.features,
        not_converged=found.not_converged,
        constant=found.constant,
        fits=found.fits,
    )


def _p_value(observed: float, null: FloatArray) -> float:
    # A rounding error must not turn a tie into a smaller p.
    return float((1 + np.sum(null >= observed - 1e-12)) / (1 + len(null)))


def _resampled_groups(n_groups: int, resamples: int, rng: np.random.Generator) -> FloatArray:
    """How often each group is drawn, shape (resamples, n_groups)."""
    chances = np.full(n_groups, 1 / n_groups)
    return rng.multinomial(n_groups, chances, size=resamples).astype(np.float64)


def group_kappa_draws(
    truth: IntArray, other: IntArray, units: IntArray, n_classes: int, draws: FloatArray
) -> FloatArray:
    """Kappa of each bootstrap draw of groups; NaN where a draw holds no compared item.

    Args:
        truth: Class codes, -1 where missing, shape (n,).
        other: The same.
        units: Group codes, shape (n,).
        n_classes: Number of classes.
        draws: How often each group is drawn, shape (resamples, n_groups).
    """
    both = (truth >= 0) & (other >= 0)
    counts = group_confusions(truth[both], other[both], units[both], draws.shape[1], n_classes)
    summed = (draws @ counts.reshape(draws.shape[1], -1)).reshape(-1, n_classes, n_classes)
    values = np.full(len(draws), np.nan)
    filled = summed.sum(axis=(1, 2)) > 0
    values[filled] = kappas(summed[filled])[0]
    return values


def _interval(
    estimate: float, draws: FloatArray, level: float, n_units: int, unit: str
) -> Interval:
    low, high = np.nanquantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Interval(
        estimate=estimate,
        low=float(low),
        high=float(high),
        method=f"percentile bootstrap over {unit}s, {len(draws)} draws",
        level=level,
        n=n_units,
        unit=unit,
    )


def _people(
    labels: IntArray, second: IntArray | None, raters: IntArray | None
) -> list[tuple[IntArray, IntArray]]:
    """Pairs of label vectors whose agreement is the ceiling."""
    if raters is not None:
        if raters.ndim != 2 or len(raters) != len(labels):
            raise StatisticsError(f"`raters` must be items x people; got shape {raters.shape}")
        return list(combinations(raters.T, 2))
    return [] if second is None else [(labels, second)]


def _ceiling(
    people: Sequence[tuple[IntArray, IntArray]],
    units: IntArray,
    n_classes: int,
    draws: FloatArray,
    imp_draws: FloatArray,
    a_imp: Interval,
    level: float,
    unit: str,
) -> tuple[Interval | None, int, Power]:
    shared = [(a >= 0) & (b >= 0) for a, b in people]
    double = np.any(shared, axis=0) if shared else np.zeros(0, dtype=bool)
    enough = [(a, b, both) for (a, b), both in zip(people, shared, strict=True) if both.sum() >= 2]
    if not enough:
        return None, int(double.sum()), Power(None, None, "no human ceiling")
    each = [cohen_kappa(a[both], b[both], n_classes).value for a, b, both in enough]
    value = float(np.mean(each))
    drawn = [group_kappa_draws(a, b, units, n_classes, draws) for a, b, _ in enough]
    hum_draws = np.mean(drawn, axis=0)
    n_units = len(np.unique(units[double]))
    a_hum = _interval(value, hum_draws, level, n_units, unit)
    interval = _interval(value - a_imp.estimate, hum_draws - imp_draws, level, n_units, unit)
    status: PowerStatus = "resolved"
    if a_imp.low > a_hum.high:
        status = "ceiling exceeded"
    elif a_imp.high >= a_hum.low:
        status = "not resolvable"
    power = Power(value - a_imp.estimate, interval, status)
    return a_hum, int(double.sum()), power
