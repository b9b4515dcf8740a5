"""How is a judge asked that is a Python function?

`call = "module:function"` names a function of (evidence, claim), sync or async, that gives a number
or a text. With `takes_scale = true` it is given the scale too, as the keyword `scale`: (low, high,
step). The module is looked for in the study folder, in the working folder and where Python
looks. A text is read like any model's reply. The cache key holds the hash of the module's file, so
a changed function is asked anew; what that module imports is not in the key.
"""

import asyncio
import functools
import hashlib
import importlib
import importlib.util
import inspect
import json
import math
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from typing import Any

from judgeprobe.errors import CallError, InputError
from judgeprobe.records import Reply, Requested, Scale, Served, content_hash
from judgeprobe.study import JudgeSettings
from judgeprobe.sweep.judges import Judge, Judgement
from judgeprobe.sweep.plan import Text

__all__ = ["CallableJudge"]


class CallableJudge(Judge):
    """A judge that is a Python function.

    Raises:
        InputError: The module or the function is not there.
    """

    elicitation = "computed"

    def __init__(
        self,
        settings: JudgeSettings,
        scale: Scale,
        *,
        repetitions: int,
        folder: Path,
        run: str = "",
    ) -> None:
        assert settings.call is not None
        self.name = settings.name
        self.spec = settings.call
        self.scale = scale
        self.repetitions = repetitions
        self.reply_pattern = settings.reply_pattern
        self.group = f"call {self.spec}"
        self._timeout = settings.timeout
        self._run_label = run
        self._keywords: dict[str, Any] = (
            {"scale": (scale.low, scale.high, scale.step)} if settings.takes_scale else {}
        )
        self._function: Callable[..., Any] | None = None
        self._is_async = False
        self._folder = folder
        self._module, _, self._attribute = self.spec.partition(":")
        self._source = self._find_source()

    def _find_source(self) -> str:
        if not self._module or not self._attribute:
            raise InputError(
                f"the judge `{self.name}`: `call` is {self.spec!r}", remedy="write module:function"
            )
        for folder in (str(Path.cwd()), str(self._folder.resolve())):
            if folder not in sys.path:
                sys.path.insert(0, folder)
        importlib.invalidate_caches()
        try:
            found = importlib.util.find_spec(self._module)
        except (ImportError, ValueError):
            found = None
        if found is None:
            raise InputError(
                f"the judge `{self.name}`: there is no module `{self._module}`",
                remedy="put it into the study folder, or install it",
            )
        if found.origin is None or not Path(found.origin).is_file():
            return ""
        return hashlib.sha256(Path(found.origin).read_bytes()).hexdigest()

    def _load(self) -> Callable[..., Any]:
        if self._function is None:
            try:
                module = importlib.import_module(self._module)
            except Exception as error:
                raise InputError(
                    f"the judge `{self.name}`: importing `{self._module}` fails "
                    f"({type(error).__name__}: {error})"
                ) from error
            function = getattr(module, self._attribute, None)
            if not callable(function):
                raise InputError(
                    f"the judge `{self.name}`: `{self._module}` has no function `{self._attribute}`"
                )
            self._function = function
            self._is_async = inspect.iscoroutinefunction(function)
        return self._function

    def prepare(self) -> None:
        """Import the function, before any text is put to it.

        Raises:
            InputError: It cannot be imported.
        """
        self._load()

    def key(self, text: Text, repetition: int) -> str:
        """Cache key: the function, its source, and the text."""
        content: dict[str, Any] = {
            "call": self.spec,
            "source": self._source,
            "evidence": text.evidence,
            "claim": text.text,
            "repetition": repetition,
        }
        if self._keywords:
            content["keywords"] = {name: list(given) for name, given in self._keywords.items()}
        return content_hash({**content, "run": self._run_label} if self._run_label else content)

    async def ask(self, text: Text, repetition: int) -> Reply:
        """Call the function once.

        Raises:
            CallError: It raised, or took longer than the judge's timeout.
        """
        function = functools.partial(self._load(), *self.shown(text), **self._keywords)
        try:
            async with asyncio.timeout(self._timeout):
                value = await (function() if self._is_async else _in_thread(function))
                if inspect.isawaitable(value):
                    value = await value
        except TimeoutError:
            raise CallError(f"took longer than {self._timeout:g} s") from None
        except CallError:
            raise
        except Exception as error:
            raise CallError(f"{type(error).__name__}: {error}"[:300]) from error
        return Reply(
            key=self.key(text, repetition),
            requested=Requested(model=self.spec, params_hash=self._source[:16]),
            served=Served(model=self.spec),
            text=_as_text(value),
            message={"computed": _as_number(value)},
            cost=0.0,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def shown(self, text: Text) -> tuple[str, ...]:
        """What the function is called with."""
        return text.evidence, text.text

    def read(self, reply: Reply) -> Judgement:
        """The number that the function gave, or the grade in its text."""
        value = reply.message.get("computed")
        if value is None:
            return super().read(reply.model_copy(update={"message": {}}))
        if value not in self.scale:
            why = f"outside {self.scale.low:g} to {self.scale.high:g}: {value:g}"
            return Judgement("off_scale", None, why)
        return Judgement("graded", value, "" if self.scale.on_lattice(value) else "off lattice")


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, default=str, ensure_ascii=False)


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

    threading.Thread(target=run, daemon=True, name="judge").start()
    return await done
