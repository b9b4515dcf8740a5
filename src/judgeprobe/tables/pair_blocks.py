"""How is a table of graded pairs read that does not fit into memory?

In two steps. The file is read once, piece by piece: each row is checked as ever and set aside on
disk by its base item (`spill`). Then each share of the base items, with all of its rows, becomes a
block: a table of pairs like the one that a small file gives, kept on disk without text. Every
statistic that is a sum over base items is the sum over blocks.

In memory stay the names of the base items while the file is read, and a few numbers a base item
afterwards; the blocks come one at a time.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from judgeprobe.records import Scale
from judgeprobe.stats.arrays import Bools, Ints
from judgeprobe.tables.block_files import read_block, write_block
from judgeprobe.tables.pair_reader import OPTIONAL, REQUIRED, PairReader
from judgeprobe.tables.pair_rows import (
    ArmsOfBases,
    Notes,
    PairRows,
    check_cells,
    name_order,
    pair_table,
)
from judgeprobe.tables.pairs import PairTable
from judgeprobe.tables.pairs_file import nothing_usable
from judgeprobe.tables.part_files import Faults, Parts, about_rows
from judgeprobe.tables.spill import Spill
from judgeprobe.taxonomy import Taxonomy

__all__ = ["PairBlocks", "Regrades", "pairs_in_blocks"]

_SHARE_ROWS = 1_500_000
_MAX_SHARES = 200


@dataclass(frozen=True)
class Regrades:
    """Texts of one judge that were graded twice, and those with one grade."""

    n: int
    equal: int


@dataclass(frozen=True)
class PairBlocks:
    """A table of pairs in blocks of whole base items.

    Attributes:
        header: The table's names and exclusions, without pairs.
        n_base: Base items.
        slot_axis: Slots that occur, ascending by number, with the axis of each.
        domains: Domains that occur, ascending.
        regrades: For each judge the texts that were graded twice.
        lengths_known: Pairs whose length change is known.
        unanimous_known: Whether any pair says if its direction was set unanimously.
        files: The blocks.
    """

    header: PairTable
    n_base: int
    slot_axis: Mapping[int, str]
    domains: tuple[int, ...]
    regrades: tuple[Regrades, ...]
    lengths_known: int
    unanimous_known: bool
    files: tuple[Path, ...]

    def tables(self, most: int | None = None) -> Iterator[tuple[PairTable, Ints]]:
        """Each block as a table of its own, and the place of its base items among all by name.

        Lengths and second grades are not in it.

        Args:
            most: Base items in one table; None for all of a block's.
        """
        for file in self.files:
            table, places = read_block(file, self.header)
            if most is None or len(places) <= most:
                yield table, places
                continue
            for first in range(0, len(places), most):
                some = places[first : first + most]
                yield _some_bases(table, first, len(some)), some


@contextmanager
def pairs_in_blocks(
    path: Path, taxonomy: Taxonomy, scale: Scale, *, shares: int | None = None
) -> Iterator[PairBlocks]:
    """Set a table of graded pairs aside in blocks, which are deleted at the end.

    They are written to the folder for temporary files (TMPDIR): 33 bytes a row at first, then 17 a
    judge and pair.

    Args:
        path: A file, or a folder of files, as for `pairs_from_file`.
        taxonomy: Names the slots that may occur, and their axes.
        scale: A grade outside it is a fault.
        shares: Number of blocks; None for one per 1.5 million rows.

    Raises:
        InputError: As for `pairs_from_file`.
        StorageError: The disk is full.
    """
    if shares is None:
        shares = min(_MAX_SHARES, 1 + about_rows(path) // _SHARE_ROWS)
    with TemporaryDirectory(prefix="judgeprobe-") as name:
        yield _Builder(path, taxonomy, Path(name)).build(scale, shares)


@dataclass
class _Builder:
    """Turns the rows set aside into blocks, and gathers what is told of all of them."""

    path: Path
    taxonomy: Taxonomy
    folder: Path
    slot_axis: dict[int, str] = field(default_factory=dict)
    domains: set[int] = field(default_factory=set)
    lengths_known: int = 0
    unanimous_known: bool = False
    n_pairs: int = 0

    def build(self, scale: Scale, shares: int) -> PairBlocks:
        parts = Parts.of(self.path)
        reader = PairReader(self.taxonomy, scale, Faults(parts))
        spill = Spill(self.folder, shares, ("row", *_columns(parts.files)))
        names = self._set_aside(parts, reader, spill)
        n_base = len(names.bases)
        notes = Notes.of(parts)
        arms = ArmsOfBases(np.zeros(n_base, np.bool_), np.zeros(n_base, np.bool_))
        regrades = np.zeros((len(names.judges), 2), dtype=np.int64)
        files, header = [], None
        for share in range(shares):
            rows = spill.take(share)
            if not len(rows["row"]):
                continue
            places, named = names.of_share(rows)
            table, odd = pair_table(named, self.taxonomy, file=self.path)
            notes.add(odd)
            self._gather(table, places, arms, regrades)
            check_cells(len(names.judges), self.n_pairs, reader.n_rows, self.path)
            files.append(self.folder / f"block-{share:04d}.npy")
            write_block(files[-1], table, places)
            header = _header(table) if header is None else header
        assert header is not None
        told = (*reader.faults.exclusions(), *arms.exclusions(names.bases), *notes.exclusions())
        return PairBlocks(
            header=replace(header, excluded=told),
            n_base=n_base,
            slot_axis=dict(sorted(self.slot_axis.items())),
            domains=tuple(sorted(self.domains)),
            regrades=tuple(Regrades(int(n), int(equal)) for n, equal in regrades),
            lengths_known=self.lengths_known,
            unanimous_known=self.unanimous_known,
            files=tuple(files),
        )

    def _set_aside(self, parts: Parts, reader: PairReader, spill: Spill) -> "_Names":
        """Read the table once; the names that its usable rows use."""
        judge, base, domain = _Used(), _Used(), _Used()
        try:
            for piece in parts.pieces(REQUIRED, OPTIONAL):
                columns = reader.take(piece)
                spill.put(columns)
                for seen, name in ((judge, "judge"), (base, "base"), (domain, "domain")):
                    seen.add(columns[name].astype(np.int64, copy=False))
        finally:
            spill.close()
        if not reader.n_rows:
            raise nothing_usable(reader, self.path)
        bases = tuple(reader.bases)
        reader.bases.clear()
        return _Names(
            *name_order(judge.codes(), tuple(reader.judges)),
            *name_order(base.codes(), bases),
            *name_order(domain.codes(), tuple(reader.domains)),
        )

    def _gather(self, table: PairTable, places: Ints, arms: ArmsOfBases, regrades: Ints) -> None:
        control = np.asarray(table.axis == "control", dtype=np.bool_)
        arms.invariance[places[table.base[control]]] = True
        arms.construct[places[table.base[~control]]] = True
        for j, (first, second) in enumerate(table.regrades):
            regrades[j] += (len(first), int((np.abs(first - second) <= 1e-9).sum()))
        with np.errstate(invalid="ignore", divide="ignore"):
            change = (table.length_edited - table.length_original) / table.length_original
        self.lengths_known += int((np.isfinite(change) & (table.length_original > 0)).sum())
        self.unanimous_known |= bool((table.unanimous >= 0).any())
        self.domains.update(np.unique(table.domain[table.domain >= 0]).tolist())
        numbers, first_pair = np.unique(table.slot, return_index=True)
        for s, i in zip(numbers.tolist(), first_pair.tolist(), strict=True):
            self.slot_axis[s] = str(table.axis[i])
        self.n_pairs += len(table.base)


def _some_bases(table: PairTable, first: int, n: int) -> PairTable:
    """The pairs of n base items, renumbered from 0."""
    start, stop = np.searchsorted(table.base, (first, first + n))
    chosen = np.zeros(len(table.base), dtype=np.bool_)
    chosen[start:stop] = True
    some = table.select(chosen)
    base = some.base - first
    return replace(some, base=base, original_text=base, edited_text=n + np.arange(len(base)))


def _header(table: PairTable) -> PairTable:
    empty = table.select(np.zeros(len(table.base), dtype=np.bool_))
    nothing = np.zeros(0)
    return replace(empty, base_ids=(), regrades=tuple((nothing, nothing) for _ in table.judges))


def _columns(files: Sequence[Path]) -> tuple[str, ...]:
    """The columns that rows are set aside with: those that every file may hold."""
    needed = ("base", "judge", "slot", "grade_original", "grade_edited")
    if all(file.suffix.lower() == ".parquet" for file in files):
        found: set[str] = set()
        for file in files:
            if file.is_file():
                found |= _names(file)
        return (*needed, *(name for name in OPTIONAL if name in found))
    return (*needed, *OPTIONAL)


def _names(file: Path) -> set[str]:
    try:
        return set(pq.read_schema(file).names)
    except (OSError, ValueError):
        # Reading it will say what is wrong.
        return set()


@dataclass(frozen=True)
class _Names:
    """The names in order, and the place of each code among them."""

    judge: Ints
    judges: tuple[str, ...]
    base: Ints
    bases: tuple[str, ...]
    domain: Ints
    domains: tuple[str, ...]

    def of_share(self, rows: dict[str, Any]) -> tuple[Ints, PairRows]:
        """The places of the base items of some rows, and the rows with their codes in order."""
        places, local = np.unique(self.base[rows["base"]], return_inverse=True)
        coded = {
            **rows,
            "base": local.ravel(),
            "judge": self.judge[rows["judge"]],
            "domain": self.domain[rows["domain"]],
        }
        return places, PairRows(**coded, judges=self.judges, bases=(), domains=self.domains)


@dataclass
class _Used:
    """Which codes occur in usable rows."""

    seen: Bools = field(default_factory=lambda: np.zeros(1024, dtype=np.bool_))

    def add(self, codes: Ints) -> None:
        codes = codes[codes >= 0]
        top = int(codes.max(initial=0))
        if top >= len(self.seen):
            self.seen = np.append(self.seen, np.zeros(top + len(self.seen), dtype=np.bool_))
        self.seen[codes] = True

    def codes(self) -> Ints:
        return np.flatnonzero(self.seen)
