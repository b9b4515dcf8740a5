"""How are thousands of calls made so that none is lost, doubled or paid for in vain?

A fixed number of workers for each provider takes calls from one iterator. Before a call is sent the
cache is asked again, because another sweep may have made it. A reply is put into the cache as it
arrives. A judge whose calls cannot succeed is stopped, one whose failures pass a threshold is
paused, and the others go on. A budget that is reached ends the run after the calls on their way.
"""

import asyncio
import contextlib
import itertools
import signal
import threading
import time
import warnings
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from judgeprobe.errors import (
    CallError,
    JudgeprobeError,
    LostCallError,
    PermanentCallError,
    RetryableCallError,
)
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.limits import AdaptiveLimit, Budget, is_throttle
from judgeprobe.llm.retry import retrying
from judgeprobe.records import Reply
from judgeprobe.sweep.claims import Claims
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.plan import Text
from judgeprobe.sweep.progress import JudgeState, Progress

__all__ = ["Call", "Outcome", "Runner", "interruptible", "pending_calls"]

PAUSE_AFTER = 10
PAUSE_SHARE = 0.5
_BLOCK = 16
# Seconds until a call that another sweep is making is looked at again.
_OTHERS_TURN = 0.1

FailureKey = tuple[str, str, int]


class Call(NamedTuple):
    """One call that has to be made."""

    judge: Judge
    text: Text
    repetition: int
    key: str

    @property
    def failure_key(self) -> FailureKey:
        """How a failure of it is filed."""
        return self.judge.name, self.text.id, self.repetition


@dataclass
class Outcome:
    """What a run left behind, apart from the cache.

    Attributes:
        states: Counts, by judge.
        keys: Cache keys of each judge, in the order of the texts, a text's repetitions together.
        failures: Why a text has no reply, by (judge, text id, repetition).
        stopped: Why the whole run ended early, or "".
    """

    states: dict[str, JudgeState]
    keys: dict[str, list[str]] = field(default_factory=dict)
    failures: dict[FailureKey, str] = field(default_factory=dict)
    stopped: str = ""

    def go_on_from(self, earlier: "Outcome") -> None:
        """Add what an earlier round of the same run did."""
        for name, state in self.states.items():
            before = earlier.states[name]
            state.calls += before.calls
            state.retries += before.retries
            state.usd += before.usd
            state.unpriced += before.unpriced
            state.cached = before.cached


class _BudgetReachedError(JudgeprobeError):
    """No further call may be sent."""


class _JudgeStoppedError(JudgeprobeError):
    """No further call of this judge may be sent."""


def pending_calls(
    judges: Sequence[Judge],
    texts: Sequence[Text],
    cache: ReplyCache,
    *,
    failed: Mapping[FailureKey, str],
) -> tuple[list[Call], Outcome]:
    """The calls that are neither in the cache nor failed before, and the counts so far.

    The calls keep the order of the texts, with the judges side by side.
    """
    outcome = Outcome(
        {judge.name: JudgeState(judge.name) for judge in judges},
        keys={judge.name: [] for judge in judges},
    )
    known = cache.stored() - cache.unreadable
    calls: list[Call] = []
    for text in texts:
        for judge in judges:
            state = outcome.states[judge.name]
            for repetition in range(judge.repetitions):
                state.planned += 1
                call = Call(judge, text, repetition, judge.key(text, repetition))
                outcome.keys[judge.name].append(call.key)
                if call.key in known:
                    state.cached += 1
                elif call.failure_key in failed:
                    state.failed += 1
                    outcome.failures[call.failure_key] = failed[call.failure_key]
                else:
                    calls.append(call)
                    # A judge that asks the very same under another name is answered with it.
                    known.add(call.key)
    return calls, outcome


class _Queue:
    """The calls of one provider that are still needed, a block at a time.

    A block is claimed in one transaction and looked up in the cache in one query, because another
    sweep may have made some of it.
    """

    def __init__(
        self, calls: Sequence[Call], cache: ReplyCache, claims: Claims, outcome: Outcome
    ) -> None:
        self._calls = iter(calls)
        self._cache = cache
        self._claims = claims
        self._outcome = outcome
        self._ready: deque[Call] = deque()
        self.deferred: list[Call] = []

    def next(self) -> Call | None:
        """The next call to make; None where none is left but what other sweeps are making."""
        while not self._ready:
            block = list(itertools.islice(self._calls, _BLOCK))
            if not block:
                return None
            self._sort(block)
        return self._ready.popleft()

    def look_again(self) -> None:
        """See which of the other sweeps' calls are answered now, or were given up."""
        block, self.deferred = self.deferred[:_BLOCK], self.deferred[_BLOCK:]
        if block:
            self._sort(block)

    def _sort(self, block: Sequence[Call]) -> None:
        keys = [call.key for call in block]
        # The claim comes first: what another sweep gave back by then is in the cache.
        mine = self._claims.take(keys)
        there = self._cache.present(keys) - self._cache.unreadable
        for call in block:
            if call.key in there:
                self._outcome.states[call.judge.name].cached += 1
            elif call.key in mine:
                self._ready.append(call)
            else:
                self.deferred.append(call)


class Runner:
    """Makes the calls of one run.

    Args:
        calls: What has to be asked.
        outcome: The counts to go on with.
        concurrency: Most calls at once to one provider.
    """

    def __init__(
        self,
        calls: Sequence[Call],
        outcome: Outcome,
        cache: ReplyCache,
        claims: Claims,
        budget: Budget,
        *,
        concurrency: int,
    ) -> None:
        self.outcome = outcome
        self._cache = cache
        self._claims = claims
        self._budget = budget
        self._groups: dict[str, list[Call]] = defaultdict(list)
        for call in calls:
            self._groups[call.judge.group].append(call)
        self._limits = {
            name: AdaptiveLimit(min(concurrency, members[0].judge.concurrency or concurrency))
            for name, members in self._groups.items()
        }
        self._judges = list({call.judge.name: call.judge for call in calls}.values())

    async def run(self, progress: Progress) -> None:
        """Make the calls.

        Raises:
            StorageError: The cache cannot be written.
        """
        progress.start(list(self.outcome.states.values()))
        ticker = asyncio.create_task(progress.tick())
        try:
            async with asyncio.TaskGroup() as group:
                for name, members in self._groups.items():
                    limit = self._limits[name]
                    queue = _Queue(members, self._cache, self._claims, self.outcome)
                    for _ in range(min(limit.most, len(members))):
                        group.create_task(self._work(queue, limit))
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        finally:
            ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticker
            for judge in self._judges:
                await judge.close()
            progress.finish()

    async def _work(self, queue: "_Queue", limit: AdaptiveLimit) -> None:
        while not self.outcome.stopped:
            call = queue.next()
            if call is None:
                if not queue.deferred:
                    return
                # Another sweep is making the rest; its replies will be in the cache.
                await asyncio.sleep(_OTHERS_TURN)
                queue.look_again()
            elif not (state := self.outcome.states[call.judge.name]).stopped:
                await self._one(call, state, limit)

    async def _one(self, call: Call, state: JudgeState, limit: AdaptiveLimit) -> None:
        tries = 0

        async def attempt() -> Reply:
            nonlocal tries
            tries += 1
            return await self._attempt(call, state, limit, again=tries > 1)

        try:
            reply = await retrying(attempt)
        except _BudgetReachedError as reached:
            self.outcome.stopped = self.outcome.stopped or str(reached)
            self._claims.give_back([call.key])
        except _JudgeStoppedError:
            self._claims.give_back([call.key])
        except PermanentCallError as error:
            state.stopped = state.stopped or str(error)
            self._claims.give_back([call.key])
        except CallError as error:
            self._failed(call, state, error)
            self._claims.give_back([call.key])
        else:
            self._cache.put(reply.model_copy(update={"key": call.key}))
            state.answered()
            found = call.judge.read(reply)
            if found.status != "graded":
                state.ungraded[found.status] += 1

    async def _attempt(
        self, call: Call, state: JudgeState, limit: AdaptiveLimit, *, again: bool
    ) -> Reply:
        await limit.acquire()
        began = time.monotonic()
        throttled = good = False
        sent = False
        cost: float | None = None
        try:
            if self.outcome.stopped or (reason := self._budget.stop()):
                raise _BudgetReachedError(self.outcome.stopped or reason)
            if state.stopped:
                raise _JudgeStoppedError(state.stopped)
            self._budget.sent()
            sent = True
            state.calls += 1
            state.retries += again
            state.in_flight += 1
            reply = await call.judge.ask(call.text, call.repetition)
            good = True
            cost = self._paid(state, call.judge, reply)
        except RetryableCallError as error:
            throttled = is_throttle(error)
            cost = getattr(error, "cost", None)
            if isinstance(error, LostCallError):
                cost = self._budget.mean
            state.usd += cost or 0.0
            raise
        else:
            return reply
        finally:
            if sent:
                state.in_flight -= 1
                self._budget.back(cost)
            limit.release(seconds=time.monotonic() - began, throttled=throttled, good=good)

    def _paid(self, state: JudgeState, judge: Judge, reply: Reply) -> float | None:
        prompt = reply.usage.get("prompt_tokens", 0)
        written = reply.usage.get("completion_tokens", 0)
        state.prompt_tokens += prompt
        state.reply_tokens += written
        cost = judge.cost(reply)
        if cost is None:
            state.unpriced += 1
        else:
            state.usd += cost
        return cost

    def _failed(self, call: Call, state: JudgeState, error: CallError) -> None:
        state.failed += 1
        state.outcomes.append(False)
        self.outcome.failures[call.failure_key] = str(error)
        bad = state.outcomes.count(False)
        if bad >= PAUSE_AFTER and bad >= PAUSE_SHARE * len(state.outcomes) and not state.stopped:
            state.stopped = (
                f"paused: {bad} of the last {len(state.outcomes)} texts failed, "
                f"the last with: {error}; go on later with --retry-failed"
            )


async def interruptible(runner: Runner, progress: Progress) -> None:
    """Run; the first Ctrl-C or SIGTERM cancels what is on its way, a second ends the process."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    if threading.current_thread() is threading.main_thread() and task is not None:
        main = task

        def first() -> None:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)
                # Back to the system's own: the next one ends the process at once.
                signal.signal(number, signal.SIG_DFL)
            # litellm leaves a coroutine behind when it is cancelled; that is nothing to say.
            warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
            main.cancel()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, first)
    try:
        await runner.run(progress)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
