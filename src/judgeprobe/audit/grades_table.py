"""What does a table of grades hold, column by column, with every row's number kept?

The columns are named by the user; nothing is guessed from how a cell looks. An empty cell is a
missing value; a cell that is neither empty nor of its kind is refused with its row. Gold labels may
come from a second file, joined by an id: a doubled or an unmatched id is refused by name.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from judgeprobe.errors import InputError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.tables.columns import column_of, numbers, pieces, truths, words

__all__ = [
    "Table",
    "codes",
    "grade_pieces",
    "joined",
    "read_grades",
    "scores",
    "table_of",
    "texts",
    "winners",
]

_MOST_NAMED = 40


@dataclass(frozen=True)
class Table:
    """Columns of a file.

    Attributes:
        path: The file.
        rows: Number of each row, 1 the first; shape (n,).
        columns: Arrow arrays of n cells.
    """

    path: Path
    rows: Ints
    columns: Mapping[str, Any]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def column(self, name: str) -> Any:
        """One column.

        Raises:
            InputError: The table has none of that name.
        """
        if name not in self.columns:
            raise InputError(
                f"lacks the column `{name}`",
                file=self.path,
                remedy=f"it has {', '.join(list(self.columns)[:_MOST_NAMED])}",
            )
        return self.columns[name]


def read_grades(path: Path, columns: Sequence[str]) -> Table:
    """Some columns of a CSV, TSV, JSONL or Parquet file.

    Raises:
        InputError: It is missing, unreadable or empty, lacks a column, or holds a row that is none.
    """
    wanted = list(dict.fromkeys(columns))
    found = list(grade_pieces(path, wanted))
    whole = {name: _together([piece.column(name) for piece in found]) for name in wanted}
    return Table(path, np.concatenate([piece.rows for piece in found]), whole)


def grade_pieces(path: Path, columns: Sequence[str]) -> Iterator[Table]:
    """The same piece by piece, each with at least one row, for what adds up over rows.

    Raises:
        InputError: As `read_grades`.
    """
    wanted = list(dict.fromkeys(columns))
    empty = True
    for piece in pieces(path, wanted, ()):
        for reason, rows in piece.skipped.items():
            if len(rows):
                raise InputError(reason, file=path, row=int(rows[0]), remedy="mend the row")
        if piece.n:
            empty = False
            yield Table(path, piece.rows, {name: piece.column(name) for name in wanted})
    if empty:
        raise InputError("holds no rows", file=path, remedy="give at least one data row")


def _together(parts: Sequence[Any]) -> Any:
    if len({str(part.type) for part in parts}) > 1:
        parts = [part.cast(pa.string()) for part in parts]
    return pa.chunked_array(parts).combine_chunks()


def table_of(path: Path, rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table from the rows that a reader of another tool's files gave.

    Raises:
        InputError: There are no rows.
    """
    if not rows:
        raise InputError("holds no samples", file=path, remedy="give a finished run")
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: column_of([row.get(name) for row in rows]) for name in names}
    return Table(path, np.arange(1, len(rows) + 1), columns)


def scores(table: Table, name: str) -> Floats:
    """A column of numbers (true and false count as 1 and 0), NaN where empty.

    Raises:
        InputError: A cell is no number; the first is named.
    """
    column = table.column(name)
    parsed = numbers(column)
    if not parsed.wrong.any():
        return parsed.values
    marks, wrong = truths(column)
    both = parsed.wrong & wrong
    if both.any():
        _refuse(table, name, both, "is no number", "mend the cell, or leave it empty")
    return np.where(parsed.wrong, marks.astype(np.float64), parsed.values)


def codes(table: Table, name: str) -> tuple[Ints, list[str]]:
    """A column of words as codes in the order of the sorted words; -1 where empty."""
    index: dict[str, int] = {}
    found = words(table.column(name), index)
    names = sorted(index)
    place = {word: code for code, word in enumerate(names)}
    lookup = np.array([place[word] for word in index] + [-1], dtype=np.int64)
    return lookup[found], names


def texts(table: Table, name: str) -> list[str]:
    """A column as text, "" where empty."""
    return ["" if cell is None else str(cell) for cell in table.column(name).to_pylist()]


def winners(table: Table, name: str, known: Mapping[str, int]) -> Ints:
    """A column that names an answer: 1, 2, or 0 where empty.

    Args:
        table: The table.
        name: The column.
        known: What each word stands for: 1, 2, or 0 (a tie or an unread verdict).

    Raises:
        InputError: A cell holds another word; the first is named.
    """
    found, names = codes(table, name)
    unknown = [code for code, word in enumerate(names) if word not in known]
    if unknown:
        row = int(np.argmax(np.isin(found, unknown)))
        first, second = [word for word, code in known.items() if code][:2]
        _refuse(
            table,
            name,
            np.arange(table.n) == row,
            f"is {names[int(found[row])]!r}",
            f"write {first}, {second}, or leave it empty for a tie or an unread verdict",
        )
    lookup = np.array([known[word] for word in names] + [0], dtype=np.int64)
    return lookup[found]


def _refuse(table: Table, name: str, where: Bools, problem: str, remedy: str) -> None:
    row = int(table.rows[np.argmax(where)])
    raise InputError(f"`{name}` {problem}", file=table.path, row=row, remedy=remedy)


def joined(table: Table, key: str, other: Table, columns: Mapping[str, str]) -> Table:
    """The table with another file's columns beside, by an id that both have.

    Rows that the other file lacks stay, with empty cells.

    Args:
        table: The table.
        key: Column with the id, in both.
        other: The other file.
        columns: New name to the other file's name of each column to take.

    Raises:
        InputError: An id is empty or doubled in either file, or the other's is not in the table.
    """
    index = _keys(table, key)
    place = np.full(table.n, -1, dtype=np.int64)
    for row, word in enumerate(_keys(other, key)):
        if word not in index:
            raise InputError(
                f"the id {word!r} is not in {table.path.name}",
                file=other.path,
                row=int(other.rows[row]),
                remedy="take the row out, or mend the id",
            )
        place[index[word]] = row
    taken = pa.array(place, mask=place < 0)
    added = {name: other.column(old).take(taken) for name, old in columns.items()}
    return replace(table, columns={**table.columns, **added})


def _keys(table: Table, key: str) -> dict[str, int]:
    seen: dict[str, int] = {}
    for row, word in enumerate(texts(table, key)):
        if word == "" or word in seen:
            problem = "is empty" if word == "" else f"{word!r} stands in row {seen[word] + 1} too"
            raise InputError(
                f"`{key}` {problem}",
                file=table.path,
                row=int(table.rows[row]),
                remedy="give every row an id of its own",
            )
        seen[word] = row
    return seen
