"""Where are probes/, prompts/ and annotation/? The only module that knows.

In a wheel they lie inside the package (`_data/`); in a checkout at its top.
"""

from pathlib import Path
from typing import Literal

__all__ = ["Folder", "path", "read_text"]

Folder = Literal["probes", "prompts", "annotation"]


def path(folder: Folder, name: str = "") -> Path:
    """The path of a shipped file (or of its folder, without a name).

    Raises:
        FileNotFoundError: Neither the package nor a checkout around it holds the file.
    """
    here = Path(__file__).resolve()
    for top in (here.parent / "_data", here.parents[2]):
        found = top / folder / name
        if found.exists():
            return found
    raise FileNotFoundError(f"judgeprobe does not ship {folder}/{name}")


def read_text(folder: Folder, name: str) -> str:
    """The text of a shipped file, as UTF-8."""
    return path(folder, name).read_text(encoding="utf-8")
