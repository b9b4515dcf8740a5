"""At which cut is each judge read, when its pairs come block by block?

Two passes. The first gathers the grades that each judge gave, between which its cuts stand, and
counts its texts. The second adds up the steps of its curves at those cuts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from judgeprobe.errors import InputError, StatisticsError
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import NO_ARM, Reading, TextGrades, fixed_cut, reading_of
from judgeprobe.stats.arrays import Design, Floats, Ints
from judgeprobe.stats.frontier import (
    Crossings,
    crossings_of,
    cuts_between,
    fixed_crossings,
    given_values,
)
from judgeprobe.stats.profile import CurveSteps, curve_steps
from judgeprobe.tables import PairTable

__all__ = ["BlockReadings", "Tables", "crossed_at", "read_blocks"]


class Tables(Protocol):
    """Makes one pass over the blocks."""

    def __call__(self, most: int | None = None) -> Iterator[tuple[PairTable, Ints]]:
        """Each block as a table, of at most so many base items, and their places among all."""


@dataclass(frozen=True)
class BlockReadings:
    """Every judge, read.

    Attributes:
        readings: The judges, without their pairs.
        steps: Of the curves of each: invariance, construct and each axis.
        ungraded: Pairs put to each judge with a member ungraded.
    """

    readings: Sequence[Reading]
    steps: Sequence[CurveSteps]
    ungraded: Sequence[int]


def read_blocks(tables: Tables, header: PairTable, options: ProfileOptions) -> BlockReadings:
    """Read every judge.

    Args:
        tables: A pass over the blocks.
        header: The table's names.
        options: Settings.
    """
    judges = range(len(header.judges))
    given = [np.zeros(0) for _ in judges]
    grades = [TextGrades(np.zeros(0), np.zeros(0, dtype=np.int64), 0) for _ in judges]
    ungraded = [0 for _ in judges]
    for table, _ in tables():
        lacking = table.asked & ~table.graded()
        for j in judges:
            new = given_values(table.original[j], table.edited[j], rule=options.rule)
            given[j] = np.union1d(given[j], new)
            grades[j] = _together(grades[j], _text_grades(table, j))
            ungraded[j] += int(lacking[j].sum())
    cuts = [_cuts(header.judges[j], given[j], options) for j in judges]
    steps: list[CurveSteps | None] = [None for _ in judges]
    for table, _ in tables():
        design = _design(table)
        groups = design.groups
        for j in judges:
            found = curve_steps(design, groups, crossed_at(table, j, cuts[j], options))
            before = steps[j]
            steps[j] = found if before is None else _sum(before, found)
    read = [found for found in steps if found is not None]
    readings = [
        reading_of(header, j, cuts[j], cuts[j], read[j], grades[j], options) for j in judges
    ]
    return BlockReadings(readings, read, ungraded)


def crossed_at(table: PairTable, judge: int, cuts: Crossings, options: ProfileOptions) -> Crossings:
    """A block's pairs at the cuts of the whole table."""
    before, after = table.original[judge], table.edited[judge]
    if fixed_cut(table.judges[judge], options) is not None:
        return fixed_crossings(before, after, options.scale.midpoint)
    n_cuts = cuts.n_cuts_before_thinning
    return crossings_of(before, after, cuts.taus, n_cuts, rule=options.rule)


def _design(table: PairTable) -> Design:
    try:
        return table.design()[0]
    except StatisticsError:
        raise InputError(NO_ARM, remedy="check the slots") from None


def _cuts(name: str, given: Floats, options: ProfileOptions) -> Crossings:
    """The judge's cuts, and no pair."""
    tau = fixed_cut(name, options)
    taus, n_cuts = (np.array([tau]), 1) if tau is not None else cuts_between(given)
    none = np.zeros(0, dtype=np.int64)
    return Crossings(taus, none, none, np.zeros(0, dtype=np.bool_), n_cuts, options.rule)


def _sum(one: CurveSteps, two: CurveSteps) -> CurveSteps:
    return CurveSteps(one.steps + two.steps, one.n + two.n)


def _together(one: TextGrades, two: TextGrades) -> TextGrades:
    values, where = np.unique(np.append(one.values, two.values), return_inverse=True)
    counts = np.bincount(where.ravel(), np.append(one.counts, two.counts), len(values))
    return TextGrades(values, counts.astype(np.int64), one.ungraded + two.ungraded)


def _text_grades(table: PairTable, judge: int) -> TextGrades:
    """`PairTable.text_grades`, counted, for tables whose every edit is a text of its own."""
    asked = table.asked[judge]
    before, after = table.original[judge][asked], table.edited[judge][asked]
    both = np.append(before, after)
    values = np.unique(both[~np.isnan(both)])
    # One place more than values: NaN sorts behind all of them.
    size = len(values) + 1
    key = table.original_text[asked] * size + np.searchsorted(values, before)
    originals = np.bincount(np.unique(key) % size, minlength=size)
    edits = np.bincount(np.searchsorted(values, after), minlength=size)
    counts = originals + edits
    return TextGrades(values, counts[:-1], int(counts[-1]))
