import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.profile_study import grades, interventions, write_study

from judgeprobe.errors import InputError
from judgeprobe.files import write_json
from judgeprobe.profile import profile_study
from judgeprobe.profile.check import check_profile, junit_xml, read_profile

CUTS = [{"tau": 1.5, "S": 0.8, "R": 0.7}, {"tau": 2.5, "S": 0.92, "R": 0.5}]


def judge(name: str, **changes: Any) -> dict[str, Any]:
    row = {
        "judge": name,
        "status": "frontier",
        "reason": None,
        "frontier": CUTS,
        "operating_point": {"tau": 2.5, "S": 0.92, "R": 0.5},
    }
    return {**row, **changes}


def profile(*judges: dict[str, Any], controls: bool = True) -> dict[str, Any]:
    return {
        "schema": 1,
        "study": "test",
        "floor": 0.9,
        "judges": list(judges),
        "controls": [{"judge": "flip", "passed": controls}],
        "made_under": {},
    }


@pytest.mark.parametrize(
    ("min_s", "min_r", "passed", "tau"),
    [
        (None, 0.5, True, 2.5),
        (None, 0.51, False, 2.5),
        (0.8, 0.7, True, 1.5),
        (0.93, 0.1, False, None),
    ],
)
def test_a_judge_is_read_at_the_largest_r_that_the_wanted_s_allows(
    min_s: float | None, min_r: float, passed: bool, tau: float | None
) -> None:
    results = check_profile(profile(judge("a")), min_s=min_s, min_r=min_r)
    assert [result.judge for result in results] == ["controls", "a"]
    assert (results[1].passed, results[1].tau) == (passed, tau)


def test_a_judge_that_never_moves_is_short_of_any_r() -> None:
    still = judge("still", frontier=[], operating_point={"tau": None, "S": 1.0, "R": 0.0})
    result = check_profile(profile(still), min_s=0.9, min_r=0.1)[1]
    assert (result.passed, result.S, result.R) == (False, 1.0, 0.0)
    assert "without a cut" in result.message


def test_an_uninterpretable_judge_fails_with_its_reason() -> None:
    row = judge("a", status="uninterpretable", reason="no graded invariance pair", frontier=[])
    row["operating_point"] = None
    result = check_profile(profile(row), min_s=None, min_r=0.0)[1]
    assert not result.passed
    assert result.message == "a: uninterpretable: no graded invariance pair"


def test_a_broken_instrument_fails_whatever_the_judges_do() -> None:
    results = check_profile(profile(judge("a"), controls=False), min_s=None, min_r=0.1)
    assert [result.passed for result in results] == [False, True]
    assert "broken instrument: flip" in results[0].message


def test_a_judge_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="no judge `b`; it has: a"):
        check_profile(profile(judge("a")), min_s=None, min_r=0.1, judges=("b",))
    with pytest.raises(InputError, match="no judge to check"):
        check_profile(profile(), min_s=None, min_r=0.1)


def test_junit_xml_is_xml_whatever_a_judge_is_called() -> None:
    name = 'a<b>&"\x00\x1b\ud800 é'
    results = check_profile(profile(judge(name), judge("b")), min_s=None, min_r=0.6)
    suite = ET.fromstring(junit_xml(results, study="s"))
    assert suite.attrib["tests"] == "3"
    assert suite.attrib["failures"] == "2"
    cases = suite.findall("testcase")
    assert [case.find("failure") is not None for case in cases] == [False, True, True]
    assert cases[1].attrib["name"].startswith('a<b>&"')


def test_a_profile_of_other_grades_is_not_checked(tmp_path: Path) -> None:
    rows = interventions()
    study = write_study(tmp_path, rows, grades(rows, {"a": (1, 1, 4, 1, 4, 4, 1, 4, 4)}))
    with pytest.raises(InputError, match=r"profile.json: is not there; .*judgeprobe profile"):
        read_profile(tmp_path)
    profile_study(study)
    assert read_profile(tmp_path) == read_profile(study.profile_path)
    write_study(tmp_path, rows, grades(rows, {"a": (1, 1, 4, 1, 4, 4, 1, 4, 1)}))
    with pytest.raises(InputError, match="other grades"):
        read_profile(tmp_path)
    write_json(study.profile_path, {"schema": 2})
    with pytest.raises(InputError, match="no profile of schema 1"):
        read_profile(study.profile_path)
