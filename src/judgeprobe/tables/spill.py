"""Where do the rows of a table wait that does not fit into memory?

In a folder of files, one a share of the base items, so that all rows of a base item are in one file
and a file's rows fit into memory. A row is a record of fixed length without text: its number, codes
and numbers. Rows keep their order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from judgeprobe.errors import StorageError
from judgeprobe.stats.arrays import Floats, Ints

__all__ = ["Spill"]

_KINDS = {
    "row": "<i8",
    "base": "<u4",
    "judge": "<u4",
    "slot": "<u2",
    "grade_original": "<f8",
    "grade_edited": "<f8",
    "length_original": "<f8",
    "length_edited": "<f8",
    "regrade_original": "<f8",
    "unanimous": "<i1",
    "domain": "<i4",
}
_MISSING = {"unanimous": -1, "domain": -1}


@dataclass
class Spill:
    """Rows on disk, by share of the base items.

    Attributes:
        folder: Where the files are.
        shares: How many files; base item b is in file b modulo this.
        columns: The columns that are kept; the others read as missing.
    """

    folder: Path
    shares: int
    columns: Sequence[str]
    _open: list[BinaryIO] = field(default_factory=list, repr=False)

    @property
    def kind(self) -> np.dtype[np.void]:
        """The record of a row."""
        return np.dtype([(name, _KINDS[name]) for name in self.columns])

    def put(self, columns: Mapping[str, Ints | Floats]) -> None:
        """Add rows.

        Raises:
            StorageError: The disk is full or the folder cannot be written to.
        """
        rows = np.empty(len(columns["row"]), dtype=self.kind)
        for name in self.columns:
            rows[name] = columns[name]
        share = (columns["base"] % self.shares).astype(np.uint16)
        order = np.argsort(share, kind="stable")
        rows = rows[order]
        ends = np.cumsum(np.bincount(share, minlength=self.shares))
        try:
            if not self._open:
                self._open = [self._file(s).open("wb") for s in range(self.shares)]
            start = 0
            for file, end in zip(self._open, ends.tolist(), strict=True):
                if end > start:
                    file.write(rows[start:end].tobytes())
                start = end
        except OSError as error:
            raise self._failed(error) from None

    def close(self) -> None:
        """Finish writing.

        Raises:
            StorageError: The disk is full.
        """
        try:
            for file in self._open:
                file.close()
        except OSError as error:
            raise self._failed(error) from None
        finally:
            self._open = []

    def take(self, share: int) -> dict[str, Any]:
        """The rows of one file, in order, as columns; the file is deleted."""
        path = self._file(share)
        if not path.is_file():
            rows = np.empty(0, dtype=self.kind)
        else:
            rows = np.fromfile(path, dtype=self.kind)
            path.unlink()
        found: dict[str, Any] = {}
        for name, kind in _KINDS.items():
            number = np.dtype(kind).kind == "f"
            wide = np.float64 if number else np.int64
            if name in self.columns:
                found[name] = rows[name].astype(wide)
            else:
                found[name] = np.full(len(rows), np.nan if number else _MISSING[name], dtype=wide)
        return found

    def _file(self, share: int) -> Path:
        return self.folder / f"rows-{share:04d}.bin"

    def _failed(self, error: OSError) -> StorageError:
        return StorageError(
            f"{self.folder}: rows cannot be set aside ({error.strerror or error}); set TMPDIR to a "
            "folder on a disk with more room"
        )
