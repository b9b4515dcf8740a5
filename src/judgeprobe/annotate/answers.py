"""What did a returned file say, before it is held against the key?

A `Given` is one row as read; a `Problem` is anything worth telling the lead, with its file and
rows. Nothing found in a file is ever dropped without one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["Effect", "Given", "Problem"]

Effect = Literal["refused", "kept", "note"]


@dataclass(frozen=True)
class Given:
    """One row of a returned file.

    Attributes:
        row: From 1, the header not counted.
        form: "html", "csv", "xlsx" or "label_studio".
        shown: Texts of the pair as they stand in the file, by column name, where they do.
        direction: The answer as written; "" for none.
        same_facts: The answer as written; "" for none.
        odd: Cells that are not text (dates, numbers, formulas), by column name.
    """

    file: Path
    row: int
    unit_id: str
    form: str
    shown: Mapping[str, str]
    direction: str
    spans: tuple[str, ...]
    supported: str
    same_facts: str
    seconds: float | None = None
    odd: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """Something that the lead should know.

    Attributes:
        file: Name of the file, without its folder.
        rows: Rows it concerns, from 1; empty where it is the file as a whole.
        kind: A short name, for programs.
        message: One line, for people.
        effect: "refused" (nothing was imported from those rows), "kept" (the label was imported
            and flagged) or "note".
        unit_ids: Units it concerns.
    """

    file: str
    rows: tuple[int, ...]
    kind: str
    message: str
    effect: Effect
    unit_ids: tuple[str, ...] = ()

    @classmethod
    def refused(
        cls, file: Path, row: int | None, kind: str, message: str, unit_id: str = ""
    ) -> "Problem":
        """A problem for which a row, or a file, was not imported."""
        return cls._one(file, row, kind, message, "refused", unit_id)

    @classmethod
    def kept(cls, file: Path, row: int, kind: str, message: str, unit_id: str) -> "Problem":
        """A problem with a label that was imported and flagged."""
        return cls._one(file, row, kind, message, "kept", unit_id)

    @classmethod
    def note(
        cls, file: Path, row: int | None, kind: str, message: str, unit_id: str = ""
    ) -> "Problem":
        """Something said for the record."""
        return cls._one(file, row, kind, message, "note", unit_id)

    @classmethod
    def _one(
        cls, file: Path, row: int | None, kind: str, message: str, effect: Effect, unit_id: str
    ) -> "Problem":
        rows = () if row is None else (row,)
        return cls(file.name, rows, kind, message, effect, (unit_id,) if unit_id else ())

    def __str__(self) -> str:
        place = self.file
        if self.rows:
            shown = ", ".join(str(row) for row in self.rows[:10])
            more = f" and {len(self.rows) - 10} more" if len(self.rows) > 10 else ""
            place += f", row{'s' if len(self.rows) > 1 else ''} {shown}{more}"
        return f"{place}: {self.message}"

    def to_json(self) -> dict[str, Any]:
        """The problem as a JSON object."""
        return {
            "file": self.file,
            "rows": list(self.rows),
            "kind": self.kind,
            "effect": self.effect,
            "message": self.message,
            "unit_ids": list(self.unit_ids),
        }
