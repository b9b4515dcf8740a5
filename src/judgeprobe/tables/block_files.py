"""How does one block of pairs stand on disk? As arrays one behind the other, without text."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from judgeprobe.errors import StorageError
from judgeprobe.stats.arrays import Ints
from judgeprobe.tables.pairs import PairTable

__all__ = ["read_block", "write_block"]

_KINDS = {
    "base": np.int32,
    "slot": np.int16,
    "domain": np.int32,
    "unanimous": np.int8,
    "original": np.float64,
    "edited": np.float64,
    "asked": np.bool_,
}


def write_block(path: Path, table: PairTable, places: Ints) -> None:
    """Write a block.

    Args:
        path: The file.
        table: The pairs of some base items, all of each.
        places: The place of each of its base items among all.

    Raises:
        StorageError: The disk is full.
    """
    axis, axis_of = np.unique(table.axis.astype(str), return_inverse=True)
    try:
        with path.open("wb") as file:
            np.save(file, places)
            np.save(file, axis)
            np.save(file, axis_of.astype(np.int16))
            for name, kind in _KINDS.items():
                np.save(file, getattr(table, name).astype(kind, copy=False))
    except OSError as error:
        raise StorageError(
            f"{path.parent}: pairs cannot be set aside ({error.strerror or error}); set TMPDIR to "
            "a folder on a disk with more room"
        ) from None


def read_block(path: Path, header: PairTable) -> tuple[PairTable, Ints]:
    """Read a block: its pairs under the header's names, and the places of its base items."""
    with path.open("rb") as file:
        places: Ints = np.load(file)
        axis, axis_of = np.load(file), np.load(file)
        columns = {name: np.load(file) for name in _KINDS}
    for name in ("base", "slot", "domain"):
        columns[name] = columns[name].astype(np.int64)
    base, n = columns["base"], len(columns["base"])
    unknown = np.full(n, np.nan)
    table = replace(
        header,
        **columns,
        axis=axis.astype(object)[axis_of],
        original_text=base,
        edited_text=len(places) + np.arange(n),
        length_original=unknown,
        length_edited=unknown,
    )
    return table, places
