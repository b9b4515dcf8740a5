"""How does a nested record become one flat row? Dotted names; lists stay JSON text."""

import json
from typing import Any

from judgeprobe.errors import InputError

__all__ = ["flat", "objects"]


def flat(prefix: str, value: Any) -> dict[str, Any]:
    """Scalars under dotted names; an empty object gives nothing."""
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for name, inner in value.items():
            found |= flat(f"{prefix}.{name}" if prefix else str(name), inner)
        return found
    if value is None or isinstance(value, (str, int, float, bool)):
        return {prefix: value}
    return {prefix: json.dumps(value, ensure_ascii=False)}


def objects(value: Any, what: str, file: str) -> list[dict[str, Any]]:
    """A list of objects.

    Raises:
        InputError: It is none; `what` says what was looked for.
    """
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InputError(f"has no {what}", file=file, remedy="check --reader")
    return value
