"""How is a judge asked that is a Python function?

`call = "module:function"` names a function of (evidence, claim), sync or async, that gives a number
or a text. With `takes_scale = true` it is given the scale too, as the keyword `scale`: (low, high,
step). The module is looked for in the study folder, in the working folder and where Python
looks. A text is read like any model's reply. The cache key holds the hash of the module's file, so
a changed function is asked anew; what that module imports is not in the key.
"""

import json
import math
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from typing import Any

from judgeprobe.errors import CallError
from judgeprobe.records import Reply, Requested, Scale, Served, content_hash
from judgeprobe.settings import JudgeSettings
from judgeprobe.sweep.judges import Judge, Judgement
from judgeprobe.sweep.plan import Text
from judgeprobe.user_function import UserFunction

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
        self._user = UserFunction(
            self.spec, setting="call", owner=f"the judge `{self.name}`", folder=folder
        )
        self._source = self._user.source
        self._run_label = run
        self._keywords: dict[str, Any] = (
            {"scale": (scale.low, scale.high, scale.step)} if settings.takes_scale else {}
        )

    def prepare(self) -> None:
        """Import the function, before any text is put to it.

        Raises:
            InputError: It cannot be imported.
        """
        super().prepare()
        self._user.load()

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
        self._user.load()
        try:
            value = await self._user.run(self._timeout, *self.shown(text), **self._keywords)
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
