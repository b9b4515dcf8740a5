"""Who has done what, how far do they agree so far, and which slots can no longer reach the bar?"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from judgeprobe.annotate.aggregate import DIRECTIONS, item_labels
from judgeprobe.annotate.agreement import reaches
from judgeprobe.annotate.keys import Key
from judgeprobe.records import Intervention, Label
from judgeprobe.stats.agreement import reachable_agreement

__all__ = ["progress", "reachable"]


def progress(keys: Sequence[Key], labels: Sequence[Label]) -> list[dict[str, Any]]:
    """Per batch and annotator: units, labels in, flagged labels, median seconds a unit."""
    by_unit = {label.unit_id: label for label in labels}
    table = []
    for key in keys:
        for annotator in key.annotators:
            rows = [row for row in key.rows if row.annotator == annotator]
            given = [by_unit[row.unit_id] for row in rows if row.unit_id in by_unit]
            times = [label.seconds for label in given if label.seconds is not None]
            table.append(
                {
                    "batch": key.batch,
                    "annotator": annotator,
                    "role": "training" if rows and rows[0].role == "training" else "main",
                    "units": len(rows),
                    "labels": len(given),
                    "flagged": sum(bool(label.flags) for label in given),
                    "median_seconds": float(np.median(times)) if times else None,
                }
            )
    return table


def reachable(
    keys: Sequence[Key],
    labels: Sequence[Label],
    interventions: Sequence[Intervention],
    *,
    bar: float,
) -> list[dict[str, Any]]:
    """Per slot: the best agreement that the labels still to come could bring.

    `lost` is true where even that is below the bar.
    """
    by_id = {item.id: item for item in interventions}
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for label in item_labels(keys, labels):
        if label.role == "main":
            votes[label.intervention_id][label.direction] += 1
    slots: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for key in keys:
        if len(key.annotators) < 2:
            continue
        for row in key.rows:
            item = by_id.get(row.intervention_id)
            if row.role == "main" and row.annotator == key.annotators[0] and item is not None:
                slots[item.slot][len(key.annotators)].append(item.id)
    table = []
    for slot, groups in slots.items():
        total, best = 0, 0.0
        for annotators, ids in groups.items():
            counts = np.array([[votes[one][name] for name in DIRECTIONS] for one in ids])
            best += reachable_agreement(counts, annotators) * len(ids)
            total += len(ids)
        table.append(
            {
                "slot": slot,
                "axis": next(by_id[one].axis for ids in groups.values() for one in ids),
                "n": total,
                "best": best / total,
                "lost": not reaches(best / total, bar),
            }
        )
    return sorted(table, key=lambda one: (one["axis"], one["slot"]))
