"""Does a pair pass every mechanical check, and which one refuses it?

Gates are run cheapest first, all before a verifier is paid (step 2 of Protocol 1 of the
construct-validity reference). Each compares normal forms (`judgeprobe.typography`), so a pair
passes the identity gates exactly when its normal forms agree. No gate decides direction.
`docs/gates.md` says what each refuses, what it lets through, and how often it errs on the fixture.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from judgeprobe.build import facts
from judgeprobe.errors import InputError
from judgeprobe.markers import Change, marker_list
from judgeprobe.records import GateResult
from judgeprobe.taxonomy import Slot, Taxonomy
from judgeprobe.typography import normalise

__all__ = [
    "GATES",
    "Gate",
    "Pair",
    "Seen",
    "check_waivers",
    "first_failure",
    "run_gates",
    "seen_key",
]

Seen = Collection[tuple[str, str]]

# Parts of gates that a slot may waive by themselves.
SENTENCES, LOST_NUMBERS, LOST_ENTITIES = "sentences", "lost_numbers", "lost_entities"
# Below this share of words in common, a text is no edit of the claim (docs/gates.md).
SMALLEST_OVERLAP = 0.4


@dataclass(frozen=True)
class Pair:
    """A claim and an edit of it, with the evidence both are read against."""

    base_id: str
    evidence: str
    original: str
    edited: str


@dataclass(frozen=True)
class Case:
    """A pair with what it is held against."""

    pair: Pair
    slot: Slot
    taxonomy: Taxonomy
    seen: Seen

    def changes(self, *names: str) -> tuple[Change, ...]:
        """What changed of marker lists read as one; a list that the taxonomy lacks is empty."""
        entries = tuple(entry for name in names for entry in self.entries(name))
        before, after = facts.plain(self.pair.original), facts.plain(self.pair.edited)
        return marker_list(entries).changes(before, after)

    def entries(self, *names: str) -> tuple[str, ...]:
        """Entries of marker lists."""
        return tuple(entry for name in names for entry in self.taxonomy.lists.get(name, ()))

    @property
    def own_operators(self) -> set[str]:
        """Entries of the lists that mark the slot's own axis."""
        return set(self.entries(*self.taxonomy.operators.get(self.slot.axis, ())))


@dataclass(frozen=True)
class Gate:
    """One check.

    Attributes:
        refuses: One line: what it refuses.
        check: The reason for a refusal, or None where the pair passes.
    """

    name: str
    refuses: str
    check: Callable[[Case], str | None]


def seen_key(base_id: str, text: str) -> tuple[str, str]:
    """What two interventions of one base item must not share: the normal form of the text."""
    return base_id, normalise(text, casefold=True)


def run_gates(
    pair: Pair, slot: Slot, taxonomy: Taxonomy, seen: Seen = (), *, every: bool = False
) -> dict[str, GateResult]:
    """The verdict of each gate, in the order of `GATES`.

    Args:
        pair: The claim and its edit.
        slot: The slot that was asked for.
        taxonomy: Its lists and constants.
        seen: Keys (`seen_key`) of interventions already accepted.
        every: Whether to go on after the first refusal; otherwise the last verdict is it.
    """
    case = Case(pair, slot, taxonomy, seen)
    results: dict[str, GateResult] = {}
    for gate in GATES:
        reason = None if gate.name in slot.waives else gate.check(case)
        results[gate.name] = GateResult(passed=reason is None, detail=reason or "")
        if reason is not None and not every:
            break
    return results


def check_waivers(taxonomy: Taxonomy) -> None:
    """Refuse a taxonomy that waives a gate which there is not.

    Raises:
        InputError: It names the slot and the gate.
    """
    known = [*(gate.name for gate in GATES), SENTENCES, LOST_NUMBERS, LOST_ENTITIES]
    for slot in taxonomy.slots:
        for name in slot.waives:
            if name not in known:
                raise InputError(
                    f"the slot `{slot.name}` of the taxonomy {taxonomy.name} waives `{name}`, "
                    "which is no gate",
                    remedy="use one of " + ", ".join(known),
                )


def first_failure(results: dict[str, GateResult]) -> tuple[str, str] | None:
    """The name and the reason of the first gate that refused, or None."""
    for name, result in results.items():
        if not result.passed:
            return name, result.detail
    return None


def _no_op(case: Case) -> str | None:
    # Markup is content for a control slot (a change of format) and not for a construct case.slot.
    read = normalise if case.slot.arm == "invariance" else facts.plain
    if _wording(read(case.pair.original)) != _wording(read(case.pair.edited)):
        return None
    if normalise(case.pair.original) == normalise(case.pair.edited):
        return "the text is unchanged"
    return "only capitals, punctuation or markup differ"


def _wording(text: str) -> str:
    return re.sub(r"[.,;:!?]+(?=\s|$)", "", text).casefold().strip()


def _length(case: Case) -> str | None:
    if case.slot.length == "free":
        return None
    tolerance = case.taxonomy.constants.length_tolerance
    before, after = len(normalise(case.pair.original)), len(normalise(case.pair.edited))
    if not before:
        return None
    change = (after - before) / before
    if abs(change) <= tolerance:
        return None
    return f"the length changes by {change:+.1%}; {tolerance:.0%} is the tolerance"


_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_DEFECTS: tuple[tuple[str, str], ...] = (
    ("doubled spaces", r"(?<=\S)[ \u00a0]{2,}(?=\S)"),
    ("doubled punctuation", r",\s*[,.;:]|;\s*[,;.]|:\s*[,;:.]|(?<!\.)\.\.(?!\.)"),
    ("a space before punctuation", r"\s[,.;:?!](?=\s|$)"),
    ("a doubled word", r"\b(?!(?:that|had)\b)([A-Za-z]+) \1\b"),
    ("`a` before a vowel", r"\b[Aa] (?=[aeio][a-z])(?!(?:one|once|eu|ewe)[a-z-]*)"),
    ("`an` before a consonant", r"\b[Aa]n (?=[b-df-gj-np-tv-z][a-z]{2})"),
    ("a control character", r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]"),
)


def _well_formed(case: Case) -> str | None:
    if not any(character.isalpha() for character in case.pair.edited):
        return "holds no letter"
    for what, pattern in _DEFECTS:
        before, after = (
            len(re.findall(pattern, text)) for text in (case.pair.original, case.pair.edited)
        )
        if after > before:
            return f"brings in {what}"
    original, edited = facts.plain(case.pair.original), facts.plain(case.pair.edited)
    for opening, closing in (*_BRACKETS, ('"', '"')):
        if _balanced(original, opening, closing) and not _balanced(edited, opening, closing):
            return (
                f"unbalanced {opening} {closing}" if opening != closing else f"unbalanced {opening}"
            )
    if _balanced(case.pair.original, "**", "**") and not _balanced(case.pair.edited, "**", "**"):
        return "unbalanced **"
    before, after = _sentences(original), _sentences(edited)
    if before != after and SENTENCES not in case.slot.waives:
        return f"{after} sentences where the claim has {before}"
    if original[:1].isupper() and edited[:1].islower():
        return "does not begin with a capital"
    if original[-1:] in ".!?" and original[-1:] != edited[-1:]:
        return f"does not end with `{original[-1]}`"
    return None


def _balanced(text: str, opening: str, closing: str) -> bool:
    if opening == closing:
        return text.count(opening) % 2 == 0
    depth = 0
    for character in text:
        depth += (character == opening) - (character == closing)
        if depth < 0:
            return False
    return depth == 0


def _sentences(text: str) -> int:
    body = re.sub(r"\b(?:e\.g|i\.e|et al|vs|cf|approx|[A-Z])\.", "", text)
    return max(1, len(re.findall(r"[.!?]+[\"')\]]*(?=\s+[A-Z\"'(]|\s*$)", body)))


def _overlap(case: Case) -> str | None:
    before, after = _stems(case.pair.original), _stems(case.pair.edited)
    if not after:
        return "holds no word"
    share = len(before & after) / min(len(before), len(after)) if before else 1.0
    if share >= SMALLEST_OVERLAP:
        return None
    return f"shares {share:.0%} of its words with the claim; {SMALLEST_OVERLAP:.0%} is the least"


def _stems(text: str) -> set[str]:
    words = re.findall(r"\w+", normalise(facts.plain(text), casefold=True))
    return {word[:5] for word in words}


def _numbers(case: Case) -> str | None:
    before, after = facts.numbers(case.pair.original), facts.numbers(case.pair.edited)
    lost, gained = sorted((before - after).elements()), sorted((after - before).elements())
    return _difference([] if LOST_NUMBERS in case.slot.waives else lost, gained)


def _difference(lost: list[str], gained: list[str]) -> str | None:
    parts = [
        f"{verb} {', '.join(f'`{item}`' for item in items)}"
        for verb, items in (("loses", lost), ("gains", gained))
        if items
    ]
    return " and ".join(parts) or None


def _entities(case: Case) -> str | None:
    before, after = facts.names(case.pair.original), facts.names(case.pair.edited)
    lost, gained = before.without(after), after.without(before)
    if case.slot.axis == "control":
        # Spelling an abbreviation out keeps its referent: the long form stands for it.
        for name in sorted(before.sure):
            form = facts.spells_out(name, case.pair.edited, case.pair.evidence)
            if form is not None and form not in facts.plain(case.pair.original):
                lost -= {name}
                gained -= facts.names(f"the {form}").sure | {form.split()[0]}
    if LOST_ENTITIES in case.slot.waives:
        lost = frozenset()
    return _difference(sorted(lost), sorted(gained))


def _anchor(case: Case) -> str | None:
    changes = case.changes("provenance_anchors")
    for change in changes:
        if change.by > 0:
            return str(change)
    for what, pattern in _CITATIONS:
        found = [
            len(re.findall(pattern, normalise(t))) for t in (case.pair.original, case.pair.edited)
        ]
        if found[1] > found[0]:
            return f"introduces {what}"
    return None


_CITATIONS = (
    ("a bracketed citation", r"\[\d+(?:\s*[,-]\s*\d+)*\]"),
    (
        "a citation with a year",
        r"\((?:[A-Z][\w'&.-]*[\s,]+(?:and |& )?)+(?:et al\.?,? )?\d{4}[a-z]?\)",
    ),
    ("a web address", r"https?://|www\.|\bdoi:"),
)


def _other_axis(case: Case) -> str | None:
    # Read as one list, so that the longest entry decides: "much of" is a quantifier, "much" is not.
    lists = [name for names in case.taxonomy.operators.values() for name in names]
    own = case.own_operators
    for change in case.changes(*lists):
        if change.marker.entry not in own:
            return f"{change}, which marks {_axis_of(change.marker.entry, case)}"
    return None


def _axis_of(entry: str, case: Case) -> str:
    operators = case.taxonomy.operators
    axes = [axis for axis, lists in operators.items() if entry in case.entries(*lists)]
    return " and ".join(axis for axis in axes if axis != case.slot.axis)


def _epistemic(case: Case) -> str | None:
    own = case.own_operators
    for change in case.changes("epistemic_markers"):
        if change.marker.entry not in own:
            return str(change)
    return None


def _duplicate(case: Case) -> str | None:
    if seen_key(case.pair.base_id, case.pair.edited) in case.seen:
        return "the same text is another intervention of this base item"
    return None


GATES: tuple[Gate, ...] = (
    Gate("no_op", "the claim itself, in other type or punctuation", _no_op),
    Gate("duplicate", "a text that is already an intervention of the base item", _duplicate),
    Gate("length", "a length change beyond the tolerance, where the slot bounds it", _length),
    Gate("well_formed", "faults of form that the claim does not have", _well_formed),
    Gate("overlap", "a text that is no edit of the claim", _overlap),
    Gate("numbers", "a changed, lost or added number or unit", _numbers),
    Gate("entities", "a changed, lost or added name or acronym", _entities),
    Gate("anchor", "an added word or mark that names a source", _anchor),
    Gate("other_axis", "a changed marker of an axis that is not the slot's", _other_axis),
    Gate("epistemic", "a changed epistemic marker that is not the slot's own operator", _epistemic),
)
