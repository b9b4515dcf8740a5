"""The whole way through the command line: rules, control judges, SCRIPTED annotators, a page."""

import json
import re
import sys

import pytest
from tests.helpers.blind import (
    blind_label_studio,
    blind_study,
    fill_blind_csv,
    fill_blind_xlsx,
    scripted,
    shown_units,
    write_blind_copy,
)
from tests.helpers.chromium import needs_chromium, open_page
from typer.testing import CliRunner

from judgeprobe.cli.app import app
from judgeprobe.study import load_study

NAMES = ("anna", "ben", "cleo")
TOML = """
[study]
name = "blind <b>end</b> to end"
seed = 11
base_items = "shipped"
limit = 6
direction = "construction"
[[judges]]
name = "words <i>"
call = "blind_test_judge:grade"
[profile]
resamples = 300
permutations = 200
[blind]
per_base = 2
resamples = 400
flips = 400
permutations = 19
"""
JUDGE = """
def grade(evidence, claim):
    return 4.0 if any(word in claim for word in ("may", "some", "many", "often")) else 1.0
"""


def run(*arguments, status=0):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == status, result.output
    return result


def told(*arguments, status=0):
    return json.loads(run(*arguments, "--json", "--quiet", status=status).stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study that is built, swept, profiled, exported, labelled by script and scored."""
    top = tmp_path_factory.mktemp("blind")
    study = top / "study"
    study.mkdir()
    (study / "study.toml").write_text(TOML, encoding="utf-8")
    (top / "blind_test_judge.py").write_text(JUDGE, encoding="utf-8")
    sys.path.insert(0, str(top))
    try:
        for verb in ("build", "sweep", "profile"):
            run(verb, study, "--quiet")
        run("blind", "export", study, "--annotators", ",".join(NAMES))
        loaded = load_study(study)
        files = [
            fill_blind_csv(loaded, "anna", top / "anna.csv"),
            fill_blind_xlsx(loaded, "ben", top / "ben.xlsx"),
            write_blind_copy(loaded, "cleo", top / "cleo.json"),
        ]
        run("blind", "import", study, *files, "--strict")
        run("blind", "score", study)
    finally:
        sys.path.remove(str(top))
    return study


def by_hand(study, judge):
    """Accuracy against both sets, by plain loops over the files."""
    import pyarrow.parquet as pq

    scores = json.loads((study / "blind" / "scores.json").read_text())
    cut = next(one["cut"] for one in scores["judges"] if one["judge"] == judge)
    grades = {
        row["text_id"]: row["value"]
        for row in pq.read_table(study / "grades.parquet").to_pylist()
        if row["judge"] == judge and row["repetition"] == 0
    }
    loaded = load_study(study)
    units = {unit.unit_id: unit for _, unit in shown_units(loaded, "anna")}
    right = {"inherited": 0, "blinded": 0}
    n = 0
    for unit_id, unit in units.items():
        votes = [scripted(unit, name) for name in NAMES]
        label = next((vote for vote in votes if votes.count(vote) >= 2), None)
        if label is None:
            continue
        n += 1
        holds = grades[unit_id] >= cut
        right["inherited"] += holds == (unit.inherited == "clean")
        right["blinded"] += holds == (label in ("clean", "anchored"))
    return n, {name: count / n for name, count in right.items()}


@pytest.mark.parametrize("judge", ["words <i>", "constant", "length", "planted(0.9, 0.4)", "flip"])
def test_every_judge_scores_what_plain_loops_give(folder, judge):
    scores = json.loads((folder / "blind" / "scores.json").read_text())
    found = next(one for one in scores["judges"] if one["judge"] == judge)
    n, right = by_hand(folder, judge)
    sides = found["sides"]
    assert sides["n"] == n > 10
    assert sides["accuracy_inherited"]["estimate"] == pytest.approx(right["inherited"])
    assert sides["accuracy_blinded"]["estimate"] == pytest.approx(right["blinded"])
    assert sides["delta"]["estimate"] == pytest.approx(right["inherited"] - right["blinded"])
    assert found["control"] == (judge != "words <i>")


def test_the_constant_judge_is_right_as_often_as_a_set_holds(folder):
    scores = json.loads((folder / "blind" / "scores.json").read_text())
    constant = next(one for one in scores["judges"] if one["judge"] == "constant")
    assert constant["sides"]["kappa_inherited"]["value"] == 0.0
    assert constant["sides"]["kappa_blinded"]["value"] == 0.0
    recall = {
        (row["labels"], row["name"]): row["recall"]["estimate"]
        for row in constant["rates"]
        if row["kind"] == "verdict"
    }
    assert {recall[labels, "holds"] for labels in ("inherited", "blinded")} in ({0.0}, {1.0})
    assert scores["mean"]["judges"] == ["words <i>"]


def test_a_second_score_changes_no_byte(folder):
    files = ("scores.json", "blind.html", "tables/blind_delta.csv", "figures/blind_delta.svg")
    before = [(folder / "blind" / name).read_bytes() for name in files]
    run("blind", "score", folder)
    assert [(folder / "blind" / name).read_bytes() for name in files] == before


def test_a_study_alone_shows_where_it_stands(folder):
    shown = told("blind", folder)
    assert shown["agreement"]["status"]["not labelled"] == 0
    assert shown["scores"]["judges"][0]["judge"] == "words <i>"
    assert "Delta" in run("blind", folder).stdout
    assert told("blind", "show", folder) == shown


def test_the_page_escapes_names_and_asks_for_nothing(folder):
    page = (folder / "blind" / "blind.html").read_text(encoding="utf-8")
    assert "<i>" not in page
    assert "<b>" not in page
    assert "words &lt;i&gt;" in page
    assert not re.search(r"<script", page)
    assert "The inherited labels come from how each sentence was made" in page
    assert "Inherited labels by construction." in page  # the figure's text alternative
    assert "NaN" not in (folder / "blind" / "scores.json").read_text()


@needs_chromium
def test_the_page_opens_without_complaint(folder):
    with open_page() as page:
        page.goto(folder / "blind" / "blind.html")
        assert page.problems() == []
        assert page.requests == [(folder / "blind" / "blind.html").as_uri()]
        cells = page.evaluate(
            "[...document.querySelectorAll('#table-blind_delta')].length"
            " + ' ' + document.querySelectorAll('svg').length"
        )
        assert cells == "1 1"


def test_predictions_stand_until_there_is_a_score_and_are_marked(tmp_path):
    study = blind_study(tmp_path / "study", n_base=3, extra="[blind]\npermutations = 19\n")
    (study.folder / "predictions.toml").write_text(
        '[[prediction]]\nkey = "Delta"\nvalue = 0.19\nbasis = "appendix F"\n'
        'refuted_if = "blind.mean.delta.high <= 0"\nmeasured_by = "blind.mean.delta.estimate"\n'
        '[[prediction]]\nkey = "axisGap"\nvalue = 0.3\nbasis = "other"\n'
        'measured_by = "gap.estimate"\n'
    )
    run("blind", "export", study.folder, "--annotators", ",".join(NAMES))
    run("blind", study.folder)
    page = (study.blind_dir / "blind.html").read_text(encoding="utf-8")
    assert "+0.190†" in page
    assert "predicted, not measured" in page
    assert "axisGap" not in page
    files = [blind_label_studio(study, name, tmp_path / f"{name}.json") for name in NAMES]
    run("blind", "import", study.folder, *files)
    verdicts = tmp_path / "v.jsonl"
    items = (study.blind_dir / "items.jsonl").read_text().splitlines()
    verdicts.write_text(
        "".join(
            json.dumps({"unit_id": json.loads(line)["unit_id"], "judge": "j", "grade": n % 5})
            + "\n"
            for n, line in enumerate(items)
        )
    )
    scores = told(
        *("blind", "score", study.folder, "--verdicts", verdicts, "--cut", "2.5", "--no-power")
    )
    (prediction,) = scores["predictions"]
    assert prediction["key"] == "Delta"
    assert prediction["state"] in ("measured", "refuted")
    assert prediction["measured"] == scores["mean"]["delta"]["estimate"]
    assert scores["power"] is None
    page = (study.blind_dir / "blind.html").read_text(encoding="utf-8")
    assert "+0.190†" not in page
    assert "0.19†" in page  # the register still marks it


def test_a_refused_row_ends_with_status_3_when_asked_for(tmp_path):
    study = blind_study(tmp_path / "study", n_base=2)
    run("blind", "export", study.folder, "--annotators", ",".join(NAMES), "--form", "csv")
    path = fill_blind_csv(study, "anna", tmp_path / "anna.csv", lambda unit, name: "dubious")
    result = run("blind", "import", study.folder, path, "--strict", status=3)
    assert "not imported: anna.csv, row 1: the label `dubious` is none of" in result.stderr
    assert told("blind", "import", study.folder, path)["labels"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export", "--form", "pdf"], "there is no form `pdf`"),
        (["export", "--annotators", "a,b"], "three annotators"),
        (["score"], "holds no label yet"),
        (["import"], "holds no label yet"),
        (["score", "--cut", "j=high"], "is no number"),
    ],
)
def test_errors_are_one_line(tmp_path, arguments, message):
    study = blind_study(tmp_path / "study", n_base=2)
    if arguments[0] != "export":
        run("blind", "export", study.folder, "--annotators", ",".join(NAMES))
    if "--cut" in arguments:
        run("blind", "import", study.folder, fill_blind_csv(study, "anna", tmp_path / "a.csv"))
    result = run("blind", arguments[0], study.folder, *arguments[1:], status=1)
    assert message in result.stderr.splitlines()[-1]


def test_a_study_without_a_set_says_what_to_run(tmp_path):
    study = blind_study(tmp_path / "study", n_base=2)
    result = run("blind", study.folder, status=1)
    assert "run: judgeprobe blind export" in result.stderr
