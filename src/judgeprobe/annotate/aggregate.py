"""What do three labels say of one pair, and does it enter its arm?

The label is the majority of the people planned, with no tie-break: with three, two equal labels.
Direction is first turned from "A" and "B" of each annotator's order into "edited" and "original".
The places where a pair can stop are those of figure 9 of the construct-validity reference, checked
in the order of `STATUSES`; the last two are decided for a slot or axis as a whole.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from judgeprobe.annotate.keys import Key, Role, places
from judgeprobe.records import Direction, Intervention, Label

__all__ = ["DIRECTIONS", "STATUSES", "ItemLabel", "aggregate", "item_labels"]

DIRECTIONS = ("edited", "original", "neither", "cannot_tell")
STATUSES = (
    "training",  # a training item: its labels are discarded
    "not annotated",  # in no batch, or without a label yet
    "incomplete",  # too few labels for a majority yet
    "facts differ",  # a generator failure: a probe on it would measure factuality
    "no majority",  # for example three different answers
    "cannot tell",  # the majority could not tell
    "reported apart",  # a slot in neither arm; its direction is known and nothing is intended
    "against intent",  # the majority is not what the edit was made for
    "slot not measurable",  # the slot is below the agreement bar
    "axis not measurable",  # the axis is below the agreement bar
    "enters",
)


@dataclass(frozen=True)
class ItemLabel:
    """One label, unblinded.

    Attributes:
        direction: One of `DIRECTIONS`.
        first: Which member the annotator saw as sentence A.
        same_facts: None where the annotator did not say.
    """

    intervention_id: str
    annotator: str
    role: Role
    direction: str
    first: str
    same_facts: bool | None


def item_labels(keys: Sequence[Key], labels: Iterable[Label]) -> list[ItemLabel]:
    """Labels with their pairs, in the order of the labels; those of no known unit are left out."""
    index = {place.row.unit_id: place.row for place in places(tuple(keys))}
    found = []
    for label in labels:
        row = index.get(label.unit_id)
        if row is None:
            continue
        direction = label.direction
        if direction in ("a", "b"):
            second = "edited" if row.first == "original" else "original"
            direction = row.first if direction == "a" else second
        found.append(
            ItemLabel(
                intervention_id=row.intervention_id,
                annotator=row.annotator,
                role=row.role,
                direction=direction,
                first=row.first,
                same_facts=label.same_facts,
            )
        )
    return found


def aggregate(
    interventions: Sequence[Intervention],
    labels: Iterable[ItemLabel],
    *,
    planned: Mapping[str, int],
    measurable_slots: Mapping[str, bool],
    measurable_axes: Mapping[str, bool],
    training: Collection[str] = (),
) -> list[Direction]:
    """One direction an intervention, in the order of the interventions.

    Args:
        interventions: All of the study.
        labels: Only those of role "main" count.
        planned: How many people were to label each pair, by intervention id; a majority is more
            than half of them.
        measurable_slots: Whether each slot reaches the bar; one that is not named does not.
        measurable_axes: The same for axes.
        training: Interventions of the training round.
    """
    by_item: dict[str, list[ItemLabel]] = defaultdict(list)
    for label in labels:
        if label.role == "main":
            by_item[label.intervention_id].append(label)
    found = []
    for item in interventions:
        given = by_item.get(item.id, [])
        annotators = planned.get(item.id, 0)
        votes = Counter(label.direction for label in given)
        majority = next((d for d, n in votes.items() if 2 * n > annotators), None)
        differ = sum(label.same_facts is False for label in given)
        matches = _matches_intent(item, majority)
        status = _status(
            item,
            training=item.id in training,
            labels=len(given),
            most=max(votes.values(), default=0),
            annotators=annotators,
            majority=majority,
            facts_differ=2 * differ > annotators,
            matches=matches,
            slot=measurable_slots.get(item.slot, False),
            axis=measurable_axes.get(item.axis, False),
        )
        found.append(
            Direction(
                intervention_id=item.id,
                majority=majority,
                votes={name: votes[name] for name in DIRECTIONS if votes[name]},
                unanimous=len(given) >= max(annotators, 1) and len(votes) == 1,
                matches_intent=matches,
                status=status,
            )
        )
    return found


def _matches_intent(item: Intervention, majority: str | None) -> bool | None:
    """A construct edit should claim more; an invariance edit should change nothing."""
    intended = {"construct": "edited", "invariance": "neither"}.get(item.arm)
    if majority is None or intended is None:
        return None
    return majority == intended


def _status(
    item: Intervention,
    *,
    training: bool,
    labels: int,
    most: int,
    annotators: int,
    majority: str | None,
    facts_differ: bool,
    matches: bool | None,
    slot: bool,
    axis: bool,
) -> str:
    still_open = majority is None and 2 * (most + annotators - labels) > annotators
    reasons = (
        (training, "training"),
        (labels == 0, "not annotated"),
        (facts_differ, "facts differ"),
        (still_open, "incomplete"),
        (majority is None, "no majority"),
        (majority == "cannot_tell", "cannot tell"),
        (item.arm == "reported_apart", "reported apart"),
        (not matches, "against intent"),
        (not slot, "slot not measurable"),
        (not axis, "axis not measurable"),
    )
    return next((status for holds, status in reasons if holds), "enters")
