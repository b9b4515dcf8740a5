"""How do rows (one a judge and pair) become the table of pairs by judges?

Two rows speak of the same pair when they name the same base item and slot; a judge's second row of
the same base item and slot is that judge's second edit there. Judges, base items and pairs stand in
the order of their names, so that the order of the rows does not matter to any result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.tables.pairs import UNKNOWN, Exclusion, PairTable
from judgeprobe.taxonomy import Taxonomy

__all__ = ["PairRows", "table_of_rows"]

_MAX_CELLS = 1 << 28


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


def table_of_rows(
    rows: PairRows, taxonomy: Taxonomy, *, file: Path, excluded: Sequence[Exclusion]
) -> PairTable:
    """The table.

    Raises:
        InputError: The judges share so few pairs that the table would not fit into memory.
    """
    judge, judges = _by_name(rows.judge, rows.judges)
    base, bases = _by_name(rows.base, rows.bases)
    domain, domains = _by_name(rows.domain, rows.domains)
    pair, first, repeated = _number_pairs(judge, base, rows.slot)
    shape = (len(judges), len(first))
    if shape[0] * shape[1] > max(_MAX_CELLS, 4 * len(pair)):
        raise InputError(
            f"{shape[0]} judges share too few of {shape[1]} pairs",
            file=file,
            remedy="give one file a judge",
        )
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
    notes = [*excluded, *_one_armed(base[first], axes == "control", bases)]
    other = np.flatnonzero(~np.isnan(unanimous) & (unanimous != agreed[pair]))
    if len(other):
        told = "`unanimous` is not what the pair's first row says; the first row holds"
        numbers = np.sort(rows.row[other])
        notes.append(Exclusion("cell", told, len(numbers), tuple(numbers[:5].tolist())))
    if len(repeated):
        told = "repeats judge, base item and slot of another; read as a further edit"
        numbers = np.sort(rows.row[repeated])
        notes.append(Exclusion("note", told, len(numbers), tuple(numbers[:5].tolist())))
    return PairTable(
        judges=judges,
        elicitation=(None,) * len(judges),
        axes=taxonomy.construct_axes,
        base_ids=bases,
        base=base[first],
        slots=tuple(slot.name for slot in taxonomy.slots),
        slot=rows.slot[first],
        axis=axes,
        domains=domains,
        domain=domain[first],
        original=before,
        edited=after,
        asked=asked,
        original_text=base[first],
        edited_text=len(bases) + np.arange(len(first)),
        unanimous=np.where(np.isnan(agreed), UNKNOWN, agreed).astype(np.int8),
        length_original=_one_a_pair(rows.length_original, pair, len(first)),
        length_edited=_one_a_pair(rows.length_edited, pair, len(first)),
        regrades=_regrades(judge, base, rows, len(judges)),
        excluded=tuple(notes),
    )


def _by_name(codes: Ints, names: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    """Codes renumbered so that the names used stand in order; -1 stays."""
    used = np.unique(codes[codes >= 0])
    order = sorted(used.tolist(), key=lambda code: names[code])
    place = np.full(len(names) + 1, UNKNOWN, dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[codes], tuple(names[code] for code in order)


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


def _one_armed(base: Ints, invariance: Bools, names: Sequence[str]) -> list[Exclusion]:
    has = {
        "invariance": np.bincount(base[invariance], minlength=len(names)) > 0,
        "construct": np.bincount(base[~invariance], minlength=len(names)) > 0,
    }
    notes = []
    for arm, lacking in (("construct", "invariance"), ("invariance", "construct")):
        alone = np.flatnonzero(has[arm] & ~has[lacking])
        if len(alone):
            told = ", ".join(f"`{names[i][:40]}`" for i in alone[:3])
            more = f" and {len(alone) - 3} more" if len(alone) > 3 else ""
            reason = f"has no {lacking} pair and counts for the other arm only: {told}{more}"
            notes.append(Exclusion("base item", reason, len(alone)))
    return notes
