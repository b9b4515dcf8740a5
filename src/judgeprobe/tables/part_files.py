"""Which files is a table in, and which row of which file is meant?

A table is one file, or a folder whose table files are read in the order of their names as if they
stood one below the other. Rows are counted through all of them; people are told the row of the
file, and of which file where there are several.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow.parquet as pq

from judgeprobe.errors import InputError
from judgeprobe.files import file_hash
from judgeprobe.records import content_hash
from judgeprobe.stats.arrays import Ints
from judgeprobe.tables.columns import ENDINGS, Piece, pieces
from judgeprobe.tables.pairs import Exclusion

__all__ = [
    "STREAM_ROWS",
    "Faults",
    "Parts",
    "Way",
    "about_rows",
    "part_files",
    "table_hash",
    "way_of",
]

Way = Literal["auto", "memory", "stream"]
"""Every row at hand; in parts, for any number of rows; or by the number of rows."""

STREAM_ROWS = 5_000_000
_ROWS_NAMED = 5
_BYTES_A_ROW = {".jsonl": 100, ".ndjson": 100}
_TEXT_BYTES_A_ROW = 40


def part_files(path: Path) -> list[Path]:
    """The files of a table: itself, or the table files of a folder by name.

    Raises:
        InputError: The folder holds no table.
    """
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.iterdir() if file.suffix.lower() in ENDINGS)
    if not found:
        raise InputError(
            "holds no table", file=path, remedy="give files that end in " + ", ".join(ENDINGS)
        )
    return found


def table_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, or of the names and hashes of a folder's table files."""
    if not path.is_dir():
        return file_hash(path)
    return content_hash([[file.name, file_hash(file)] for file in part_files(path)])


def about_rows(path: Path) -> int:
    """How many rows a table has: exact for Parquet, from the bytes for text.

    Raises:
        InputError: A folder holds no table.
    """
    total = 0
    for file in part_files(path):
        if not file.is_file():
            continue
        if file.suffix.lower() == ".parquet":
            try:
                total += pq.read_metadata(file).num_rows
                continue
            except (OSError, ValueError):
                # Reading it will say what is wrong.
                pass
        total += file.stat().st_size // _BYTES_A_ROW.get(file.suffix.lower(), _TEXT_BYTES_A_ROW)
    return total


def way_of(path: Path, way: Way = "auto") -> Literal["memory", "stream"]:
    """How a table is read: as asked, else in memory up to `STREAM_ROWS` rows.

    Raises:
        InputError: A folder holds no table.
    """
    if way == "auto":
        return "stream" if about_rows(path) > STREAM_ROWS else "memory"
    return way


@dataclass
class Parts:
    """The files of a table, and where the rows of each begin.

    Attributes:
        files: The files, in order.
        starts: For each file read so far, how many rows stand before its first.
    """

    files: Sequence[Path]
    starts: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path) -> "Parts":
        """The files of a table.

        Raises:
            InputError: The folder holds no table.
        """
        return cls(part_files(path))

    def pieces(self, required: Sequence[str], optional: Sequence[str]) -> Iterator[Piece]:
        """The rows of every file, counted through.

        Raises:
            InputError: A file is missing, unreadable, or lacks a required column.
        """
        start = 0
        for file in self.files:
            self.starts.append(start)
            last = start
            for piece in pieces(file, required, optional):
                moved = piece.after(start)
                numbers = (moved.rows, *moved.skipped.values())
                last = max(last, *(int(rows.max(initial=0)) for rows in numbers))
                yield moved
            start = last

    def place(self, row: int) -> tuple[int, int]:
        """The file of a row that was counted through, and its number in that file."""
        part = bisect_left(self.starts, row) - 1
        return part, row - self.starts[part]


@dataclass
class Faults:
    """What is wrong with some rows: how many there are of each kind, and the first few.

    Attributes:
        parts: The files that the rows stand in.
    """

    parts: Parts
    _found: dict[tuple[str, str, int], tuple[int, list[int]]] = field(default_factory=dict)

    def add(self, what: str, reason: str, rows: Ints) -> None:
        """Note rows, numbered through all files."""
        if not len(rows):
            return
        starts = self.parts.starts
        of_part = np.searchsorted(starts, rows, side="left") - 1
        for part in np.unique(of_part).tolist():
            mine = np.sort(rows[of_part == part]) - starts[part]
            n, first = self._found.get((what, reason, part), (0, []))
            first = sorted(first + mine[:_ROWS_NAMED].tolist())[:_ROWS_NAMED]
            self._found[what, reason, part] = (n + len(mine), first)

    def exclusions(self) -> tuple[Exclusion, ...]:
        """The faults so far, file by file, in the order of their first rows."""
        ordered = sorted(self._found.items(), key=lambda item: (item[0][2], item[1][1], item[0]))
        several = len(self.parts.files) > 1
        return tuple(
            Exclusion(
                what,
                f"{why}; in {self.parts.files[part].name}" if several else why,
                n,
                tuple(rows),
            )
            for (what, why, part), (n, rows) in ordered
        )
