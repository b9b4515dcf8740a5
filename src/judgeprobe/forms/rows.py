"""What is a row of a returned file, and which columns does a kind of sheet have?"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["SPAN_COLUMN", "Layout", "Row", "seconds"]

# Quotations have columns of their own; more may be added.
SPAN_COLUMN = re.compile(r"span_(\d+)")


@dataclass(frozen=True)
class Layout:
    """The columns of a kind of sheet.

    Attributes:
        answer: The column without which a file says nothing.
        texts: Columns that show what is labelled.
        regions: In Label Studio, the text that each kind of region marks.
        free: Answers in the annotator's own words.
        choices: Further answers that are one of a few words.
    """

    answer: str
    texts: tuple[str, ...]
    regions: Mapping[str, str]
    free: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    @property
    def needed(self) -> tuple[str, ...]:
        """Columns that a table must have."""
        return ("unit_id", self.answer)


@dataclass(frozen=True)
class Row:
    """One row of a returned file, as read.

    Attributes:
        row: From 1, the header not counted.
        form: "html", "csv", "xlsx" or "label_studio".
        cells: Texts and answers by column name, as far as the file has them.
        spans: Quotations.
        seconds: Time on the unit, or None.
        odd: What the spreadsheet made of cells that are no text (a date, a number), by column name.
    """

    file: Path
    row: int
    unit_id: str
    form: str
    cells: Mapping[str, str]
    spans: tuple[str, ...] = ()
    seconds: float | None = None
    odd: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A cell, or "" where the file has none of that name."""
        return self.cells.get(name, "")

    def shown(self, layout: Layout) -> dict[str, str]:
        """The texts that stand in the file."""
        return {name: self.cells[name] for name in layout.texts if name in self.cells}


def seconds(value: object) -> float | None:
    """A time as a file gives it; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        return None
    return float(value)
