"""Which edits does the rules generator make of the base items, and which of them enter?

One edit a base item and slot. The rules offer their edits best first; each goes through the gates
until one passes, and what was refused before it is kept with the gate and the reason. A rule that
does not apply offers nothing, and nothing is counted.
"""

from collections.abc import Sequence

from judgeprobe.build import rules
from judgeprobe.build.gates import Pair, first_failure, run_gates, seen_key
from judgeprobe.records import BaseItem, Intervention, Rejection, content_hash
from judgeprobe.study import Study
from judgeprobe.taxonomy import Slot

__all__ = ["RULES", "chosen_slots", "generate"]

RULES = "rules"
# Edits of one claim and slot that are tried before the rules give it up.
MOST_TRIES = 8


def generate(study: Study, items: Sequence[BaseItem]) -> tuple[list[Intervention], list[Rejection]]:
    """Every edit of every base item, accepted and refused, in the order of items and slots.

    Raises:
        InputError: `[generator].slots` names a slot that the taxonomy lacks.
    """
    slots = chosen_slots(study)
    accepted: list[Intervention] = []
    refused: list[Rejection] = []
    seen: set[tuple[str, str]] = set()
    for item in items:
        for slot in slots:
            edit, failed = _one(study, item, slot, seen)
            refused += failed
            if edit is not None:
                accepted.append(edit)
                seen.add(seen_key(item.id, edit.edited))
    return accepted, refused


def chosen_slots(study: Study) -> tuple[Slot, ...]:
    """The slots to fill: those of `[generator].slots`, or else all of the taxonomy.

    Raises:
        InputError: One is not in the taxonomy.
    """
    names = study.settings.generator.slots
    if names is None:
        return study.taxonomy.slots
    return tuple(study.taxonomy.slot(name) for name in names)


def _one(
    study: Study, item: BaseItem, slot: Slot, seen: set[tuple[str, str]]
) -> tuple[Intervention | None, list[Rejection]]:
    refused: list[Rejection] = []
    offered = rules.generate(item, slot, study.taxonomy, limit=MOST_TRIES)
    for attempt, candidate in enumerate(offered, start=1):
        text = candidate.text
        pair = Pair(item.id, item.evidence, item.claim, text)
        gates = run_gates(pair, slot, study.taxonomy, seen)
        failure = first_failure(gates)
        if failure is not None:
            gate, reason = failure
            refused.append(
                Rejection(
                    base_id=item.id,
                    slot=slot.name,
                    stage="gate",
                    gate=gate,
                    reason=reason,
                    text=text,
                    attempt=attempt,
                )
            )
            continue
        edit = Intervention(
            id=content_hash([item.id, slot.name, item.claim, text])[:16],
            base_id=item.id,
            slot=slot.name,
            axis=slot.axis,
            arm=slot.arm,
            domain=item.domain,
            document=item.document,
            evidence=item.evidence,
            original=item.claim,
            edited=text,
            generator=RULES,
            family=RULES,
            attempts=attempt,
            gates=gates,
            length_change=(len(text) - len(item.claim)) / len(item.claim),
            direction_source="construction",
            made_under={"taxonomy": study.taxonomy.hash},
        )
        return edit, refused
    return None, refused
