"""Can a row of a user's table be used: are its columns there, and is its text what it looks like?

A judge and an annotator must see the same text. What would make them differ (controls that turn
the direction of reading, null bytes and other control characters, halves of a surrogate pair) is
refused with its place, and so is a text that is longer than any unit people can compare.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.files import read_rows

__all__ = [
    "CLAIM_LIMIT",
    "EVIDENCE_LIMIT",
    "ID_LIMIT",
    "Row",
    "RowTable",
    "mapped_rows",
    "text_problem",
]

# In characters. A claim is a sentence or a short reply; people compare two of them side by side.
CLAIM_LIMIT = 5_000
EVIDENCE_LIMIT = 50_000
ID_LIMIT = 200

# Unicode property Bidi_Control (UAX 9): they change the order in which text is shown.
_BIDI = {
    0x061C: "Arabic letter mark",
    0x200E: "left-to-right mark",
    0x200F: "right-to-left mark",
    0x202A: "left-to-right embedding",
    0x202B: "right-to-left embedding",
    0x202C: "pop directional formatting",
    0x202D: "left-to-right override",
    0x202E: "right-to-left override",
    0x2066: "left-to-right isolate",
    0x2067: "right-to-left isolate",
    0x2068: "first strong isolate",
    0x2069: "pop directional isolate",
}


@dataclass(frozen=True)
class RowTable:
    """Rows as they were read.

    Attributes:
        file: What an error names: the file, or the name of a data set.
        rows: Values by column name.
        columns: Names of all columns, where the rows do not hold every one of them.
    """

    file: Path | str
    rows: Sequence[Mapping[str, Any]]
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One row of a user's table, by field name.

    Attributes:
        number: 1 is the first data row.
        values: Text of each field; "" where the table has no such column or the cell is empty.
    """

    file: Path | str
    number: int
    values: Mapping[str, str]

    def text(self, field: str, *, limit: int, required: bool = True) -> str:
        """A field's text without white space around it.

        Raises:
            InputError: It is missing, too long (`limit`, in characters), or holds what a reader
                would not see.
        """
        text = self.values[field].strip()
        if not text and required:
            raise self.error(f"`{field}` is missing", remedy="fill it in or remove the row")
        if problem := text_problem(text, limit=limit):
            found, remedy = problem
            raise self.error(f"`{field}` {found}", remedy=remedy)
        return text

    def error(self, problem: str, *, remedy: str) -> InputError:
        """An error that names this row."""
        return InputError(problem, file=self.file, row=self.number, remedy=remedy)


def text_problem(text: str, *, limit: int) -> tuple[str, str] | None:
    """What makes a text unfit, with the remedy; None where nothing does.

    Line feeds, carriage returns and tabs are allowed; no other control character is.
    """
    if len(text) > limit:
        return (
            f"has {len(text):,} characters; the limit is {limit:,}",
            "shorten it or split the row",
        )
    for position, char in enumerate(text, start=1):
        code = ord(char)
        place = f"U+{code:04X} at character {position}"
        if char == "\0":
            return f"holds a null byte ({place})", "remove it"
        if code in _BIDI:
            return (
                f"holds a {_BIDI[code]} ({place}), which hides the order of the text",
                "remove it",
            )
        kind = unicodedata.category(char)
        if kind == "Cc" and char not in "\t\n\r":
            return f"holds a control character ({place})", "remove it"
        if kind == "Cs":
            return f"holds half of a surrogate pair ({place})", "save the file as UTF-8"
    return None


def mapped_rows(
    table: Path | RowTable,
    columns: Mapping[str, str],
    *,
    required: Iterable[str],
    optional: Iterable[str],
) -> list[Row]:
    """The rows of a table, by field name.

    Args:
        table: A CSV, TSV, JSONL or Parquet file, or rows that were read already.
        columns: Column name of each field, where it differs from the field's. Two fields may name
            one column.
        required: Fields whose column must be there.
        optional: Fields that are "" where their column is not there, unless `columns` names it.

    Raises:
        InputError: The table cannot be read or is empty, `columns` names no field, or a column is
            not there.
    """
    if isinstance(table, Path):
        table = RowTable(table, read_rows(table))
    path, found = table.file, table.rows
    required, optional = list(required), list(optional)
    fields = [*required, *optional]
    for field in columns:
        if field not in fields:
            raise InputError(
                f"`columns` names the field `{field}`, which there is not",
                remedy="use one of " + ", ".join(fields),
            )
    if not found:
        raise InputError("has no rows", file=path, remedy="give at least one")
    there = dict.fromkeys(table.columns or (name for row in found for name in row))
    for field in fields:
        name = columns.get(field, field)
        if name not in there and (field in required or field in columns):
            raise InputError(
                f"has no column `{name}` for the field `{field}`",
                file=path,
                remedy="map it in study.toml with columns; the file has " + ", ".join(there),
            )
    rows = []
    for number, row in enumerate(found, start=1):
        values = {
            field: _text(row.get(columns.get(field, field)), field, path, number)
            for field in fields
        }
        rows.append(Row(file=path, number=number, values=values))
    return rows


def _text(value: Any, field: str, file: Path | str, row: int) -> str:
    if isinstance(value, str):
        return value
    if value is None or value != value:  # a Parquet null, or NaN
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InputError(
        f"`{field}` is {type(value).__name__}, not text", file=file, row=row, remedy="give text"
    )
