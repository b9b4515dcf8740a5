"""What must never be printed or written?

The values of environment variables whose name says key, token, secret or password, and anything
that has the shape of a provider's key. A server may repeat a key in its error body, so every
message that comes from outside passes through here.
"""

import json
import os
import re
from collections.abc import Iterator

__all__ = ["is_secret_name", "one_line", "redact", "redact_values"]

HIDDEN = "[redacted]"
# Shorter values are words such as "none" or "true", which would make messages unreadable.
_SHORTEST = 6
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


def redact(text: str) -> str:
    """The text without secrets: "[redacted]" stands in their place."""
    return _SHAPES.sub(HIDDEN, redact_values(text))


def redact_values(text: str) -> str:
    """The text without the values of this process's secret environment variables."""
    for value in _secret_values():
        if value in text:
            text = text.replace(value, HIDDEN)
    return text


def one_line(text: str, limit: int = _LONGEST) -> str:
    """The text as one line without secrets, cut to `limit` characters."""
    line = " ".join(redact(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _secret_values() -> Iterator[str]:
    # Longest first: a secret may be part of another one.
    values = {
        value.strip()
        for name, value in os.environ.items()
        if is_secret_name(name) and len(value.strip()) >= _SHORTEST
    }
    for value in sorted(values, key=len, reverse=True):
        yield value
        # As the value stands inside JSON, where it holds a quote or a line end.
        if (escaped := json.dumps(value)[1:-1]) != value:
            yield escaped
