"""How do S and R of a judge differ between two gradings of the study's pairs?

`Comparer` holds the pairs and one set of resamples, so that every difference of a study is paired
and reproducible. A comparison becomes a row of variants.json.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.profile import ProfileOptions
from judgeprobe.profile.numbers import number
from judgeprobe.stats.arrays import Design, Ints
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.stats.two_readings import At, Change, Point, TwoReadings, compare_readings
from judgeprobe.tables import PairTable
from judgeprobe.variants.status import Status, of_remedy, of_variant

__all__ = ["Comparer", "Side", "matched_at"]

NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class Side:
    """One grading: a judge of a table.

    Attributes:
        told: How it is named.
        table: Its pairs.
        judge: A judge of the table.
        scale: (low, high, step) of its grades.
    """

    told: str
    table: PairTable
    judge: str
    scale: tuple[float, float, float]

    def grades(self, kept: Ints) -> tuple[Any, Any]:
        """Grades of the originals and the edits of some pairs."""
        row = self.table.judges.index(self.judge)
        return self.table.original[row][kept], self.table.edited[row][kept]


@dataclass(frozen=True)
class Comparer:
    """Compares gradings of the pairs of one table.

    Attributes:
        table: The study's pairs.
        options: Its profile settings.
        margin: How far S and R may move and still count as the same.
    """

    table: PairTable
    options: ProfileOptions
    margin: float

    @cached_property
    def _pairs(self) -> tuple[Design, Ints, Resamples]:
        design, kept = self.table.design()
        count, _ = self.options.sized(design.n_base)
        rng = np.random.default_rng(self.options.seed)
        return design, kept, Resamples.draw(design.n_base, count, rng)

    def rows(self, before: Side, after: Side, *, remedy: bool = False) -> dict[str, Any]:
        """One comparison as variants.json holds it; differences are after minus before."""
        found: dict[str, Any] = {
            "judge": before.judge,
            "before": before.told,
            "after": after.told,
            "after_judge": after.judge,
        }
        try:
            read = self.read(before, after)
        except StatisticsError as error:
            return {**found, "status": NOT_COMPARED, "why": str(error), "operating": None}
        axes = self.table.axes
        status = self._status(read, (before, after), remedy=remedy)
        return {
            **found,
            "status": status.name,
            "why": status.why,
            "n_invariance": read.n_invariance,
            "n_construct": read.n_construct,
            "n_base": read.n_base,
            "n_lost": list(read.n_lost),
            "operating": _at_row(read.operating, axes),
            "matched": [_at_row(at, axes) for at in read.matched],
            "stricter": _at_row(read.stricter, axes),
            "same_cut": self._same_cut(read, remedy=remedy),
        }

    def read(self, before: Side, after: Side) -> TwoReadings:
        """Both gradings, compared.

        Raises:
            StatisticsError: An arm has no pair that both grade.
        """
        design, kept, resamples = self._pairs
        options = self.options
        return compare_readings(
            design,
            before.grades(kept),
            after.grades(kept),
            floor=options.floor,
            levels=sorted({*options.matched, options.floor}),
            resamples=resamples,
            level=options.level,
            rule=options.rule,
            one_scale=before.scale == after.scale,
        )

    def _same_cut(self, read: TwoReadings, *, remedy: bool) -> dict[str, Any] | None:
        """Both at the first one's cut, with what the rule says there."""
        row = _at_row(read.same_cut, self.table.axes)
        if row is None or read.same_cut is None:
            return None
        status = (of_remedy if remedy else of_variant)(read.same_cut, self.margin)
        return {**row, "status": status.name, "why": status.why}

    def _status(self, read: TwoReadings, sides: tuple[Side, Side], *, remedy: bool) -> Status:
        if read.operating is None:
            named = " or ".join(sides[place].told for place in read.lacking)
            return Status(NOT_COMPARED, f"{named}: no cut reaches S {self.options.floor:g}")
        rule = of_remedy if remedy else of_variant
        return rule(read.operating, self.margin)


def matched_at(row: Mapping[str, Any], level: float) -> Mapping[str, Any] | None:
    """The entry of `matched` at a level; None in a row that was not compared."""
    found = (at for at in row.get("matched", []) if abs(at["level"] - level) < 1e-9)
    return next(found, None)


def _at_row(at: At | None, axes: tuple[str, ...]) -> dict[str, Any] | None:
    if at is None:
        return None
    row: dict[str, Any] = {
        "level": number(at.level),
        "before": _point_row(at.before, axes),
        "after": _point_row(at.after, axes),
        "S": _change_row(at.S),
        "R": _change_row(at.R),
    }
    for axis, change in zip(axes, at.axes, strict=True):
        row[f"R_{axis}"] = None if change is None else _change_row(change)
    kept = at.surviving
    row["surviving"] = {
        "share": number(kept.share),
        "low": number(kept.low),
        "high": number(kept.high),
    }
    return row


def _point_row(point: Point, axes: tuple[str, ...]) -> dict[str, Any]:
    row = {"tau": number(point.tau), "S": number(point.S), "R": number(point.R)}
    return row | {f"R_{axis}": number(r) for axis, r in zip(axes, point.axes, strict=True)}


def _change_row(change: Change) -> dict[str, Any]:
    return {
        "difference": number(change.difference),
        "low": number(change.low),
        "high": number(change.high),
        "fixed_low": number(change.fixed[0]),
        "fixed_high": number(change.fixed[1]),
        "undefined": change.undefined,
    }
