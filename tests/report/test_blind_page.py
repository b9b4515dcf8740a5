import csv
import json

from tests.blind.test_score import NAMES, WORKED, labelled, verdicts_of
from tests.helpers.blind import shown_units

from judgeprobe.blind.run import import_set, read_set
from judgeprobe.blind.score import make_scores, write_scores
from judgeprobe.report.blind_page import make_blind_page

HOSTILE = "=cmd|' /C calc'!A0<script>alert(1)</script>\u202e"


def scored(tmp_path, judge=HOSTILE):
    study = labelled(tmp_path)
    given = verdicts_of(study, tmp_path, {judge: {row[1]: row[4] for row in WORKED}})
    found = read_set(study)
    scores = make_scores(study, found, given, power=False)
    write_scores(study, found, {**scores, "predictions": []})
    return study


def test_numbers_of_the_page_are_those_of_the_scores(tmp_path):
    study = scored(tmp_path, "j")
    page = make_blind_page(study).read_text(encoding="utf-8")
    assert "+0.375" in page  # worked in docs/methods/inflation.md
    assert "0.875" in page
    assert "0.500" in page
    assert "differ on 3 of 8 sentences" in page
    assert "The inherited labels are those of own.csv" in page
    with (study.blind_dir / "tables" / "blind_delta.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["judge"], row["n"], float(row["delta"])) == ("j", "8", 0.375)
    assert row["direction"] == "blinded majority"


def test_a_hostile_judge_name_neither_runs_nor_hides(tmp_path):
    study = scored(tmp_path)
    page = make_blind_page(study).read_text(encoding="utf-8")
    assert "<script" not in page
    assert "\u202e" not in page
    assert "[U+202E]" in page
    for path in (study.blind_dir / "tables").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            assert not any(cell.startswith("=") for row in csv.reader(file) for cell in row)


def test_the_page_before_any_score(tmp_path):
    study = labelled(tmp_path)
    page = make_blind_page(study).read_text(encoding="utf-8")
    assert "Nothing is scored yet." in page
    assert "What the labels come to" in page
    (study.blind_dir / "agreement.json").unlink()
    standing = {
        "key": "Delta",
        "value": 0.19,
        "basis": "a guess",
        "refuted_if": None,
        "measured_by": "blind.mean.delta.estimate",
        "state": "standing",
        "measured": None,
    }
    page = make_blind_page(study, [standing]).read_text(encoding="utf-8")
    assert "+0.190†" in page
    assert "predicted, not measured" in page


def test_a_judge_without_verdicts_is_named_with_its_reason(tmp_path):
    study = scored(tmp_path, "j")
    path = study.blind_dir / "scores.json"
    scores = json.loads(path.read_text())
    mute = {**scores["judges"][0], "judge": "mute", "sides": None, "reason": "no operating point"}
    path.write_text(json.dumps({**scores, "judges": [mute], "mean": None}))
    page = make_blind_page(study).read_text(encoding="utf-8")
    assert "mute is not scored: no operating point." in page
    assert "No judge but the control judges has a verdict" in page


def test_unfinished_labelling_is_said_first(tmp_path):
    study = scored(tmp_path, "j")
    labels = study.blind_dir / "labels.jsonl"
    first_two = ("A1", "B1", "A2", "B2")
    kept = {
        shown
        for name in NAMES
        for shown, unit in shown_units(study, name)
        if name == "anna" or unit.sentence in first_two
    }
    lines = labels.read_text().splitlines()
    labels.write_text("".join(f"{x}\n" for x in lines if json.loads(x)["unit_id"] in kept))
    import_set(study, [])
    found = read_set(study)
    given = verdicts_of(study, tmp_path, {"j": {row[1]: row[4] for row in WORKED}})
    scores = make_scores(study, found, given, power=False)
    write_scores(study, found, {**scores, "predictions": []})
    assert (scores["set"]["labelled"], scores["set"]["incomplete"]) == (4, 4)
    page = make_blind_page(study).read_text(encoding="utf-8")
    assert "Labelling is not finished." in page
    assert "4 sentences have no result yet" in page
