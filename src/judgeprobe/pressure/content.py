"""What stands in effects.json?

Assembled from claims, answers and labels in one place, so that the tables, the page and the command
line all show the same numbers.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judgeprobe.families import VERIFIER, Member
from judgeprobe.pressure.effects import (
    Options,
    difference_rows,
    effect_rows,
    level_rows,
    prediction_rows,
    predictions,
)
from judgeprobe.pressure.human import HumanAxis
from judgeprobe.pressure.judges import judge_section
from judgeprobe.pressure.operators import Operators, count_sentences
from judgeprobe.pressure.passages import Passage
from judgeprobe.pressure.readings import READOUTS, against_neutral, levels, word_readings
from judgeprobe.records import Comparison, PressureClaim
from judgeprobe.stats.agreement import binomial_interval
from judgeprobe.study import Study
from judgeprobe.typography import normalise

__all__ = ["SCHEMA", "Material", "content"]

SCHEMA = 1


@dataclass(frozen=True)
class Material:
    """Everything that effects.json is made from.

    Attributes:
        members: Models of the arm, by name.
        operators: None where the taxonomy marks no axis.
        made_under: Hashes in force.
    """

    study: Study
    passages: tuple[Passage, ...]
    members: dict[str, Member]
    claims: tuple[PressureClaim, ...]
    comparisons: tuple[Comparison, ...]
    human: dict[str, HumanAxis]
    operators: Operators | None
    made_under: dict[str, Any]


def content(material: Material) -> dict[str, Any]:
    """effects.json.

    Raises:
        InputError: profile.json cannot be read.
    """
    study, claims, comparisons = material.study, material.claims, material.comparisons
    settings = study.settings
    pressure = settings.pressure
    assert pressure is not None
    options = Options(
        passages=tuple(one.base_id for one in material.passages),
        resamples=settings.profile.resamples,
        flips=settings.profile.permutations,
        level=settings.profile.level,
        seed=settings.study.seed,
    )
    evidence = {one.base_id: one.evidence for one in material.passages}
    found = against_neutral(claims, evidence, material.operators, comparisons, material.human)
    effects = options.effects(found, 0)
    rows = effect_rows(found, effects, material.human, options)
    words, longer = word_readings(claims)
    names = [one.name for one in pressure.generators]
    return {
        "schema": SCHEMA,
        "study": settings.study.name,
        "passages": len(material.passages),
        "seeds": pressure.seeds,
        "annotated_seeds": pressure.annotated_seeds,
        "conditions": list(pressure.conditions),
        "axes": list(study.taxonomy.construct_axes),
        "level": options.level,
        "resamples": options.resamples,
        "flips": options.flips,
        "seed": options.seed,
        "made_under": material.made_under,
        "generators": [_generator(one, material) for one in names],
        "readouts": _readouts(material),
        "effects": rows,
        "levels": level_rows(levels(claims, evidence, material.operators, comparisons), options, 1),
        "words": level_rows(words, options, 2),
        "words_difference": difference_rows(longer, options, 3),
        "prediction": {
            **predictions(),
            "rows": prediction_rows(names, found, effects, material.human, options),
        },
        "judges": judge_section(
            study, rows, {name: material.members[name].families for name in names}
        ),
    }


def _generator(name: str, material: Material) -> dict[str, Any]:
    """Counts of a generator's claims; `copied` ones stand word for word in their evidence."""
    member = material.members[name]
    own = [one for one in material.claims if one.generator == name]
    kept: dict[str, list[PressureClaim]] = {one.condition: [] for one in own}
    for one in own:
        if one.status == "kept":
            kept[one.condition].append(one)
    evidence = {one.base_id: normalise(one.evidence, casefold=True) for one in material.passages}
    return {
        "name": name,
        "model": member.model,
        "families": list(member.families),
        "claims": {
            condition: dict(
                sorted(Counter(one.status for one in own if one.condition == condition).items())
            )
            for condition in kept
        },
        "distinct": {
            condition: len({(one.base_id, one.text) for one in claims})
            for condition, claims in kept.items()
        },
        "copied": {
            condition: sum(
                normalise(one.text, casefold=True).rstrip(".") in evidence[one.base_id]
                for one in claims
            )
            for condition, claims in kept.items()
        },
        "several_sentences": {
            condition: sum(count_sentences(one.text) > 1 for one in claims)
            for condition, claims in kept.items()
        },
    }


def _readouts(material: Material) -> dict[str, Any]:
    """Of each readout, whether it was taken and what it rests on."""
    neutral = [one for one in material.comparisons if one.against == "neutral"]
    alone = [one for one in material.comparisons if one.against == "evidence"]
    verifier = material.members.get(VERIFIER)
    model = {} if verifier is None else _verifier(verifier)
    reason = "" if verifier else "study.toml names no [pressure.verifier]"
    level = material.study.settings.profile.level
    return {
        "markers": {
            "taken": material.operators is not None,
            "reason": "" if material.operators else "the taxonomy marks no scope and strength",
        },
        READOUTS[1]: {
            "taken": bool(neutral),
            "reason": reason,
            **model,
            **_asked(neutral),
            **_orders(neutral, level),
        },
        READOUTS[2]: {"taken": bool(alone), "reason": reason, **model, **_asked(alone)},
        "human": {
            "taken": any(one.state == "labelled" for one in material.human.values()),
            "reason": _missing_labels(material.human),
            "axes": {axis: asdict(one) for axis, one in _told(material.human).items()},
        },
    }


def _missing_labels(human: dict[str, HumanAxis]) -> str:
    waiting = [f"{axis}: {one.state}" for axis, one in human.items() if one.state != "labelled"]
    return ", ".join(waiting)


def _told(human: dict[str, HumanAxis]) -> dict[str, HumanAxis]:
    """Without the labels of single pairs, which directions.jsonl of each axis holds."""
    return {
        axis: HumanAxis(one.state, {}, one.counts, one.agreement) for axis, one in human.items()
    }


def _verifier(member: Member) -> dict[str, Any]:
    return {"model": member.model, "families": list(member.families)}


def _asked(rows: Sequence[Comparison]) -> dict[str, Any]:
    return {
        "questions": len(rows),
        "by_status": dict(sorted(Counter(one.status for one in rows).items())),
        "by_answer": dict(sorted(Counter(one.answer for one in rows if one.answer).items())),
    }


def _orders(rows: Sequence[Comparison], level: float) -> dict[str, Any]:
    """How often the two orders of a pair agree, and what those that do not have named.

    `changed` are pairs of which one text was named in each order: of these, the share that named
    the first both times, with its exact interval. Without a preference for a place it is 0.5.
    """
    answers: dict[tuple[str, str], dict[str, str]] = {}
    for one in rows:
        if one.status == "read" and one.answer in ("rose", "fell", "same"):
            answers.setdefault((one.claim_id, one.axis), {})[one.first] = one.answer
    both = [found for found in answers.values() if len(found) == 2]
    changed = [one for one in both if {*one.values()} == {"rose", "fell"}]
    first = sum(one["pressed"] == "rose" for one in changed)
    sided = [one for one in rows if one.status == "read" and one.answer in ("rose", "fell")]
    found: dict[str, Any] = {
        "pairs_in_both_orders": len(both),
        "orders_agree": sum(len({*one.values()}) == 1 for one in both),
        "named_first": sum((one.answer == "rose") == (one.first == "pressed") for one in sided),
        "named_one": len(sided),
        "changed": {"rate": None, "low": None, "high": None, "n": len(changed)},
    }
    if changed:
        rate = binomial_interval(first, len(changed), level=level, unit="pair")
        found["changed"] |= {"rate": rate.estimate, "low": rate.low, "high": rate.high}
    return found
