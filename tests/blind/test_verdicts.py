import json

import numpy as np
import pandas as pd
import pytest
from tests.helpers.blind import blind_study

from judgeprobe.blind.export import export_set
from judgeprobe.blind.run import read_set
from judgeprobe.blind.verdicts import HOLDS, NONE, OVERREACHES, from_file, from_grades, side_codes
from judgeprobe.errors import InputError
from judgeprobe.files import write_csv, write_json, write_parquet
from judgeprobe.records import Grade
from judgeprobe.settings import BlindSettings

NAMES = ("anna", "ben", "cleo")


@pytest.fixture
def study(tmp_path):
    made = blind_study(tmp_path / "study", n_base=2)
    export_set(made, annotators=NAMES, forms=["csv"])
    return made


def grade_all(study, judges):
    """Grades by judge: a value, or a status, for each unit in order."""
    rows = []
    for judge, given in judges.items():
        for unit, value in zip(read_set(study).units, given, strict=True):
            graded = not isinstance(value, str)
            rows.append(
                Grade(
                    judge=judge,
                    text_id=unit.unit_id,
                    base_id=unit.group,
                    value=float(value) if graded else None,
                    status="graded" if graded else value,
                    elicitation="computed",
                ).model_dump()
            )
    write_parquet(study.grades_path, pd.DataFrame(rows), {})


def profile(study, **taus):
    points = {
        name: None if tau == "none" else {"tau": tau, "S": 0.95, "R": 0.3}
        for name, tau in taus.items()
    }
    judges = [
        {"judge": name, "operating_point": point, "reason": None if point else "no cut reaches S"}
        for name, point in points.items()
    ]
    controls = [{"judge": "length", "tau": 1.5, "S": 0.9, "reason": None}]
    write_json(study.profile_path, {"judges": judges, "controls": controls})


def test_a_grade_at_the_cut_holds_and_one_below_overreaches(study):
    n = len(read_set(study).units)
    grade_all(study, {"j": [3.0, 2.9, "refused", *[5.0] * (n - 3)]})
    profile(study, j=3.0)
    (found,) = from_grades(study, read_set(study).units, {})
    assert found.sides[:3].tolist() == [HOLDS, OVERREACHES, NONE]
    assert found.missing == {"refused": 1}
    assert (found.cut, found.how) == (3.0, "its operating point in profile.json")


def test_where_the_cut_comes_from(study):
    n = len(read_set(study).units)
    names = ("stated", "profiled", "still", "pointless", "new", "constant", "length")
    grade_all(study, dict.fromkeys(names, [2.0] * n))
    profile(study, profiled=1.0, still=None, pointless="none", stated=4.0)
    found = {one.judge: one for one in from_grades(study, read_set(study).units, {"stated": 2.5})}
    assert [found[name].cut for name in names] == [2.5, 1.0, 2.5, None, None, 2.5, 1.5]
    assert found["still"].how == "no cut changes its verdict: the middle of the scale"
    assert "no operating point (no cut reaches S)" in found["pointless"].reason
    assert "not in profile.json" in found["new"].reason
    assert found["constant"].control
    assert (found["pointless"].sides == NONE).all()
    everyone = from_grades(study, read_set(study).units, {}, cut=1.0)
    assert {one.cut for one in everyone if one.judge not in ("constant",)} == {1.0}


def test_grades_that_are_not_there(study):
    units = read_set(study).units
    with pytest.raises(InputError, match="run: judgeprobe sweep"):
        from_grades(study, units, {})
    grade_all(study, {"j": [1.0] * len(units)})
    with pytest.raises(InputError, match="names `k`"):
        from_grades(study, units, {"k": 1.0})
    others = [unit.model_copy(update={"unit_id": f"x{i}"}) for i, unit in enumerate(units)]
    with pytest.raises(InputError, match="a grade of none of the sentences"):
        from_grades(study, others, {})


def verdict_file(tmp_path, rows, kind="verdict"):
    path = tmp_path / "verdicts.csv"
    write_csv(path, ("unit_id", "judge", kind), rows)
    return path


def test_verdicts_of_a_file(study, tmp_path):
    units, settings = read_set(study).units, BlindSettings()
    ids = [unit.unit_id for unit in units]
    rows = [(ids[0], "j", "holds"), (ids[1], "j", "Overreaches"), (ids[2], "j", "")]
    rows += [(ids[0], "k", "anchored"), (ids[1], "k", "OVER SCOPED")]
    binary, classes = from_file(verdict_file(tmp_path, rows), units, settings, {})
    assert binary.sides[:3].tolist() == [HOLDS, OVERREACHES, NONE]
    assert binary.classes is None
    assert binary.missing == {"no verdict in the file": 1, "not in the file": len(ids) - 3}
    assert classes.classes[:3].tolist() == [1, 2, -1]
    assert classes.sides[:3].tolist() == [HOLDS, OVERREACHES, NONE]
    path = verdict_file(tmp_path, [(ids[0], "j", "2.5"), (ids[1], "j", "2.4")], "grade")
    (graded,) = from_file(path, units, settings, {}, cut=2.5)
    assert graded.sides[:2].tolist() == [HOLDS, OVERREACHES]
    jsonl = tmp_path / "v.jsonl"
    jsonl.write_text(json.dumps({"unit_id": ids[0], "judge": "j", "grade": 0}) + "\n")
    (zero,) = from_file(jsonl, units, settings, {"j": 0.0})
    assert zero.sides[0] == HOLDS  # a grade of 0 is a grade


@pytest.mark.parametrize(
    ("row", "kind", "told"),
    [
        (("nowhere", "j", "holds"), "verdict", "row 2: the unit `nowhere` is not in the set"),
        (("", "j", "holds"), "verdict", "row 2: the unit `` is not"),
        (("ID", "j", "holds"), "verdict", "row 2: `j` has the unit"),
        (("ID", "", "holds"), "verdict", "row 2: `judge` is empty"),
        (("ID", "k", "dubious"), "verdict", "row 2: the verdict `dubious` is no class"),
        (("ID", "k", "high"), "grade", "row 2: the grade `high` is no number"),
        (("ID", "k", "nan"), "grade", "row 2: the grade `nan` is no number"),
        (("ID", "k", "2"), "grade", "grades of `j` and no cut"),
        (("ID2", "j", "clean"), "verdict", "names classes for some units"),
        (("ID", "k", "holds"), "opinion", "neither of the columns"),
    ],
)
def test_a_bad_row_is_named(study, tmp_path, row, kind, told):
    units = read_set(study).units
    names = {"ID": units[0].unit_id, "ID2": units[1].unit_id}
    first = (units[0].unit_id, "j", "1" if kind == "grade" else "holds")
    path = verdict_file(tmp_path, [first, (names.get(row[0], row[0]), *row[1:])], kind)
    with pytest.raises(InputError, match=told):
        from_file(path, units, BlindSettings(), {})


def test_side_codes_follow_the_settings():
    codes = np.array([0, 1, 2, 3, -1])
    assert side_codes(codes, BlindSettings()).tolist() == [0, 0, 1, 1, -1]
    strict = BlindSettings(holds=("clean",))
    assert side_codes(codes, strict).tolist() == [0, 1, 1, 1, -1]
