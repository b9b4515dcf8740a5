"""What do all labels say of each sentence, and how far do the annotators agree?

The label is the class of more than half of the annotators planned: with three, of two. There is no
arbitration and no tie-break, so a sentence on which all three differ carries no label and is
counted (section 5.5 and appendix C of the construct-validity reference).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgeprobe.blind.keys import BlindKey
from judgeprobe.errors import StatisticsError
from judgeprobe.records import BlindLabel, BlindMajority, BlindUnit
from judgeprobe.stats.agreement import (
    MISSING,
    Agreement,
    Coefficient,
    agreement,
    annotator_pairs,
    count_labels,
)

__all__ = ["STATUSES", "agreement_report", "label_codes", "majorities"]

STATUSES = ("labelled", "no majority", "incomplete", "not labelled")


def label_codes(
    key: BlindKey, labels: Sequence[BlindLabel], units: Sequence[BlindUnit]
) -> NDArray[np.int64]:
    """Class codes, units x annotators in the order of units and key; -1 where there is no label."""
    row_of = {unit.unit_id: row for row, unit in enumerate(units)}
    place = {
        shown.shown_id: (row_of[shown.unit_id], column)
        for column, rows in enumerate(key.sheets.values())
        for shown in rows
    }
    code = {name: number for number, name in enumerate(key.classes)}
    codes = np.full((len(units), len(key.sheets)), MISSING, dtype=np.int64)
    for label in labels:
        if label.unit_id in place:
            codes[place[label.unit_id]] = code[label.label]
    return codes


def majorities(
    codes: NDArray[np.int64], units: Sequence[BlindUnit], classes: Sequence[str]
) -> list[BlindMajority]:
    """What the labels say of each unit, in the order of the units.

    Args:
        codes: Units x annotators; -1 where there is no label.
        units: The units.
        classes: Names by code.
    """
    planned = codes.shape[1]
    found = []
    for unit, row in zip(units, codes.tolist(), strict=True):
        votes = Counter(classes[code] for code in row if code != MISSING)
        given = sum(votes.values())
        majority = next((name for name, n in votes.items() if 2 * n > planned), None)
        found.append(
            BlindMajority(
                **unit.model_dump(),
                votes={name: votes[name] for name in classes if votes[name]},
                majority=majority,
                unanimous=given == planned and len(votes) == 1,
                status=_status(given, planned, max(votes.values(), default=0), majority),
            )
        )
    return found


def _status(given: int, planned: int, most: int, majority: str | None) -> str:
    if majority is not None:
        return "labelled"
    if given == 0:
        return "not labelled"
    return "incomplete" if 2 * (most + planned - given) > planned else "no majority"


def agreement_report(
    codes: NDArray[np.int64],
    units: Sequence[BlindUnit],
    key: BlindKey,
    labels: Sequence[BlindLabel],
    *,
    resamples: int,
    level: float,
    seed: int,
) -> dict[str, Any]:
    """`blind/agreement.json`: agreement in all and per class, counts of what carries no label.

    Args:
        codes: Units x annotators; -1 where there is no label.
        units: The units.
        key: Names of classes and annotators.
        labels: As given, for progress and flags.
        resamples: Bootstrap draws of groups.
        level: Nominal coverage.
        seed: Of the draws.
    """
    classes, names = key.classes, key.annotators
    groups = np.unique([unit.group for unit in units], return_inverse=True)[1]
    majority = majorities(codes, units, classes)

    def of(values: NDArray[np.int64], kinds: int) -> Agreement | None:
        rng = np.random.default_rng(seed)
        try:
            return agreement(
                count_labels(values, kinds),
                groups,
                rng=rng,
                resamples=resamples,
                level=level,
                unit="group",
            )
        except StatisticsError:
            return None

    per_class = []
    for code, name in enumerate(classes):
        binary = np.where(codes == MISSING, MISSING, (codes == code).astype(np.int64))
        per_class.append(
            {
                "class": name,
                "labels": int((codes == code).sum()),
                "majority": sum(one.majority == name for one in majority),
                **_figures(of(binary, 2), ("another class", name)),
                **_specific(codes, code),
            }
        )
    counts = Counter(one.status for one in majority)
    return {
        "schema": 1,
        "units": len(units),
        "groups": int(groups.max()) + 1,
        "annotators": _progress(key, labels),
        "status": {status: counts[status] for status in STATUSES},
        "unanimous": sum(one.unanimous for one in majority),
        "overall": _figures(of(codes, len(classes)), classes),
        "classes": per_class,
        "pairs": [
            {
                "a": names[pair.a],
                "b": names[pair.b],
                "n": pair.n,
                "agreement": pair.agreement,
                "cohen_kappa": pair.kappa.value,
                "reason": pair.kappa.reason or None,
            }
            for pair in annotator_pairs(codes)
        ],
        "resamples": resamples,
        "level": level,
        "seed": seed,
    }


def _figures(found: Agreement | None, classes: Sequence[str]) -> dict[str, Any]:
    if found is None:
        empty: dict[str, Any] = dict.fromkeys(
            ("pairwise", "low", "high", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
        )
        reason = "no sentence has two labels"
        return {
            **empty,
            "n": 0,
            "dominant": None,
            "share": None,
            "degenerate": False,
            "reason": reason,
        }
    return {
        "n": found.n_units,
        "pairwise": found.pairwise,
        "low": None if found.interval is None else found.interval.low,
        "high": None if found.interval is None else found.interval.high,
        "fleiss_kappa": found.fleiss_kappa.value,
        "krippendorff_alpha": found.krippendorff_alpha.value,
        "gwet_ac1": found.gwet_ac1.value,
        "dominant": classes[found.dominant],
        "share": found.dominant_share,
        "degenerate": found.degenerate,
        "reason": _why(found.fleiss_kappa),
    }


def _why(coefficient: Coefficient) -> str | None:
    return coefficient.reason or None


def _specific(codes: NDArray[np.int64], code: int) -> dict[str, Any]:
    """Where one annotator gave the class, how often another one did."""
    said = (codes == code).sum(axis=1)
    others = (codes != MISSING).sum(axis=1) - 1
    pairs = int((said * np.maximum(others, 0)).sum())
    if not pairs:
        return {"specific": None}
    return {"specific": float((said * (said - 1)).sum() / pairs)}


def _progress(key: BlindKey, labels: Sequence[BlindLabel]) -> list[dict[str, Any]]:
    given: Mapping[str, list[BlindLabel]] = defaultdict(list)
    for label in labels:
        given[label.annotator].append(label)
    rows = []
    for name, sheet in key.sheets.items():
        mine = given[name]
        times = [label.seconds for label in mine if label.seconds is not None]
        rows.append(
            {
                "annotator": name,
                "units": len(sheet),
                "labels": len(mine),
                "flagged": sum(bool(label.flags) for label in mine),
                "median_seconds": float(np.median(times)) if times else None,
            }
        )
    return rows
