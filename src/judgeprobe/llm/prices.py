"""What does a token of a model cost, and does it take a schema, without importing litellm?

litellm ships its price table as a JSON file; reading that file takes a twentieth of a second where
the import takes six. The table is the installed version's: prices that changed since are not known.
"""

import functools
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["supports_schema", "token_prices"]

_FILE = "model_prices_and_context_window_backup.json"


def token_prices(model: str) -> tuple[float, float] | None:
    """US dollars of one prompt token and one reply token; None where the table has no such model.

    Args:
        model: litellm's name of it; tried as it is, then without its routing prefixes.
    """
    for entry in _entries(model):
        prompt, reply = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
        if isinstance(prompt, int | float) and isinstance(reply, int | float):
            return float(prompt), float(reply)
    return None


def supports_schema(model: str) -> bool:
    """Whether the table says that a model's provider takes a JSON schema for the reply."""
    return any(entry.get("supports_response_schema") is True for entry in _entries(model))


def _entries(model: str) -> Iterator[dict[str, Any]]:
    """The table's entries of a model: of the name as it is, then without its prefixes."""
    table = _table()
    name, found = model, "/"
    while found:
        if name in table:
            yield table[name]
        _, found, name = name.partition("/")


@functools.cache
def _table() -> dict[str, dict[str, Any]]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    path = Path(spec.origin).parent / _FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: entry for name, entry in content.items() if isinstance(entry, dict)}
