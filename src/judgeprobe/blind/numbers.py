"""How does a number enter the files of the blinded set? Rounded to ten decimals, never as -0.

The last bits of a sum differ between machines, and the same inputs must give the same bytes.
"""

from typing import Any

__all__ = ["rounded"]

DECIMALS = 10


def rounded(value: Any) -> Any:
    """A JSON value with every number in it rounded."""
    if isinstance(value, float):
        return round(value, DECIMALS) + 0.0
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return value
