"""What does a worker of a cluster do?

It makes single calls and hands back what came of them. It knows no limit, no budget, no cache and
no judge: it is given requests in small batches, runs them side by side, and gives finished ones
back in batches too, because a message between processes costs more than what is in it. A provider's
key is read from the worker's own environment, so that none is ever sent to it.

`judgeprobe.sweep.cluster` runs it as a Ray actor; nothing here knows of Ray.
"""

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from judgeprobe import __version__, errors
from judgeprobe.errors import CallError, JudgeprobeError, PermanentCallError
from judgeprobe.llm.cache import read_reply, reply_json
from judgeprobe.llm.request import Request
from judgeprobe.llm.secrets import one_line
from judgeprobe.llm.sender import Disclosed, InProcess, Transport
from judgeprobe.records import Reply

__all__ = ["Done", "Hello", "Job", "Worker"]

# Finished calls wait for others, so many or so long (in steps, in seconds); a message costs about
# a millisecond on either side, whatever is in it.
_ENOUGH = 16
_STEPS, _STEP = 4, 0.005
# Seconds that a worker with none keeps the asker waiting.
_PATIENCE = 10.0


class Job(NamedTuple):
    """One call to make."""

    number: int
    transport: Transport
    request: Request


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a call: a reply as JSON, or an error in plain words.

    Plain values, because an exception does not always survive the way between processes.

    Attributes:
        kind: Name of the error's class, "" for a reply.
        cost: US dollars that a failed call cost, where the provider says so.
    """

    number: int
    reply: str = ""
    kind: str = ""
    message: str = ""
    retry_after: float | None = None
    cost: float | None = None

    def result(self) -> Reply:
        """The reply.

        Raises:
            JudgeprobeError: The error that the call met.
        """
        if not self.kind:
            return read_reply(self.reply)
        raise self._error()

    def _error(self) -> JudgeprobeError:
        kind = getattr(errors, self.kind, None)
        if self.kind == "RetryableCallError":
            error = errors.RetryableCallError(self.message, retry_after=self.retry_after)
            error.cost = self.cost  # type: ignore[attr-defined]
            return error
        if isinstance(kind, type) and issubclass(kind, CallError | errors.InputError):
            return kind(self.message)
        return PermanentCallError(f"a worker failed: {self.kind}: {self.message}")


class Hello(NamedTuple):
    """What a worker says of itself."""

    version: str
    process: int
    keys: frozenset[str]


class Worker:
    """Makes calls side by side in one event loop."""

    def __init__(self) -> None:
        self._senders: dict[Transport, InProcess] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._done: list[Done] = []
        self._some = asyncio.Event()

    async def hello(self, variables: Sequence[str], transports: Sequence[Transport]) -> Hello:
        """Drop what is on its way, and be ready: libraries are loaded now, not at the first call.

        Args:
            variables: Environment variables that hold keys; the answer names those that are set.
            transports: What calls will be made through.
        """
        for task in self._running:
            task.cancel()
        self._running.clear()
        self._done.clear()
        if "litellm" in transports:
            from judgeprobe.llm.client import load_litellm

            load_litellm()
        there = frozenset(name for name in variables if os.environ.get(name))
        return Hello(__version__, os.getpid(), there)

    async def give(self, jobs: Sequence[Job]) -> None:
        """Begin some calls."""
        for job in jobs:
            task = asyncio.create_task(self._make(job))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def take(self) -> tuple[int, list[Done]]:
        """This process, and what has finished since the last time.

        Waits until there is something, ten seconds at most. The process tells an asker that was
        slow to notice that the worker was started again meanwhile.
        """
        if not self._done:
            try:
                await asyncio.wait_for(self._some.wait(), _PATIENCE)
            except TimeoutError:
                return os.getpid(), []
        for _ in range(_STEPS):
            if len(self._done) >= _ENOUGH:
                break
            await asyncio.sleep(_STEP)
        done, self._done = self._done, []
        self._some.clear()
        return os.getpid(), done

    async def disclosed(self, transport: Transport, base_url: str, model: str) -> Disclosed:
        """What an endpoint says of itself."""
        return await self._sender(transport).disclosed(base_url, model)

    async def processor_seconds(self) -> float:
        """Processor time of this process so far, for benchmarks."""
        return time.process_time()

    async def close(self) -> None:
        """Drop what is on its way and close connections."""
        for task in self._running:
            task.cancel()
        for sender in self._senders.values():
            await sender.close()
        self._senders.clear()

    def _sender(self, transport: Transport) -> InProcess:
        if transport not in self._senders:
            self._senders[transport] = InProcess(transport)
        return self._senders[transport]

    async def _make(self, job: Job) -> None:
        try:
            reply = await self._sender(job.transport).call(job.request)
            done = Done(job.number, reply=reply_json(reply))
        except JudgeprobeError as error:
            done = Done(
                job.number,
                kind=type(error).__name__,
                message=str(error),
                retry_after=getattr(error, "retry_after", None),
                cost=getattr(error, "cost", None),
            )
        except Exception as error:
            # Whatever it is, the asker waits for this number.
            done = Done(job.number, kind=type(error).__name__, message=one_line(str(error)))
        self._done.append(done)
        self._some.set()
