"""How far do annotators agree, overall, per slot, axis and pair of annotators?

The input is a plain table of labels (`unit_id, slot, axis, annotator, direction`), made by a study
or elsewhere; `direction` may be any small set of labels that mean the same for every annotator.
Two columns are optional: `base_id` (units of one base item are resampled together; without it
units are) and `first` (the label that would have named the sentence shown first).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.files import read_rows
from judgeprobe.stats.agreement import (
    MISSING,
    Agreement,
    agreement,
    annotator_pairs,
    binomial_interval,
    count_labels,
)

__all__ = ["LabelRow", "agreement_report", "first_position", "reaches", "read_label_table"]

NEEDED = ("unit_id", "slot", "axis", "annotator", "direction")
MOST_LABELS = 50
# With these words and no `first` column, A and B are the sentences as shown.
SHOWN_WORDS = {"a", "b", "neither", "cannot_tell", "cannot tell", "tie", "same"}
NO_PAIRS = "no unit has two labels"
NO_FIRST = "the table does not say which sentence was shown first"


@dataclass(frozen=True)
class LabelRow:
    """One label of one unit by one annotator.

    Attributes:
        base_id: Base item of the unit, or the unit itself where that is not known.
        first: The label that names the sentence shown first, or "".
    """

    unit_id: str
    slot: str
    axis: str
    annotator: str
    direction: str
    base_id: str
    first: str = ""


def read_label_table(path: Path) -> tuple[list[LabelRow], bool]:
    """The labels of a table, and whether it names base items. Empty directions are left out.

    Raises:
        InputError: A column is missing, a unit is labelled twice by one annotator or changes its
            slot or axis, or there are too many different labels.
    """
    rows = read_rows(path)
    if not rows:
        raise InputError("has no rows", file=path, remedy="give one label a row")
    for name in NEEDED:
        if name not in rows[0]:
            raise InputError(
                f"has no column `{name}`",
                file=path,
                remedy="give the columns " + ", ".join(NEEDED),
            )
    has_base = "base_id" in rows[0]
    found: list[LabelRow] = []
    units: dict[str, tuple[str, str, str]] = {}
    seen: dict[tuple[str, str], int] = {}
    spelled: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        cells = {name: _cell(row, name, path, number) for name in (*NEEDED, "base_id", "first")}
        for name in ("unit_id", "annotator"):
            if not cells[name]:
                raise InputError(f"`{name}` is empty", file=path, row=number)
        base = cells["base_id"] if has_base else cells["unit_id"]
        place = (cells["slot"], cells["axis"], base)
        if units.setdefault(cells["unit_id"], place) != place:
            raise InputError(
                f"the unit {cells['unit_id']} has another slot, axis or base item than before",
                file=path,
                row=number,
            )
        if not cells["direction"]:
            continue
        who = (cells["unit_id"], cells["annotator"])
        if seen.setdefault(who, number) != number:
            raise InputError(
                f"{who[1]} labelled the unit {who[0]} in row {seen[who]} already",
                file=path,
                row=number,
                remedy="keep one label a unit and annotator",
            )
        folded = cells["direction"].casefold()
        if spelled.setdefault(folded, cells["direction"]) != cells["direction"]:
            raise InputError(
                f"the labels `{spelled[folded]}` and `{cells['direction']}` differ in case alone",
                file=path,
                row=number,
                remedy="spell one label in one way",
            )
        found.append(
            LabelRow(
                cells["unit_id"],
                cells["slot"],
                cells["axis"],
                cells["annotator"],
                cells["direction"],
                base,
                cells["first"],
            )
        )
    if not found:
        raise InputError("every `direction` is empty", file=path)
    if len(spelled) > MOST_LABELS:
        raise InputError(
            f"`direction` has {len(spelled)} different labels; at most {MOST_LABELS} are read",
            file=path,
            remedy="give a small set of labels",
        )
    return found, has_base


def _cell(row: Mapping[str, Any], name: str, path: Path, number: int) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, str | int):
        raise InputError(f"`{name}` is not text", file=path, row=number)
    return str(value).strip()


def agreement_report(
    rows: Sequence[LabelRow],
    *,
    bar: float,
    categories: Sequence[str] | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    unit: str = "base item",
    slots: Sequence[str] | None = None,
    axes: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Every agreement figure, as one JSON object.

    Args:
        rows: At most one a unit and annotator.
        bar: Smallest raw pairwise agreement at which a slot or axis is measurable.
        categories: All labels that could be given; those that occur where None.
        resamples: Bootstrap draws.
        level: Nominal coverage.
        seed: Of the bootstrap.
        unit: What is resampled.
        slots: Slots in the order of the report, those without a label included; as they occur
            where None.
        axes: The same for axes.
    """
    names = list(categories or sorted({row.direction for row in rows}))
    people = sorted({row.annotator for row in rows})
    table = _Table(rows, names, people)
    kinds = {"slots": "slot", "axes": "axis"}
    orders = {"slots": slots, "axes": axes}
    stream = iter(np.random.SeedSequence(seed).spawn(10_000))

    def section(chosen: Sequence[int]) -> dict[str, Any]:
        rng = np.random.default_rng(next(stream))
        return _section(table, chosen, rng, resamples=resamples, level=level, unit=unit)

    report: dict[str, Any] = {"overall": section(range(len(table.units)))}
    for plural, kind in kinds.items():
        places = [getattr(one, kind) for one in table.units]
        wanted = orders[plural] if orders[plural] is not None else list(dict.fromkeys(places))
        found = []
        for name in wanted or []:
            one = section([i for i, place in enumerate(places) if place == name])
            entry: dict[str, Any] = {kind: name}
            if kind == "slot":
                entry["axis"] = next((u.axis for u in table.units if u.slot == name), "")
            found.append({**entry, **one, "measurable": reaches(one["pairwise"], bar)})
        report[plural] = found
    report["annotator_pairs"] = [
        {
            "a": people[pair.a],
            "b": people[pair.b],
            "n": pair.n,
            "agreement": pair.agreement,
            "cohen_kappa": pair.kappa.value,
            **({"reason": pair.kappa.reason} if pair.kappa.reason else {}),
        }
        for pair in annotator_pairs(table.codes)
    ]
    report["first_position"] = first_position(rows, level=level)
    report["labels"] = dict(sorted(Counter(row.direction for row in rows).items()))
    report["bar"] = bar
    report["level"] = level
    report["resampled"] = unit
    report["resamples"] = resamples
    report["seed"] = seed
    return report


def reaches(pairwise: float | None, bar: float) -> bool:
    """Whether an agreement is at or above the bar; not where there is none.

    A mean of thirds and ones misses 0.75 by rounding where it is 0.75 exactly.
    """
    return pairwise is not None and pairwise >= bar - 1e-12


def first_position(rows: Sequence[LabelRow], *, level: float = 0.95) -> dict[str, Any]:
    """How often the sentence shown first is the one said to claim more, with an exact interval.

    Only labels that name one of the two sentences count. 0.5 is no preference.
    """
    firsts = {row.first for row in rows if row.first}
    if firsts:
        named = [row for row in rows if row.first and row.direction in firsts]
        hits = sum(row.direction == row.first for row in named)
    elif {row.direction.casefold() for row in rows} <= SHOWN_WORDS:
        named = [row for row in rows if row.direction.casefold() in ("a", "b")]
        hits = sum(row.direction.casefold() == "a" for row in named)
    else:
        return {"rate": None, "low": None, "high": None, "n": 0, "reason": NO_FIRST}
    if not named:
        reason = "no label names one of the two sentences"
        return {"rate": None, "low": None, "high": None, "n": 0, "reason": reason}
    found = binomial_interval(hits, len(named), level=level, unit="label")
    return {"rate": found.estimate, "low": found.low, "high": found.high, "n": found.n}


class _Table:
    """Labels as codes, units x annotators."""

    def __init__(
        self, rows: Sequence[LabelRow], names: Sequence[str], people: Sequence[str]
    ) -> None:
        self.units = list({row.unit_id: row for row in rows}.values())
        self.names = names
        place = {one.unit_id: index for index, one in enumerate(self.units)}
        column = {name: index for index, name in enumerate(people)}
        code = {name: index for index, name in enumerate(names)}
        self.codes = np.full((len(self.units), len(people)), MISSING, dtype=np.int64)
        for row in rows:
            self.codes[place[row.unit_id], column[row.annotator]] = code[row.direction]
        self.counts = count_labels(self.codes, len(names))
        self.bases = np.unique([one.base_id for one in self.units], return_inverse=True)[1]


def _section(
    table: _Table,
    chosen: Sequence[int],
    rng: np.random.Generator,
    *,
    resamples: int,
    level: float,
    unit: str,
) -> dict[str, Any]:
    index = np.asarray(chosen, dtype=np.int64)
    counts = table.counts[index]
    if not len(counts) or not (counts.sum(axis=1) >= 2).any():
        empty = dict.fromkeys(
            ("pairwise", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "low", "high")
        )
        reasons = {"pairwise": NO_PAIRS}
        return {"n_units": 0, "n_labels": 0, **empty, "degenerate": False, "reasons": reasons}
    found = agreement(
        counts, table.bases[index], rng=rng, resamples=resamples, level=level, unit=unit
    )
    return _as_json(found, table.names, unit)


def _as_json(found: Agreement, names: Sequence[str], unit: str) -> dict[str, Any]:
    coefficients = {
        "fleiss_kappa": found.fleiss_kappa,
        "krippendorff_alpha": found.krippendorff_alpha,
        "gwet_ac1": found.gwet_ac1,
    }
    reasons = {name: one.reason for name, one in coefficients.items() if one.reason}
    if found.interval is None:
        reasons["low"] = reasons["high"] = f"an interval needs two {unit}s"
    return {
        "n_units": found.n_units,
        "n_labels": found.n_labels,
        "pairwise": found.pairwise,
        **{name: one.value for name, one in coefficients.items()},
        "low": found.interval.low if found.interval else None,
        "high": found.interval.high if found.interval else None,
        "degenerate": found.degenerate,
        "dominant": names[found.dominant],
        "dominant_share": found.dominant_share,
        "reasons": reasons,
    }
