"""What must never be printed or written?

The values of environment variables whose name says key, token, secret or password, and anything
that has the shape of a provider's key. A server may repeat a key in its error body, so every
message that comes from outside passes through here.
"""

import functools
import json
import os
import re
from collections.abc import Collection, Iterable

__all__ = ["find_secret", "is_secret_name", "known_secrets", "one_line", "redact", "redact_values"]

HIDDEN = "[redacted]"
# Shorter values are words such as "none" or "true", which would make messages unreadable.
_SHORTEST = 6
# A shorter value would be found in texts where it is a word.
_SHORTEST_FOUND = 8
_LONGEST = 300
_NAME = re.compile(
    r"(?:^|_)(?:API)?_?(?:KEYS?|TOKENS?|SECRETS?|PASS|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:_|$)"
    r"|APIKEY",
    re.IGNORECASE,
)
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|pplx|nvapi|ghp|gho|github_pat|r8|fw|csk)[-_][A-Za-z0-9_\-*.]{6,}"
    r"|\bAIza[A-Za-z0-9_\-]{10,}"
    r"|\bAKIA[A-Z0-9]{12,}"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-.]+"
    r"|(?<=bearer )[A-Za-z0-9_\-.=+/]{6,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Whether an environment variable of this name holds a secret."""
    return _NAME.search(name) is not None


def find_secret(text: str, *, allowed: Collection[str] = ()) -> str | None:
    """What kind of secret a text holds, in words that do not repeat it; None where it holds none.

    Args:
        text: Any text.
        allowed: Strings that look like a secret and are none.
    """
    for name, value in sorted(os.environ.items()):
        value = value.strip()
        if not is_secret_name(name) or len(value) < _SHORTEST_FOUND or value in allowed:
            continue
        if any(written in text for written in _as_written(value)):
            return f"the value of {name}"
    for match in _SHAPES.finditer(text):
        found = match[0]
        if found not in allowed and _is_long_enough(found):
            return f"something with the shape of a key ({found[:4]}..., {len(found)} characters)"
    return None


def _is_long_enough(found: str) -> bool:
    """A shape alone is met by plain words too ("sk-learning"); a key is long and has digits."""
    if ":" in found and not found.lower().startswith(("sk", "ey")):
        return True
    return len(found) >= 24 or (len(found) >= 16 and any(c.isdigit() for c in found))


def redact(text: str) -> str:
    """The text without secrets: "[redacted]" stands in their place."""
    return _SHAPES.sub(HIDDEN, redact_values(text))


def redact_values(text: str, values: Iterable[str] | None = None) -> str:
    """The text without secret values: those given, or this process's environment's as it is now."""
    for value in _secret_values() if values is None else values:
        if value in text:
            text = text.replace(value, HIDDEN)
    return text


@functools.cache
def known_secrets() -> tuple[str, ...]:
    """The environment's secret values as they were at the first call.

    Reading the environment takes longer than all else that is done with a reply.
    """
    return _secret_values()


def one_line(text: str, limit: int = _LONGEST) -> str:
    """The text as one line without secrets, cut to `limit` characters."""
    line = " ".join(redact(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _secret_values() -> tuple[str, ...]:
    values = {
        value.strip()
        for name, value in os.environ.items()
        if is_secret_name(name) and len(value.strip()) >= _SHORTEST
    }
    written = {form for value in values for form in _as_written(value)}
    # Longest first: a secret may be part of another one.
    return tuple(sorted(written, key=lambda value: (-len(value), value)))


def _as_written(value: str) -> set[str]:
    """A value, and as it stands inside JSON (quotes, line ends and foreign letters escaped)."""
    return {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
