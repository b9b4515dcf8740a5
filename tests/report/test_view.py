import json

import pytest
from tests.helpers.report_study import build_study

from judgeprobe.errors import InputError
from judgeprobe.report.view import Cut, OperatingPoint, hull, read_profile


def cuts(*places):
    return [Cut(tau=i, S=s, R=r) for i, (s, r) in enumerate(places)]


def test_hull_keeps_what_no_cut_beats():
    found = hull(cuts((1.0, 0.1), (0.9, 0.5), (0.95, 0.05), (0.9, 0.4), (0.8, 0.5), (0.5, 0.9)))
    assert [(c.S, c.R) for c in found] == [(1.0, 0.1), (0.9, 0.5), (0.5, 0.9)]


def test_hull_takes_the_smallest_tau_of_equal_cuts():
    assert [c.tau for c in hull(cuts((0.9, 0.3), (0.9, 0.3)))] == [0]
    assert hull([]) == ()


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
