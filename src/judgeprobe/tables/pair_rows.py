"""How do rows (one a judge and pair) become the table of pairs by judges?

Two rows speak of the same pair when they name the same base item and slot; a judge's second row of
the same base item and slot is that judge's second edit there. Judges, base items and pairs stand in
the order of their names, so that the order of the rows does not matter to any result.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.tables.pairs import UNKNOWN, Exclusion, PairTable
from judgeprobe.tables.part_files import Faults, Parts
from judgeprobe.taxonomy import Taxonomy

__all__ = [
    "ArmsOfBases",
    "Notes",
    "Oddities",
    "PairRows",
    "check_cells",
    "name_order",
    "pair_table",
    "table_of_rows",
]

_MAX_CELLS = 1 << 28
_OTHER = "other arm only"


@dataclass(frozen=True)
class PairRows:
    """Usable rows as columns, all of one length; codes point into the names."""

    row: Ints
    judge: Ints
    base: Ints
    slot: Ints
    domain: Ints
    unanimous: Ints
    grade_original: Floats
    grade_edited: Floats
    length_original: Floats
    length_edited: Floats
    regrade_original: Floats
    judges: tuple[str, ...]
    bases: tuple[str, ...]
    domains: tuple[str, ...]


@dataclass(frozen=True)
class Oddities:
    """Rows that were read in a way that people should know of, by their numbers.

    Attributes:
        contradicting: `unanimous` is not what the pair's first row says.
        repeated: A judge's further rows of one base item and slot.
    """

    contradicting: Ints
    repeated: Ints


def table_of_rows(rows: PairRows, taxonomy: Taxonomy, *, file: Path, faults: Faults) -> PairTable:
    """The table, with everything that was left out or is odd among its exclusions.

    Args:
        rows: All usable rows of the file.
        taxonomy: Names the slots.
        file: Named in errors.
        faults: What the reader left out.

    Raises:
        InputError: The judges share so few pairs that the table would not fit into memory.
    """
    table, odd = pair_table(in_name_order(rows), taxonomy, file=file)
    invariance = table.axis == "control"
    n = len(table.base_ids)
    arms = ArmsOfBases(
        np.bincount(table.base[invariance], minlength=n) > 0,
        np.bincount(table.base[~invariance], minlength=n) > 0,
    )
    notes = Notes.of(faults.parts)
    notes.add(odd)
    told = (*faults.exclusions(), *arms.exclusions(table.base_ids), *notes.exclusions())
    return replace(table, excluded=told)


def in_name_order(rows: PairRows) -> PairRows:
    """The rows with codes that follow the order of the names, and only the names that are used."""
    judge, judges = by_name(rows.judge, rows.judges)
    base, bases = by_name(rows.base, rows.bases)
    domain, domains = by_name(rows.domain, rows.domains)
    return replace(
        rows, judge=judge, judges=judges, base=base, bases=bases, domain=domain, domains=domains
    )


def pair_table(rows: PairRows, taxonomy: Taxonomy, *, file: Path) -> tuple[PairTable, Oddities]:
    """The table of some rows, all rows of their base items, and what is odd in them.

    Codes are taken as they are: base items stand in the order of their codes. Exclusions are left
    to the caller, who may hold other rows of the file.

    Raises:
        InputError: The judges share so few pairs that the table would not fit into memory.
    """
    judge, base, judges = rows.judge, rows.base, rows.judges
    pair, first, repeated = _number_pairs(judge, base, rows.slot)
    shape = (len(judges), len(first))
    check_cells(*shape, len(pair), file)
    before, after = np.full(shape, np.nan), np.full(shape, np.nan)
    asked = np.zeros(shape, dtype=np.bool_)
    before[judge, pair] = rows.grade_original
    after[judge, pair] = rows.grade_edited
    asked[judge, pair] = True
    unanimous = np.where(rows.unanimous < 0, np.nan, rows.unanimous)
    agreed = _one_a_pair(unanimous, pair, len(first))
    axes = np.array(
        ["control" if slot.arm == "invariance" else slot.axis for slot in taxonomy.slots],
        dtype=object,
    )[rows.slot[first]]
    other = np.flatnonzero(~np.isnan(unanimous) & (unanimous != agreed[pair]))
    table = PairTable(
        judges=judges,
        elicitation=(None,) * len(judges),
        axes=taxonomy.construct_axes,
        base_ids=rows.bases,
        base=base[first],
        slots=tuple(slot.name for slot in taxonomy.slots),
        slot=rows.slot[first],
        axis=axes,
        domains=rows.domains,
        domain=rows.domain[first],
        original=before,
        edited=after,
        asked=asked,
        original_text=base[first],
        edited_text=int(base.max()) + 1 + np.arange(len(first)),
        unanimous=np.where(np.isnan(agreed), UNKNOWN, agreed).astype(np.int8),
        length_original=_one_a_pair(rows.length_original, pair, len(first)),
        length_edited=_one_a_pair(rows.length_edited, pair, len(first)),
        regrades=_regrades(judge, base, rows, len(judges)),
    )
    return table, Oddities(rows.row[other], rows.row[repeated])


def check_cells(judges: int, pairs: int, rows: int, file: Path) -> None:
    """Refuse a table of judges by pairs that is mostly empty.

    Raises:
        InputError: Its cells are many times its rows, and too many.
    """
    if judges * pairs > max(_MAX_CELLS, 4 * rows):
        raise InputError(
            f"{judges} judges share too few of {pairs} pairs",
            file=file,
            remedy="give one file a judge",
        )


@dataclass(frozen=True)
class ArmsOfBases:
    """Which arms each base item has a pair in.

    Attributes:
        invariance: Shape (base items,), in the order of their names.
        construct: Same shape.
    """

    invariance: Bools
    construct: Bools

    def exclusions(self, names: Sequence[str]) -> list[Exclusion]:
        """Base items with a pair in one arm only, told by the first names."""
        notes = []
        arms = ("construct", self.construct), ("invariance", self.invariance)
        for (_, has), (lacking, other) in (arms, arms[::-1]):
            alone = np.flatnonzero(has & ~other)
            if len(alone):
                told = ", ".join(f"`{names[i][:40]}`" for i in alone[:3])
                more = f" and {len(alone) - 3} more" if len(alone) > 3 else ""
                reason = f"has no {lacking} pair and counts for the {_OTHER}: {told}{more}"
                notes.append(Exclusion("base item", reason, len(alone)))
        return notes


@dataclass
class Notes:
    """Oddities gathered over the parts of a table."""

    contradicting: Faults
    repeated: Faults

    @classmethod
    def of(cls, parts: Parts) -> "Notes":
        """None so far."""
        return cls(Faults(parts), Faults(parts))

    def add(self, odd: Oddities) -> None:
        """Note the oddities of some rows."""
        told = "`unanimous` is not what the pair's first row says; the first row holds"
        self.contradicting.add("cell", told, odd.contradicting)
        told = "repeats judge, base item and slot of another; read as a further edit"
        self.repeated.add("note", told, odd.repeated)

    def exclusions(self) -> tuple[Exclusion, ...]:
        """What was noted."""
        return (*self.contradicting.exclusions(), *self.repeated.exclusions())


def by_name(codes: Ints, names: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    """Codes renumbered so that the names used stand in order; -1 stays."""
    place, ordered = name_order(np.unique(codes[codes >= 0]), names)
    return place[codes], ordered


def name_order(used: Ints, names: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    """The place of each code among the codes used, by name (-1 for others), and those names."""
    order = sorted(used.tolist(), key=names.__getitem__)
    place = np.full(len(names) + 1, UNKNOWN, dtype=np.int64)
    place[order] = np.arange(len(order))
    return place, tuple(names[code] for code in order)


def _number_pairs(judge: Ints, base: Ints, slot: Ints) -> tuple[Ints, Ints, Ints]:
    """Pair of each row, a row of each pair, and the rows that repeat judge, base item and slot."""
    place = base * (int(slot.max()) + 1) + slot
    key = judge * (int(place.max()) + 1) + place
    order = np.argsort(key, kind="stable")
    starts = np.r_[True, np.diff(key[order]) != 0]
    position = np.arange(len(key))
    occurrence = np.empty(len(key), dtype=np.int64)
    occurrence[order] = position - np.maximum.accumulate(np.where(starts, position, 0))
    _, first, pair = np.unique(
        place * (int(occurrence.max()) + 1) + occurrence, return_index=True, return_inverse=True
    )
    return pair.ravel(), first, np.flatnonzero(occurrence > 0)


def _one_a_pair(values: Floats, pair: Ints, n: int) -> Floats:
    """The first value that any judge's row gives for a pair; NaN where none does."""
    known = np.flatnonzero(~np.isnan(values))[::-1]
    found = np.full(n, np.nan)
    found[pair[known]] = values[known]
    return found


def _regrades(
    judge: Ints, base: Ints, rows: PairRows, judges: int
) -> tuple[tuple[Floats, Floats], ...]:
    """First and second grade of each original that was graded again, once a base item."""
    both = ~np.isnan(rows.regrade_original) & ~np.isnan(rows.grade_original)
    found = []
    for j in range(judges):
        mine = np.flatnonzero(both & (judge == j))
        _, where = np.unique(base[mine], return_index=True)
        kept = mine[where]
        found.append((rows.grade_original[kept], rows.regrade_original[kept]))
    return tuple(found)
