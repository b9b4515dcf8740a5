"""How do people read the claims, blind, and what did they say?

For each axis the arm writes a study folder of its own, `pressure/human/AXIS/`: pairs of claims as
interventions (neutral and pressed), a taxonomy that asks the one question of that axis, a codebook.
`judgeprobe annotate export | import | status` work on it as on any study, with its forms, its keys
apart, its majority of three and its bar. What they leave there (directions.jsonl, annotation.json)
is read back here. The instruction is in the key alone.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judgeprobe import resources
from judgeprobe.errors import InputError
from judgeprobe.files import read_json, read_jsonl, write_jsonl, write_text
from judgeprobe.pressure.passages import Passage
from judgeprobe.pressure.verifying import same_text
from judgeprobe.records import Direction, Intervention, PressureClaim, content_hash
from judgeprobe.study import Study

__all__ = ["HumanAxis", "Pair", "annotated_pairs", "human_dir", "read_human", "write_human"]

_WORDS = {
    "scope": ("Which sentence covers more cases?", "covers more cases", "makes it cover more"),
    "strength": ("Which sentence commits harder?", "commits harder", "makes it commit harder"),
}
_VALUES = {"edited": 1.0, "original": -1.0, "neither": 0.0}
WAITING = ("training", "not annotated", "incomplete")


@dataclass(frozen=True)
class Pair:
    """A pressed claim beside the neutral claim of its passage and seed."""

    pressed: PressureClaim
    neutral: PressureClaim

    @property
    def identical(self) -> bool:
        """Whether the two are one text, which nobody need read."""
        return same_text(self.pressed.text, self.neutral.text)


@dataclass(frozen=True)
class HumanAxis:
    """What people said on one axis.

    Attributes:
        state: "not exported", "no labels", or "labelled".
        values: By id of the pressed claim: 1 where it has more, -1 less, 0 the same. Pairs that are
            one text are 0. Without a majority, or where it could not tell, there is no value.
        counts: Pairs by what became of them.
        agreement: Raw pairwise agreement with interval, bar, and whether the axis reaches it.
    """

    state: str
    values: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    agreement: dict[str, Any] = field(default_factory=dict)

    @property
    def measurable(self) -> bool:
        """Whether the axis reaches the bar."""
        return bool(self.agreement.get("measurable"))


def human_dir(study: Study, axis: str) -> Path:
    """The study folder of one axis."""
    return study.pressure_dir / "human" / axis


def annotated_pairs(claims: Sequence[PressureClaim], seeds: int) -> list[Pair]:
    """Pairs of the first seeds, in the order of the pressed claims."""
    kept = {
        (one.generator, one.base_id, one.condition, one.seed): one
        for one in claims
        if one.status == "kept" and one.seed < seeds
    }
    found = []
    for (generator, base_id, condition, seed), claim in kept.items():
        neutral = kept.get((generator, base_id, "neutral", seed))
        if condition != "neutral" and neutral is not None:
            found.append(Pair(claim, neutral))
    return found


def write_human(
    study: Study, passages: Sequence[Passage], claims: Sequence[PressureClaim]
) -> list[Path]:
    """Write the study folder of each axis, and return where.

    Raises:
        InputError: Batches were exported from claims that are no longer there.
    """
    settings = study.settings.pressure
    assert settings is not None
    pairs = annotated_pairs(claims, settings.annotated_seeds)
    by_id = {one.base_id: one for one in passages}
    folders = []
    for axis in study.taxonomy.construct_axes:
        folder = human_dir(study, axis)
        edits = [
            _intervention(one, by_id[one.pressed.base_id], axis)
            for one in pairs
            if not one.identical
        ]
        _refuse_other_claims(folder, edits)
        write_text(folder / "taxonomy.toml", _taxonomy_toml(study, axis))
        write_text(folder / "study.toml", _study_toml(study, axis))
        write_jsonl(folder / "interventions.jsonl", edits)
        folders.append(folder)
    return folders


def _refuse_other_claims(folder: Path, edits: Sequence[Intervention]) -> None:
    path = folder / "interventions.jsonl"
    exported = any((folder / "annotation" / "keys").glob("batch-*.json"))
    if not exported or not path.exists():
        return
    gone = {one.id for one in read_jsonl(path, Intervention)} - {one.id for one in edits}
    if gone:
        raise InputError(
            f"{len(gone)} of its pairs are in batches for the annotators, but the claims have "
            "changed since",
            file=path,
            remedy=f"put the old settings back, or move {folder} away",
        )


def _intervention(pair: Pair, passage: Passage, axis: str) -> Intervention:
    before, after = pair.neutral.text, pair.pressed.text
    return Intervention(
        id=content_hash([axis, pair.pressed.id, before, after])[:16],
        base_id=passage.base_id,
        slot=pair.pressed.condition,
        axis=axis,
        arm="reported_apart",
        domain=passage.domain,
        document=passage.document,
        evidence=passage.evidence,
        original=before,
        edited=after,
        generator=pair.pressed.generator,
        family=pair.pressed.family,
        length_change=(len(after) - len(before)) / len(before),
        direction_source="human",
        made_under=dict(pair.pressed.made_under),
    )


def _words(study: Study, axis: str) -> tuple[str, str, str]:
    gloss = study.taxonomy.axes[axis]
    fallback = (f"Which sentence has more of this: {gloss}?", "has more of it", "makes it so")
    return _WORDS.get(axis, fallback)


def _codebook(study: Study, axis: str) -> str:
    if axis in _WORDS:
        return resources.read_text("annotation", f"pressure_{axis}.md")
    question = _words(study, axis)[0]
    return f"{question} Nothing else counts. Choose **Neither** where they have the **same**."


def _taxonomy_toml(study: Study, axis: str) -> str:
    """The taxonomy of one question. JSON strings are TOML strings."""
    question, answer, quote = _words(study, axis)
    settings = study.settings.pressure
    assert settings is not None
    lines = [
        "# Made by `judgeprobe pressure`: the one question that annotators are asked of a pair.",
        f"name = {json.dumps(f'pressure-{axis}')}",
        "version = 1",
        f"measures = {json.dumps(study.taxonomy.axes[axis])}",
        f"question = {json.dumps(question)}",
        "",
        "[constants]",
        f"agreement_bar = {study.bar!r}",
        "",
        "[annotators]",
        f"question = {json.dumps(question)}",
        f"answer = {json.dumps(answer)}",
        f"quote = {json.dumps(quote)}",
        "",
        "[axes]",
        f"{axis} = {json.dumps(study.taxonomy.axes[axis])}",
    ]
    codebook = _codebook(study, axis)
    for condition in settings.conditions[1:]:
        lines += [
            "",
            "[[slots]]",
            f"name = {json.dumps(condition)}",
            f"axis = {json.dumps(axis)}",
            'arm = "reported_apart"',
            'length = "free"',
            f"gloss = {json.dumps(f'the claim written under the {condition} instruction')}",
            # Once: the codebook puts the texts of all slots together.
            f"codebook = {json.dumps(codebook)}",
        ]
        codebook = ""
    return "\n".join(lines) + "\n"


def _study_toml(study: Study, axis: str) -> str:
    settings = study.settings
    return (
        "\n".join(
            [
                "# Made by `judgeprobe pressure`. Hand its pairs out and take the labels in with",
                "# judgeprobe annotate export | import | status on this folder.",
                "[study]",
                f"name = {json.dumps(f'{settings.study.name}, {axis} under pressure')}",
                f"seed = {settings.study.seed}",
                'taxonomy = "taxonomy.toml"',
                'pairs = "interventions.jsonl"',
                'direction_source = "annotators of the pressure arm"',
                "",
                "[annotation]",
                f"annotators = {settings.annotation.annotators}",
                f"bar = {study.bar!r}",
                f"batch_size = {settings.annotation.batch_size}",
                "",
                "[profile]",
                f"resamples = {settings.profile.resamples}",
                f"level = {settings.profile.level!r}",
            ]
        )
        + "\n"
    )


def read_human(
    study: Study, claims: Sequence[PressureClaim], passages: Sequence[Passage]
) -> dict[str, HumanAxis]:
    """What people said, by axis.

    Raises:
        InputError: A file of the annotation cannot be read.
    """
    settings = study.settings.pressure
    assert settings is not None
    pairs = annotated_pairs(claims, settings.annotated_seeds)
    by_id = {one.base_id: one for one in passages}
    return {axis: _read_axis(study, axis, pairs, by_id) for axis in study.taxonomy.construct_axes}


def _read_axis(
    study: Study, axis: str, pairs: Sequence[Pair], passages: dict[str, Passage]
) -> HumanAxis:
    folder = human_dir(study, axis)
    identical = {one.pressed.id: 0.0 for one in pairs if one.identical}
    waiting = {"pairs": len(pairs), "identical": len(identical)}
    if not any((folder / "annotation" / "keys").glob("batch-*.json")):
        return HumanAxis("not exported", counts=waiting)
    if not (folder / "directions.jsonl").exists():
        return HumanAxis("no labels", counts=waiting)
    claim_of = {
        _intervention(one, passages[one.pressed.base_id], axis).id: one.pressed.id for one in pairs
    }
    values = dict(identical)
    counts: Counter[str] = Counter()
    for row in read_jsonl(folder / "directions.jsonl", Direction):
        claim = claim_of.get(row.intervention_id)
        if claim is None:
            counts["gone"] += 1
        elif row.status in WAITING:
            counts[row.status] += 1
        elif row.majority in _VALUES:
            values[claim] = _VALUES[row.majority]
            counts["majority"] += 1
            counts["facts differ"] += row.status == "facts differ"
        else:
            counts["cannot tell" if row.majority else "no majority"] += 1
    return HumanAxis(
        "labelled", values, {**waiting, **dict(sorted(counts.items()))}, _agreement(folder, axis)
    )


def _agreement(folder: Path, axis: str) -> dict[str, Any]:
    figures = read_json(folder / "annotation.json")["agreement"]
    found = next(one for one in figures["axes"] if one["axis"] == axis)
    names = ("pairwise", "low", "high", "n_units", "fleiss_kappa", "degenerate", "measurable")
    return {**{name: found.get(name) for name in names}, "bar": figures["bar"]}
