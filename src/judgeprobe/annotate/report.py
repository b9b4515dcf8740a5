"""What came out of the annotation of a study, and why did the rest stay out?

Made from the keys, the labels and the interventions each time, and written to `directions.jsonl`
(one row an intervention) and `annotation.json` (agreement, exclusions with counts, rates).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgeprobe.annotate.aggregate import (
    DIRECTIONS,
    STATUSES,
    ItemLabel,
    aggregate,
    item_labels,
)
from judgeprobe.annotate.agreement import LabelRow, agreement_report
from judgeprobe.annotate.keys import Key
from judgeprobe.records import Direction, Intervention, Label
from judgeprobe.stats.agreement import binomial_interval
from judgeprobe.study import Study
from judgeprobe.taxonomy import Taxonomy

__all__ = ["StudyReport", "study_report"]

SCHEMA = 1
# The verifier's answer, for its own record, to the question put to the annotators.
VERIFIER_FIELD = "claims_more"


@dataclass(frozen=True)
class StudyReport:
    """Directions, and everything said of them.

    Attributes:
        directions: One an intervention.
        rows: Every main label, unblinded, as the plain table of `judgeprobe annotate agreement`.
        content: `annotation.json`.
    """

    directions: tuple[Direction, ...]
    rows: tuple[LabelRow, ...]
    content: dict[str, Any]


def study_report(
    study: Study,
    interventions: Sequence[Intervention],
    keys: Sequence[Key],
    labels: Sequence[Label],
) -> StudyReport:
    """Aggregate a study's labels."""
    taxonomy, settings = study.taxonomy, study.settings
    by_id = {item.id: item for item in interventions}
    unblinded = item_labels(keys, labels)
    rows = _rows(unblinded, by_id)
    figures = agreement_report(
        rows,
        bar=study.bar,
        categories=DIRECTIONS,
        resamples=settings.profile.resamples,
        level=settings.profile.level,
        seed=settings.study.seed,
        slots=[slot.name for slot in taxonomy.slots],
        axes=list(dict.fromkeys(slot.axis for slot in taxonomy.slots)),
    )
    directions = aggregate(
        interventions,
        unblinded,
        planned=_planned(keys),
        measurable_slots={one["slot"]: one["measurable"] for one in figures["slots"]},
        measurable_axes={one["axis"]: one["measurable"] for one in figures["axes"]},
        training={
            row.intervention_id for key in keys for row in key.rows if row.role == "training"
        },
    )
    level = settings.profile.level
    content = {
        "schema": SCHEMA,
        "direction": "human",
        "agreement": figures,
        "yield": _yield(taxonomy, interventions, directions, figures),
        "excluded": _excluded(interventions, directions),
        "enters": sum(one.status == "enters" for one in directions),
        "unanimous": _unanimous(directions),
        "three_way_splits": sum(
            one.majority is None and sum(one.votes.values()) >= 3 and max(one.votes.values()) == 1
            for one in directions
        ),
        "cannot_tell": _cannot_tell(unblinded, directions, level),
        "facts_differ": sum(one.status == "facts differ" for one in directions),
        "self_consistency": _self_consistency(unblinded, level),
        "verifier": _verifier(by_id, directions, level),
        "training": _training(unblinded),
        "flags": _flags(labels),
    }
    return StudyReport(tuple(directions), tuple(rows), content)


def _rows(labels: Sequence[ItemLabel], by_id: Mapping[str, Intervention]) -> list[LabelRow]:
    found = []
    for label in labels:
        item = by_id.get(label.intervention_id)
        if label.role == "main" and item is not None:
            found.append(
                LabelRow(
                    unit_id=item.id,
                    slot=item.slot,
                    axis=item.axis,
                    annotator=label.annotator,
                    direction=label.direction,
                    base_id=item.base_id,
                    first=label.first,
                )
            )
    return sorted(found, key=lambda row: (row.unit_id, row.annotator))


def _planned(keys: Sequence[Key]) -> dict[str, int]:
    return {
        row.intervention_id: len(key.annotators)
        for key in keys
        for row in key.rows
        if row.role == "main"
    }


def _yield(
    taxonomy: Taxonomy,
    interventions: Sequence[Intervention],
    directions: Sequence[Direction],
    figures: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Per slot: annotated, matching the intent, entering, and the agreement beside them."""
    by_slot: dict[str, list[Direction]] = defaultdict(list)
    for item, direction in zip(interventions, directions, strict=True):
        by_slot[item.slot].append(direction)
    agreement = {one["slot"]: one for one in figures["slots"]}
    table = []
    for slot in taxonomy.slots:
        found = by_slot.get(slot.name, [])
        annotated = [one for one in found if one.status not in ("training", "not annotated")]
        fitting = [one for one in annotated if one.matches_intent and one.status != "facts differ"]
        table.append(
            {
                "slot": slot.name,
                "axis": slot.axis,
                "arm": slot.arm,
                "n": len(annotated),
                "pairwise": agreement[slot.name]["pairwise"],
                "measurable": agreement[slot.name]["measurable"],
                "degenerate": agreement[slot.name]["degenerate"],
                "matches_intent": len(fitting),
                "rate": len(fitting) / len(annotated) if annotated else None,
                "enters": sum(one.status == "enters" for one in found),
            }
        )
    return table


def _excluded(
    interventions: Sequence[Intervention], directions: Sequence[Direction]
) -> list[dict[str, Any]]:
    """How many pairs stopped where, by reason and slot; only what occurs."""
    counts = Counter(
        (direction.status, item.axis, item.slot)
        for item, direction in zip(interventions, directions, strict=True)
        if direction.status != "enters"
    )
    return [
        {"reason": status, "axis": axis, "slot": slot, "n": counts[status, axis, slot]}
        for status, axis, slot in sorted(counts, key=lambda key: (STATUSES.index(key[0]), *key[1:]))
    ]


def _unanimous(directions: Sequence[Direction]) -> dict[str, Any]:
    complete = [one for one in directions if one.votes and one.status != "incomplete"]
    unanimous = [one for one in directions if one.unanimous]
    return {
        "n": len(unanimous),
        "of": len(complete),
        "enters": sum(one.status == "enters" for one in unanimous),
        "enters_in_all": sum(one.status == "enters" for one in directions),
    }


def _cannot_tell(
    labels: Sequence[ItemLabel], directions: Sequence[Direction], level: float
) -> dict[str, Any]:
    """The rate of "cannot tell" among labels, and the pairs that it took out."""
    main = [label for label in labels if label.role == "main"]
    hits = sum(label.direction == "cannot_tell" for label in main)
    return {
        "units": sum(one.status == "cannot tell" for one in directions),
        **_rate(hits, len(main), level, "label"),
    }


def _self_consistency(labels: Sequence[ItemLabel], level: float) -> list[dict[str, Any]]:
    """Of the units that each annotator saw twice, how many got the same direction twice."""
    first = {(one.annotator, one.intervention_id): one for one in labels if one.role == "main"}
    counts: dict[str, list[bool]] = defaultdict(list)
    for label in labels:
        before = first.get((label.annotator, label.intervention_id))
        if label.role == "repeat" and before is not None:
            counts[label.annotator].append(before.direction == label.direction)
    return [
        {"annotator": name, **_rate(sum(same), len(same), level, "repeated unit")}
        for name, same in sorted(counts.items())
    ]


def _verifier(
    by_id: Mapping[str, Intervention], directions: Sequence[Direction], level: float
) -> dict[str, Any]:
    """How often the verifier's answer to the annotators' question differs from the majority's."""
    both: dict[str, list[bool]] = defaultdict(list)
    for one in directions:
        item = by_id[one.intervention_id]
        said = (item.verifier or {}).get(VERIFIER_FIELD)
        if not isinstance(said, bool) or one.majority in (None, "cannot_tell"):
            continue
        both[item.axis].append(said != (one.majority == "edited"))
    every = [differs for found in both.values() for differs in found]
    if not every:
        reason = "no pair has both a majority and the verifier's answer"
        return {**_rate(0, 0, level, "pair"), "reason": reason, "axes": []}
    return {
        **_rate(sum(every), len(every), level, "pair"),
        "axes": [
            {"axis": axis, **_rate(sum(found), len(found), level, "pair")}
            for axis, found in sorted(both.items())
        ],
    }


def _training(labels: Sequence[ItemLabel]) -> dict[str, int]:
    training = [label for label in labels if label.role == "training"]
    return {
        "labels_discarded": len(training),
        "units": len({label.intervention_id for label in training}),
    }


def _flags(labels: Sequence[Label]) -> dict[str, int]:
    counts = Counter(flag.split(":", 1)[0] for label in labels for flag in label.flags)
    return dict(sorted(counts.items()))


def _rate(hits: int, n: int, level: float, unit: str) -> dict[str, Any]:
    if not n:
        return {"rate": None, "low": None, "high": None, "n": 0}
    found = binomial_interval(hits, n, level=level, unit=unit)
    return {"rate": found.estimate, "low": found.low, "high": found.high, "n": n}
