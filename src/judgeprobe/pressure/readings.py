"""What does each readout say of each passage?

A reading is one number a passage for one generator, readout and axis: the mean over its seeds. The
readouts are never put together; each has a name of its own that stands in every column:

- `markers`: operators of the closed lists, per claim;
- `verifier_vs_neutral`: pressed claim beside neutral claim, rose 1, fell -1, same 0;
- `verifier_vs_evidence`: claim beside its evidence, the same three;
- `human`: the majority of the annotators, pressed claim beside neutral claim;
- `words`: how long the claims are.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from judgeprobe.pressure.human import HumanAxis
from judgeprobe.pressure.operators import Operators
from judgeprobe.records import Comparison, PressureClaim

__all__ = [
    "POOLED",
    "READOUTS",
    "UNITS",
    "Reading",
    "against_neutral",
    "levels",
    "word_readings",
]

READOUTS = ("markers", "verifier_vs_neutral", "verifier_vs_evidence", "human")
POOLED = "pooled"
UNITS = {
    "markers": "operators a claim",
    "verifier_vs_neutral": "share that rose minus share that fell",
    "verifier_vs_evidence": "share that rose minus share that fell",
    "human": "share that rose minus share that fell",
    "words": "words a claim",
}
_VALUES = {"rose": 1.0, "fell": -1.0, "same": 0.0}

Key = tuple[str, str, str]  # generator, condition, axis
ByPassage = dict[str, float]


@dataclass(frozen=True)
class Reading:
    """One number a passage.

    Attributes:
        condition: Of a level: the instruction. Of a difference: that instruction minus neutral.
        axis: An axis, "pooled" (the mean of all axes) or, of words, "".
        values: By passage.
    """

    generator: str
    readout: str
    condition: str
    axis: str
    values: ByPassage


def levels(
    claims: Sequence[PressureClaim],
    evidence: Mapping[str, str],
    operators: Operators | None,
    comparisons: Sequence[Comparison],
) -> list[Reading]:
    """How far claims stand above their evidence, under each instruction.

    Args:
        claims: All claims.
        evidence: By passage.
        operators: None where the taxonomy marks no axis.
        comparisons: The verifier's answers.
    """
    found: list[Reading] = []
    if operators is not None:
        base = {one: operators.per_sentence(text) for one, text in evidence.items()}
        scored = [
            ((one.generator, one.condition, axis), one.base_id, score - base[one.base_id][axis])
            for one in claims
            if one.status == "kept"
            for axis, score in operators.score(one.text).items()
        ]
        found += _readings("markers", scored)
    return found + _readings("verifier_vs_evidence", _answers(claims, comparisons, "evidence"))


def against_neutral(
    claims: Sequence[PressureClaim],
    evidence: Mapping[str, str],
    operators: Operators | None,
    comparisons: Sequence[Comparison],
    human: Mapping[str, HumanAxis],
) -> list[Reading]:
    """Pressed minus neutral, of every readout, with the axes pooled beside them.

    What a claim's evidence scores drops out of the difference of `markers`.
    """
    found = _differences(levels(claims, evidence, operators, comparisons))
    found += _readings("verifier_vs_neutral", _answers(claims, comparisons, "neutral"))
    pressed = {one.id: one for one in claims}
    said = [
        ((pressed[claim].generator, pressed[claim].condition, axis), pressed[claim].base_id, value)
        for axis, one in human.items()
        for claim, value in one.values.items()
        if one.state == "labelled"
    ]
    found += _readings("human", said)
    return found + _pooled(found)


def word_readings(claims: Sequence[PressureClaim]) -> tuple[list[Reading], list[Reading]]:
    """Words of the claims under each instruction, and pressed minus neutral."""
    counted = [
        ((one.generator, one.condition, ""), one.base_id, float(len(one.text.split())))
        for one in claims
        if one.status == "kept"
    ]
    found = _readings("words", counted)
    return found, _differences(found)


def _answers(
    claims: Sequence[PressureClaim], comparisons: Iterable[Comparison], against: str
) -> list[tuple[Key, str, float]]:
    """One value a claim and axis: the mean over the orders that could be read."""
    by_id = {one.id: one for one in claims}
    orders: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in comparisons:
        if one.against == against and one.answer in _VALUES:
            orders[one.claim_id, one.axis].append(_VALUES[one.answer])
    return [
        (
            (by_id[claim].generator, by_id[claim].condition, axis),
            by_id[claim].base_id,
            fmean(values),
        )
        for (claim, axis), values in orders.items()
    ]


def _readings(readout: str, scored: Iterable[tuple[Key, str, float]]) -> list[Reading]:
    """Means over seeds, in the order in which generators, conditions and axes first occur."""
    seeds: dict[Key, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for key, base_id, value in scored:
        seeds[key][base_id].append(value)
    return [
        Reading(generator, readout, condition, axis, {b: fmean(v) for b, v in passages.items()})
        for (generator, condition, axis), passages in seeds.items()
    ]


def _differences(found: Sequence[Reading]) -> list[Reading]:
    neutral = {
        (one.generator, one.readout, one.axis): one.values
        for one in found
        if one.condition == "neutral"
    }
    made = []
    for one in found:
        below = neutral.get((one.generator, one.readout, one.axis))
        if one.condition == "neutral" or below is None:
            continue
        values = {b: v - below[b] for b, v in one.values.items() if b in below}
        made.append(Reading(one.generator, one.readout, one.condition, one.axis, values))
    return made


def _pooled(found: Sequence[Reading]) -> list[Reading]:
    """The mean of the axes of each passage that has them all."""
    groups: dict[tuple[str, str, str], list[Reading]] = defaultdict(list)
    for one in found:
        groups[one.generator, one.readout, one.condition].append(one)
    made = []
    for (generator, readout, condition), members in groups.items():
        if len(members) < 2:
            continue
        shared = [b for b in members[0].values if all(b in one.values for one in members[1:])]
        values = {b: fmean(one.values[b] for one in members) for b in shared}
        made.append(Reading(generator, readout, condition, POOLED, values))
    return made
