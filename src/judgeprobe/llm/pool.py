"""How are model calls made at once, within the budget, and each only once?

For work in which one call leads to the next (an edit is written, then checked, then perhaps written
again), so that no list of calls can be made beforehand. A reply that is in the cache is not asked
for again, and neither is a question that is on its way. Calls to one provider share an adaptive
limit; failed ones are retried; a budget that is reached, a call that cannot succeed, and Ctrl-C
stop the whole run: nothing more is sent, and what is on its way is awaited and kept.
"""

import asyncio
import contextlib
import functools
import signal
import threading
import time
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from judgeprobe.errors import (
    CallError,
    JudgeprobeError,
    PermanentCallError,
    RetryableCallError,
    WrongServerError,
)
from judgeprobe.llm.cache import ReplyCache, reply_key
from judgeprobe.llm.endpoint import Endpoint
from judgeprobe.llm.limits import AdaptiveLimit, Budget, is_throttle
from judgeprobe.llm.request import Request
from judgeprobe.llm.retry import retrying
from judgeprobe.records import Reply

__all__ = ["Counts", "Pool", "StoppedError", "Watch"]

T = TypeVar("T")

_WATCHED = 40
_MOST_FAILED = 10
_MOST_FAILED_SHARE = 0.5


class StoppedError(JudgeprobeError):
    """The run was stopped: by its budget, or because too many calls failed.

    Args:
        reason: Why, without a full stop.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"stopped: {reason}; the replies that have arrived are kept, run it again to go on"
        )


@dataclass
class Counts:
    """Calls of one role in one run.

    Attributes:
        cached: Answered from the cache.
        done: Answered by the model.
        calls: Requests sent, retries included.
        retries: Of these, the ones that repeated a call.
        failed: Given up after retries.
        wrong: Answered by another model or provider.
        usd: Spent, as far as prices are known.
        unpriced: Replies whose price is not known.
    """

    cached: int = 0
    done: int = 0
    calls: int = 0
    retries: int = 0
    failed: int = 0
    wrong: int = 0
    usd: float = 0.0
    unpriced: int = 0
    _outcomes: deque[bool] = field(default_factory=lambda: deque(maxlen=_WATCHED))

    def as_dict(self) -> dict[str, int | float]:
        """For JSON."""
        return {
            "cached": self.cached,
            "done": self.done,
            "calls": self.calls,
            "retries": self.retries,
            "failed": self.failed,
            "wrong": self.wrong,
            "usd": round(self.usd, 8),
            "unpriced": self.unpriced,
        }

    def bad(self) -> int:
        """Bad ones of the last questions, where they are so many that it is no use to go on."""
        bad = self._outcomes.count(False)
        few = bad < _MOST_FAILED or bad < _MOST_FAILED_SHARE * len(self._outcomes)
        return 0 if few else bad

    def note(self, *, good: bool) -> None:
        """One more question came to its end."""
        self._outcomes.append(good)


# Told what is done, what there is in all, and calls by role.
Watch = Callable[[int, int, dict[str, Counts]], None]


def _letting_go() -> StoppedError:
    return StoppedError("by the user or by another call")


class Pool:
    """Makes the calls of one run.

    Args:
        cache: Where replies are kept.
        budget: Hard stops of this run.
        concurrency: Most calls at once to one provider.

    Attributes:
        counts: By role.
    """

    def __init__(self, cache: ReplyCache, budget: Budget, *, concurrency: int) -> None:
        self.counts: dict[str, Counts] = defaultdict(Counts)
        self._cache = cache
        self._budget = budget
        self._concurrency = concurrency
        self._limits: dict[str, AdaptiveLimit] = {}
        self._asking: dict[str, asyncio.Future[Reply]] = {}
        self._waiting: set[asyncio.Task[object]] = set()
        self._stopped: BaseException | None = None

    async def ask(
        self, endpoint: Endpoint, request: Request, *, template_hash: str, repetition: int = 0
    ) -> Reply:
        """The reply to a request, from the cache or from the model.

        Args:
            endpoint: What is asked.
            request: What it is asked.
            template_hash: Of the prompt.
            repetition: A further number asks the same anew.

        Raises:
            StoppedError: The run was stopped; nothing was sent.
            PermanentCallError: No call of this endpoint will succeed; the run is stopped.
            WrongServerError: Another model or provider answered. The reply is kept and not used.
            CallError: This request has no reply.
            StorageError: The cache cannot be written.
        """
        self._check()
        counts = self.counts[endpoint.role]
        key = reply_key(request.body(), template_hash, repetition)
        reply = self._cache.get(key)
        if reply is not None:
            counts.cached += 1
        elif key in self._asking:
            reply = await asyncio.shield(self._asking[key])
        else:
            reply = await self._only_once(endpoint, request, key)
        return self._checked(endpoint, reply, counts)

    def _checked(self, endpoint: Endpoint, reply: Reply, counts: Counts) -> Reply:
        if wrong := endpoint.wrong(reply):
            counts.wrong += 1
            error = WrongServerError(f"the {endpoint.role}'s reply was {wrong}")
            self._note_bad(counts, endpoint, error)
            raise error
        counts.note(good=True)
        return reply

    async def _only_once(self, endpoint: Endpoint, request: Request, key: str) -> Reply:
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._asking[key] = future
        try:
            reply = await self._made(endpoint, request)
            reply = reply.model_copy(update={"key": key})
            self._cache.put(reply)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                future.cancel()
            else:
                future.set_exception(error)
                # Nobody need be waiting for it.
                future.exception()
            raise
        else:
            future.set_result(reply)
            return reply
        finally:
            del self._asking[key]

    async def _made(self, endpoint: Endpoint, request: Request) -> Reply:
        counts = self.counts[endpoint.role]
        tries = 0

        async def attempt() -> Reply:
            nonlocal tries
            tries += 1
            return await self._attempt(endpoint, request, counts, again=tries > 1)

        task = asyncio.current_task()
        assert task is not None
        self._waiting.add(task)
        try:
            reply = await retrying(attempt)
        except PermanentCallError as error:
            self.stop(error)
            raise
        except CallError as error:
            self._check()
            counts.failed += 1
            self._note_bad(counts, endpoint, error)
            raise
        finally:
            self._waiting.discard(task)
        counts.done += 1
        return reply

    async def _attempt(
        self, endpoint: Endpoint, request: Request, counts: Counts, *, again: bool
    ) -> Reply:
        limit = self._limit(endpoint)
        await limit.acquire()
        began = time.monotonic()
        throttled = good = sent = False
        cost: float | None = None
        task = asyncio.current_task()
        assert task is not None
        try:
            self._check()
            if reason := self._budget.stop():
                self.stop(StoppedError(reason))
                self._check()
            self._budget.sent()
            sent = True
            counts.calls += 1
            counts.retries += again
            # A call on its way is not cancelled by a stop: it is paid for.
            self._waiting.discard(task)
            reply = await endpoint.call(request)
            good = True
            cost = self._paid(endpoint, reply, counts)
        except RetryableCallError as error:
            throttled = is_throttle(error)
            self._check()
            raise
        else:
            return reply
        finally:
            self._waiting.add(task)
            if sent:
                self._budget.back(cost)
            limit.release(seconds=time.monotonic() - began, throttled=throttled, good=good)

    def _limit(self, endpoint: Endpoint) -> AdaptiveLimit:
        if endpoint.group not in self._limits:
            most = min(self._concurrency, endpoint.concurrency or self._concurrency)
            self._limits[endpoint.group] = AdaptiveLimit(most)
        return self._limits[endpoint.group]

    def _paid(self, endpoint: Endpoint, reply: Reply, counts: Counts) -> float | None:
        cost = endpoint.cost(reply)
        if cost is None:
            counts.unpriced += 1
        else:
            counts.usd += cost
        return cost

    def _note_bad(self, counts: Counts, endpoint: Endpoint, error: CallError) -> None:
        counts.note(good=False)
        if bad := counts.bad():
            self.stop(
                StoppedError(
                    f"{bad} of the last calls of the {endpoint.role} gave nothing that can be "
                    f"used, the last with: {error}"
                )
            )

    def stop(self, reason: BaseException) -> None:
        """Send nothing more; who waits for a turn is let go, what is on its way is awaited."""
        if self._stopped is not None:
            return
        self._stopped = reason
        for task in list(self._waiting):
            if task is not asyncio.current_task():
                task.cancel()

    def _check(self) -> None:
        if self._stopped is not None:
            raise self._stopped if isinstance(self._stopped, StoppedError) else _letting_go()

    async def all(
        self, jobs: Sequence[Callable[[], Awaitable[T]]], watch: Watch | None = None
    ) -> list[T]:
        """The results of some jobs that ask, in their order.

        Args:
            jobs: Each asks what it needs.
            watch: Told after every job that ended well.

        Raises:
            KeyboardInterrupt: The user stopped the run.
            JudgeprobeError: Why the run was stopped, or the first job's error.
        """
        done = 0

        async def watched(job: Callable[[], Awaitable[T]]) -> T:
            nonlocal done
            result = await job()
            done += 1
            if watch is not None:
                watch(done, len(jobs), self.counts)
            return result

        with self._interruptible():
            found = await asyncio.gather(
                *(self._guarded(functools.partial(watched, job)) for job in jobs),
                return_exceptions=True,
            )
        if self._stopped is not None:
            raise self._stopped
        results: list[T] = []
        for result in found:
            if isinstance(result, BaseException):
                raise result
            results.append(result)
        return results

    async def _guarded(self, job: Callable[[], Awaitable[T]]) -> T:
        try:
            return await job()
        except Exception as error:
            # The others must not go on to pay for a run that gives nothing.
            self.stop(error)
            raise

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """The first Ctrl-C or SIGTERM stops the run, a second ends the process."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.getsignal(number) for number in numbers}

        def first() -> None:
            for number in numbers:
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_DFL)
            self.stop(KeyboardInterrupt())

        for number in numbers:
            loop.add_signal_handler(number, first)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)
                signal.signal(number, before[number])
