"""Pairs graded elsewhere, from a CSV, TSV, JSONL or Parquet file, as one table.

Columns: judge, base_id, slot, grade_original, grade_edited; optionally unanimous, length_original,
length_edited, regrade_original, domain. An empty grade is an ungraded response. A row that cannot
be used is named with its number and left out; the others are profiled. The file is read in pieces,
so memory grows with the compact columns and not with the text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.records import Scale
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.tables.columns import Piece, numbers, pieces, truths, words
from judgeprobe.tables.pair_rows import PairRows, table_of_rows
from judgeprobe.tables.pairs import UNKNOWN, Exclusion, PairTable
from judgeprobe.taxonomy import Taxonomy

__all__ = ["OPTIONAL", "REQUIRED", "pairs_from_file"]

REQUIRED = ("judge", "base_id", "slot", "grade_original", "grade_edited")
OPTIONAL = ("unanimous", "length_original", "length_edited", "regrade_original", "domain")
_ROWS_NAMED = 5


def pairs_from_file(path: Path, taxonomy: Taxonomy, scale: Scale) -> PairTable:
    """Read a file of graded pairs.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson or .parquet.
        taxonomy: Names the slots that may occur, and their axes.
        scale: A grade outside it is a fault.

    Returns:
        The table. Its exclusions name the rows left out (`what` "row"), cells read as empty
        ("cell"), and base items with one arm only ("base item").

    Raises:
        InputError: The file cannot be read, a needed column is missing, or no row can be used.
    """
    reader = _Reader(taxonomy, scale)
    for piece in pieces(path, REQUIRED, OPTIONAL):
        reader.take(piece)
    faults = reader.exclusions()
    if not reader.n_rows:
        why = f"{faults[0].reason} (row {faults[0].rows[0]})" if faults else "it has none"
        raise InputError(f"no row can be used: {why}", file=path, remedy="mend the rows named")
    return table_of_rows(reader.rows(), taxonomy, file=path, excluded=faults)


@dataclass
class _Reader:
    """Checks pieces and keeps what can be used, as compact arrays."""

    taxonomy: Taxonomy
    scale: Scale
    judges: dict[str, int] = field(default_factory=dict)
    bases: dict[str, int] = field(default_factory=dict)
    domains: dict[str, int] = field(default_factory=dict)
    kept: dict[str, list[Ints] | list[Floats]] = field(default_factory=dict)
    faults: dict[tuple[str, str], tuple[int, list[int]]] = field(default_factory=dict)
    n_rows: int = 0

    def take(self, piece: Piece) -> None:
        """Check one piece and keep its usable rows."""
        for reason, rows in piece.skipped.items():
            self._fault("row", reason, rows)
        good = np.ones(piece.n, dtype=np.bool_)
        columns: dict[str, Ints | Floats] = {"row": piece.rows}
        columns["judge"] = self._names(piece, good, "judge", self.judges)
        columns["base"] = self._names(piece, good, "base_id", self.bases)
        columns["slot"] = self._slots(piece, good)
        for name in ("grade_original", "grade_edited"):
            columns[name] = self._grades(piece, good, name)
        for name in ("length_original", "length_edited", "regrade_original"):
            columns[name] = self._optional(piece, good, name)
        columns["unanimous"] = self._unanimous(piece, good)
        columns["domain"] = words(piece.column("domain"), self.domains)
        for name, values in columns.items():
            self.kept.setdefault(name, []).append(values[good])  # type: ignore[arg-type]
        self.n_rows += int(good.sum())

    def _fault(self, what: str, reason: str, rows: Ints) -> None:
        if len(rows):
            n, first = self.faults.get((what, reason), (0, []))
            first = (first + rows[:_ROWS_NAMED].tolist())[:_ROWS_NAMED]
            self.faults[what, reason] = (n + len(rows), first)

    def _refuse(self, piece: Piece, good: Bools, wrong: Bools, reason: str) -> None:
        self._fault("row", reason, piece.rows[wrong & good])
        good &= ~wrong

    def _names(self, piece: Piece, good: Bools, name: str, index: dict[str, int]) -> Ints:
        codes = words(piece.column(name), index)
        self._refuse(piece, good, codes == UNKNOWN, f"`{name}` is empty")
        return codes

    def _slots(self, piece: Piece, good: Bools) -> Ints:
        index = {slot.name: s for s, slot in enumerate(self.taxonomy.slots)}
        known = len(index)
        codes = words(piece.column("slot"), index)
        names = list(index)
        for code in np.unique(codes[(codes >= known) | (codes == UNKNOWN)]):
            told = "`slot` is empty" if code == UNKNOWN else f"unknown slot `{names[code][:60]}`"
            self._refuse(piece, good, codes == code, told)
        return codes

    def _grades(self, piece: Piece, good: Bools, name: str) -> Floats:
        parsed = numbers(piece.column(name))
        self._refuse(piece, good, parsed.wrong, f"`{name}` is not a number")
        outside = f"`{name}` lies outside the scale {self.scale.low:g} to {self.scale.high:g}"
        self._refuse(piece, good, self._outside(parsed.values), outside)
        return parsed.values

    def _outside(self, values: Floats) -> Bools:
        with np.errstate(invalid="ignore"):
            return np.asarray((values < self.scale.low) | (values > self.scale.high))

    def _optional(self, piece: Piece, good: Bools, name: str) -> Floats:
        parsed = numbers(piece.column(name))
        if name == "regrade_original":
            wrong = parsed.wrong | self._outside(parsed.values)
        else:
            with np.errstate(invalid="ignore"):
                wrong = parsed.wrong | (parsed.values < 0)
        self._fault("cell", f"`{name}` is not usable; read as empty", piece.rows[wrong & good])
        return np.where(wrong, np.nan, parsed.values)

    def _unanimous(self, piece: Piece, good: Bools) -> Ints:
        codes, wrong = truths(piece.column("unanimous"))
        told = "`unanimous` is neither true nor false; read as empty"
        self._fault("cell", told, piece.rows[wrong & good])
        return codes

    def exclusions(self) -> tuple[Exclusion, ...]:
        """The faults so far, in the order of their first rows."""
        ordered = sorted(self.faults.items(), key=lambda item: (item[1][1], item[0]))
        return tuple(Exclusion(what, why, n, tuple(rows)) for (what, why), (n, rows) in ordered)

    def rows(self) -> PairRows:
        """Everything kept."""
        joined: Mapping[str, np.ndarray] = {
            name: np.concatenate(parts) for name, parts in self.kept.items()
        }
        return PairRows(
            **joined,
            judges=tuple(self.judges),
            bases=tuple(self.bases),
            domains=tuple(self.domains),
        )
