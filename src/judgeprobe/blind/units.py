"""Which sentences are labelled, and which class does each inherit from how it was made?

From the study's pairs: an original, and an edit that keeps the construct, inherit `original`; an
edit that changes it inherits `edited`. A sentence that is a side of several pairs is one unit. Or
from a file of the user's own: sentence, evidence, the inherited class, and the pair or base item
that units of one origin share.

A sentence that inherits two classes is left out and counted: no label set could hold it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.files import read_rows
from judgeprobe.forms.draws import digest
from judgeprobe.records import BlindUnit, Intervention, text_id
from judgeprobe.settings import BlindSettings

__all__ = ["COLUMNS", "UnitSet", "units_from_file", "units_from_pairs"]

COLUMNS = ("sentence", "evidence", "inherited", "group")
OPTIONAL = ("role",)
TWO_CLASSES = "inherits two classes"
BY_MAKING = "the inherited labels come from how each sentence was made; no person gave them"
BY_PAIR = "the inherited labels are roles in pairs, set by people who saw both sides"
OF_FILE = "the inherited labels are those of {name}"


@dataclass(frozen=True)
class UnitSet:
    """The units of a set.

    Attributes:
        units: In the order of their ids.
        left_out: Pairs or sentences that gave no unit, by reason.
        source: "pairs of the study", or the name of the file.
        notice: Who or what gave the inherited labels, in words.
        by_construction: Whether no person gave them, as far as is known.
    """

    units: tuple[BlindUnit, ...]
    left_out: dict[str, int]
    source: str
    notice: str
    by_construction: bool


def units_from_pairs(
    interventions: Sequence[Intervention], settings: BlindSettings, secret: bytes
) -> UnitSet:
    """Both sides of the study's pairs.

    Args:
        interventions: Of the study.
        settings: Arms taken, classes inherited, most edits of a base item.
        secret: Draws the edits where there are more.

    Raises:
        InputError: No pair of these arms is left.
    """
    left_out: Counter[str] = Counter()
    taken: dict[str, list[Intervention]] = defaultdict(list)
    for item in interventions:
        if item.arm in settings.arms:
            taken[item.base_id].append(item)
        else:
            left_out[f"pairs of the arm {item.arm.replace('_', ' ')}"] += 1
    sides: list[BlindUnit] = []
    for base_id, items in sorted(taken.items()):
        drawn = sorted(items, key=lambda item: digest(secret, "edit", item.id))
        kept = drawn[: settings.per_base]
        left_out["pairs beyond per_base"] += len(drawn) - len(kept)
        for item in kept:
            changed = item.arm == "construct"
            sides += [
                _unit(item.evidence, item.original, settings.original, base_id, "original", item),
                _unit(
                    item.evidence,
                    item.edited,
                    settings.edited if changed else settings.original,
                    base_id,
                    f"{item.arm} edit",
                    item,
                ),
            ]
    kept = [item for items in taken.values() for item in items]
    by_people = all(item.direction_source.startswith("human") for item in kept)
    units = _gather(sides, left_out)
    notice = BY_PAIR if by_people else BY_MAKING
    return UnitSet(units, _counted(left_out), "pairs of the study", notice, not by_people)


def _unit(
    evidence: str, sentence: str, inherited: str, group: str, role: str, item: Intervention
) -> BlindUnit:
    return BlindUnit(
        unit_id=text_id(evidence, sentence),
        evidence=evidence,
        sentence=sentence,
        inherited=inherited,
        group=group,
        role=role,
        pairs=(item.id,),
    )


def units_from_file(path: Path, settings: BlindSettings) -> UnitSet:
    """Units of a file: CSV, TSV, JSONL or Parquet.

    Raises:
        InputError: A column is missing, a cell is empty or names no class, or no row is left.
    """
    names = {name: settings.columns.get(name, name) for name in (*COLUMNS, *OPTIONAL)}
    unknown = sorted(set(settings.columns) - set(names))
    if unknown:
        raise InputError(
            f"`[blind] columns` names the field `{unknown[0]}`",
            remedy="use " + ", ".join(names),
        )
    units = []
    for number, row in enumerate(read_rows(path), start=1):
        units.append(_row_unit(path, number, row, names, settings))
    left_out: Counter[str] = Counter()
    gathered = _gather(units, left_out)
    notice = OF_FILE.format(name=path.name)
    return UnitSet(gathered, _counted(left_out), path.name, notice, by_construction=False)


def _row_unit(
    path: Path, number: int, row: Mapping[str, Any], names: Mapping[str, str], s: BlindSettings
) -> BlindUnit:
    cells = {field: _text(row.get(name)) for field, name in names.items()}
    for field in COLUMNS:
        if names[field] not in row:
            raise InputError(
                f"has no column `{names[field]}`; it has {', '.join(list(row)[:12])}",
                file=path,
                row=number,
                remedy=f"give {', '.join(COLUMNS)}, or name yours in `[blind] columns`",
            )
        if not cells[field].strip():
            raise InputError(f"`{names[field]}` is empty", file=path, row=number)
    inherited = s.read_class(cells["inherited"])
    if inherited is None:
        raise InputError(
            f"`{cells['inherited'][:40]}` is no class",
            file=path,
            row=number,
            remedy=f"use {', '.join(s.classes)}, or change `classes` in [blind]",
        )
    try:
        f"{cells['evidence']}{cells['sentence']}".encode()
    except UnicodeEncodeError:
        raise InputError(
            "holds half a character (a lone surrogate)", file=path, row=number
        ) from None
    return BlindUnit(
        unit_id=text_id(cells["evidence"], cells["sentence"]),
        evidence=cells["evidence"],
        sentence=cells["sentence"],
        inherited=inherited,
        group=cells["group"].strip(),
        role=cells["role"].strip(),
    )


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _counted(left_out: Counter[str]) -> dict[str, int]:
    return {reason: n for reason, n in sorted(left_out.items()) if n}


def _gather(sides: Iterable[BlindUnit], left_out: Counter[str]) -> tuple[BlindUnit, ...]:
    """One unit a sentence, in the order of ids; the first group and role of a sentence stay."""
    by_id: dict[str, list[BlindUnit]] = defaultdict(list)
    for unit in sides:
        by_id[unit.unit_id].append(unit)
    units = []
    for _, found in sorted(by_id.items()):
        if len({unit.inherited for unit in found}) > 1:
            left_out[f"sentences: {TWO_CLASSES}"] += 1
            continue
        pairs = tuple(sorted({pair for unit in found for pair in unit.pairs}))
        groups = sorted({unit.group for unit in found})
        if len(groups) > 1:
            left_out["sentences: in several groups"] += 1
            continue
        units.append(found[0].model_copy(update={"pairs": pairs}))
    if not units:
        raise InputError("there is no sentence to label", remedy="see `arms` in [blind]")
    return tuple(units)
