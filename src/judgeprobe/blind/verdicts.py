"""What does each judge say of the very sentences that people labelled?

From the study's grades: a grade at or above a judge's cut says that the sentence holds, one below
that it overreaches. The cut is the judge's operating point in profile.json unless another is
stated; control judges of known profile, and a judge whose verdict no cut changes, are read at the
middle of the scale. Or from a file: a class, "holds" or "overreaches", or a grade, by unit and
judge.

A sentence without a verdict is counted by reason and never filled in.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import InputError
from judgeprobe.files import read_json, read_rows
from judgeprobe.records import CONTROLS, BlindUnit
from judgeprobe.settings import BlindSettings
from judgeprobe.study import Study

__all__ = [
    "HOLDS",
    "NONE",
    "OVERREACHES",
    "SIDES",
    "Verdicts",
    "from_file",
    "from_grades",
    "side_codes",
]

IntArray = NDArray[np.int64]

SIDES = ("holds", "overreaches")
HOLDS, OVERREACHES, NONE = 0, 1, -1
_FILE_COLUMNS = ("unit_id", "judge")


@dataclass(frozen=True)
class Verdicts:
    """One judge's verdicts.

    Attributes:
        judge: Its name.
        control: Whether it is a control judge.
        how: How a verdict was read, in words.
        cut: The cut in grade units, or None where verdicts were given as such.
        sides: `HOLDS`, `OVERREACHES` or `NONE` of each unit, shape (units,).
        classes: Class codes, -1 where none, where the judge names classes; else None.
        missing: Units without a verdict, by reason.
        reason: Why there is no verdict at all; "" otherwise.
    """

    judge: str
    control: bool
    how: str
    cut: float | None
    sides: IntArray
    classes: IntArray | None = None
    missing: dict[str, int] = field(default_factory=dict)
    reason: str = ""


def side_codes(codes: IntArray, settings: BlindSettings) -> IntArray:
    """Class codes as `HOLDS` or `OVERREACHES`; -1 stays."""
    sides = np.array(
        [HOLDS if name in settings.holds else OVERREACHES for name in settings.classes]
    )
    return np.where(codes < 0, NONE, sides[codes]).astype(np.int64)


def from_grades(
    study: Study, units: Sequence[BlindUnit], cuts: Mapping[str, float], cut: float | None = None
) -> list[Verdicts]:
    """Verdicts from grades.parquet, repetition 0.

    Args:
        study: Its grades, and the cuts in its profile.
        units: The sentences.
        cuts: Cuts stated for judges, in grade units.
        cut: A cut stated for all others, or None.

    Raises:
        InputError: The grades cannot be read, hold none of the sentences, or a cut names no judge.
    """
    graded = _grades(study.grades_path)
    unknown = sorted(set(cuts) - set(graded))
    if unknown:
        raise InputError(
            f"`--cut` names `{unknown[0]}`, which has no grades",
            file=study.grades_path,
            remedy="name one of " + ", ".join(graded),
        )
    wanted = {unit.unit_id for unit in units}
    if not any(wanted & set(rows) for rows in graded.values()):
        raise InputError(
            "holds a grade of none of the sentences",
            file=study.grades_path,
            remedy="give --verdicts FILE, made from blind/items.jsonl",
        )
    profile = _profile(study)
    found = []
    for judge in _ordered(graded, study):
        at, how, reason = _cut(study, profile, judge, cuts, cut)
        found.append(_read(judge, graded[judge], units, at, how, reason))
    return found


def _grades(path: Path) -> dict[str, dict[str, tuple[float | None, str]]]:
    """Value and status by judge and text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.exists():
        raise InputError(
            "is not there", file=path, remedy="run: judgeprobe sweep, or give --verdicts FILE"
        )
    columns = ["judge", "text_id", "repetition", "value", "status"]
    try:
        rows = pq.ParquetFile(path).read(columns).to_pylist()
    except (pa.ArrowInvalid, KeyError, OSError) as error:
        raise InputError(f"cannot be read ({error})", file=path) from None
    found: dict[str, dict[str, tuple[float | None, str]]] = {}
    for row in rows:
        if row["repetition"] == 0:
            value = row["value"] if row["status"] == "graded" else None
            found.setdefault(row["judge"], {})[row["text_id"]] = (value, row["status"])
    return found


def _ordered(graded: Mapping[str, Any], study: Study) -> list[str]:
    named = [judge.name for judge in study.settings.judges]
    controls = [control.name for control in CONTROLS]
    known = [name for name in (*named, *controls) if name in graded]
    return [*known, *sorted(set(graded) - set(known))]


def _profile(study: Study) -> dict[str, tuple[bool, float | None, str]]:
    """By judge: whether it has an operating point, its cut, and why not."""
    if not study.profile_path.exists():
        return {}
    profile = read_json(study.profile_path)
    found = {}
    for row in profile.get("judges", []):
        point = row.get("operating_point")
        tau = None if point is None else point.get("tau")
        found[str(row["judge"])] = (point is not None, tau, str(row.get("reason") or ""))
    for row in profile.get("controls", []):
        has_point = row.get("S") is not None
        found[str(row["judge"])] = (has_point, row.get("tau"), str(row.get("reason") or ""))
    return found


def _cut(
    study: Study,
    profile: Mapping[str, tuple[bool, float | None, str]],
    judge: str,
    cuts: Mapping[str, float],
    cut: float | None,
) -> tuple[float | None, str, str]:
    """The cut, how it came about, and why there is none."""
    middle = study.settings.elicitation.scale.midpoint
    if judge in cuts:
        return cuts[judge], "stated for this judge", ""
    if judge in {control.name for control in CONTROLS if control.S is not None}:
        return middle, "a control judge: the middle of the scale", ""
    if cut is not None:
        return cut, "stated for all judges", ""
    if study.settings.profile.rule == "shift":
        reason = "the profile's rule is a shift of grades, which is no verdict on one sentence"
        return None, "", f"{reason}; state a cut with --cut"
    if judge not in profile:
        return None, "", "it is not in profile.json; run judgeprobe profile, or state a cut"
    has_point, tau, why = profile[judge]
    if not has_point:
        return None, "", f"it has no operating point ({why}); state a cut to read it all the same"
    if tau is None:
        return middle, "no cut changes its verdict: the middle of the scale", ""
    return float(tau), "its operating point in profile.json", ""


def _read(
    judge: str,
    grades: Mapping[str, tuple[float | None, str]],
    units: Sequence[BlindUnit],
    cut: float | None,
    how: str,
    reason: str,
) -> Verdicts:
    sides = np.full(len(units), NONE, dtype=np.int64)
    missing: Counter[str] = Counter()
    for row, unit in enumerate(units):
        value, status = grades.get(unit.unit_id, (None, "not put to the judge"))
        if value is None:
            missing[status] += 1
        elif cut is not None:
            sides[row] = HOLDS if value >= cut else OVERREACHES
    control = judge in {one.name for one in CONTROLS}
    return Verdicts(judge, control, how, cut, sides, None, dict(sorted(missing.items())), reason)


def from_file(
    path: Path,
    units: Sequence[BlindUnit],
    settings: BlindSettings,
    cuts: Mapping[str, float],
    cut: float | None = None,
) -> list[Verdicts]:
    """Verdicts from a table with `unit_id`, `judge` and either `verdict` or `grade`.

    Raises:
        InputError: A column is missing, a row names no unit of the set, is there twice or cannot
            be read, or grades come without a cut.
    """
    rows = read_rows(path)
    kind = _kind(path, rows)
    row_of = {unit.unit_id: number for number, unit in enumerate(units)}
    cells: dict[str, dict[int, str]] = {}
    for number, row in enumerate(rows, start=1):
        unit_id, judge = (str(row.get(name) or "").strip() for name in _FILE_COLUMNS)
        if unit_id not in row_of:
            raise InputError(
                f"the unit `{unit_id[:40]}` is not in the set",
                file=path,
                row=number,
                remedy="take the ids of blind/items.jsonl",
            )
        if not judge:
            raise InputError("`judge` is empty", file=path, row=number)
        mine = cells.setdefault(judge, {})
        if row_of[unit_id] in mine:
            raise InputError(f"`{judge}` has the unit `{unit_id}` twice", file=path, row=number)
        given = row.get(kind)
        text = "" if given is None else str(given).strip()
        mine[row_of[unit_id]] = _checked(path, number, kind, text, settings)
    return [
        _of_judge(path, judge, kind, given, len(units), settings, cuts.get(judge, cut))
        for judge, given in cells.items()
    ]


def _kind(path: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    columns = list(rows[0]) if rows else []
    for name in _FILE_COLUMNS:
        if name not in columns:
            raise InputError(
                f"has no column `{name}`",
                file=path,
                remedy="give unit_id, judge, and verdict or grade",
            )
    kinds = [name for name in ("verdict", "grade") if name in columns]
    if len(kinds) != 1:
        raise InputError(
            f"has {'both' if kinds else 'neither'} of the columns `verdict` and `grade`",
            file=path,
            remedy="give one of them",
        )
    return kinds[0]


def _checked(path: Path, number: int, kind: str, text: str, settings: BlindSettings) -> str:
    if not text:
        return ""
    if kind == "grade":
        try:
            good = bool(np.isfinite(float(text)))
        except ValueError:
            good = False
        if not good:
            raise InputError(f"the grade `{text[:40]}` is no number", file=path, row=number)
        return text
    if text.casefold() in SIDES:
        return text.casefold()
    found = settings.read_class(text)
    if found is None:
        raise InputError(
            f"the verdict `{text[:40]}` is no class",
            file=path,
            row=number,
            remedy=f"use {', '.join((*settings.classes, *SIDES))}, or leave it empty",
        )
    return found


def _of_judge(
    path: Path,
    judge: str,
    kind: str,
    given: Mapping[int, str],
    n: int,
    settings: BlindSettings,
    cut: float | None,
) -> Verdicts:
    if kind == "grade" and cut is None:
        raise InputError(
            f"gives grades of `{judge}` and no cut", file=path, remedy="state one with --cut"
        )
    sides = np.full(n, NONE, dtype=np.int64)
    classes = np.full(n, NONE, dtype=np.int64)
    empty = 0
    for row, text in given.items():
        if not text:
            empty += 1
        elif kind == "grade":
            sides[row] = HOLDS if cut is not None and float(text) >= cut else OVERREACHES
        elif text in SIDES:
            sides[row] = SIDES.index(text)
        else:
            classes[row] = settings.classes.index(text)
            sides[row] = HOLDS if text in settings.holds else OVERREACHES
    named = kind == "verdict" and bool((classes >= 0).any())
    if named and ((classes < 0) & (sides >= 0)).any():
        raise InputError(
            f"`{judge}` names classes for some units and {' or '.join(SIDES)} for others",
            file=path,
            remedy="give one kind of verdict a judge",
        )
    missing = {"no verdict in the file": empty, "not in the file": n - len(given)}
    how = "classes from a file" if named else "verdicts from a file"
    return Verdicts(
        judge=judge,
        control=judge in {one.name for one in CONTROLS},
        how="grades from a file, at the cut stated" if kind == "grade" else how,
        cut=cut if kind == "grade" else None,
        sides=sides,
        classes=classes if named else None,
        missing={name: count for name, count in missing.items() if count},
    )
