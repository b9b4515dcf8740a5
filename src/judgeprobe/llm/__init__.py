"""Model calls: client, cache, templates, reply parsing, the embedded model.

What needs a model library is loaded when it is first used, so that reading a grade needs none.
"""

import importlib
from typing import Any

from judgeprobe.llm.reading import Reading, read_grade
from judgeprobe.llm.request import Request, chat

__all__ = ["Reading", "Request", "call", "chat", "expected_grade", "local_server", "read_grade"]

_HOMES = {"call": "client", "expected_grade": "expected", "local_server": "local"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
