"""Which edits do the rules offer for a claim and a slot?

Each slot has operators, tried in order. An operator that does not apply yields nothing; a text
equal to the claim is never offered. The same claim gives the same candidates, whatever was made
before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from judgeprobe.build.rules import (
    conditions,
    domains,
    elaboration,
    formatting,
    hedges,
    intensifiers,
    ordering,
    padding,
    populations,
    quantifiers,
    register,
    tense,
)
from judgeprobe.records import BaseItem
from judgeprobe.taxonomy import Slot, Taxonomy
from judgeprobe.typography import normalise

__all__ = ["OPERATORS", "Candidate", "Operator", "generate"]


@dataclass(frozen=True)
class Candidate:
    """An edit that a rule offers, before any gate.

    Attributes:
        slot: Name of the slot it was made for.
        text: The edited claim.
        operator: Name of the rule that made it.
    """

    slot: str
    text: str
    operator: str


@dataclass(frozen=True)
class Operator:
    """A named rule.

    Attributes:
        apply: The edits of a claim, given the claim and its evidence; none where it does not apply.
    """

    name: str
    apply: Callable[[str, str], Iterable[str]]


def _many(name: str, rule: Callable[[str], Iterable[str]]) -> Operator:
    return Operator(name, lambda claim, _: rule(claim))


def _one(name: str, rule: Callable[[str], str | None]) -> Operator:
    def apply(claim: str, _: str) -> Iterator[str]:
        edited = rule(claim)
        if edited is not None:
            yield edited

    return Operator(name, apply)


OPERATORS: Mapping[str, tuple[Operator, ...]] = {
    "domain_extension": (
        _many("extend_noun", domains.extend_noun),
        _many("extend_modifier", domains.extend_modifier),
    ),
    "population_widening": (
        _many("drop_postmodifier", populations.drop_postmodifier),
        _many("drop_premodifier", populations.drop_premodifier),
        _many("name_wider_kind", populations.name_wider_kind),
    ),
    "quantifier_strengthening": (
        _many("strengthen_quantifier", quantifiers.strengthen_quantifier),
    ),
    "tense_modality_shift": (
        _many("past_to_present", tense.past_to_present),
        _many("drop_can", tense.drop_can),
    ),
    "condition_removal": (
        _many("remove_fronted", conditions.remove_fronted),
        _many("remove_final", conditions.remove_final),
    ),
    "hedging_removal": (_one("drop_hedges", hedges.drop_hedges),),
    "intensifier_addition": (_many("add_intensifier", intensifiers.add_intensifier),),
    "elaboration": (
        _many("add_gloss", elaboration.add_gloss),
        _many("restate_compound", elaboration.restate_compound),
    ),
    "format_shift": (_many("shift_format", formatting.shift_format),),
    "register_shift": (_one("formal_register", register.formal_register),),
    "reordering": (
        _many("move_to_back", ordering.move_to_back),
        _many("move_to_front", ordering.move_to_front),
    ),
    "verbosity_padding": (
        Operator("spell_out", padding.spell_out),
        _many("nominalise", padding.nominalise),
        _many("unpack_compound", padding.unpack_compound),
        _many("unpack_adjective", padding.unpack_adjective),
        _many("unpack_phrase", padding.unpack_phrase),
    ),
}


def generate(
    item: BaseItem, slot: Slot, taxonomy: Taxonomy, *, limit: int = 1
) -> tuple[Candidate, ...]:
    """The edits that the rules offer for one base item and slot, the preferred one first.

    Args:
        item: The base item; its evidence is read for what an abbreviation stands for.
        slot: A slot of the taxonomy. A slot that the rules do not know gets no candidate.
        taxonomy: The taxonomy of the slot. The rules are its own words' (claim calibration);
            another taxonomy gets candidates for slots of the same name and axis only.
        limit: Most candidates.
    """
    if all(known != slot for known in taxonomy.slots):
        return ()
    return tuple(islice(_distinct(item, slot), limit))


def _distinct(item: BaseItem, slot: Slot) -> Iterator[Candidate]:
    seen = {normalise(item.claim)}
    claim = item.claim.strip()
    for operator in OPERATORS.get(slot.name, ()):
        for text in operator.apply(claim, item.evidence):
            key = normalise(text)
            if key not in seen:
                seen.add(key)
                yield Candidate(slot.name, text, operator.name)
