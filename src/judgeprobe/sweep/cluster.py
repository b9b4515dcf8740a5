"""How are the calls of a sweep made by the machines of a Ray cluster?

Only the calls leave this process. Plan, cache, claims, limits, retries, money and pauses stay in
one place, the driver, which is the sweep as it runs on one machine: it hands single requests to
workers and gets raw replies back. What is in flight is therefore what the one limit of a provider
allows, however many workers there are, and one process writes the cache.

A worker is a Ray actor. Ray places it, and starts it again when its process or its node dies; what
was on its way there is asked again through the driver's own retry, as after a dropped connection.
When the driver dies Ray ends its workers, and the next run goes on from the cache. A provider's key
is read from each worker's own environment; none is sent, and none stands in a runtime environment.
"""

import asyncio
import contextlib
import itertools
import logging
import os
import socket
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgeprobe import __version__
from judgeprobe.errors import InputError, LostCallError, PermanentCallError
from judgeprobe.llm.request import Request
from judgeprobe.llm.secrets import one_line
from judgeprobe.llm.sender import Disclosed, Transport
from judgeprobe.llm.wire import key_variable
from judgeprobe.llm.worker import Done, Hello, Job, Worker
from judgeprobe.records import Reply
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.models import ModelJudge

__all__ = ["Cluster"]

# Seconds: until the first worker must be up, until an address must answer, until a cluster without
# any worker is given up, until a worker that is away is asked for again, and that requests wait for
# others to travel with.
_START = 300.0
_CONNECT = 10.0
_AWAY = 300.0
_AGAIN = 0.5
_GATHER = 0.005


@dataclass(eq=False)
class _Remote:
    """One worker, as the driver sees it."""

    actor: Any
    up: bool = False
    process: int = 0
    waiting: dict[int, "asyncio.Future[Reply]"] = field(default_factory=dict)
    queue: list[Job] = field(default_factory=list)
    flush: asyncio.TimerHandle | None = None


class Cluster:
    """Workers on a Ray cluster.

    Args:
        address: Of a running cluster ("auto", "host:port"); where None, one is started on this
            machine and ended with the sweep.
        workers: How many; one for each processor of the cluster where None.

    Attributes:
        notes: What went otherwise than planned.

    Raises:
        InputError: Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, address: str | None = None, *, workers: int | None = None) -> None:
        self.notes: list[str] = []
        self._ray = _load_ray()
        self._owned = self._connect(address)
        processors = int(self._ray.cluster_resources().get("CPU", 0))
        self._count = workers or max(1, processors)
        self._remotes: list[_Remote] = []
        self._numbers = itertools.count()
        self._someone = asyncio.Event()
        self._variables: list[str] = []
        self._transports: list[Transport] = []
        self._serving: list[asyncio.Task[None]] = []

    def _connect(self, address: str | None) -> bool:
        """Join a cluster; whether it has to be left at the end."""
        if address is not None and address.startswith("ray://"):
            raise InputError(
                f"--address {address}: a Ray client cannot drive a sweep",
                remedy="run judgeprobe on a machine of the cluster, with --address auto",
            )
        if self._ray.is_initialized():
            return False
        if address is not None and not _listens(address):
            raise InputError(
                f"nothing listens at --address {address}",
                remedy="start a cluster with `ray start --head`, or leave --address out",
            )
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if address is None:
            options["include_dashboard"] = False
        try:
            self._ray.init(address=address, **options)
        except Exception as error:  # Ray raises a bare Exception where a node does not start
            where = "cannot be started here" if address is None else f"is not at {address!r}"
            raise InputError(
                f"a Ray cluster {where} ({one_line(str(error))})",
                remedy="try again when the machine is less busy"
                if address is None
                else "start one with `ray start --head`, or leave --address out",
            ) from None
        return True

    def close(self) -> None:
        """Leave the cluster, and end it where it was started here."""
        if self._owned and self._ray.is_initialized():
            self._ray.shutdown()

    @contextlib.asynccontextmanager
    async def serving(self, judges: Sequence[Judge]) -> AsyncIterator[None]:
        """Let the judges' calls be made by the workers while the block runs.

        A local model's and a Python function's calls stay in this process.

        Raises:
            InputError: No worker comes up, or it runs another version of judgeprobe.
        """
        remote = [judge for judge in judges if isinstance(judge, ModelJudge) and not judge.is_local]
        for judge in judges:
            if judge not in remote:
                self._say(f"the judge `{judge.name}` runs on the driver's machine, not on workers")
        if not remote:
            yield
            return
        self._variables = sorted({key_variable(judge.model) for judge in remote})
        self._transports = sorted({judge.transport for judge in remote})
        self._someone = asyncio.Event()
        actor = self._ray.remote(Worker).options(
            num_cpus=1,
            max_restarts=-1,
            max_task_retries=0,
            max_concurrency=1000,
            scheduling_strategy="SPREAD",
        )
        self._remotes = [_Remote(actor.remote()) for _ in range(self._count)]
        self._serving = [asyncio.create_task(self._serve(one)) for one in self._remotes]
        try:
            await self._first_worker()
            for judge in remote:
                judge.send_through(_Sender(self, judge.transport))
            yield
        finally:
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)
            for one in self._remotes:
                if one.flush is not None:
                    one.flush.cancel()
                self._ray.kill(one.actor, no_restart=True)
            self._remotes = []

    async def _first_worker(self) -> None:
        up = asyncio.create_task(self._someone.wait())
        try:
            done, _ = await asyncio.wait(
                [up, *self._serving], timeout=_START, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            up.cancel()
        for task in done - {up}:
            # A worker's task ends by an error alone.
            task.result()
        if not done:
            raise InputError(
                f"no worker came up within {_START:g} s",
                remedy="see `ray status`; a worker needs one free processor",
            )

    # --- one worker ---

    async def _serve(self, one: _Remote) -> None:
        """Keep a worker up and hand on what it has finished."""
        try:
            while True:
                try:
                    await self._round(one)
                except self._ray.exceptions.RayTaskError as error:
                    raise InputError(f"a worker cannot work ({_last_line(error)})") from None
                except self._ray.exceptions.RayError as error:
                    if "creation task" in str(error):
                        raise InputError(
                            f"a worker cannot be started ({_last_line(error)})",
                            remedy="install judgeprobe on every machine of the cluster",
                        ) from None
                    self._died(one)
                    await asyncio.sleep(_AGAIN)
        except InputError as error:
            self._say(str(error))
            self._lose(one)
            raise

    async def _round(self, one: _Remote) -> None:
        """See that a worker is up, and hand on what it has finished since the last time."""
        if not one.up:
            hello = await one.actor.hello.remote(self._variables, self._transports)
            self._greet(hello)
            one.process = hello.process
            one.up = True
            self._someone.set()
        process, finished = await one.actor.take.remote()
        if process != one.process:
            # It died and was started again before anybody asked.
            self._died(one)
            return
        for done in finished:
            self._finish(one, done)

    def _died(self, one: _Remote) -> None:
        if one.up:
            self._say("a worker died; what was on its way there was asked again elsewhere")
        self._lose(one)

    def _greet(self, hello: Hello) -> None:
        if hello.version != __version__:
            raise InputError(
                f"a worker runs judgeprobe {hello.version} and this is {__version__}",
                remedy="install the same version on every machine",
            )
        for name in self._variables:
            if os.environ.get(name) and name not in hello.keys:
                self._say(
                    f"{name} is set here and not on a worker's machine, which reads its own; set "
                    "it there before `ray start`"
                )

    def _lose(self, one: _Remote) -> None:
        one.up = False
        if not any(other.up for other in self._remotes):
            self._someone.clear()
        waiting, one.waiting, one.queue = one.waiting, {}, []
        for future in waiting.values():
            if not future.done():
                future.set_exception(LostCallError("the worker that made the call died"))

    def _finish(self, one: _Remote, done: Done) -> None:
        future = one.waiting.pop(done.number, None)
        # None: given up meanwhile, or given to another worker.
        if future is None or future.done():
            return
        try:
            future.set_result(done.result())
        except Exception as error:
            future.set_exception(error)

    # --- one call ---

    async def call(self, transport: Transport, request: Request) -> Reply:
        """Make a call at the worker that has the fewest.

        Raises:
            LostCallError: The worker died.
            CallError: The call gave no reply.
        """
        one = await self._least_busy()
        number = next(self._numbers)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        one.waiting[number] = future
        one.queue.append(Job(number, transport, request))
        if len(one.queue) == 1:
            loop = asyncio.get_running_loop()
            one.flush = loop.call_later(_GATHER, self._send, one)
        try:
            return await future
        finally:
            one.waiting.pop(number, None)

    async def _least_busy(self) -> _Remote:
        if not self._someone.is_set() and not all(task.done() for task in self._serving):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._someone.wait(), _AWAY)
        ready = [one for one in self._remotes if one.up]
        if not ready:
            raise PermanentCallError(
                f"no worker is up; {'; '.join(self.notes) or f'none came back within {_AWAY:g} s'}"
            )
        return min(ready, key=lambda one: len(one.waiting))

    def _send(self, one: _Remote) -> None:
        jobs, one.queue = one.queue, []
        if jobs and one.up:
            # Where the worker dies before it gets them, `take` says so too.
            one.actor.give.remote(jobs)

    async def disclosed(self, transport: Transport, base_url: str, model: str) -> Disclosed:
        """What an endpoint says of itself to a worker; nothing where the worker dies."""
        one = await self._least_busy()
        try:
            found: Disclosed = await one.actor.disclosed.remote(transport, base_url, model)
        except self._ray.exceptions.RayError:
            return Disclosed()
        return found

    @property
    def up(self) -> int:
        """Workers that are ready."""
        return sum(one.up for one in self._remotes)

    async def processor_seconds(self) -> float:
        """Processor time of every worker's process so far, for benchmarks."""
        return float(
            sum([await one.actor.processor_seconds.remote() for one in self._remotes if one.up])
        )

    def _say(self, line: str) -> None:
        if line not in self.notes:
            self.notes.append(line)


@dataclass(frozen=True)
class _Sender:
    """A judge's way to the workers."""

    cluster: Cluster
    transport: Transport

    async def call(self, request: Request) -> Reply:
        """Make one call."""
        return await self.cluster.call(self.transport, request)

    async def disclosed(self, base_url: str, model: str) -> Disclosed:
        """What an endpoint says of itself."""
        return await self.cluster.disclosed(self.transport, base_url, model)

    async def close(self) -> None:
        """The workers close their own connections."""


def _listens(address: str) -> bool:
    """Whether something listens at HOST:PORT; Ray would take minutes to find out that none does."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        return True
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT).close()
    except OSError:
        return False
    return True


def _last_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return one_line(lines[-1] if lines else type(error).__name__)


def _load_ray() -> Any:
    # Ray reports what it is used for unless it is told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise InputError(
            "`--engine ray` needs Ray, which is not installed",
            remedy="install it with: pip install 'judgeprobe[ray]'",
        ) from None
    return ray
