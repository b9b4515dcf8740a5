"""Which rows of a table of graded pairs can be used, and what do they hold?

A row that cannot be used is named with its number and left out; an optional cell that cannot be
used is named and read as empty. Nothing is kept here but the names that codes stand for.
"""

from dataclasses import dataclass, field

import numpy as np

from judgeprobe.records import Scale
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.tables.columns import Piece, numbers, truths, words
from judgeprobe.tables.pairs import UNKNOWN
from judgeprobe.tables.part_files import Faults
from judgeprobe.taxonomy import Taxonomy

__all__ = ["OPTIONAL", "REQUIRED", "PairReader"]

REQUIRED = ("judge", "base_id", "slot", "grade_original", "grade_edited")
OPTIONAL = ("unanimous", "length_original", "length_edited", "regrade_original", "domain")


@dataclass
class PairReader:
    """Checks pieces of a table.

    Attributes:
        taxonomy: Names the slots that may occur.
        scale: A grade outside it is a fault.
        faults: What could not be used.
        judges: Code of each judge's name seen so far.
        bases: Code of each base item's.
        domains: Code of each domain's.
        n_rows: Usable rows so far.
    """

    taxonomy: Taxonomy
    scale: Scale
    faults: Faults
    judges: dict[str, int] = field(default_factory=dict)
    bases: dict[str, int] = field(default_factory=dict)
    domains: dict[str, int] = field(default_factory=dict)
    n_rows: int = 0

    def take(self, piece: Piece) -> dict[str, Ints | Floats]:
        """The usable rows of a piece as columns: the row's number, codes, and numbers."""
        for reason, rows in piece.skipped.items():
            self.faults.add("row", reason, rows)
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
        self.n_rows += int(good.sum())
        if good.all():
            return columns
        return {name: values[good] for name, values in columns.items()}

    def _refuse(self, piece: Piece, good: Bools, wrong: Bools, reason: str) -> None:
        self.faults.add("row", reason, piece.rows[wrong & good])
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
        if name not in piece.columns:
            return np.full(piece.n, np.nan)
        parsed = numbers(piece.column(name))
        if name == "regrade_original":
            wrong = parsed.wrong | self._outside(parsed.values)
        else:
            with np.errstate(invalid="ignore"):
                wrong = parsed.wrong | (parsed.values < 0)
        told = f"`{name}` is not usable; read as empty"
        self.faults.add("cell", told, piece.rows[wrong & good])
        return np.where(wrong, np.nan, parsed.values)

    def _unanimous(self, piece: Piece, good: Bools) -> Ints:
        if "unanimous" not in piece.columns:
            return np.full(piece.n, UNKNOWN, dtype=np.int64)
        codes, wrong = truths(piece.column("unanimous"))
        told = "`unanimous` is neither true nor false; read as empty"
        self.faults.add("cell", told, piece.rows[wrong & good])
        return codes
