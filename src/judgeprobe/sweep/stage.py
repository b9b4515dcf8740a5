"""What happens between interventions.jsonl and grades.parquet?

Plan, refuse what must not be run, ask what is not yet in the cache, and read every grade from the
cache again. The last step alone is `--reparse`; the first two alone are `--dry-run`.
"""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.limits import Budget
from judgeprobe.records import CONTROLS, Grade, Reply
from judgeprobe.study import Study
from judgeprobe.sweep.claims import Claims
from judgeprobe.sweep.controls import ControlGrades, control_grades
from judgeprobe.sweep.grades import earlier_failures, grades_metadata, write_grades
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.plan import Plan, Text, load_plan
from judgeprobe.sweep.progress import Progress, Style, progress_for
from judgeprobe.sweep.roster import check_roster, make_judges
from judgeprobe.sweep.run import Call, Outcome, Runner, interruptible, pending_calls
from judgeprobe.sweep.summary import Summariser, SweepResult

if TYPE_CHECKING:
    from judgeprobe.sweep.cluster import Cluster

__all__ = [
    "DryRun",
    "SweepResult",
    "budget_of",
    "dry_run",
    "estimate_calls",
    "planned_keys",
    "sweep",
]


@dataclass(frozen=True)
class DryRun:
    """What a sweep would do.

    Attributes:
        judges: For each judge: name, planned, cached, calls, tokens and dollars.
        notes: Warnings.
    """

    judges: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = field(default=())


def dry_run(study: Study) -> DryRun:
    """Calls, cached calls, tokens and cost of each judge, without making any call.

    Raises:
        JudgeprobeError: The study cannot be swept.
    """
    plan = load_plan(study)
    notes = check_roster(study)
    judges = make_judges(study)
    with ReplyCache(study.cache_dir) as cache:
        calls, outcome = pending_calls(judges, plan.texts, cache, failed={})
        notes = [*notes, *cache.notes]
    return DryRun(tuple(estimate_calls(judge, calls, outcome) for judge in judges), tuple(notes))


def planned_keys(study: Study) -> set[str]:
    """Cache keys of every reply that the study's plan needs."""
    plan = load_plan(study)
    return {
        judge.key(text, repetition)
        for judge in make_judges(study)
        for text in plan.texts
        for repetition in range(judge.repetitions)
    }


def estimate_calls(judge: Judge, calls: Sequence[Call], outcome: Outcome) -> dict[str, Any]:
    """What `DryRun` says of one judge."""
    mine = [call for call in calls if call.judge is judge]
    estimates = [judge.estimate(call.text) for call in mine]
    prompt, written = (sum(part) for part in zip(*estimates, strict=True)) if mine else (0, 0)
    state = outcome.states[judge.name]
    return {
        "judge": judge.name,
        "planned": state.planned,
        "cached": state.cached,
        "calls": len(mine),
        "prompt_tokens": prompt,
        "reply_tokens": written,
        "usd": judge.price(prompt, written),
    }


def sweep(
    study: Study,
    *,
    retry_failed: bool = False,
    reparse: bool = False,
    batch: bool = False,
    cluster: "Cluster | None" = None,
    progress: Style = "none",
    spent: Budget | None = None,
) -> SweepResult:
    """Grade every unique text by every judge, and write grades.parquet.

    Args:
        study: Its interventions.jsonl says what is graded.
        retry_failed: Ask again where an earlier run gave up.
        reparse: Make no call; read the grades from the cached replies again.
        batch: Hand calls to the vendors' batch interfaces and fetch what has come back; judges
            without one are asked call by call.
        cluster: Whose workers make the calls of models behind an API; this process where None.
        progress: How the counts are shown.
        spent: A budget that several sweeps share; the study's own where None.

    Raises:
        JudgeprobeError: The study cannot be swept, or the disk refused.
    """
    plan = load_plan(study)
    notes = check_roster(study)
    judges = make_judges(study)
    metadata = grades_metadata(study, plan, judges)
    failed = {} if retry_failed else earlier_failures(study.grades_path, metadata)
    scale = study.settings.elicitation.scale
    controls = control_grades(plan.interventions, scale, seed=study.settings.study.seed)
    if spent is None:
        spent = budget_of(study)
    with ReplyCache(study.cache_dir) as cache:
        calls, outcome = pending_calls(judges, plan.texts, cache, failed=failed)
        while True:
            theirs: list[Call] = []
            if batch:
                theirs, calls, told = _batched(calls)
                notes = [*notes, *told]
            if calls and not reparse:
                _ask(study, calls, outcome, cache, spent, progress_for(progress), cluster)
            if batch and not reparse:
                notes = [*notes, *_hand_over(judges, plan, theirs, outcome, cache, spent)]
            cache.flush()
            before = set(cache.unreadable)
            summariser = Summariser(scale)
            rows = _rows(judges, plan, cache, outcome, controls)
            count = write_grades(study.grades_path, summariser.through(rows), metadata)
            if reparse or batch or cache.unreadable == before:
                break
            # Entries that turned out to be damaged are asked for again, once.
            earlier = outcome
            calls, outcome = pending_calls(judges, plan.texts, cache, failed=earlier.failures)
            outcome.go_on_from(earlier)
        notes = [*notes, *cache.notes, *(cluster.notes if cluster else ())]
    result = summariser.result(judges, controls, outcome, plan, notes=notes, rows=count)
    study.record("sweep", manifest_entry(study, metadata, result))
    return result


def budget_of(study: Study) -> Budget:
    """The budget of one run, nothing spent."""
    budget = study.settings.budget
    return Budget(budget.max_usd, budget.max_calls, budget.max_minutes)


def _batched(calls: Sequence[Call]) -> tuple[list[Call], list[Call], list[str]]:
    """The calls for batch interfaces, those that have to be made one by one, and what to tell."""
    from judgeprobe.sweep.batch import batchable

    judges = {call.judge.name: call.judge for call in calls}
    batched = {name for name, judge in judges.items() if batchable(judge)}
    notes = [
        f"{name}: its vendor has no batch interface here; it is asked call by call"
        for name in judges
        if name not in batched
    ]
    theirs = [call for call in calls if call.judge.name in batched]
    return theirs, [call for call in calls if call.judge.name not in batched], notes


def _hand_over(
    judges: Sequence[Judge],
    plan: Plan,
    calls: Sequence[Call],
    outcome: Outcome,
    cache: ReplyCache,
    budget: Budget,
) -> list[str]:
    """One round of batches; what to tell."""
    from judgeprobe.sweep.batch import BatchRound, batchable

    planned = [
        Call(judge, text, n, outcome.keys[judge.name][place * judge.repetitions + n])
        for judge in judges
        if batchable(judge)
        for place, text in enumerate(plan.texts)
        for n in range(judge.repetitions)
    ]
    report = asyncio.run(BatchRound(planned, calls, outcome, cache, budget).run())
    waiting = sum(len(batch.keys) for batch in report.open)
    if waiting and not outcome.stopped:
        outcome.stopped = (
            f"{waiting} calls wait in {len(report.open)} batches; run the same command later"
        )
    counts = f"{report.collected} replies fetched, {report.submitted} calls handed over"
    said = [
        f"batch {batch.id} of the judge `{batch.judge}`: {batch.said}"
        for batch in report.open
        if batch.said
    ]
    return [f"batches: {counts}, {waiting} wait", *said, *report.notes]


def _ask(
    study: Study,
    calls: Sequence[Call],
    outcome: Outcome,
    cache: ReplyCache,
    budget: Budget,
    progress: Progress,
    cluster: "Cluster | None",
) -> None:
    judges = list({call.judge.name: call.judge for call in calls}.values())
    for judge in judges:
        judge.prepare()
    concurrency = study.settings.budget.concurrency

    async def run(runner: Runner) -> None:
        async with cluster.serving(judges) if cluster else contextlib.nullcontext():
            await interruptible(runner, progress)

    with Claims(study.cache_dir) as claims:
        runner = Runner(calls, outcome, cache, claims, budget, concurrency=concurrency)
        asyncio.run(run(runner))


def _rows(
    judges: Sequence[Judge],
    plan: Plan,
    cache: ReplyCache,
    outcome: Outcome,
    controls: Sequence[ControlGrades],
) -> Iterator[Grade]:
    """Every row, by judge name, text id and repetition."""
    order = sorted(range(len(plan.texts)), key=lambda place: plan.texts[place].id)
    known = {judge.name: judge for judge in judges}
    computed = {control.name: control for control in controls}
    for name in sorted([*known, *computed]):
        for place in order:
            text = plan.texts[place]
            if name in computed:
                yield _control_row(computed[name], text)
                continue
            judge = known[name]
            for repetition in range(judge.repetitions):
                key = outcome.keys[name][place * judge.repetitions + repetition]
                reply = cache.get(key)
                if reply is not None:
                    yield _graded_row(judge, text, repetition, reply)
                elif (name, text.id, repetition) in outcome.failures:
                    why = outcome.failures[name, text.id, repetition]
                    yield _failed_row(judge, text, repetition, why)


def _control_row(control: ControlGrades, text: Text) -> Grade:
    return Grade(
        judge=control.name,
        text_id=text.id,
        base_id=text.base_id,
        value=control.grades[text.id],
        status="graded",
        elicitation="computed",
        served_model="judgeprobe",
        served_provider="judgeprobe",
    )


def _graded_row(judge: Judge, text: Text, repetition: int, reply: Reply) -> Grade:
    found = judge.read(reply)
    return Grade(
        judge=judge.name,
        text_id=text.id,
        base_id=text.base_id,
        repetition=repetition,
        value=found.value,
        status=found.status,
        elicitation=judge.elicitation,
        reply_key=reply.key,
        served_model=reply.served.model,
        served_provider=reply.served.provider,
        served_fingerprint=reply.served.fingerprint,
        served_quantization=reply.served.quantization,
        detail="; ".join(filter(None, (found.detail, reply.note))),
    )


def _failed_row(judge: Judge, text: Text, repetition: int, why: str) -> Grade:
    return Grade(
        judge=judge.name,
        text_id=text.id,
        base_id=text.base_id,
        repetition=repetition,
        value=None,
        status="failed",
        elicitation=judge.elicitation,
        detail=why,
    )


def manifest_entry(study: Study, metadata: dict[str, str], result: SweepResult) -> dict[str, Any]:
    """What manifest.json keeps of a sweep: hashes and counts, nothing of the one run."""
    return {
        "made_under": metadata,
        "grades": study.output_hash(study.grades_path),
        "rows": result.rows,
        "controls": [control.name for control in CONTROLS],
        "judges": [judge.lasting() for judge in result.judges],
    }
