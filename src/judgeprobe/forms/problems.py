"""What of a returned file should its reader know of, and what came of it?

Nothing found in a file is ever dropped without a `Problem` that names the file and the rows.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

__all__ = ["Effect", "Problem"]

Effect = Literal["refused", "kept", "note"]


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
