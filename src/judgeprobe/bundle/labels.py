"""How are labels released without saying who gave them?

Annotators become a1, a2, a3. The order is that of the SHA-256 of what each of them answered, so it
follows from what is released and from nothing else: neither a name nor its place in the alphabet
can be worked out from it. Answers in free words stay behind, because they may hold names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgeprobe.records import Intervention, Record, content_hash

__all__ = ["GivenLabel", "ItemLabelRow", "pseudonyms", "public_labels", "renamed"]


@dataclass(frozen=True)
class GivenLabel:
    """One label as the study has it, unblinded.

    Attributes:
        direction: "edited", "original", "neither" or "cannot_tell".
        first: Which member the annotator saw first.
        role: "main" or "repeat"; training labels are discarded before.
        same_facts: None where the annotator did not say.
    """

    intervention_id: str
    annotator: str
    direction: str
    first: str
    role: str
    same_facts: bool | None


class ItemLabelRow(Record):
    """One row of item_labels.jsonl.

    Attributes:
        annotator: a1, a2, ...
        direction: Which member claims more: "edited" or "original"; or "neither", "cannot_tell".
        shown_first: Which member stood first on the annotator's page.
        role: "main", or "repeat" where the annotator saw the pair a second time.
    """

    intervention_id: str
    base_id: str
    slot: str
    axis: str
    annotator: str
    direction: str
    shown_first: str
    role: str
    same_facts: bool | None


def pseudonyms(labels: Sequence[GivenLabel], others: Sequence[str] = ()) -> dict[str, str]:
    """The pseudonym of each annotator, by name.

    Args:
        labels: What they answered.
        others: Further names, of people whose labels are not among these; they follow, in no order
            that tells anything, because they have no answers: all of them are "a0".
    """
    answers: dict[str, list[list[Any]]] = {}
    for one in labels:
        answers.setdefault(one.annotator, []).append(
            [one.intervention_id, one.role, one.first, one.direction, one.same_facts]
        )
    ranked = sorted((content_hash(sorted(rows, key=str)), name) for name, rows in answers.items())
    found = {name: f"a{place}" for place, (_, name) in enumerate(ranked, start=1)}
    return {**dict.fromkeys(others, "a0"), **found}


def public_labels(
    labels: Sequence[GivenLabel],
    interventions: Mapping[str, Intervention],
    names: Mapping[str, str],
) -> list[ItemLabelRow]:
    """The rows, in an order that tells nothing of when or by whom they were given."""
    rows = []
    for one in labels:
        edit = interventions.get(one.intervention_id)
        if edit is not None:
            rows.append(
                ItemLabelRow(
                    intervention_id=edit.id,
                    base_id=edit.base_id,
                    slot=edit.slot,
                    axis=edit.axis,
                    annotator=names[one.annotator],
                    direction=one.direction,
                    shown_first=one.first,
                    role=one.role,
                    same_facts=one.same_facts,
                )
            )
    return sorted(rows, key=lambda row: (row.intervention_id, row.annotator, row.role))


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A JSON value with every annotator's name replaced, and re-sorted where the order told it.

    annotation.json lists people by name, so the place in a list would tell the alphabet's order.
    """
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        found = [renamed(entry, names) for entry in value]
        return sorted(found, key=_people) if any(_people(entry) for entry in found) else found
    if not isinstance(value, dict):
        return value
    entries = {names.get(key, key): renamed(entry, names) for key, entry in value.items()}
    if value.get("a") in names and value.get("b") in names:
        # A pair of annotators; its figures are the same both ways round.
        entries["a"], entries["b"] = sorted((entries["a"], entries["b"]), key=_number)
    if any(key in names for key in value):
        return dict(sorted(entries.items(), key=lambda entry: _number(entry[0])))
    return entries


def _people(entry: Any) -> list[tuple[int, str]]:
    """The pseudonyms that an entry of a list is about."""
    if not isinstance(entry, dict):
        return []
    told = [entry.get(key) for key in ("annotator", "a", "b")]
    return [_number(name) for name in told if isinstance(name, str) and _is_pseudonym(name)]


def _is_pseudonym(name: str) -> bool:
    return name[:1] == "a" and name[1:].isdigit()


def _number(name: str) -> tuple[int, str]:
    return (int(name[1:]) if _is_pseudonym(name) else 0, name)
