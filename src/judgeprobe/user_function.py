"""Where is a Python function that study.toml names, and what is its source?

`module:function` is looked for in the study folder, in the working folder and where Python looks.
Nothing of it is run before it is loaded.
"""

import asyncio
import functools
import hashlib
import importlib
import importlib.util
import inspect
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError

__all__ = ["UserFunction"]


class UserFunction:
    """A function of the user's own.

    Args:
        spec: `module:function`.
        setting: The key of study.toml that names it, for errors.
        owner: Whose it is, for errors: "the judge `ours`".
        folder: The study folder.

    Attributes:
        source: SHA-256 of the module's file; "" where it has none.

    Raises:
        InputError: It is not written so, or there is no such module.
    """

    def __init__(self, spec: str, *, setting: str, owner: str, folder: Path) -> None:
        self.spec = spec
        self._whose = owner
        self._module, _, self._attribute = spec.partition(":")
        if not self._module or not self._attribute:
            raise InputError(
                f"{self._whose}: `{setting}` is {spec!r}", remedy="write module:function"
            )
        self.source = self._hash_of(self._find(folder))
        self._function: Callable[..., Any] | None = None

    def _find(self, folder: Path) -> str | None:
        for place in (str(Path.cwd()), str(folder.resolve())):
            if place not in sys.path:
                sys.path.insert(0, place)
        importlib.invalidate_caches()
        try:
            found = importlib.util.find_spec(self._module)
        except (ImportError, ValueError):
            found = None
        if found is None:
            raise InputError(
                f"{self._whose}: there is no module `{self._module}`",
                remedy="put it into the study folder, or install it",
            )
        return found.origin

    @staticmethod
    def _hash_of(origin: str | None) -> str:
        if origin is None or not Path(origin).is_file():
            return ""
        return hashlib.sha256(Path(origin).read_bytes()).hexdigest()

    def load(self) -> Callable[..., Any]:
        """The function; its module is imported at the first call.

        Raises:
            InputError: The import fails, or the module has no such function.
        """
        if self._function is None:
            try:
                module = importlib.import_module(self._module)
            except Exception as error:
                raise InputError(
                    f"{self._whose}: importing `{self._module}` fails "
                    f"({type(error).__name__}: {error})"
                ) from error
            function = getattr(module, self._attribute, None)
            if not callable(function):
                raise InputError(
                    f"{self._whose}: `{self._module}` has no function `{self._attribute}`"
                )
            self._function = function
        return self._function

    async def run(self, timeout: float, *arguments: Any, **keywords: Any) -> Any:
        """What the function gives; a sync one runs beside the loop.

        Args:
            timeout: Seconds.
            arguments: Of the function.
            keywords: Of the function.

        Raises:
            InputError: As `load`.
            TimeoutError: It took longer.
            Exception: Whatever the function raises.
        """
        function = functools.partial(self.load(), *arguments, **keywords)
        async with asyncio.timeout(timeout):
            if inspect.iscoroutinefunction(function.func):
                return await function()
            value = await _in_thread(function)
            return await value if inspect.isawaitable(value) else value


async def _in_thread(function: Callable[[], Any]) -> Any:
    """Run a sync function beside the loop, in a thread that does not hold up the end."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(method: str, value: Any) -> None:
        if not done.done():
            getattr(done, method)(value)

    def run() -> None:
        try:
            value, method = function(), "set_result"
        except BaseException as error:
            value, method = error, "set_exception"
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, method, value)

    threading.Thread(target=run, daemon=True, name="user function").start()
    return await done
