"""How does a sweep go through a provider's batch interface, over days and interruptions?

Each round collects the batches that have ended and submits the calls that are in none. What is open
stands in `cache/batches.json`, written before and after each submission: a batch whose submission
was interrupted is looked for at the provider by its mark. Replies go into the same cache under the
same keys, so a sweep may go from one way of asking to the other at any time.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from judgeprobe.errors import CallError, InputError, PermanentCallError, RetryableCallError
from judgeprobe.files import read_json, write_json
from judgeprobe.llm.batch import MOST_ITEMS, PRICE_SHARE, BatchVendor, batch_vendor
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.client import close_clients
from judgeprobe.llm.limits import Budget
from judgeprobe.llm.request import Request
from judgeprobe.llm.retry import retrying
from judgeprobe.records import Reply
from judgeprobe.sweep.claims import exclusive
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.models import ModelJudge
from judgeprobe.sweep.run import Call, Outcome

__all__ = ["BatchReport", "BatchRound", "OpenBatch", "batchable"]

_FILE = "batches.json"


@dataclass(frozen=True)
class OpenBatch:
    """A batch that was submitted, or was about to be.

    Attributes:
        id: The provider's id; "" while it is being submitted.
        mark: Sent with it, so that it can be found again.
        judge: The judge that asked.
        keys: Cache keys of its calls.
        said: What the provider said of it when it was last looked at.
    """

    id: str
    mark: str
    judge: str
    keys: tuple[str, ...]
    said: str = ""


@dataclass
class BatchReport:
    """What a round did.

    Attributes:
        open: Batches that are not answered yet.
        submitted: Calls that were sent in this round.
        collected: Replies that arrived in this round.
        notes: What went wrong with a batch.
    """

    open: list[OpenBatch] = field(default_factory=list)
    submitted: int = 0
    collected: int = 0
    notes: list[str] = field(default_factory=list)


def batchable(judge: Judge) -> bool:
    """Whether a judge can be asked by batch."""
    if not isinstance(judge, ModelJudge) or judge.is_local:
        return False
    try:
        batch_vendor(judge.model)
    except InputError:
        return False
    return True


class BatchRound:
    """Collects what has ended and submits what is in no batch.

    Args:
        planned: Every call of the plan whose judge can be asked by batch.
        pending: Those that have no reply yet.
        outcome: Its counts and failures are brought up to date.
        cache: Where replies go; `batches.json` lies in its folder.
        budget: Calls that it does not cover are not submitted; what waits from earlier runs counts.
    """

    def __init__(
        self,
        planned: Sequence[Call],
        pending: Sequence[Call],
        outcome: Outcome,
        cache: ReplyCache,
        budget: Budget,
    ) -> None:
        self._planned = {call.key: call for call in planned}
        self._pending = pending
        self._outcome = outcome
        self._cache = cache
        self._budget = budget
        self._path = cache.folder / _FILE
        self.report = BatchReport()

    async def run(self) -> BatchReport:
        """Make one round.

        Raises:
            InputError: batches.json is damaged, or another sweep makes a round.
            StorageError: The disk refused.
        """
        with exclusive(self._path.with_suffix(".lock"), "another sweep is collecting batches"):
            try:
                await self._collect()
                self._reckon_waiting()
                for judge in {call.judge.name: call.judge for call in self._pending}.values():
                    await self._submit(judge)
            finally:
                await close_clients()
        return self.report

    async def _collect(self) -> None:
        batches = _load(self._path)
        while batches:
            batch = batches.pop(0)
            self.report.open.extend(await self._look_at(batch))
            # The replies are on the disk before the batch is forgotten.
            self._cache.flush()
            _save(self._path, [*self.report.open, *batches])

    def _reckon_waiting(self) -> None:
        """Count what waits from earlier runs against the budget, at its estimated price."""
        for batch in self.report.open:
            calls = [self._planned[key] for key in batch.keys if key in self._planned]
            self._budget.calls += len(calls)
            self._budget.usd += sum(map(_estimate, calls))

    async def _look_at(self, batch: OpenBatch) -> list[OpenBatch]:
        """The batch, where it is still open."""
        known = [key for key in batch.keys if key in self._planned]
        if not known:
            self.report.notes.append(
                f"batch {batch.id or batch.mark} holds calls that the study no longer plans; "
                "it is left alone"
            )
            return [batch]
        first = self._planned[known[0]]
        state, vendor = self._outcome.states[first.judge.name], self._vendor(first)
        try:
            if not batch.id:
                found = await retrying(lambda: vendor.find(batch.mark))
                if found is None:
                    self.report.notes.append(
                        f"a batch of the judge `{batch.judge}` was interrupted while it was "
                        "submitted and is not known to the provider; its calls are sent again"
                    )
                    return []
                batch = replace(batch, id=found)
            progress = await retrying(lambda: vendor.state(batch.id))
            if progress.state == "open":
                return [replace(batch, said=progress.detail)]
            if progress.state == "failed":
                state.stopped = f"batch {batch.id} came to nothing: {progress.detail}"
                return []
            requests = {key: self._request(key) for key in known}
            results = await retrying(lambda: vendor.results(batch.id, requests))
        except CallError as error:
            self.report.notes.append(f"batch {batch.id}: {error}; it is looked at again next time")
            return [batch]
        for key, result in results.items():
            self._take(self._planned[key], result)
        return []

    def _request(self, key: str) -> Request:
        call = self._planned[key]
        assert isinstance(call.judge, ModelJudge)
        return call.judge.request(call.text)

    def _vendor(self, call: Call) -> BatchVendor:
        request = self._request(call.key)
        return batch_vendor(request.model, request.base_url)

    def _take(self, call: Call, result: Reply | CallError) -> None:
        state = self._outcome.states[call.judge.name]
        if isinstance(result, PermanentCallError):
            state.stopped = state.stopped or str(result)
        elif isinstance(result, RetryableCallError):
            # It is in no batch any more, so the next submission takes it up.
            state.retries += 1
        elif isinstance(result, CallError):
            state.failed += 1
            self._outcome.failures[call.failure_key] = str(result)
        else:
            usage = result.usage
            price = call.judge.price(
                usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
            )
            cost = None if price is None else price * PRICE_SHARE
            self._cache.put(result.model_copy(update={"key": call.key, "cost": cost}))
            self.report.collected += 1
            state.answered()
            state.usd += cost or 0.0
            state.unpriced += cost is None
            self._budget.usd += cost or 0.0
            found = call.judge.read(result)
            if found.status != "graded":
                state.ungraded[found.status] += 1

    async def _submit(self, judge: Judge) -> None:
        waiting = {key for batch in self.report.open for key in batch.keys}
        calls = [
            call
            for call in self._pending
            if call.judge is judge
            and call.key not in waiting
            and call.failure_key not in self._outcome.failures
            and call.key not in self._cache
        ]
        state = self._outcome.states[judge.name]
        for block in self._blocks(calls):
            if state.stopped or not block:
                return
            requests = {call.key: self._request(call.key) for call in block}
            batch = OpenBatch("", uuid.uuid4().hex, judge.name, tuple(requests))
            # Written before it is sent: a batch is paid for even if this process dies now.
            _save(self._path, [*self.report.open, batch])
            try:
                # Not retried: a batch that arrived in spite of a lost answer would be paid twice.
                number = await self._vendor(block[0]).submit(requests, batch.mark)
            except RetryableCallError as error:
                self.report.open.append(batch)
                state.stopped = f"the batch may or may not have arrived ({error}); run again"
                return
            except CallError as error:
                _save(self._path, self.report.open)
                state.stopped = str(error)
                return
            self.report.open.append(replace(batch, id=number))
            _save(self._path, self.report.open)
            state.calls += len(block)
            self._budget.calls += len(block)
            self.report.submitted += len(block)

    def _blocks(self, calls: Sequence[Call]) -> Iterator[list[Call]]:
        """The calls in batches that the provider takes and the budget covers."""
        block: list[Call] = []
        spent = self._budget.usd
        for call in calls:
            spent += _estimate(call)
            if stop := self._beyond(len(block), spent):
                self._outcome.stopped = self._outcome.stopped or stop
                break
            if len(block) >= MOST_ITEMS:
                yield block
                block = []
            block.append(call)
        if block:
            yield block

    def _beyond(self, more: int, usd: float) -> str:
        budget = self._budget
        if budget.max_calls is not None and budget.calls + more >= budget.max_calls:
            return f"max_calls = {budget.max_calls} is reached"
        if budget.max_usd is not None and usd > budget.max_usd:
            return f"max_usd = {budget.max_usd:g} would be passed (estimated)"
        return ""


def _estimate(call: Call) -> float:
    return (call.judge.price(*call.judge.estimate(call.text)) or 0.0) * PRICE_SHARE


def _load(path: Path) -> list[OpenBatch]:
    if not path.exists():
        return []
    try:
        return [_batch(row) for row in read_json(path)["batches"]]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            "is not a list of open batches",
            file=path,
            remedy="move it away; batches that are open at the provider are then not collected",
        ) from None


def _batch(row: Mapping[str, object]) -> OpenBatch:
    keys = row["keys"]
    if not isinstance(keys, list):
        raise TypeError("keys")
    return OpenBatch(
        id=str(row["id"]),
        mark=str(row["mark"]),
        judge=str(row["judge"]),
        keys=tuple(map(str, keys)),
        said=str(row.get("said", "")),
    )


def _save(path: Path, batches: Sequence[OpenBatch]) -> None:
    if batches or path.exists():
        rows = [{**asdict(batch), "keys": list(batch.keys)} for batch in batches]
        write_json(path, {"batches": rows})
