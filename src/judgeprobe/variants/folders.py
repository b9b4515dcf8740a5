"""What stands in a variant's own folder?

A study.toml with every setting in force, so that each verb works on the folder as on any study:
`judgeprobe report STUDY/variants/scale-5`. Edits, labels, prompts and replies stay where they are.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from judgeprobe.files import read_text, write_text
from judgeprobe.study import Study, load_study
from judgeprobe.variants.plan import Variant

__all__ = ["is_as_planned", "toml_text", "write_folder"]

_HEAD = (
    "# Written by `judgeprobe vary`: the study two folders up under one change.\n"
    "# Paths are relative to that study's folder. Changes made here are overwritten.\n\n"
)


def write_folder(base: Study, variant: Variant) -> Study:
    """Write a variant's study.toml, where it differs, and load it.

    Raises:
        StorageError: The folder cannot be written.
    """
    study = variant.study(base)
    if not is_as_planned(base, variant):
        write_text(study.folder / "study.toml", _content(variant))
    return load_study(study.folder)


def is_as_planned(base: Study, variant: Variant) -> bool:
    """Whether the folder's study.toml is the one that would be written now."""
    path = variant.study(base).folder / "study.toml"
    return path.is_file() and read_text(path) == _content(variant)


def _content(variant: Variant) -> str:
    # `study` is named whole: a study without a name is none.
    given = variant.settings.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return _HEAD + toml_text(given)


def toml_text(content: Mapping[str, Any]) -> str:
    """Settings as TOML: a table for each key, lists of tables for lists of them.

    Args:
        content: Tables by name; values are text, numbers, booleans, lists and tables.
    """
    return "\n".join(_tables(content)) + "\n"


def _tables(content: Mapping[str, Any]) -> Iterator[str]:
    for name, value in content.items():
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            yield f"[[{_key(name)}]]" if isinstance(value, list) else f"[{_key(name)}]"
            yield from (f"{_key(key)} = {_value(one)}" for key, one in row.items())
            yield ""


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").isalnum() else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(one) for one in value)}]"
    if isinstance(value, str):
        # A JSON string is a TOML string, but for the one character that JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
