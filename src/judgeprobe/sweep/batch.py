"""Which calls wait at a vendor, and which of them have come back?

`judgeprobe sweep STUDY --batch` hands every call that is not in the cache to the batch interface of
its judge's vendor and ends; the same command, hours or days later, fetches what has come back and
puts it into the same cache under the same keys. `batches.json` beside the cache says what waits
where. It is written after each hand-over; a run that is killed between the vendor's answer and that
write leaves one batch that nobody fetches, and its calls are handed over again.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from judgeprobe.errors import CallError, InputError, PermanentCallError, RetryableCallError
from judgeprobe.files import read_json, write_json
from judgeprobe.llm.batch import MOST_ITEMS, BatchVendor, batch_vendor
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.study import BudgetSettings
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.models import ModelJudge
from judgeprobe.sweep.run import Call, Outcome

__all__ = ["BatchRun", "Ledger", "has_batch", "run_batches"]


@dataclass
class Ledger:
    """What waits at the vendors.

    Attributes:
        path: Where it is kept.
        open: Cache keys by (judge, batch id).
    """

    path: Path
    open: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> "Ledger":
        """The ledger of a cache folder; empty where there is none.

        Raises:
            InputError: It is damaged.
        """
        path = folder / "batches.json"
        if not path.exists():
            return cls(path)
        try:
            rows = read_json(path)["open"]
            found = {(row["judge"], row["id"]): tuple(map(str, row["keys"])) for row in rows}
        except (KeyError, TypeError):
            raise InputError(
                "is damaged", file=path, remedy="delete it; what waits is asked for again"
            ) from None
        return cls(path, found)

    def save(self) -> None:
        """Write it, whole or not at all."""
        rows = [
            {"judge": judge, "id": batch, "keys": list(keys)}
            for (judge, batch), keys in self.open.items()
        ]
        write_json(self.path, {"open": rows})


@dataclass
class BatchRun:
    """What a run of `--batch` did.

    Attributes:
        fetched: Replies that were put into the cache.
        submitted: Calls that were handed over.
        waiting: Calls that wait at a vendor after this run.
        notes: What a person should know.
    """

    fetched: int = 0
    submitted: int = 0
    waiting: int = 0
    notes: list[str] = field(default_factory=list)


def has_batch(judge: Judge) -> bool:
    """Whether a judge's vendor has a batch interface that is known here."""
    if not isinstance(judge, ModelJudge) or judge.is_local:
        return False
    try:
        batch_vendor(judge.model)
    except InputError:
        return False
    return True


def run_batches(
    calls: Sequence[Call],
    outcome: Outcome,
    cache: ReplyCache,
    budget: BudgetSettings,
    *,
    most: int = MOST_ITEMS,
) -> BatchRun:
    """Fetch what has come back, hand over what is not yet on its way.

    Args:
        calls: What is not in the cache, of judges with a batch interface.
        outcome: Takes the counts and the failures.
        cache: Takes the replies; the ledger lies beside it.
        budget: No call is handed over beyond `max_calls`, or beyond `max_usd` as estimated from
            the prompts at the full price; what waits from earlier runs counts.
        most: Most calls in one batch.

    Raises:
        InputError: The ledger is damaged.
        StorageError: The ledger or the cache cannot be written.
    """
    ledger = Ledger.load(cache.folder)
    run = BatchRun()
    asyncio.run(_run(calls, outcome, cache, ledger, run, budget, most))
    run.waiting = sum(map(len, ledger.open.values()))
    if run.waiting and not outcome.stopped:
        outcome.stopped = (
            f"{run.waiting} calls wait in {len(ledger.open)} batches; run the same command later"
        )
    return run


async def _run(
    calls: Sequence[Call],
    outcome: Outcome,
    cache: ReplyCache,
    ledger: Ledger,
    run: BatchRun,
    budget: BudgetSettings,
    most: int,
) -> None:
    needed = {call.key: call for call in calls}
    for (judge, batch), keys in list(ledger.open.items()):
        mine = {key: needed[key] for key in keys if key in needed}
        if not mine:
            # Every reply of it has come by another way, or belongs to a plan that is no more.
            if judge in outcome.states:
                del ledger.open[judge, batch]
                ledger.save()
            continue
        if await _fetch(judge, batch, mine, outcome, cache, run):
            del ledger.open[judge, batch]
            ledger.save()
    on_their_way = {key for keys in ledger.open.values() for key in keys}
    waiting = [call for call in calls if call.key in on_their_way]
    wanted = [
        call
        for call in calls
        if call.key not in on_their_way
        and call.key not in cache
        and call.failure_key not in outcome.failures
    ]
    groups: dict[str, list[Call]] = defaultdict(list)
    for call in _within(budget, waiting, wanted, run):
        groups[call.judge.name].append(call)
    for judge, members in groups.items():
        for start in range(0, len(members), most):
            await _hand_over(judge, members[start : start + most], outcome, ledger, run)


def _within(
    budget: BudgetSettings, waiting: Sequence[Call], wanted: Sequence[Call], run: BatchRun
) -> Sequence[Call]:
    """As many of the wanted calls as the budget lets through."""
    usd = sum(_estimate(call) for call in waiting)
    most = len(wanted)
    if budget.max_calls is not None:
        most = min(most, max(0, budget.max_calls - len(waiting)))
    if budget.max_usd is not None:
        for number, call in enumerate(wanted[:most]):
            usd += _estimate(call)
            if usd > budget.max_usd:
                most = number
                break
    if most < len(wanted):
        run.notes.append(f"the budget lets {most} of {len(wanted)} calls be handed over")
    return wanted[:most]


def _estimate(call: Call) -> float:
    return call.judge.price(*call.judge.estimate(call.text)) or 0.0


async def _fetch(
    judge: str,
    batch: str,
    calls: dict[str, Call],
    outcome: Outcome,
    cache: ReplyCache,
    run: BatchRun,
) -> bool:
    """Whether the batch is done with."""
    vendor = _vendor(next(iter(calls.values())))
    requests = {key: _model(call).request(call.text) for key, call in calls.items()}
    try:
        found = await vendor.state(batch)
        if found.state == "open":
            return False
        if found.state == "failed":
            run.notes.append(f"{judge}: the batch {batch} failed ({found.detail})")
            return True
        results = await vendor.results(batch, requests)
    except PermanentCallError as error:
        outcome.states[judge].stopped = str(error)
        return False
    except CallError as error:
        run.notes.append(f"{judge}: the batch {batch} cannot be fetched now ({error})")
        return False
    again = 0
    for key, result in results.items():
        call = calls[key]
        if isinstance(result, RetryableCallError):
            again += 1
        elif isinstance(result, CallError):
            outcome.states[judge].failed += 1
            outcome.failures[call.failure_key] = str(result)
        else:
            cache.put(result.model_copy(update={"key": key, "judge": judge}))
            outcome.states[judge].calls += 1
            outcome.states[judge].answered()
            run.fetched += 1
    again += len(calls) - len(results)
    if again:
        run.notes.append(f"{judge}: {again} calls of the batch {batch} are handed over again")
    return True


async def _hand_over(
    judge: str, calls: Sequence[Call], outcome: Outcome, ledger: Ledger, run: BatchRun
) -> None:
    if outcome.states[judge].stopped:
        return
    requests = {call.key: _model(call).request(call.text) for call in calls}
    try:
        batch = await _vendor(calls[0]).submit(requests)
    except CallError as error:
        outcome.states[judge].stopped = str(error)
        return
    ledger.open[judge, batch] = tuple(requests)
    ledger.save()
    run.submitted += len(requests)


def _model(call: Call) -> ModelJudge:
    assert isinstance(call.judge, ModelJudge)
    return call.judge


def _vendor(call: Call) -> BatchVendor:
    judge = _model(call)
    return batch_vendor(judge.model, judge.request(call.text).base_url)
