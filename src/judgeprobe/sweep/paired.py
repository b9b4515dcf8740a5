"""How is a judge asked that sees both sentences of a pair at once?

One call shows the evidence and both sentences, unnamed, and asks for a grade of each; each pair is
shown in both orders. Calls, cache, budget and interruption are the sweep's own. What comes out is
`pairs.parquet`, one row a judge, edit and order: a grade here belongs to a pair, not to a text.
"""

import asyncio
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe.files import write_parquet
from judgeprobe.llm import read_grade
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.limits import Budget
from judgeprobe.records import Reply, Scale, content_hash
from judgeprobe.settings import JudgeSettings
from judgeprobe.study import Study
from judgeprobe.sweep.callables import CallableJudge
from judgeprobe.sweep.claims import Claims
from judgeprobe.sweep.grades import grades_metadata
from judgeprobe.sweep.judges import Judgement, judgement
from judgeprobe.sweep.models import PLACES, ModelJudge
from judgeprobe.sweep.plan import Text, load_plan
from judgeprobe.sweep.progress import Style, progress_for
from judgeprobe.sweep.roster import check_roster
from judgeprobe.sweep.run import Outcome, Runner, interruptible, pending_calls
from judgeprobe.sweep.stage import estimate_calls

__all__ = [
    "ORDERS",
    "PairText",
    "PairedResult",
    "paired_dry_run",
    "paired_judges",
    "paired_sweep",
    "pairs_path",
]

ORDERS = ("original first", "edit first")
# A side's letter, then its grade, in JSON or in words: `"a": 4`, `A = 4`, `**A:** 4.25`.
_SIDE = r"(?i)(?<![A-Za-z]){}[\s\"'*_]*[:=][\s\"'*_]*([-+]?\d+(?:[.,]\d+)?)"


@dataclass(frozen=True, slots=True)
class PairText(Text):
    """Both sentences of a pair in one order.

    Attributes:
        text: The sentence shown first.
        second: The sentence shown second.
        edit: Id of the edit.
        order: One of `ORDERS`.
    """

    second: str
    edit: str
    order: str


@dataclass(frozen=True)
class PairedResult:
    """What a paired sweep did; as `SweepResult` for one that grades texts."""

    rows: int
    calls: int
    complete: bool
    stopped: str = ""
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class _PairedModel(ModelJudge):
    """A model that is shown two sentences."""

    places = PLACES | {"second"}
    required = frozenset({"claim", "second"})

    def shown(self, text: Text) -> dict[str, str]:
        # `prepare` asks with a text that stands for none.
        second = text.second if isinstance(text, PairText) else ""
        return {**super().shown(text), "second": second}

    def read(self, reply: Reply) -> Judgement:
        return _joined(self.read_both(reply))

    def read_both(self, reply: Reply) -> tuple[Judgement, Judgement]:
        """The grades of the first and the second sentence."""
        served = super().read(reply)
        if served.status == "wrong_provider":
            return served, served
        if not self.is_completion:
            return _by_letter(reply.message or reply.text, self.scale)
        # The prompt ends in "A = "; what the model goes on to say on that line is the answer.
        line, _, rest = reply.text.partition("\n")
        first, second = _by_letter(f"A = {line}", self.scale)
        if not rest and reply.finish == "length" and second.status == "graded":
            second = Judgement("truncated", None, "the grade may have been cut")
        return first, second


class _PairedCallable(CallableJudge):
    """A Python function of (evidence, first, second)."""

    def shown(self, text: Text) -> tuple[str, ...]:
        assert isinstance(text, PairText)
        return text.evidence, text.text, text.second

    def key(self, text: Text, repetition: int) -> str:
        assert isinstance(text, PairText)
        return content_hash([super().key(text, repetition), text.second])

    def read(self, reply: Reply) -> Judgement:
        return _joined(self.read_both(reply))

    def read_both(self, reply: Reply) -> tuple[Judgement, Judgement]:
        """The two numbers that the function gave, or the grades in its text."""
        try:
            given = json.loads(reply.text)
        except ValueError:
            given = None
        if not (isinstance(given, list) and len(given) == 2):
            return _by_letter(reply.text, self.scale)
        first, second = (_number(value, self.scale) for value in given)
        return first, second


_Paired = _PairedModel | _PairedCallable


def _number(value: Any, scale: Scale) -> Judgement:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return Judgement("unparseable", None, "no number")
    if value not in scale:
        return Judgement("off_scale", None, f"outside {scale.low:g} to {scale.high:g}: {value:g}")
    return Judgement("graded", float(value), "" if scale.on_lattice(value) else "off lattice")


def _by_letter(given: Any, scale: Scale) -> tuple[Judgement, Judgement]:
    first, second = (
        judgement(read_grade(given, scale, reply_pattern=_SIDE.format(side))) for side in "AB"
    )
    return first, second


def _joined(both: tuple[Judgement, Judgement]) -> Judgement:
    """One judgement for the sweep's counts: the first that is none, or the first grade."""
    return next((one for one in both if one.status != "graded"), both[0])


def pairs_path(study: Study) -> Path:
    """Where the grades of a paired sweep lie."""
    return study.folder / "pairs.parquet"


def paired_judges(study: Study) -> list[_Paired]:
    """The judges of a study as they are asked in the paired mode; no call is made."""
    return [_judge(judge, study) for judge in study.settings.judges]


def _judge(judge: JudgeSettings, study: Study) -> _Paired:
    elicitation = study.settings.elicitation
    if judge.model is not None:
        return _PairedModel(judge, study, repetitions=1)
    return _PairedCallable(
        judge.model_copy(update={"call": judge.paired_call}),
        elicitation.scale,
        repetitions=1,
        folder=study.root,
        run=elicitation.run,
    )


def _pair_texts(study: Study) -> list[PairText]:
    """Every pair of the two arms in both orders, in the order of the study's sweep."""
    plan = load_plan(study)
    place = {text.evidence: number for number, text in reversed(list(enumerate(plan.texts)))}
    edits = sorted(plan.interventions, key=lambda e: (place[e.evidence], e.base_id, e.slot, e.id))
    found = []
    for edit in edits:
        if edit.arm == "reported_apart":
            continue
        shown = (edit.original, edit.edited), (edit.edited, edit.original)
        for order, (first, second) in zip(ORDERS, shown, strict=True):
            name = content_hash([edit.evidence, first, second])[:16]
            found.append(PairText(name, edit.base_id, edit.evidence, first, second, edit.id, order))
    return found


def paired_dry_run(study: Study) -> list[dict[str, Any]]:
    """Calls, cached calls, tokens and cost of each judge, without making any call.

    Raises:
        JudgeprobeError: The study cannot be swept.
    """
    judges, texts = paired_judges(study), _pair_texts(study)
    with ReplyCache(study.cache_dir) as cache:
        calls, outcome = pending_calls(judges, texts, cache, failed={})
    return [estimate_calls(judge, calls, outcome) for judge in judges]


def paired_sweep(study: Study, *, spent: Budget, progress: Style = "none") -> PairedResult:
    """Show every judge every pair in both orders, and write pairs.parquet.

    Args:
        study: A study whose judges' prompts have a place for the second sentence.
        spent: The budget.
        progress: How the counts are shown.

    Raises:
        JudgeprobeError: The study cannot be swept, or the disk refused.
    """
    texts, notes, judges = _pair_texts(study), check_roster(study), paired_judges(study)
    metadata = grades_metadata(study, load_plan(study), judges)
    with ReplyCache(study.cache_dir) as cache:
        calls, outcome = pending_calls(judges, texts, cache, failed={})
        if calls:
            for judge in judges:
                judge.prepare()
            concurrency = study.settings.budget.concurrency
            with Claims(study.cache_dir) as claims:
                runner = Runner(calls, outcome, cache, claims, spent, concurrency=concurrency)
                asyncio.run(interruptible(runner, progress_for(progress)))
        cache.flush()
        rows = list(_rows(judges, texts, cache, outcome))
        notes = [*notes, *cache.notes]
    import pandas as pd

    write_parquet(pairs_path(study), pd.DataFrame(rows, columns=list(_COLUMNS)), metadata)
    entry = {
        "made_under": metadata,
        "pairs": study.output_hash(pairs_path(study)),
        "rows": len(rows),
    }
    study.record("sweep", entry)
    states: list[Any] = [outcome.states[judge.name] for judge in judges]
    notes += [
        f"the judge `{state.name}` was stopped: {state.stopped}"
        for state in states
        if state.stopped
    ]
    asked = len(rows) == len(judges) * len(texts)
    return PairedResult(
        rows=len(rows),
        calls=sum(state.calls for state in states),
        complete=asked and not outcome.stopped,
        stopped=outcome.stopped,
        notes=tuple(notes),
    )


_COLUMNS = (
    *("judge", "edit", "base_id", "order", "grade_original", "grade_edited"),
    *("status_original", "status_edited", "reply_key", "detail"),
)


def _rows(
    judges: Sequence[_Paired], texts: Sequence[PairText], cache: ReplyCache, outcome: Outcome
) -> Iterator[tuple[Any, ...]]:
    """Every row, by judge name, edit and order; none for a pair that was never put to a judge."""
    order = sorted(range(len(texts)), key=lambda place: (texts[place].edit, texts[place].order))
    for judge in sorted(judges, key=lambda judge: judge.name):
        for place in order:
            text = texts[place]
            key = outcome.keys[judge.name][place]
            reply = cache.get(key)
            if reply is not None:
                both = judge.read_both(reply)
            elif (why := outcome.failures.get((judge.name, text.id, 0))) is not None:
                both = (Judgement("failed", None, why),) * 2
            else:
                continue
            original, edited = both if text.order == ORDERS[0] else both[::-1]
            yield (
                *(judge.name, text.edit, text.base_id, text.order, original.value, edited.value),
                *(original.status, edited.status, "" if reply is None else key),
                "; ".join(dict.fromkeys(filter(None, (original.detail, edited.detail)))),
            )
