"""What did each judge do, and is something wrong with how it was served or how it answers?

Counts are taken from the rows of grades.parquet as they are written, so they say what is in the
file. Three things are findings (exit status 3): a judge whose served model changed, replies from
another provider or model than the pinned one, and one of several endpoints that is another
instrument. The rest is said as a note.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from judgeprobe.llm.faults import NO_TEMPERATURE
from judgeprobe.records import Grade, Scale
from judgeprobe.records.calls import NOT_DISCLOSED
from judgeprobe.sweep.controls import ControlGrades
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.plan import Plan
from judgeprobe.sweep.progress import JudgeState
from judgeprobe.sweep.run import Outcome

__all__ = ["JudgeSummary", "Summariser", "SweepResult"]

_OTHER_SCALE_SHARE = 0.5
_FEWEST = 10
_UNREAD_SHARE = 0.05
_UNREAD = ("unparseable", "truncated", "off_scale", "refused")


@dataclass(frozen=True)
class JudgeSummary:
    """One judge's part of grades.parquet.

    Attributes:
        statuses: Rows by status.
        off_lattice: Graded rows between the lattice points.
        unasked: Texts that were never put to it.
        distinct: Distinct grades.
        served_models: Models that answered, as far as they say.
        served_providers: Providers that answered.
        conflicts: For a control: edits whose requirement contradicted others.
        cached: Texts answered before this run.
        calls: Requests of this run, retries included.
        usd: Spent in this run; None where a price is not known.
        stopped: Why no further call was made, or "".
    """

    name: str
    statuses: dict[str, int]
    off_lattice: int = 0
    unasked: int = 0
    distinct: int = 0
    served_models: tuple[str, ...] = ()
    served_providers: tuple[str, ...] = ()
    conflicts: int = 0
    cached: int = 0
    calls: int = 0
    retries: int = 0
    usd: float | None = 0.0
    stopped: str = ""

    def lasting(self) -> dict[str, Any]:
        """What does not depend on how often the run was interrupted."""
        return {
            "judge": self.name,
            "statuses": self.statuses,
            "off_lattice": self.off_lattice,
            "unasked": self.unasked,
            "distinct_grades": self.distinct,
            "served_models": list(self.served_models),
            "served_providers": list(self.served_providers),
            "conflicts": self.conflicts,
        }

    def as_json(self) -> dict[str, Any]:
        """Everything, for `--json`."""
        return {
            **self.lasting(),
            "cached": self.cached,
            "calls": self.calls,
            "retries": self.retries,
            "usd": self.usd,
            "stopped": self.stopped,
        }


@dataclass(frozen=True)
class SweepResult:
    """What a sweep did.

    Attributes:
        judges: One summary a judge, controls last.
        rows: Rows of grades.parquet.
        calls: Requests sent in this run, retries included.
        retries: Of these, repeated ones.
        stopped: Why the run ended early, or "".
        findings: What the run was asked to watch for and found.
        notes: Warnings and what had to be mended.
    """

    judges: tuple[JudgeSummary, ...]
    rows: int
    calls: int
    retries: int
    usd: float
    stopped: str = ""
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every judge was put every text."""
        return not self.stopped and not any(judge.stopped or judge.unasked for judge in self.judges)


class _Counts:
    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.values: Counter[float] = Counter()
        self.models: Counter[str] = Counter()
        self.providers: Counter[str] = Counter()
        self.off_lattice = 0
        self.without_temperature = 0
        self.examples: dict[str, str] = {}


class Summariser:
    """Counts rows on their way into the file."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        self._counts: dict[str, _Counts] = {}

    def through(self, rows: Iterable[Grade]) -> Iterator[Grade]:
        """The same rows, counted."""
        for row in rows:
            counts = self._counts.setdefault(row.judge, _Counts())
            counts.statuses[row.status] += 1
            if row.value is not None:
                counts.values[row.value] += 1
                counts.off_lattice += not self.scale.on_lattice(row.value)
            if row.status in _UNREAD:
                counts.examples.setdefault(row.status, row.detail)
            counts.without_temperature += row.detail.endswith(NO_TEMPERATURE)
            if row.status != "failed":
                counts.models[row.served_model] += 1
                counts.providers[row.served_provider] += 1
            yield row

    def result(
        self,
        judges: Sequence[Judge],
        controls: Sequence[ControlGrades],
        outcome: Outcome,
        plan: Plan,
        *,
        notes: Sequence[str],
        rows: int,
    ) -> SweepResult:
        """The whole run's summary."""
        summaries = [self._judge(judge, outcome.states[judge.name], plan) for judge in judges]
        summaries += [self._control(control) for control in controls]
        states = outcome.states.values()
        return SweepResult(
            judges=tuple(summaries),
            rows=rows,
            calls=sum(state.calls for state in states),
            retries=sum(state.retries for state in states),
            usd=sum(state.usd for state in states),
            stopped=outcome.stopped,
            findings=tuple(line for judge in judges for line in self._findings(judge)),
            notes=(
                *notes,
                *(line for judge in judges for line in self._notes(judge)),
                *(_conflict_note(control) for control in controls if control.conflicts),
            ),
        )

    def _judge(self, judge: Judge, state: JudgeState, plan: Plan) -> JudgeSummary:
        counts = self._counts.get(judge.name, _Counts())
        return JudgeSummary(
            name=judge.name,
            statuses=dict(sorted(counts.statuses.items())),
            off_lattice=0 if judge.elicitation == "expected" else counts.off_lattice,
            unasked=len(plan.texts) * judge.repetitions - counts.statuses.total(),
            distinct=len(counts.values),
            served_models=tuple(sorted(counts.models)),
            served_providers=tuple(sorted(counts.providers)),
            cached=state.cached,
            calls=state.calls,
            retries=state.retries,
            usd=None if state.unpriced else round(state.usd, 8),
            stopped=state.stopped,
        )

    def _control(self, control: ControlGrades) -> JudgeSummary:
        counts = self._counts.get(control.name, _Counts())
        return JudgeSummary(
            name=control.name,
            statuses=dict(counts.statuses),
            distinct=len(counts.values),
            conflicts=control.conflicts,
        )

    def _findings(self, judge: Judge) -> Iterator[str]:
        yield from judge.findings()
        counts = self._counts.get(judge.name, _Counts())
        models = sorted(set(counts.models) - {NOT_DISCLOSED})
        if len(models) > 1:
            shares = ", ".join(f"{name} ({counts.models[name]})" for name in models)
            yield f"the judge `{judge.name}` was served by {len(models)} models: {shares}"
        wrong = counts.statuses["wrong_provider"]
        if wrong:
            yield (
                f"the judge `{judge.name}` got {wrong} replies from another provider or model than "
                "the pinned one; they are kept and not used"
            )

    def _notes(self, judge: Judge) -> Iterator[str]:
        yield from judge.notes()
        counts = self._counts.get(judge.name, _Counts())
        if counts.without_temperature:
            yield (
                f"the judge `{judge.name}` refuses a temperature; {counts.without_temperature} "
                "texts were graded without one"
            )
        yield from _unread_note(judge.name, counts)
        graded, off = counts.statuses["graded"], counts.statuses["off_scale"]
        if graded + off < _FEWEST or judge.elicitation == "expected":
            return
        low, high = self.scale.low, self.scale.high
        if off > _OTHER_SCALE_SHARE * (graded + off):
            yield (
                f"the judge `{judge.name}` answered outside {low:g} to {high:g} for {off} of "
                f"{graded + off} texts; say the scale in its prompt"
            )
        within_one = all(0.0 <= value <= 1.0 for value in counts.values)
        if high > 1 and within_one and counts.off_lattice > _OTHER_SCALE_SHARE * graded:
            yield (
                f"every grade of the judge `{judge.name}` lies between 0 and 1 and "
                f"{counts.off_lattice} of {graded} lie between the lattice points: it may be "
                f"answering on 0 to 1 where {low:g} to {high:g} was asked"
            )


def _unread_note(judge: str, counts: _Counts) -> Iterator[str]:
    """Why replies gave no grade, with the first of each kind, where that is more than a few."""
    unread = {status: n for status in _UNREAD if (n := counts.statuses[status])}
    total = counts.statuses.total()
    if sum(unread.values()) > _UNREAD_SHARE * total:
        told = "; ".join(
            f"{status} {n}, for example {counts.examples[status]}" for status, n in unread.items()
        )
        yield (
            f"the judge `{judge}`: {sum(unread.values())} of {total} replies hold no grade that "
            f"can be read ({told}); tell study.toml how to read them (reply_pattern or parser) and "
            "run again: no call is made twice"
        )


def _conflict_note(control: ControlGrades) -> str:
    return (
        f"the control `{control.name}` cannot answer as it must for {control.conflicts} edits, "
        "because their texts stand in other edits too"
    )
