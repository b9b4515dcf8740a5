"""How does a nested record become one flat row? Dotted names; lists stay JSON text."""

import json
import re
from typing import Any

from judgeprobe.errors import InputError

__all__ = ["flat", "natural", "objects", "written"]


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


def written(value: Any) -> str | None:
    """Text as it is; anything else as JSON text; None stays None."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def natural(identity: str) -> tuple[str, int, str]:
    """A key by which sample 10 comes after sample 9."""
    # At most 18 digits: Python refuses to read a number of thousands.
    digits = re.search(r"[0-9]{0,18}\Z", identity)
    number = digits.group() if digits else ""
    return identity[: len(identity) - len(number)], int(number or 0), identity
