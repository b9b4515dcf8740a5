"""What does a token of a model cost, without importing litellm?

litellm ships its price table as a JSON file; reading that file takes a twentieth of a second where
the import takes six. The table is the installed version's: prices that changed since are not known.
"""

import functools
import importlib.util
import json
from pathlib import Path

__all__ = ["token_prices"]

_FILE = "model_prices_and_context_window_backup.json"


def token_prices(model: str) -> tuple[float, float] | None:
    """US dollars of one prompt token and one reply token; None where the table has no such model.

    Args:
        model: litellm's name of it; tried as it is, then without its routing prefixes.
    """
    table = _table()
    name = model
    while True:
        if name in table:
            return table[name]
        _, found, name = name.partition("/")
        if not found:
            return None


@functools.cache
def _table() -> dict[str, tuple[float, float]]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    path = Path(spec.origin).parent / _FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    prices = {}
    for name, entry in content.items():
        if not isinstance(entry, dict):
            continue
        prompt, reply = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
        if isinstance(prompt, (int, float)) and isinstance(reply, (int, float)):
            prices[name] = (float(prompt), float(reply))
    return prices
