"""Which variants does a study ask for, and what is changed in each?

A variant is the study under one change: the same edits, labels and cached replies, other settings.
Each has a folder of its own, so that grades of two scales or two prompts never stand in one file.
A judge to which a change cannot be made is left out of that variant, with the reason.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from judgeprobe.errors import StudyError
from judgeprobe.llm.templates import load_template
from judgeprobe.records import Scale
from judgeprobe.settings import JudgeSettings, Settings, VariantSettings, VariantsSettings
from judgeprobe.study import Study
from judgeprobe.sweep.models import COMPLETION_PROMPT, elicitation_of, prompt_of
from judgeprobe.variants.prompts import (
    CLAIM_FIRST,
    PAIRED,
    PARAPHRASES,
    STEPS_PROMPT,
    shipped_kind,
)

__all__ = ["DRIFT", "FOLDER", "KINDS", "Variant", "day_folders", "plan_variants"]

FOLDER = "variants"
DRIFT = "drift"
# What is run again under a change; the other kinds of `vary` read what is there.
KINDS = ("granularity", "remedies", "prompts", "order", "paired", DRIFT)
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_SCALE_PLACES = frozenset({"low", "high", "step"})

Change = Callable[[JudgeSettings], "JudgeSettings | str"]


@dataclass(frozen=True)
class Variant:
    """A study under one change.

    Attributes:
        name: Also that of its folder in `variants/`.
        kind: One of `KINDS`.
        change: What is changed, in a clause.
        settings: The whole settings in force, with the judges that the change can be made to.
        left_out: (judge, reason) of the others.
        has_pilot: Whether it is an elicitation of its own, tried on a sample first.
    """

    name: str
    kind: str
    change: str
    settings: Settings
    left_out: tuple[tuple[str, str], ...] = ()
    has_pilot: bool = False

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges asked."""
        return tuple(judge.name for judge in self.settings.judges)

    def study(self, base: Study) -> Study:
        """The study of its folder, which need not be there."""
        return Study(folder=base.folder / FOLDER / self.name, settings=self.settings)

    def without(self, left_out: Sequence[tuple[str, str]]) -> "Variant":
        """The same with some more judges left out."""
        gone = {name for name, _ in left_out}
        judges = tuple(judge for judge in self.settings.judges if judge.name not in gone)
        return replace(
            self,
            settings=self.settings.model_copy(update={"judges": judges}),
            left_out=(*self.left_out, *left_out),
        )


def plan_variants(study: Study, kinds: Sequence[str], *, day: str = "") -> list[Variant]:
    """The variants of some kinds, in a fixed order.

    Args:
        study: The study that they are variants of.
        kinds: Some of `KINDS`.
        day: Label of the run, for the kind "drift".

    Raises:
        StudyError: The study is itself a variant, or the label is no folder name.
        InputError: A prompt cannot be read.
    """
    if study.settings.variant is not None:
        raise StudyError(
            "is a variant itself", file=study.folder, remedy="name the study that it is one of"
        )
    builders: dict[str, Callable[[], Iterator[Variant]]] = {
        "granularity": lambda: _granularity(study),
        "remedies": lambda: _remedies(study),
        "prompts": lambda: _prompts(study),
        "order": lambda: _order(study),
        "paired": lambda: _paired(study),
        DRIFT: lambda: _drift(study, day),
    }
    return [variant for kind in KINDS if kind in kinds for variant in builders[kind]()]


def day_folders(study: Study) -> list[str]:
    """Labels of the repeated runs that lie in the study's folder, in order."""
    found = (study.folder / FOLDER).glob(f"{DRIFT}-*/study.toml")
    return sorted(path.parent.name.removeprefix(f"{DRIFT}-") for path in found)


def _variant(
    study: Study,
    name: str,
    kind: str,
    change: str,
    each: Change,
    *,
    elicitation: dict[str, Any] | None = None,
    ensembles: dict[str, tuple[str, ...]] | None = None,
    has_pilot: bool = False,
) -> Variant:
    """The study's settings with every judge changed, or left out with the reason that is given."""
    base = study.settings
    judges, left_out = [], []
    for judge in base.judges:
        changed = each(judge)
        if isinstance(changed, str):
            left_out.append((judge.name, changed))
        else:
            judges.append(changed)
    settings = base.model_copy(
        update={
            "judges": tuple(judges),
            "elicitation": base.elicitation.model_copy(update=elicitation or {}),
            "profile": base.profile.model_copy(update={"ensembles": ensembles or {}}),
            "variants": VariantsSettings(),
            "variant": VariantSettings(of="../..", name=name, kind=kind, change=change),
        }
    )
    return Variant(name, kind, change, settings, tuple(left_out), has_pilot)


def _granularity(study: Study) -> Iterator[Variant]:
    base = study.settings.elicitation.scale
    for scale in study.settings.variants.scales:
        points = len(scale.grades)
        yield _variant(
            study,
            f"scale-{points}",
            "granularity",
            f"a written grade on {points} points, {_told(scale)}",
            partial(_on_scale, study, is_base=_same(scale, base)),
            elicitation={"scale": scale},
            has_pilot=True,
        )
    expected = study.settings.variants.expected
    yield _variant(
        study,
        "expected",
        "granularity",
        f"the expected grade over the tokens of {_told(expected)}",
        partial(_expected, study),
        elicitation={"scale": expected},
        has_pilot=True,
    )


def _told(scale: Scale) -> str:
    return f"{scale.low:g} to {scale.high:g} in steps of {scale.step:g}"


def _same(one: Scale, other: Scale) -> bool:
    return (one.low, one.high, one.step) == (other.low, other.high, other.step)


def _on_scale(study: Study, judge: JudgeSettings, *, is_base: bool) -> JudgeSettings | str:
    """The judge asked to write a grade on the scale in force, which it must be told."""
    if judge.model is None:
        if not judge.takes_scale:
            return "a function that is not told the scale; see `takes_scale`"
        return "the study itself asks for this scale" if is_base else judge
    prompt = prompt_of(judge, study.settings.elicitation.prompt)
    if prompt == COMPLETION_PROMPT:
        # The shipped completion prompt does not say the step, which is what is varied here.
        return judge.model_copy(update={"elicitation": "written", "prompt": STEPS_PROMPT})
    if is_base and elicitation_of(judge) == "written":
        return "the study itself asks for this scale"
    lacking = _SCALE_PLACES - load_template(prompt, relative_to=study.root).places
    if lacking:
        return (
            f"its prompt does not take the scale from the study: {{{{{min(lacking)}}}}} is missing"
        )
    return judge.model_copy(update={"elicitation": "written"})


def _expected(study: Study, judge: JudgeSettings) -> JudgeSettings | str:
    if judge.model is None:
        return "a function gives no token probabilities"
    if elicitation_of(judge) == "expected":
        return "the study itself reads its expected grade"
    prompt = prompt_of(judge, study.settings.elicitation.prompt)
    lacking = _SCALE_PLACES - load_template(prompt, relative_to=study.root).places
    if lacking and prompt != COMPLETION_PROMPT:
        return (
            f"its prompt does not take the scale from the study: {{{{{min(lacking)}}}}} is missing"
        )
    return judge.model_copy(update={"elicitation": "expected"})


def _remedies(study: Study) -> Iterator[Variant]:
    asked = study.settings.variants.self_consistency
    changed: dict[str, Any] = {"repetitions": asked.samples}

    def sampled(judge: JudgeSettings) -> JudgeSettings | str:
        if judge.model is None:
            return judge.model_copy(update=changed)
        # A seed would give the same answer every time; an expected grade knows no temperature.
        more = {"temperature": asked.temperature, "seed": None, "elicitation": "written"}
        return judge.model_copy(update={**changed, **more})

    yield _variant(
        study,
        "self-consistency",
        "remedies",
        f"{asked.samples} written grades at temperature {asked.temperature:g}",
        sampled,
    )
    ensembles = study.settings.variants.ensembles or study.settings.profile.ensembles
    names = tuple(judge.name for judge in study.settings.judges)
    if not ensembles and len(names) > 1:
        ensembles = {"all judges": names}
    if ensembles:
        yield _variant(
            study,
            "ensembles",
            "remedies",
            "the grades of several judges as one: " + ", ".join(ensembles),
            lambda judge: judge,
            ensembles=dict(ensembles),
        )


def _prompts(study: Study) -> Iterator[Variant]:
    for number, names in enumerate(PARAPHRASES, start=1):
        yield _variant(
            study,
            f"prompt-{number}",
            "prompts",
            f"the shipped prompt in other words ({number})",
            partial(_other_prompt, study, names=names, own=None),
        )
    for number, name in enumerate(study.settings.variants.prompts, start=1):
        yield _variant(
            study,
            f"prompt-own-{number}",
            "prompts",
            f"the prompt {Path(name).name}",
            partial(_with_prompt, name=name),
        )


def _order(study: Study) -> Iterator[Variant]:
    own = study.settings.variants.claim_first
    yield _variant(
        study,
        "claim-first",
        "order",
        "the claim before the evidence",
        partial(_other_prompt, study, names=CLAIM_FIRST, own=own),
    )


def _paired(study: Study) -> Iterator[Variant]:
    own = study.settings.variants.paired

    def both_shown(judge: JudgeSettings) -> JudgeSettings | str:
        if judge.model is None:
            if judge.paired_call is None:
                return "a function that is shown one claim; name another in `paired_call`"
            return judge
        # The two grades are read by their letters, which no parser of one grade knows.
        alone = {"elicitation": "written", "reply_pattern": None, "parser": None}
        written = judge.model_copy(update=alone)
        return _other_prompt(study, written, names=PAIRED, own=own)

    yield _variant(study, "paired", "paired", "both sentences of a pair shown at once", both_shown)


def _other_prompt(
    study: Study, judge: JudgeSettings, *, names: dict[str, str], own: str | None
) -> JudgeSettings | str:
    """The judge with the prompt that stands to its own as `names` says, or with the user's."""
    if judge.model is None:
        return "a function has no prompt"
    prompt = prompt_of(judge, study.settings.elicitation.prompt)
    kind = shipped_kind(prompt)
    if kind in names:
        return judge.model_copy(update={"prompt": names[kind]})
    if own is not None:
        return judge.model_copy(update={"prompt": own})
    return f"its prompt is `{prompt}`, which no shipped variant is made of; see [variants]"


def _with_prompt(judge: JudgeSettings, *, name: str) -> JudgeSettings | str:
    if judge.model is None:
        return "a function has no prompt"
    return judge.model_copy(update={"prompt": name})


def _drift(study: Study, day: str) -> Iterator[Variant]:
    if not _LABEL.fullmatch(day):
        raise StudyError(
            f"the label of a repeated run is {day!r}",
            remedy="use up to 40 letters, digits, dots, dashes and underscores",
        )
    yield _variant(
        study,
        f"{DRIFT}-{day}",
        DRIFT,
        f"the same calls again, run {day}",
        lambda judge: judge,
        elicitation={"run": day},
    )
