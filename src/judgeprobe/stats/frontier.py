"""Which cuts can this judge be read at, and what does each cost?

A judge grades; we cut (Remark 1 of the construct-validity reference). Under the rule "cut" the
verdict at tau is `grade >= tau`, and a pair is changed when exactly one member reaches tau. Under
the rule "shift" a pair is changed when its grade moves by at least tau. In both, the cuts are the
midpoints between neighbouring distinct values that the judge gave: one rule for every judge, which
nobody can tune. A cut outside all grades gives (1, 0) for any judge and is not listed.

Assumes: grades in one unit. Guarantees: every cut listed separates two values that were given.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.stats.checks import finite_vector, same_length

__all__ = [
    "MAX_CUTS",
    "TIE",
    "Crossings",
    "Dominance",
    "Rule",
    "compare_frontiers",
    "crossings",
    "crossings_of",
    "cuts_between",
    "fixed_crossings",
    "given_values",
    "hull",
    "operating_cut",
    "operating_cuts",
    "sensitivity_at",
]

Rule = Literal["cut", "shift"]
Relation = Literal["dominating", "dominated", "crossing", "equal"]

MAX_CUTS = 1000
# Grades closer than this, in grade units, are one grade.
SAME_GRADE = 1e-9
# Shares are sums of a few fractions: values closer than this are the same number.
TIE = 1e-12


@dataclass(frozen=True)
class Crossings:
    """At which cuts is each pair changed?

    Attributes:
        taus: The cuts, ascending, in grade units; shape (cuts,).
        low: First cut at which a pair is changed; shape (pairs,).
        high: First cut after those; a pair is changed at cuts low <= k < high.
        graded: Pairs with both members graded; the others have low = high = 0.
        n_cuts_before_thinning: Number of midpoints, above len(taus) where they were thinned.
        rule: "cut" or "shift".
    """

    taus: Floats
    low: Ints
    high: Ints
    graded: Bools
    n_cuts_before_thinning: int
    rule: Rule

    def changed(self, cut: int) -> Bools:
        """Pairs changed at one cut; False where ungraded."""
        return (self.low <= cut) & (cut < self.high)

    def take(self, pairs: Ints | Bools) -> "Crossings":
        """The same cuts for some of the pairs."""
        return replace(self, low=self.low[pairs], high=self.high[pairs], graded=self.graded[pairs])


def crossings(
    original: ArrayLike,
    edited: ArrayLike,
    *,
    rule: Rule = "cut",
    also_given: ArrayLike | None = None,
    max_cuts: int = MAX_CUTS,
) -> Crossings:
    """The cuts of a judge and the pairs each of them changes.

    Args:
        original: Grade of each pair's original, in grade units; NaN where ungraded.
        edited: Grade of each pair's edit; NaN where ungraded.
        rule: "cut" (verdict is `grade >= tau`) or "shift" (changed when the grade moves by tau).
        also_given: Further grades of the same judge, which add cuts but no pairs.
        max_cuts: Above this many midpoints they are thinned to so many, evenly by rank.

    Returns:
        Crossings; without any cut where the judge gave one value only (rule "cut") or never moved
        (rule "shift").

    Raises:
        StatisticsError: The columns differ in length or hold an infinity.
    """
    values = given_values(original, edited, rule=rule)
    if also_given is not None and rule == "cut":
        more = np.asarray(also_given, dtype=np.float64)
        values = np.union1d(values, more[~np.isnan(more)])
    taus, n_cuts = cuts_between(values, max_cuts)
    return crossings_of(original, edited, taus, n_cuts, rule=rule)


def given_values(original: ArrayLike, edited: ArrayLike, *, rule: Rule = "cut") -> Floats:
    """The distinct values that a judge's cuts stand between, ascending.

    Under the rule "cut" its grades, under "shift" 0 and the distances that its grades moved. Those
    of a whole table are the union of those of its parts.

    Raises:
        StatisticsError: The columns differ in length or hold an infinity.
    """
    before, after = _columns(original, edited)
    if rule == "shift":
        moved = np.abs(after - before)
        return np.unique(np.append(moved[~np.isnan(moved)], 0.0))
    given = np.concatenate([before, after])
    return np.unique(given[~np.isnan(given)])


def cuts_between(values: Floats, max_cuts: int = MAX_CUTS) -> tuple[Floats, int]:
    """The midpoints between neighbouring values, and how many there were before thinning.

    Args:
        values: Distinct, ascending.
        max_cuts: Above this many midpoints they are thinned to so many, evenly by rank.
    """
    # The mean of three grades must meet the grade it equals, so no cut divides rounding noise.
    apart = np.diff(values) > SAME_GRADE
    taus: Floats = (values[1:][apart] + values[:-1][apart]) / 2
    n_cuts = len(taus)
    if n_cuts > max_cuts:
        taus = taus[np.linspace(0, n_cuts - 1, max_cuts).round().astype(np.int64)]
    return taus, n_cuts


def crossings_of(
    original: ArrayLike, edited: ArrayLike, taus: Floats, n_cuts: int, *, rule: Rule = "cut"
) -> Crossings:
    """The pairs that each of some known cuts changes.

    Args:
        original: Grade of each pair's original; NaN where ungraded.
        edited: Grade of each pair's edit; NaN where ungraded.
        taus: The cuts, ascending.
        n_cuts: How many there were before thinning.
        rule: "cut" or "shift".

    Raises:
        StatisticsError: The columns differ in length or hold an infinity.
    """
    before, after = _columns(original, edited)
    graded = ~np.isnan(before) & ~np.isnan(after)
    if rule == "shift":
        low_value, high_value = np.zeros(len(before)), np.abs(after - before)
    else:
        low_value, high_value = np.minimum(before, after), np.maximum(before, after)
    low = np.zeros(len(before), dtype=np.int64)
    high = np.zeros(len(before), dtype=np.int64)
    low[graded] = np.searchsorted(taus, low_value[graded], side="right")
    high[graded] = np.searchsorted(taus, high_value[graded], side="right")
    return Crossings(taus, low, high, graded, n_cuts, rule)


def _columns(original: ArrayLike, edited: ArrayLike) -> tuple[Floats, Floats]:
    before = finite_vector("original", original, allow_nan=True)
    after = finite_vector("edited", edited, allow_nan=True)
    same_length(original=before, edited=after)
    return before, after


def fixed_crossings(original: ArrayLike, edited: ArrayLike, tau: float) -> Crossings:
    """The same for one stated cut, for a judge that is read there whatever it gave.

    Raises:
        StatisticsError: The columns differ in length or hold an infinity.
    """
    before, after = _columns(original, edited)
    graded = ~np.isnan(before) & ~np.isnan(after)
    changed = ((before >= tau) != (after >= tau)) & graded
    low = np.zeros(len(before), dtype=np.int64)
    return Crossings(np.array([tau]), low, changed.astype(np.int64), graded, 1, "cut")


def hull(S: ArrayLike, R: ArrayLike) -> Bools:
    """Which cuts are vertices of the monotone hull.

    A vertex is a cut that no other cut beats or equals in both S and R with one of them greater;
    of several with the same (S, R) the first.

    Args:
        S: Invariance at each cut, ascending in tau; shape (cuts,).
        R: Sensitivity at each cut.
    """
    s = np.asarray(S, dtype=np.float64)
    r = np.asarray(R, dtype=np.float64)
    same_length(S=s, R=r)
    vertices = np.zeros(len(s), dtype=np.bool_)
    best = -np.inf
    # Rounded, so that two sums of the same fractions are the same place.
    for k in np.lexsort((np.arange(len(s)), -np.round(r, 11), -np.round(s, 11))):
        if r[k] > best + TIE:
            vertices[k] = True
            best = r[k]
    return vertices


def operating_cuts(S: ArrayLike, R: ArrayLike, floor: float) -> Ints:
    """The cut with the largest R subject to S >= floor, for many curves at once.

    Ties go to the larger S, then to the smaller tau.

    Args:
        S: Invariance; shape (curves, cuts), cuts ascending in tau. NaN never reaches the floor.
        R: Sensitivity, of the same shape. NaN is never the largest.
        floor: Smallest S, 0 to 1.

    Returns:
        Position of the cut in each curve, -1 where none reaches the floor; shape (curves,).
    """
    s = np.asarray(S, dtype=np.float64)
    r = np.asarray(R, dtype=np.float64)
    if s.ndim != 2 or s.shape != r.shape:
        raise StatisticsError(f"`S` and `R` must be of one shape (curves, cuts); got {s.shape}")
    if s.shape[1] == 0:
        return np.full(len(s), -1, dtype=np.int64)
    reaches = s >= floor - TIE
    reaches &= ~np.isnan(r)
    kept = np.where(reaches, r, -np.inf)
    best = kept >= kept.max(axis=1, keepdims=True) - TIE
    tied = np.where(best & reaches, s, -np.inf)
    first = np.argmax(tied >= tied.max(axis=1, keepdims=True) - TIE, axis=1)
    return np.where(reaches.any(axis=1), first, -1).astype(np.int64)


def operating_cut(S: ArrayLike, R: ArrayLike, floor: float) -> int | None:
    """The operating point of one frontier: see `operating_cuts`; None where no cut reaches it."""
    s = np.asarray(S, dtype=np.float64)[None, :]
    cut = int(operating_cuts(s, np.asarray(R, dtype=np.float64)[None, :], floor)[0])
    return None if cut < 0 else cut


def sensitivity_at(S: ArrayLike, R: ArrayLike, levels: ArrayLike) -> Floats:
    """The best R attained at each S or stricter, for a matched-S comparison.

    Returns:
        R at each level; 0 where no cut reaches it, since the cut above all grades gives (1, 0).
    """
    s = np.asarray(S, dtype=np.float64)
    r = np.asarray(R, dtype=np.float64)
    wanted = np.atleast_1d(np.asarray(levels, dtype=np.float64))
    reached = s[None, :] >= wanted[:, None] - TIE
    best: Floats = np.where(reached, r[None, :], 0.0).max(axis=1, initial=0.0)
    return best


@dataclass(frozen=True)
class Dominance:
    """How one frontier stands to another.

    Attributes:
        relation: Of the first to the second: "dominating", "dominated", "crossing" or "equal".
        first_above: Ranges of S, each (above, up to), on which the first attains the larger R.
        second_above: The same for the second.
    """

    relation: Relation
    first_above: tuple[tuple[float, float], ...]
    second_above: tuple[tuple[float, float], ...]


def compare_frontiers(S1: ArrayLike, R1: ArrayLike, S2: ArrayLike, R2: ArrayLike) -> Dominance:
    """Compare two monotone hulls as step functions of S (Proposition 3).

    Between two neighbouring attained values of S both hulls are level, so the comparison at every
    attained S is the comparison everywhere. Point estimates only: sampling error is not in it.
    """
    s1, s2 = np.asarray(S1, dtype=np.float64), np.asarray(S2, dtype=np.float64)
    steps = np.unique(np.round(np.concatenate([s1, s2]), 11))
    difference = sensitivity_at(s1, R1, steps - 1e-10) - sensitivity_at(s2, R2, steps - 1e-10)
    edges = np.concatenate([[0.0], steps])
    first = _ranges(edges, difference > TIE)
    second = _ranges(edges, difference < -TIE)
    relation: Relation = "equal"
    if first and second:
        relation = "crossing"
    elif first:
        relation = "dominating"
    elif second:
        relation = "dominated"
    return Dominance(relation, first, second)


def _ranges(edges: Floats, above: Sequence[bool] | Bools) -> tuple[tuple[float, float], ...]:
    found: list[tuple[float, float]] = []
    for low, high, is_above in zip(edges[:-1], edges[1:], above, strict=True):
        if not is_above:
            continue
        if found and found[-1][1] == low:
            found[-1] = (found[-1][0], float(high))
        else:
            found.append((float(low), float(high)))
    return tuple(found)
