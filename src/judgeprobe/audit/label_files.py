"""Where does a label set lie? In a local file, or on the Hugging Face hub through `datasets`.

A hub set is written `hf:OWNER/NAME`, optionally with `@REVISION` (pin it: an audit of a moving set
cannot be repeated) and `:SPLIT` (all splits otherwise). `datasets` is asked for only then.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe.audit.label_columns import Columns, source_from_rows
from judgeprobe.audit.label_public import read_public
from judgeprobe.audit.label_sets import LabelSource
from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, read_rows

__all__ = ["Located", "load_source", "locate"]

_HUB = re.compile(r"^hf:(?P<name>[^@:]+)(@(?P<revision>[^:]+))?(:(?P<split>.+))?$")


@dataclass(frozen=True)
class Located:
    """Rows and what identifies them.

    Attributes:
        name: File name without its folder, or the hub name.
        rows: One mapping a row.
        sha256: Of the file; None for a hub set.
        revision: Of the hub set; None for a file or where it was not pinned.
    """

    name: str
    rows: Sequence[Mapping[str, Any]]
    sha256: str | None
    revision: str | None


def locate(place: str) -> Located:
    """Read a file or a hub set.

    Raises:
        InputError: It is missing, unreadable, or `datasets` is not installed.
    """
    if place.startswith("hf:"):
        return _from_hub(place)
    path = Path(place)
    return Located(path.name, read_rows(path), file_hash(path), None)


def _from_hub(place: str) -> Located:
    match = _HUB.match(place)
    if match is None:
        raise InputError(
            "is no hub set", file=place, remedy="write hf:OWNER/NAME[@REVISION][:SPLIT]"
        )
    try:
        import datasets
    except ImportError:
        raise InputError(
            "a hub set needs the package `datasets`",
            file=place,
            remedy="pip install datasets, or give a local file",
        ) from None
    name, revision, split = match["name"], match["revision"], match["split"]
    try:
        found = datasets.load_dataset(name, revision=revision, split=split)
    except Exception as error:
        # The hub's client raises dozens of kinds; each means that there are no rows.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"cannot be loaded ({reason})", file=place) from None
    parts = [found] if split else [found[key] for key in found]
    return Located(name, [dict(row) for part in parts for row in part], None, revision)


def load_source(
    place: str, reader: str | None, columns: Columns | None, *, origin: str = ""
) -> tuple[LabelSource, Located]:
    """A label set, by a public set's reader or by columns.

    Args:
        place: File or hub set.
        reader: Name of a public set's reader, or None for columns.
        columns: What holds what, where no reader is named.
        origin: How labels were obtained, in the user's words; a reader has its own.

    Raises:
        InputError: Neither reader nor columns are given, or the rows do not fit them.
    """
    located = locate(place)
    if reader is not None:
        return read_public(reader, located.name, located.rows), located
    if columns is None:
        raise InputError(
            "no column is named",
            file=located.name,
            remedy="give --text and --label, or --reader for a published set",
        )
    return source_from_rows(located.name, located.rows, columns, origin=origin), located
