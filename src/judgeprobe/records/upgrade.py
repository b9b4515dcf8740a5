"""Lifting rows of older schema versions: one function a step.

Schema 1 is the first; there is nothing to lift yet. A row may name its version in `schema`.
"""

from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.records.base import SCHEMA_VERSION, Record

__all__ = ["lift"]


def lift(kind: type[Record], value: Any) -> Any:
    """The row as this version of judgeprobe writes it.

    Raises:
        InputError: The row was written by a newer judgeprobe.
    """
    if not isinstance(value, dict) or "schema" not in value:
        return value
    version = value["schema"]
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{kind.__name__} has schema version {version}; this judgeprobe reads {SCHEMA_VERSION}",
            remedy="install a newer judgeprobe",
        )
    return {key: item for key, item in value.items() if key != "schema"}
