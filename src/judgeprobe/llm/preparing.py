"""Where is a call prepared: in a thread of its own, or in the loop's?

litellm hands the preparation of every asynchronous call to the event loop's thread pool. For an
OpenAI-compatible endpoint it is a millisecond of plain Python without any waiting, and the two
switches between threads, each of which waits for the interpreter's lock, cost a tenth of the call.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any
from weakref import WeakSet

__all__ = ["prepare_in_loop"]

_prepared: WeakSet[asyncio.AbstractEventLoop] = WeakSet()


def prepare_in_loop() -> None:
    """Let the running event loop prepare litellm's calls of named endpoints in its own thread.

    Everything else that the loop hands to its thread pool (look-ups of hosts, blocking functions,
    providers whose preparation may wait for a token) goes to a thread as before.
    """
    loop = asyncio.get_running_loop()
    if loop not in _prepared:
        _prepared.add(loop)
        loop.set_default_executor(_Threads())


class _Threads(ThreadPoolExecutor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if not _is_preparation(fn):
            return super().submit(fn, *args, **kwargs)
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except BaseException as error:  # as a thread pool does; whoever awaits it raises it
            done.set_exception(error)
        return done


def _is_preparation(fn: Callable[..., Any]) -> bool:
    """Whether it is litellm's `completion` with an endpoint, wrapped in the caller's context."""
    inner = fn.args[0] if isinstance(fn, partial) and fn.args else None
    return (
        isinstance(inner, partial)
        and getattr(inner.func, "__name__", "") == "completion"
        and inner.keywords.get("acompletion") is True
        and bool(inner.keywords.get("api_base") or inner.keywords.get("base_url"))
    )
