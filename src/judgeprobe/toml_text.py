"""How is a table written as TOML, so that a study file that we make reads back the same?

Tables and arrays of tables as study.toml uses them. Absent values (None) are left out: TOML has no
null. `tomllib.loads(toml_text(x)) == x` for every table of strings, numbers, booleans, lists and
tables without None.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["toml_key", "toml_text", "toml_value"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(table: Mapping[str, Any]) -> str:
    """A whole document: its plain values first, then its tables in their order.

    Raises:
        TypeError: A value is none of TOML's.
    """
    lines: list[str] = []
    for name, value in table.items():
        if value is not None and not _is_table(value) and not _is_tables(value):
            lines.append(f"{toml_key(name)} = {toml_value(value)}")
    for name, value in table.items():
        if _is_table(value):
            lines += ["", f"[{toml_key(name)}]", *_entries(value)]
        elif _is_tables(value):
            for entry in value:
                lines += ["", f"[[{toml_key(name)}]]", *_entries(entry)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_table, value))


def _entries(table: Mapping[str, Any]) -> list[str]:
    return [
        f"{toml_key(name)} = {toml_value(value)}"
        for name, value in table.items()
        if value is not None
    ]


def toml_key(name: str) -> str:
    """A key, quoted where it must be."""
    return name if _BARE.fullmatch(name) else _string(name)


def toml_value(value: Any) -> str:
    """One value on one line.

    Raises:
        TypeError: It is none of TOML's.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_inline(value)) + " }" if value else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(toml_value(entry) for entry in value)}]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _inline(table: Mapping[str, Any]) -> list[str]:
    return [f"{toml_key(k)} = {toml_value(v)}" for k, v in table.items() if v is not None]


def _float(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        return str(value)
    return repr(value)


def _string(text: str) -> str:
    # A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
