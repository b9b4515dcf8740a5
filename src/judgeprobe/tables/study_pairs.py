"""A study's interventions and grades as one table of pairs.

A text is graded once however many interventions share it; here each intervention gets the grades of
its two members. Repetition 0 is the grade; later repetitions tell whether a judge reproduces it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.records import CONTROLS, Direction, Intervention, text_id
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.tables.pairs import APART, UNKNOWN, Exclusion, PairTable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["in_table_order", "pairs_from_study", "repeated_grades"]

_COLUMNS = ("judge", "text_id", "repetition", "value", "status", "elicitation")


def pairs_from_study(
    interventions: Sequence[Intervention],
    grades: "pd.DataFrame",
    *,
    axes: Sequence[str],
    judges: Sequence[str] = (),
    directions: Mapping[str, Direction] | None = None,
) -> PairTable:
    """The pairs of a study.

    Args:
        interventions: Accepted edits that enter an arm, or are reported apart.
        grades: grades.parquet.
        axes: The taxonomy's construct axes.
        judges: Order of the judges; the controls follow, then any other by name.
        directions: What the annotators said, by intervention id, for the unanimous split.

    Raises:
        InputError: There is no intervention, a column is missing, or no judge has a grade.
    """
    if not interventions:
        raise InputError("there is no intervention to profile", remedy="run: judgeprobe build")
    missing = [name for name in _COLUMNS if name not in grades.columns]
    if missing:
        raise InputError(f"the grades lack the column `{missing[0]}`", remedy="run the sweep again")
    rows = in_table_order(interventions)
    texts: dict[str, int] = {}
    before, after = _text_numbers(rows, texts)
    names = _judge_order(grades, judges)
    values, present = _grade_cube(grades, names, texts)
    base_ids = sorted({row.base_id for row in rows})
    slots = tuple(dict.fromkeys(row.slot for row in rows))
    domains = tuple(sorted({row.domain for row in rows if row.domain}))
    asked = present[:, 0][:, before] & present[:, 0][:, after]
    first = values[:, 0]
    return PairTable(
        judges=names,
        elicitation=tuple(_elicitation(grades, name) for name in names),
        axes=tuple(axes),
        base_ids=tuple(base_ids),
        base=_codes([row.base_id for row in rows], base_ids),
        slots=slots,
        slot=_codes([row.slot for row in rows], slots),
        axis=np.array([_axis(row) for row in rows], dtype=object),
        domains=domains,
        domain=_codes([row.domain for row in rows], domains),
        original=np.where(asked, first[:, before], np.nan),
        edited=np.where(asked, first[:, after], np.nan),
        asked=asked,
        original_text=before,
        edited_text=after,
        unanimous=np.array([_unanimous(row, directions) for row in rows], dtype=np.int8),
        length_original=np.array([float(len(row.original)) for row in rows]),
        length_edited=np.array([float(len(row.edited)) for row in rows]),
        regrades=tuple(_regrades(values[j]) for j in range(len(names))),
        excluded=tuple(_exclusions(grades, names, texts, asked)),
    )


def repeated_grades(
    interventions: Sequence[Intervention], grades: "pd.DataFrame"
) -> dict[str, Floats]:
    """Every repetition of the judges that were asked more than once, for remedies.

    Returns:
        By judge the grades of the originals and of the edits, NaN where there is none, with the
        pairs in the order of `pairs_from_study`; shape (repetitions, 2, pairs).
    """
    rows = in_table_order(interventions)
    texts: dict[str, int] = {}
    before, after = _text_numbers(rows, texts)
    found = {}
    controls = {control.name for control in CONTROLS}
    for name in sorted({str(judge) for judge in grades["judge"].unique()} - controls):
        mine = grades[grades["judge"] == name]
        if int(mine["repetition"].max()) > 0:
            values = _grade_cube(mine, (name,), texts)[0][0]
            found[name] = np.stack([values[:, before], values[:, after]], axis=1)
    return found


def in_table_order(interventions: Sequence[Intervention]) -> list[Intervention]:
    """The edits in the order of the pairs of `pairs_from_study`."""
    return sorted(interventions, key=lambda row: (row.base_id, row.slot, row.id))


def _text_numbers(rows: Sequence[Intervention], texts: dict[str, int]) -> tuple[Ints, Ints]:
    before = [_number(texts, text_id(row.evidence, row.original)) for row in rows]
    after = [_number(texts, text_id(row.evidence, row.edited)) for row in rows]
    return np.array(before, dtype=np.int64), np.array(after, dtype=np.int64)


def _number(texts: dict[str, int], key: str) -> int:
    return texts.setdefault(key, len(texts))


def _codes(values: Sequence[str], names: Sequence[str]) -> Ints:
    where = {name: i for i, name in enumerate(names)}
    return np.array([where.get(value, UNKNOWN) for value in values], dtype=np.int64)


def _axis(row: Intervention) -> str:
    if row.arm == "reported_apart":
        return APART
    return "control" if row.arm == "invariance" else row.axis


def _unanimous(row: Intervention, directions: Mapping[str, Direction] | None) -> int:
    found = None if directions is None else directions.get(row.id)
    return UNKNOWN if found is None else int(found.unanimous)


def _judge_order(grades: "pd.DataFrame", judges: Sequence[str]) -> tuple[str, ...]:
    found = {str(name) for name in grades["judge"].unique()}
    controls = [control.name for control in CONTROLS]
    known = [name for name in (*judges, *controls) if name in found]
    names = (*known, *sorted(found - set(known)))
    if not names:
        raise InputError("there is no grade to profile", remedy="run: judgeprobe sweep")
    return names


def _grade_cube(
    grades: "pd.DataFrame", judges: Sequence[str], texts: Mapping[str, int]
) -> tuple[Floats, Bools]:
    """Grades (judges, repetitions, texts), NaN where there is none, and where there is a row."""
    judge = grades["judge"].map({name: j for j, name in enumerate(judges)}).to_numpy(np.float64)
    text = grades["text_id"].map(dict(texts)).to_numpy(np.float64)
    known = ~np.isnan(judge) & ~np.isnan(text)
    repetition = grades["repetition"].to_numpy(np.int64)
    shape = (len(judges), 1 + int(repetition.max(initial=0)), len(texts))
    values = np.full(shape, np.nan)
    present = np.zeros(shape, dtype=np.bool_)
    place = (judge[known].astype(int), repetition[known], text[known].astype(int))
    graded = (grades["status"] == "graded").to_numpy(bool)[known]
    value = grades["value"].to_numpy(np.float64)[known]
    values[place] = np.where(graded, value, np.nan)
    present[place] = True
    return values, present


def _elicitation(grades: "pd.DataFrame", judge: str) -> str | None:
    found = grades.loc[grades["judge"] == judge, "elicitation"].unique()
    return str(found[0]) if len(found) == 1 else None


def _regrades(values: Floats) -> tuple[Floats, Floats]:
    if len(values) < 2:
        return np.zeros(0), np.zeros(0)
    both = ~np.isnan(values[0]) & ~np.isnan(values[1])
    return values[0][both], values[1][both]


def _exclusions(
    grades: "pd.DataFrame", names: Sequence[str], texts: Mapping[str, int], asked: Bools
) -> list[Exclusion]:
    found = []
    for j, name in enumerate(names):
        rows = grades[(grades["judge"] == name) & (grades["repetition"] == 0)]
        rows = rows[rows["text_id"].isin(texts)]
        for status, n in sorted(rows["status"].value_counts().items()):
            if status != "graded":
                found.append(Exclusion("text", f"{status}", int(n), judge=name))
        absent = int((~asked[j]).sum())
        if absent:
            found.append(Exclusion("pair", "not put to the judge", absent, judge=name))
    strange = int((~grades["text_id"].isin(texts)).sum())
    if strange:
        found.append(Exclusion("grade", "of a text that no intervention has", strange))
    return found
