"""Predicted values: marked wherever they stand, and refused where nothing explains them."""

import csv
import json

import pytest
from tests.helpers.report_study import build_study

from judgeprobe.errors import InputError
from judgeprobe.report import make_report
from judgeprobe.report.predicted import predicted_values
from judgeprobe.report.view import read_profile
from judgeprobe.study import load_study

REGISTER = """[[prediction]]
key = "Sinv"
value = 0.88
basis = "judges hold still under single surface edits"
refuted_if = "mean.S < 0.75"
measured_by = "mean.S"
[[prediction]]
key = "mean.R"
value = 0.41
basis = "a judge answers some edits & not most <b>"
[[prediction]]
key = "gap.estimate"
value = 0.33
basis = "scope is lexically explicit"
refuted_if = "gap.estimate < 0.10"
[[prediction]]
key = "slots.hedging_removal"
value = 0.2
basis = "an absence is a blind spot"
"""


def unmeasured(folder):
    """A study whose judges have not been read, with a register that the profile quotes."""
    build_study(folder, judges=["one"])
    path = folder / "profile.json"
    profile = json.loads(path.read_text())
    profile["judges"][0].update(status="uninterpretable", reason="not run", operating_point=None)
    profile["mean"] = None
    profile["gap"] = {"estimate": None, "reason": "no judge"}
    profile["slots"] = []
    profile["predictions"] = [
        {"key": k, "value": v, "basis": b, "refuted_if": r, "measured_by": m, "state": "standing"}
        for k, v, b, r, m in (
            ("Sinv", 0.88, "judges hold still under single surface edits", "mean.S < 0.75",
             "mean.S"),
            ("mean.R", 0.41, "a judge answers some edits & not most <b>", None, None),
            ("gap.estimate", 0.33, "scope is lexically explicit", "gap.estimate < 0.10", None),
            ("slots.hedging_removal", 0.2, "an absence is a blind spot", None, None),
        )
    ]  # fmt: skip
    path.write_text(json.dumps(profile))
    (folder / "predictions.toml").write_text(REGISTER)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = unmeasured(tmp_path_factory.mktemp("predicted") / "study")
    make_report(load_study(folder))
    return folder


def test_predictions_stand_where_a_measurement_is_missing(folder):
    found = predicted_values(read_profile(folder / "profile.json"))
    assert found.mean == {"S": 0.88, "R": 0.41}
    assert found.point == (0.88, 0.41)
    assert (found.gap, found.slots) == (0.33, {"hedging_removal": 0.2})


def test_a_measured_place_is_never_covered_by_a_prediction(tmp_path):
    folder = build_study(tmp_path / "study", judges=["one"])
    path = folder / "profile.json"
    profile = json.loads(path.read_text())
    profile["predictions"] = [
        {"key": key, "value": 0.5, "basis": "b", "state": "standing"}
        for key in ("mean.R", "gap.estimate", "slots.reordering")
    ]
    path.write_text(json.dumps(profile))
    found = predicted_values(read_profile(path))
    assert (found.mean, found.gap, found.slots) == ({}, None, {})


@pytest.mark.parametrize(
    ("table", "marked"),
    [("profiles", "R S"), ("gap", "S estimate"), ("slots", "rate")],
)
def test_every_table_marks_them(folder, table, marked):
    with (folder / "tables" / f"{table}.csv").open() as file:
        found = [row["predicted"] for row in csv.DictReader(file)]
    assert found[-1] == marked
    assert "†" in (folder / "tables" / f"{table}.md").read_text()
    assert "textdagger" in (folder / "tables" / f"{table}.tex").read_text()


def test_the_figure_says_it_inside_the_picture_and_in_words(folder):
    svg = (folder / "figures" / "plane.svg").read_text()
    assert "watermark" in svg
    assert "predicted, not measured" in svg
    assert "mean S = 0.880, R = 0.410" in svg
    other = (folder / "figures" / "instrument.svg").read_text()
    assert "predicted" not in other


def test_the_page_lists_the_register_and_says_so_on_top(folder):
    page = (folder / "report.html").read_text()
    top = page[: page.index("<main>")]
    assert "Predicted values." in top
    assert "0.88†" in page
    assert "a judge answers some edits &amp; not most &lt;b&gt;" in page
    assert "gap.estimate &lt; 0.10" in page


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: None, "there is no predictions.toml"),
        (
            lambda text: text.replace('"mean.R"', '"other"'),
            "`mean.R` = 0.41, which predictions.toml does not explain",
        ),
        (
            lambda text: text.replace("0.33", "0.10"),
            "`gap.estimate` = 0.33, which predictions.toml explains otherwise",
        ),
        (lambda text: text + "[[", "is not TOML"),
    ],
)
def test_an_unexplained_prediction_is_refused_and_nothing_is_written(tmp_path, change, told):
    folder = unmeasured(tmp_path / "study")
    text = change(REGISTER)
    path = folder / "predictions.toml"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(InputError) as caught:
        make_report(load_study(folder))
    assert told in str(caught.value)
    assert not (folder / "report.html").exists()
    assert not (folder / "tables").exists()
