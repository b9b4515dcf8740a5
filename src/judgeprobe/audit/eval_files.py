"""What did another tool's run write, one flat row a sample?

Every reader gives rows whose columns have dotted names of what the file itself calls them: an
Inspect log's `score.NAME` and `metadata.KEY`, an lm-evaluation-harness sample's metrics, and so on,
with `id` first. A grade written as a word is a number where the tool itself defines it so (Inspect:
C 1, P 0.5, I and N 0). Nothing is guessed: a file of another shape is refused by name.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError

__all__ = ["READERS", "read_eval"]

Rows = Sequence[dict[str, Any]]
READERS: dict[str, Callable[[Path], Rows]] = {}


def read_eval(path: Path, reader: str) -> Rows:
    """The samples of a run.

    Args:
        path: What the tool wrote.
        reader: Name of the tool: a key of `READERS`.

    Raises:
        InputError: There is no such reader, or the file is not of that shape.
    """
    if reader not in READERS:
        raise InputError(f"there is no reader {reader!r}", remedy=f"use {', '.join(READERS)}")
    return READERS[reader](path)
