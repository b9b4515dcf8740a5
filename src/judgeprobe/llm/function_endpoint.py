"""How is a Python function asked where a model could be?

`call = "module:function"` names a function, sync or async, of (prompt, seed) that gives a text. It
stands behind the same interface as a model, so that the pool, the cache and the budget treat it
alike. The cache key holds the hash of the module's file: a changed function is asked anew; what
that module imports is not in the key.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from judgeprobe.errors import CallError, InputError
from judgeprobe.llm.endpoint import Endpoint
from judgeprobe.llm.request import Message, Request
from judgeprobe.records import Reply, Requested, Served
from judgeprobe.user_function import UserFunction

__all__ = ["FunctionEndpoint"]


class FunctionEndpoint(Endpoint):
    """A function that answers prompts.

    Args:
        spec: `module:function`.
        role: What it does, as messages name it.
        folder: The study folder.
        timeout: Seconds until a call is given up.

    Raises:
        InputError: The module or the function is not there.
    """

    def __init__(self, spec: str, role: str, *, folder: Path, timeout: float) -> None:
        self.role = role
        self.model = f"call {spec}"
        self.group = self.model
        self.concurrency = None
        self.price = (0.0, 0.0)
        self._timeout = timeout
        self._function = UserFunction(spec, setting="call", owner=f"the {role}", folder=folder)
        self._function.load()

    @property
    def structured(self) -> bool:
        """A function gives plain text."""
        return False

    def request(self, messages: Sequence[Message], response_format: object = None) -> Request:  # noqa: ARG002 - as a model's
        """What the function is asked: the messages as one text."""
        return Request(
            model=self.model,
            messages=tuple(messages),
            temperature=None,
            identity=self._function.source,
            timeout=self._timeout,
        )

    async def call(self, request: Request) -> Reply:
        """Call the function once.

        Raises:
            CallError: It raised, took longer than its timeout, or gave no text.
        """
        prompt = "\n\n".join(str(message["content"]) for message in request.messages)
        try:
            text = await self._function.run(self._timeout, prompt, request.seed)
        except TimeoutError:
            raise CallError(f"took longer than {self._timeout:g} s") from None
        except (CallError, InputError):
            raise
        except Exception as error:
            raise CallError(f"{type(error).__name__}: {error}"[:300]) from error
        if not isinstance(text, str):
            raise CallError(f"the {self.role} gave {type(text).__name__} where a text is wanted")
        return Reply(
            key="",
            requested=Requested(model=self.model, params_hash=self._function.source[:16]),
            served=Served(model=self.model),
            text=text,
            cost=0.0,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def wrong(self, reply: Reply) -> str:  # noqa: ARG002 - nobody else can have answered
        """Never another than the one that was asked."""
        return ""

    def cost(self, reply: Reply) -> float:  # noqa: ARG002 - whoever it was
        """Nothing."""
        return 0.0

    async def close(self) -> None:
        """There is nothing to let go of."""
