"""Did S or R change between two gradings of the same pairs?

One judge under two scales, two prompts, on two days; or a judge and a remedy made of its grades.
Only pairs that both gradings grade are read. Each grading draws its own frontier on them and is
read by the one rule (largest R subject to S >= level). Base items are resampled, the same ones in
both gradings, so that the differences are paired; in each resample both gradings choose their cut
anew, because a finer grading has more cuts to choose from and an interval at fixed cuts would not
know it. The interval at fixed cuts stands beside it.

At a level that no cut of a grading reaches, its verdict can only be constant: S = 1, R = 0, no tau.

Guarantees: a difference is always the second grading minus the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Design, Floats
from judgeprobe.stats.bootstrap import Resamples, percentile, rate_draws
from judgeprobe.stats.frontier import (
    TIE,
    Crossings,
    Rule,
    crossings,
    fixed_crossings,
    operating_cut,
)
from judgeprobe.stats.profile import Shares, curves, edit_shares
from judgeprobe.stats.reselection import reselected_at

__all__ = ["At", "Change", "Point", "Surviving", "TwoReadings", "compare_readings"]

_CONSTANT = -1


@dataclass(frozen=True)
class Point:
    """One grading at one cut.

    Attributes:
        tau: The cut in the grading's own units; None where the verdict is constant.
        S: Share of invariance edits whose verdict held.
        R: Share of construct edits whose verdict changed.
        axes: R of each axis; NaN for an axis without a graded pair.
    """

    tau: float | None
    S: float
    R: float
    axes: tuple[float, ...]


@dataclass(frozen=True)
class Change:
    """One rate in both gradings.

    Attributes:
        before: In the first grading.
        after: In the second.
        difference: after - before.
        low, high: Percentile interval, the cuts chosen anew in each resample; an exact one where
            every base item moves alike, so that no resample differs.
        fixed: The same at fixed cuts, (low, high).
        undefined: Resamples in which a grading has no cut at the level; its verdict is constant
            there.
    """

    before: float
    after: float
    difference: float
    low: float
    high: float
    fixed: tuple[float, float]
    undefined: int = 0


@dataclass(frozen=True)
class Surviving:
    """(1 - R after) / (1 - R before): the share of the misses that are still missed.

    Attributes:
        share: None where the first grading misses nothing.
        low, high: Its percentile interval, the cuts chosen anew; None where there is none.
    """

    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class At:
    """Both gradings at one level of S.

    Attributes:
        level: Smallest S asked for; NaN where both are read at a stated cut.
        before, after: Where each is read.
        S, R: The changes.
        axes: The change of each axis' R; None for an axis without a graded pair.
        surviving: How much of the first grading's insensitivity the second still has.
    """

    level: float
    before: Point
    after: Point
    S: Change
    R: Change
    axes: tuple[Change | None, ...]
    surviving: Surviving


@dataclass(frozen=True)
class TwoReadings:
    """Two gradings compared.

    Attributes:
        n_invariance, n_construct: Pairs that both grade.
        n_base: Base items with such a pair.
        n_lost: Pairs that only one of the two grades, first grading first.
        operating: At the floor; None where a grading has no cut there.
        lacking: Gradings without a cut at the floor, 0 the first and 1 the second.
        matched: At each level asked for; the constant verdict stands in where no cut reaches it.
        stricter: At the S of that operating point which has the larger S; None without both.
        same_cut: Both read at the first grading's operating cut; None unless asked for.
    """

    n_invariance: int
    n_construct: int
    n_base: int
    n_lost: tuple[int, int]
    operating: At | None
    lacking: tuple[int, ...]
    matched: tuple[At, ...]
    stricter: At | None
    same_cut: At | None


@dataclass(frozen=True)
class _Side:
    """One grading on the pairs that both grade; the other pairs are NaN."""

    before: Floats
    after: Floats
    crossed: Crossings
    curve: Floats

    def changed(self, cut: int | None) -> Bools:
        """Pairs whose verdict changes at a cut; none where there is no cut."""
        return self.crossed.changed(_CONSTANT if cut is None else cut)

    def changed_at(self, tau: float) -> Bools:
        """Pairs whose verdict changes at a stated cut, whichever grades the grading gave."""
        if self.crossed.rule == "shift":
            return np.asarray(np.abs(self.after - self.before) >= tau, dtype=np.bool_)
        return fixed_crossings(self.before, self.after, tau).changed(0)

    def cut(self, level: float) -> int | None:
        """Position of the cut at a level; None where none reaches it."""
        if len(self.crossed.taus) == 0:
            return None
        return operating_cut(1 - self.curve[0], self.curve[1], level)


def compare_readings(
    design: Design,
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    *,
    floor: float,
    levels: Sequence[float],
    resamples: Resamples,
    level: float,
    rule: Rule = "cut",
    one_scale: bool = False,
) -> TwoReadings:
    """Compare two gradings of the pairs of a design.

    Args:
        design: The pairs.
        first: Grades of each pair's original and edit in the first grading, NaN where ungraded;
            each of shape (pairs,).
        second: Of the second.
        floor: Smallest S of an operating point, 0 to 1.
        levels: Values of S at which both are read as well.
        resamples: Of the design's base items.
        level: Nominal coverage, 0 to 1.
        rule: "cut" or "shift".
        one_scale: Whether both use one scale, so that a cut means the same in both.

    Raises:
        StatisticsError: An arm has no pair that both gradings grade.
    """
    grades = [[np.asarray(column, dtype=np.float64) for column in side] for side in (first, second)]
    graded = [~np.isnan(before) & ~np.isnan(after) for before, after in grades]
    both = graded[0] & graded[1]
    for name, arm in (("invariance", design.invariance), ("construct", design.construct)):
        if not (arm & both).any():
            raise StatisticsError(f"no {name} pair is graded in both gradings")
    sides = [_side(design, before, after, both, rule) for before, after in grades]
    measure = _Measure(design, sides, both, resamples, level)
    cuts = [side.cut(floor) for side in sides]
    # A grading of one value only is read where it is: its verdict never changes.
    read = [
        cut is not None or len(side.crossed.taus) == 0
        for cut, side in zip(cuts, sides, strict=True)
    ]
    strict = None
    if all(read):
        points = [measure.point(i, cut) for i, cut in enumerate(cuts)]
        strict = max(point.S for point in points)
    asked = [floor, *levels, *([] if strict is None else [strict])]
    found = measure.at_levels(asked)
    lacking = tuple(side for side, there in enumerate(read) if not there)
    same = None
    if one_scale and cuts[0] is not None:
        same = measure.at_cut(sides[0].crossed.taus[cuts[0]])
    lost = (int((graded[0] & ~both).sum()), int((graded[1] & ~both).sum()))
    return TwoReadings(
        n_invariance=int((design.invariance & both).sum()),
        n_construct=int((design.construct & both).sum()),
        n_base=len(np.unique(design.base[both])),
        n_lost=lost,
        operating=None if lacking else found[0],
        lacking=lacking,
        matched=tuple(found[1 : 1 + len(levels)]),
        stricter=None if strict is None else found[-1],
        same_cut=same,
    )


def _side(design: Design, before: Floats, after: Floats, both: Bools, rule: Rule) -> _Side:
    before, after = np.where(both, before, np.nan), np.where(both, after, np.nan)
    crossed = crossings(before, after, rule=rule)
    return _Side(before, after, crossed, curves(design, design.groups, crossed))


@dataclass(frozen=True)
class _Measure:
    """Rates, draws and intervals of two gradings of one design."""

    design: Design
    sides: Sequence[_Side]
    both: Bools
    resamples: Resamples
    level: float

    def point(self, side: int, cut: int | None) -> Point:
        """Where a grading is read."""
        n_axes = len(self.design.axes)
        present = [bool((members & self.both).any()) for members in self.design.axes]
        if cut is None:
            return Point(None, 1.0, 0.0, tuple(0.0 if there else np.nan for there in present))
        rates = self.sides[side].curve[:, cut]
        return Point(
            float(self.sides[side].crossed.taus[cut]),
            1.0 - float(rates[0]),
            float(rates[1]),
            tuple(float(rate) for rate in rates[2 : 2 + n_axes]),
        )

    def at_levels(self, levels: Sequence[float]) -> list[At]:
        """Both gradings at each level."""
        anew = [self._anew(i, levels) for i in range(2)]
        found = []
        for row, level in enumerate(levels):
            cuts = [side.cut(level) for side in self.sides]
            held = [self._held(i, cut) for i, cut in enumerate(cuts)]
            points = [self.point(i, cut) for i, cut in enumerate(cuts)]
            found.append(self._at(level, points, [draws[row] for draws in anew], held))
        return found

    def at_cut(self, tau: float) -> At:
        """Both at one stated cut, which is not chosen anew."""
        points, draws = [], []
        for side in self.sides:
            shares = self._shares(side.changed_at(tau))
            rates = shares.rates()
            points.append(
                Point(tau, 1.0 - float(rates[0]), float(rates[1]), tuple(map(float, rates[2:])))
            )
            draws.append(self._draws(shares))
        return self._at(np.nan, points, draws, draws)

    def _anew(self, side: int, levels: Sequence[float]) -> Floats:
        """Draws of S, R and each axis, the cut chosen in each resample; (levels, draws, rates)."""
        crossed = self.sides[side].crossed
        if len(crossed.taus) == 0:
            return np.stack([self._held(side, None)] * len(levels))
        return reselected_at(self.design, crossed, levels, self.resamples)

    def _held(self, side: int, cut: int | None) -> Floats:
        """Draws at a fixed cut; (draws, rates)."""
        return self._draws(self._shares(self.sides[side].changed(cut)))

    def _shares(self, changed: Bools) -> Shares:
        return edit_shares(self.design, self.design.groups, changed, self.both)

    def _draws(self, shares: Shares) -> Floats:
        draws = rate_draws(self.resamples, shares)
        draws[:, 0] = 1.0 - draws[:, 0]
        return draws

    def _at(
        self, level: float, points: Sequence[Point], anew: Sequence[Floats], held: Sequence[Floats]
    ) -> At:
        # Where no cut of a resample reaches the level, the verdict is constant there.
        filled = [np.where(np.isnan(draws[:, :1]), _constant(draws), draws) for draws in anew]
        undefined = int(np.isnan(anew[0][:, 0] + anew[1][:, 0]).sum())
        values = [(p.S, p.R, *p.axes) for p in points]
        members = [self.design.invariance, self.design.construct, *self.design.axes]
        changes = [
            self._change(
                values[0][column],
                values[1][column],
                filled[1][:, column] - filled[0][:, column],
                held[1][:, column] - held[0][:, column],
                undefined,
                len(np.unique(self.design.base[members[column] & self.both])),
            )
            for column in range(len(values[0]))
        ]
        assert changes[0] is not None
        assert changes[1] is not None
        surviving = self._surviving(points, [draws[:, 1] for draws in filled])
        return At(
            level, points[0], points[1], changes[0], changes[1], tuple(changes[2:]), surviving
        )

    def _surviving(self, points: Sequence[Point], draws: Sequence[Floats]) -> Surviving:
        before, after = (1.0 - point.R for point in points)
        if before <= TIE:
            return Surviving(None, None, None)
        missed = [1.0 - rates for rates in draws]
        # A resample in which nothing is missed has no share of it.
        some = np.where(missed[0] > TIE, missed[0], np.nan)
        share = missed[1] / some
        interval = percentile(after / before, share, self.level, n=self._n_base)
        return Surviving(after / before, interval.low, interval.high)

    @property
    def _n_base(self) -> int:
        return len(np.unique(self.design.base[self.both]))

    def _change(
        self,
        before: float,
        after: float,
        anew: Floats,
        held: Floats,
        undefined: int,
        n_base: int,
    ) -> Change | None:
        if np.isnan(before) or np.isnan(after):
            return None
        moved = after - before
        low, high = self._ends(moved, anew, n_base)
        fixed = self._ends(moved, held, n_base)
        return Change(before, after, moved, low, high, fixed, undefined)

    def _ends(self, moved: float, draws: Floats, n_base: int) -> tuple[float, float]:
        """The percentile interval, or an exact one where no resample differs.

        Where every base item moves alike, at most a share 1 - (alpha / 2)^(1/n) of the others may
        move otherwise (Clopper and Pearson 1934), by any amount from -1 to 1.
        """
        interval = percentile(moved, draws, self.level, n=n_base)
        if interval.high - interval.low > TIE:
            return interval.low, interval.high
        share = 1 - ((1 - self.level) / 2) ** (1 / n_base)
        return moved - share * (1 + moved), moved + share * (1 - moved)


def _constant(draws: Floats) -> Floats:
    found = np.zeros((1, draws.shape[1]))
    found[0, 0] = 1.0
    return found
