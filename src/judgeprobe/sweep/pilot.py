"""Which judges will give a frontier, before the sweep is paid for?

Each judge grades a sample of the texts, repeatedly. Two things can fail, independent of each other
(appendix D of the construct-validity reference): a judge may offer grades that it hardly uses, so
that there is nothing to cut, and it may not give the same text the same grade again. Replies of the
first repetition are the sweep's own; they are not paid for twice.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgeprobe.files import write_json
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.limits import Budget
from judgeprobe.records import CONTROLS
from judgeprobe.stats.quality import grade_use, regrade_agreement
from judgeprobe.study import Study
from judgeprobe.sweep.claims import Claims
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.plan import Text, load_plan
from judgeprobe.sweep.progress import Style, progress_for
from judgeprobe.sweep.roster import check_roster, make_judges
from judgeprobe.sweep.run import Outcome, Runner, interruptible, pending_calls

__all__ = ["PilotRow", "pilot", "pilot_extra"]

_UNSTEADY = 0.8
_FORMAT_FAILURES = 0.05


@dataclass(frozen=True)
class PilotRow:
    """One judge on the sample.

    Attributes:
        texts: Texts of the sample.
        graded: Of these, graded at the first asking.
        failures: The others, by status.
        distinct: Distinct grades.
        usable: Grades that make up at least the taxonomy's usable share.
        points: Cuts between usable grades: the operating points the judge offers.
        agreement: Share of texts whose second grade equals the first; None where none was graded
            twice.
        regraded: Texts graded twice.
        usd: Spent on this sample; None where a price is not known.
        usd_sweep: What the whole sweep would cost at the same rate; None where not known.
        verdict: "frontier", "single cut" or "no cut".
        warnings: What to mend before the sweep is paid for.
        why: Why the first text without a grade has none; "" where every text has one.
    """

    judge: str
    texts: int
    graded: int
    failures: dict[str, int]
    distinct: int
    usable: int
    points: int
    agreement: float | None
    regraded: int
    usd: float | None
    usd_sweep: float | None
    verdict: str
    warnings: tuple[str, ...] = ()
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        """As pilot.json keeps it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {
            "warnings": list(self.warnings)
        }


def pilot(
    study: Study,
    *,
    sample: int = 60,
    repetitions: int = 2,
    progress: Style = "none",
    spent: Budget | None = None,
) -> tuple[list[PilotRow], list[str], str]:
    """Ask every judge about a sample, and write pilot.json.

    Args:
        study: Its interventions.jsonl is sampled: whole base items, the domains mixed.
        sample: Fewest texts; the last base item is taken whole.
        repetitions: How often each text is graded, at least 2.
        progress: How the counts are shown.
        spent: A budget that several runs share; the study's own where None.

    Returns:
        One row a judge, notes, and why the run ended early, or "".

    Raises:
        JudgeprobeError: The study cannot be swept, or the disk refused.
    """
    plan = load_plan(study)
    notes = check_roster(study)
    judges = make_judges(study)
    planned = {judge.name: len(plan.texts) * judge.repetitions for judge in judges}
    for judge in judges:
        judge.repetitions = max(2, repetitions)
    texts = _sample(plan.texts, sample)
    settings = study.settings.budget
    with ReplyCache(study.cache_dir) as cache:
        calls, outcome = pending_calls(judges, texts, cache, failed={})
        if calls:
            for judge in judges:
                judge.prepare()
            budget = spent or Budget(settings.max_usd, settings.max_calls, settings.max_minutes)
            with Claims(study.cache_dir) as claims:
                runner = Runner(
                    calls, outcome, cache, claims, budget, concurrency=settings.concurrency
                )
                asyncio.run(interruptible(runner, progress_for(progress)))
        cache.flush()
        share = study.taxonomy.constants.usable_share
        rows = [
            _row(judge, texts, cache, outcome, share=share, planned=planned[judge.name])
            for judge in judges
        ]
        notes = [*notes, *cache.notes]
    write_json(
        study.folder / "pilot.json",
        {
            "texts": len(texts),
            "repetitions": max(2, repetitions),
            "interventions": plan.interventions_hash,
            "not_piloted": [control.name for control in CONTROLS],
            "judges": [row.as_json() for row in rows],
        },
    )
    return rows, notes, outcome.stopped


def pilot_extra(study: Study, *, sample: int, repetitions: int = 2) -> dict[str, int]:
    """Calls of a pilot that the sweep would not make and that are not in the cache, by judge.

    Raises:
        JudgeprobeError: The study cannot be swept.
    """
    judges = make_judges(study)
    swept = {judge.name: judge.repetitions for judge in judges}
    for judge in judges:
        judge.repetitions = max(2, repetitions)
    texts = _sample(load_plan(study).texts, sample)
    with ReplyCache(study.cache_dir) as cache:
        calls, _ = pending_calls(judges, texts, cache, failed={})
    found = Counter(call.judge.name for call in calls if call.repetition >= swept[call.judge.name])
    return dict(found)


def _sample(texts: Sequence[Text], least: int) -> list[Text]:
    chosen: list[Text] = []
    for text in texts:
        if len(chosen) >= least and text.evidence != chosen[-1].evidence:
            break
        chosen.append(text)
    return chosen


def _row(
    judge: Judge,
    texts: Sequence[Text],
    cache: ReplyCache,
    outcome: Outcome,
    *,
    share: float,
    planned: int,
) -> PilotRow:
    grades = np.full((judge.repetitions, len(texts)), np.nan)
    failures: Counter[str] = Counter()
    cost, priced, replies, why = 0.0, True, 0, ""
    for column, text in enumerate(texts):
        for repetition in range(judge.repetitions):
            reply = cache.get(judge.key(text, repetition))
            if reply is None:
                if repetition == 0:
                    known = outcome.failures.get((judge.name, text.id, repetition))
                    failures["not asked" if known is None else "failed"] += 1
                    why = why or known or outcome.states[judge.name].stopped
                continue
            found = judge.read(reply)
            if found.value is not None:
                grades[repetition, column] = found.value
            elif repetition == 0:
                failures[found.status] += 1
                why = why or f"{found.status}: {found.detail}"
            paid = judge.cost(reply)
            replies += 1
            priced = priced and paid is not None
            cost += paid or 0.0
    first = grades[0]
    n = int(np.isfinite(first).sum())
    use = grade_use(first, share, pooled=judge.elicitation == "expected") if n else None
    pairs = [(a, b) for a, b in zip(grades[0], grades[1], strict=True) if a == a and b == b]
    agreement = regrade_agreement(*zip(*pairs, strict=True)) if pairs else None
    points = use.usable_points if use else 0
    known_cost = cost if priced and replies else None
    return PilotRow(
        judge=judge.name,
        texts=len(texts),
        graded=n,
        failures=dict(sorted(failures.items())),
        distinct=use.distinct if use else 0,
        usable=use.usable if use else 0,
        points=points,
        agreement=agreement,
        regraded=len(pairs),
        usd=known_cost,
        usd_sweep=None if known_cost is None else known_cost / replies * planned,
        verdict="frontier" if points > 1 else "single cut" if points == 1 else "no cut",
        warnings=tuple(_warnings(points, agreement, failures, len(texts), why)),
        why=why,
    )


def _warnings(
    points: int, agreement: float | None, failures: Counter[str], texts: int, example: str
) -> list[str]:
    found = []
    if points == 0:
        found.append("it uses fewer than two grades: there is nothing to cut")
    if agreement is not None and agreement < _UNSTEADY:
        found.append(f"it repeats its own grade on {agreement:.0%} of the texts only")
    bad = sum(n for status, n in failures.items() if status not in ("failed", "not asked"))
    if bad > _FORMAT_FAILURES * texts:
        found.append(
            f"{bad} of {texts} replies hold no grade on the scale (the first: {example}): look at "
            "the prompt, or tell study.toml how to read them (reply_pattern or parser)"
        )
    if failures["failed"] or failures["not asked"]:
        found.append(f"{failures['failed'] + failures['not asked']} texts have no reply")
    return found
