"""Model calls: client, cache, templates, reply parsing, the embedded model.

Names are loaded when they are first used, so that reading a grade imports no model library.
"""

import importlib
from typing import Any

_HOMES = {
    "Call": "client",
    "Request": "request",
    "call": "client",
    "chat": "request",
    "direct_call": "direct",
    "expected_grade": "expected",
    "local_server": "local",
    "read_grade": "read_grade",
    "with_retries": "retry",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
