import json
from itertools import pairwise

import pytest
from tests.helpers.report_study import build_study

from judgeprobe.errors import InputError
from judgeprobe.report.parts import OperatingPoint
from judgeprobe.report.view import read_profile


def test_axes_are_gathered_and_the_interval_of_r_is_not_an_axis():
    point = OperatingPoint.model_validate(
        {
            "tau": 2.5,
            "S": 0.9,
            "R": 0.3,
            "R_scope": 0.4,
            "R_strength": None,
            "R_interval": [0.2, 0.4],
            "R_scope_interval": [0.3, 0.5],
        }
    )
    assert point.axes == {"scope": 0.4, "strength": None}
    assert point.axis_intervals == {"scope": (0.3, 0.5)}
    assert point.R_interval == (0.2, 0.4)


def test_vertices_are_the_flagged_cuts_from_strict_to_lax(tmp_path):
    view = read_profile(build_study(tmp_path / "s") / "profile.json")
    for judge in view.judges:
        assert all(a.S > b.S and a.R < b.R for a, b in pairwise(judge.vertices))
        assert len(judge.vertices) == sum(cut.hull for cut in judge.frontier)
    alone = view.judges[0].model_copy(update={"status": "single point"})
    assert alone.vertices == ()


def test_a_profile_is_read(tmp_path):
    view = read_profile(build_study(tmp_path / "s") / "profile.json")
    assert view.axes == ("scope", "strength")
    assert len(view.judges) == 7
    assert [c.judge for c in view.controls][:2] == ["constant", "flip"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda p: p.pop("floor"), "`floor`"),
        (lambda p: p.update(judges=[{"judge": "x"}]), "`judges.0.status`"),
        (lambda p: p.update(schema=2), "schema version 2"),
        (lambda p: p["judges"][0]["operating_point"].update(S="high"), "operating_point.S"),
    ],
)
def test_a_wrong_profile_is_named_with_its_field(tmp_path, change, told):
    path = build_study(tmp_path / "s", judges=["one"]) / "profile.json"
    profile = json.loads(path.read_text())
    change(profile)
    path.write_text(json.dumps(profile))
    with pytest.raises(InputError, match=told.replace(".", r"\.")) as caught:
        read_profile(path)
    assert str(path) in str(caught.value)


def test_a_missing_profile_says_how_to_make_it(tmp_path):
    with pytest.raises(InputError, match="judgeprobe profile"):
        read_profile(tmp_path / "profile.json")
