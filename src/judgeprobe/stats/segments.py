"""What would people have said on average, in each segment, when they labelled only some rows?

The judge graded every row; people labelled some, drawn at random within the segment. The corrected
mean is prediction-powered with power tuning (Angelopoulos, Duchi and Zrnic 2023, PPI++):

    lambda mean_u(f) + mean_l(Y - lambda f)

over unlabelled rows u and labelled rows l, with lambda = cov(Y, f) / ((1 + n/N) var f), held within
0 to 1; the covariance divides by n and the variance, over all rows, by n + N - 1, as ppi-python
does. With lambda = 0 it is the mean of the labels. Its variance is lambda^2 var_u(f) / N +
var_l(Y - lambda f) / n; the interval is t with n - 1 degrees of freedom. Where the labels are 0 and
1 with fewer than five of one kind, no variance can be trusted: there the labels alone are used,
with the exact binomial interval. Where judge and people differ on fewer than five labelled rows,
the judge's error is hardly measured: the labels alone are used too, with lambda = 0.

A judge's error differs between segments, so one correction for all of them moves each by the same
amount and can keep a wrong order; it is computed beside, to show what it hides.

Source: truescore-judge-bias, "Why one global correction is not enough", "Multiplicity", "Thin
segments".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest
from scipy.stats import t as student

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.stats.checks import finite_vector, probability, same_length
from judgeprobe.stats.judge_error import adjust

__all__ = ["Corrected", "SegmentReport", "corrected_mean", "segment_means"]

CORRECTED, NOT_CORRECTED = "corrected", "not corrected"
_RARE = 5


@dataclass(frozen=True)
class Corrected:
    """A segment's mean, by the judge and corrected by people.

    Attributes:
        segment: Its name.
        n: Rows that the judge graded.
        n_gold: Rows that people labelled too.
        judge: The judge's mean over all n rows.
        error: Mean of f - Y over the labelled rows; None without labels.
        corrected: The corrected mean; None where not corrected.
        std_error: Its standard error; None where not corrected or not estimable.
        low: Lower end of its interval; None as above.
        high: Upper end; None as above.
        tuning: lambda; None where not corrected.
        p: P-value of what the report names as tested; None where untested.
        p_adjusted: The same, adjusted over the segments tested.
        by_global: The judge's mean less the error of all segments together; None without labels.
        status: "corrected" or "not corrected".
        reason: Why something is missing; "" where nothing is.
    """

    segment: str
    n: int
    n_gold: int
    judge: float
    error: float | None
    corrected: float | None
    std_error: float | None
    low: float | None
    high: float | None
    tuning: float | None
    p: float | None
    p_adjusted: float | None
    by_global: float | None
    status: str
    reason: str


@dataclass(frozen=True)
class SegmentReport:
    """Every segment, and all rows as one.

    Attributes:
        segments: In the order of the names.
        overall: All rows as one segment.
        tested: What `p` is of: "judge error is zero" or "corrected mean is V".
        correction: "holm", "bh" or "none".
        hidden: Segments whose interval does not hold what the global correction says of them.
    """

    segments: tuple[Corrected, ...]
    overall: Corrected
    tested: str
    correction: str
    hidden: tuple[str, ...]


def segment_means(
    judge: ArrayLike,
    gold: ArrayLike,
    segments: Ints,
    names: Sequence[str],
    *,
    clusters: Ints | None = None,
    null: float | None = None,
    level: float = 0.95,
    min_gold: int = 20,
    correction: str = "holm",
) -> SegmentReport:
    """The corrected mean of every segment.

    Args:
        judge: Grade of each row; shape (n,).
        gold: People's label, NaN where there is none; shape (n,).
        segments: Code of each row's segment, 0 to len(names) - 1.
        names: Names of the segments.
        clusters: Group code of each row, where rows of a group are not independent.
        null: A value that the corrected mean is tested against (0 for a difference of two systems);
            None tests whether the judge's mean error is zero.
        level: Nominal coverage, 0 to 1.
        min_gold: Labels that a segment needs to be corrected, at least 2.
        correction: Over the segments tested: "holm", "bh" or "none".

    Raises:
        StatisticsError: Arrays differ in length, hold infinities, or `min_gold` is below 2.
    """
    f = finite_vector("judge", judge)
    y = finite_vector("gold", gold, allow_nan=True)
    same_length(judge=f, gold=y, segments=segments)
    order = np.argsort(segments, kind="stable")
    cuts = np.searchsorted(segments[order], np.arange(1, len(names)))
    found = []
    for name, rows in zip(names, np.split(order, cuts), strict=True):
        group = None if clusters is None else clusters[rows]
        found.append(
            corrected_mean(
                f[rows], y[rows], name, clusters=group, null=null, level=level, min_gold=min_gold
            )
        )
    overall = corrected_mean(
        f, y, "all", clusters=clusters, null=null, level=level, min_gold=min_gold
    )
    found = _adjusted(found, correction)
    if overall.error is not None:
        found = [replace(each, by_global=each.judge - overall.error) for each in found]
    tested = "judge error is zero" if null is None else f"corrected mean is {null:g}"
    return SegmentReport(tuple(found), overall, tested, correction, _hidden(found))


def _adjusted(found: list[Corrected], correction: str) -> list[Corrected]:
    told = [each.p for each in found if each.p is not None]
    after = iter(adjust(told, correction).tolist())
    return [
        each if each.p is None else replace(each, p_adjusted=float(next(after))) for each in found
    ]


def _hidden(found: Sequence[Corrected]) -> tuple[str, ...]:
    return tuple(
        each.segment
        for each in found
        if each.low is not None
        and each.high is not None
        and each.by_global is not None
        and not each.low <= each.by_global <= each.high
    )


def corrected_mean(
    judge: ArrayLike,
    gold: ArrayLike,
    name: str = "all",
    *,
    clusters: Ints | None = None,
    null: float | None = None,
    level: float = 0.95,
    min_gold: int = 20,
) -> Corrected:
    """One segment's corrected mean; arguments as in `segment_means`.

    Raises:
        StatisticsError: As in `segment_means`.
    """
    f = finite_vector("judge", judge)
    y = finite_vector("gold", gold, allow_nan=True)
    same_length(judge=f, gold=y)
    probability("level", level)
    if min_gold < 2:
        raise StatisticsError(f"`min_gold` must be at least 2; got {min_gold}")
    known = ~np.isnan(y)
    n_gold = int(known.sum())
    error = float((f[known] - y[known]).mean()) if n_gold else None
    plain = Corrected(
        name, len(f), n_gold, float(f.mean()), error, None, None, None, None, None, None, None,
        None, NOT_CORRECTED, "",
    )  # fmt: skip
    if n_gold < min_gold:
        people = "label" if n_gold == 1 else "labels"
        return replace(plain, reason=f"{n_gold} human {people}, fewer than {min_gold}")
    if clusters is None and _one_sided(y[known]):
        return _labels_alone(plain, f, y, known, null, level)
    apart = int((np.abs(f[known] - y[known]) > 1e-12).sum())
    if apart < _RARE:
        people = (
            f"judge and people differ on {apart} labelled rows, fewer than {_RARE}: labels alone"
        )
        plain = replace(plain, reason=people)
    tuning = 0.0 if apart < _RARE else _tuning(f, y, known)
    estimate = _estimate(f, y, known, tuning)
    groups = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    labelled = _some(groups, known)
    n_groups = n_gold if labelled is None else len(np.unique(labelled))
    spread = _spread(f, y, known, tuning, groups)
    plain = replace(plain, status=CORRECTED, corrected=estimate, tuning=tuning)
    if n_groups < 2:
        return replace(plain, reason="all labels are in one cluster: no interval")
    p = _p((f - y)[known], labelled, estimate, spread, null)
    if spread == 0:
        return replace(plain, p=p, reason="labels do not vary: no interval")
    reach = float(student.ppf((1 + level) / 2, n_groups - 1)) * spread
    return replace(plain, std_error=spread, low=estimate - reach, high=estimate + reach, p=p)


def _one_sided(labels: Floats) -> bool:
    """Whether labels are 0 and 1 with fewer than five of one: a variance says little there."""
    ones = int((labels == 1).sum())
    return bool(np.isin(labels, (0, 1)).all()) and min(ones, len(labels) - ones) < _RARE


def _labels_alone(
    plain: Corrected, f: Floats, y: Floats, known: Bools, null: float | None, level: float
) -> Corrected:
    labels = y[known]
    test = binomtest(int(labels.sum()), len(labels), 0.5 if null is None else min(max(null, 0), 1))
    ends = test.proportion_ci(level, method="exact")
    p = _p((f - y)[known], None, 0.0, 0.0, None) if null is None else float(test.pvalue)
    return replace(
        plain,
        status=CORRECTED,
        corrected=float(labels.mean()),
        low=float(ends.low),
        high=float(ends.high),
        tuning=0.0,
        p=p,
        reason=f"fewer than {_RARE} labels of one kind: labels alone, exact binomial interval",
    )


def _tuning(f: Floats, y: Floats, known: Bools) -> float:
    n, rest = int(known.sum()), int((~known).sum())
    variance = float(f.var(ddof=1))
    if rest < 2 or variance == 0:
        return 0.0
    both = float(np.cov(y[known], f[known], ddof=0)[0, 1])
    return float(np.clip(both / ((1 + n / rest) * variance), 0.0, 1.0))


def _estimate(f: Floats, y: Floats, known: Bools, tuning: float) -> float:
    rest = tuning * float(f[~known].mean()) if tuning else 0.0
    return rest + float((y[known] - tuning * f[known]).mean())


def _some(groups: Ints | None, rows: Bools) -> Ints | None:
    return None if groups is None else groups[rows]


def _spread(f: Floats, y: Floats, known: Bools, tuning: float, groups: Ints | None) -> float:
    """Standard error from the two means' deviations, summed within groups."""
    total = _group_variance(y[known] - tuning * f[known], _some(groups, known))
    if tuning and (groups is None or groups.max() + 1 == len(groups)):
        total += tuning**2 * _group_variance(f[~known], _some(groups, ~known))
    elif tuning:
        pull = np.zeros(len(f))
        pull[known] = _deviations(y[known] - tuning * f[known])
        pull[~known] = tuning * _deviations(f[~known])
        total = _sum_variance(pull, groups)
    return float(np.sqrt(total))


def _deviations(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / len(values))


def _group_variance(values: Floats, groups: Ints | None) -> float:
    return _sum_variance(_deviations(values), groups)


def _sum_variance(pull: Floats, groups: Ints | None) -> float:
    """Of a mean whose rows pull so much each; None: every row is a group of its own."""
    sums: Floats = pull
    if groups is not None:
        places = np.unique(groups, return_inverse=True)[1]
        sums = np.bincount(places, pull).astype(np.float64)
    if len(sums) < 2 or np.ptp(pull) < 1e-15:
        return 0.0
    return float((sums**2).sum() * len(sums) / (len(sums) - 1))


def _p(
    gap: Floats, groups: Ints | None, estimate: float, spread: float, null: float | None
) -> float | None:
    """Of the labelled rows' error where `null` is None, else of the estimate."""
    if null is None:
        away, spread = float(gap.mean()), float(np.sqrt(_group_variance(gap, groups)))
    else:
        away = estimate - null
    if spread == 0:
        # Without scatter there is no test: only an exact zero says something.
        return 1.0 if abs(away) < 1e-12 else None
    freedom = len(gap if groups is None else np.unique(groups)) - 1
    return float(2 * student.sf(abs(away) / spread, freedom))
