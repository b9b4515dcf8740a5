import json
import random

import pytest
from tests.helpers.annotation import (
    edit_csv,
    fill_csv,
    fill_xlsx,
    intervention,
    make_study,
    random_answer,
    sheets,
    write_html_copy,
)
from typer.testing import CliRunner

from judgeprobe.annotate.keys import read_keys
from judgeprobe.cli.app import app
from judgeprobe.files import write_csv


def run(*arguments, status=0):
    result = CliRunner().invoke(app, ["annotate", *map(str, arguments)])
    assert result.exit_code == status, result.stderr
    return result


def returned(study, folder, form="html"):
    """Every annotator's answers to every batch; people agree more often than not."""
    files = []
    for key in read_keys(study):
        for sheet in sheets(study, key):
            answers = []
            for unit in sheet.units:
                sure = random.Random(unit.evidence).choice("mmn")
                one = random_answer(random.Random(unit.unit_id), unit)
                if sure == "m":
                    one |= {"direction": "neither", "spans": []}
                answers.append(one)
            source = study.annotation_dir / sheet.batch / sheet.annotator
            if form == "html":
                path = write_html_copy(folder / f"{sheet.stem}.json", sheet, answers)
            elif form == "csv":
                path = fill_csv(source / f"{sheet.stem}.csv", folder / f"{sheet.stem}.csv", answers)
            else:
                path = fill_xlsx(
                    source / f"{sheet.stem}.xlsx", folder / f"{sheet.stem}.xlsx", answers
                )
            files.append(path)
    return files


@pytest.fixture
def study(tmp_path):
    items = [intervention(n, slot=n, base=n // 12) for n in range(48)]
    return make_study(tmp_path / "study", items)


def test_from_export_to_agreement(study, tmp_path):
    made = json.loads(run("export", study.folder, "--annotators", 3, "--json", "-q").stdout)
    assert made == {
        "batches": [
            {
                "batch": "batch-001",
                "training": False,
                "units": 48,
                "repeats": 0,
                "shared_base": 12,
                "folder": "annotation/batch-001",
            }
        ]
    }
    before = json.loads(run("status", study.folder, "--json").stdout)
    assert [one["labels"] for one in before["progress"]] == [0, 0, 0]
    files = returned(study, tmp_path)
    result = run("import", study.folder, *files, "--json")
    found = json.loads(result.stdout)
    assert [one["imported"] for one in found["files"]] == [48, 48, 48]
    assert found["labels"] == 144
    after = json.loads(run("status", study.folder, "--json").stdout)
    assert after["agreement"] == found["annotation"]["agreement"]
    table = study.annotation_dir / "keys" / "item_labels.csv"
    again = json.loads(run("agreement", table, "--json").stdout)
    assert again["overall"]["pairwise"] == after["agreement"]["overall"]["pairwise"]
    assert set(again) >= {"overall", "slots", "axes", "annotator_pairs", "first_position"}


def test_tables_for_people(study, tmp_path):
    result = run("export", study.folder, "--training", 2, "--batch-size", 23, "--repeats", 3)
    assert "keep annotation/keys to yourself" in result.stderr
    assert "share one base item" in result.stderr
    assert "--consent" in result.stderr
    assert "batch-003" in result.stdout
    files = returned(study, tmp_path, "csv")
    edit_csv(files[4], lambda n, row: {**row, "sentence_a": "other"} if n == 2 else row)
    result = run("import", study.folder, *files)
    assert f"not imported: {files[4].name}, row 2: the sentence a was edited" in result.stderr
    for word in (
        "Imported",
        "Agreement",
        "Pairs of annotators",
        "Yield",
        "Pairs that do not enter",
    ):
        assert word in result.stdout
    assert run("import", study.folder, *files, "--strict", status=3)
    result = run("status", study.folder)
    assert "Progress" in result.stdout
    assert "can no longer reach 0.75" in result.stderr


def test_the_options_of_study_toml_are_the_defaults(tmp_path):
    extra = "\n[annotation]\nannotators = 2\nbatch_size = 7\ntraining = 1\nrepeats = 2\n"
    study = make_study(tmp_path, [intervention(n, slot=n, base=n) for n in range(15)], extra)
    made = json.loads(run("export", study.folder, "--json", "-q").stdout)["batches"]
    assert [(one["units"], one["repeats"], one["training"]) for one in made] == [
        (1, 0, True),
        (7, 2, False),
        (7, 2, False),
    ]
    assert [len(key.annotators) for key in read_keys(study)] == [2, 2, 2]


def test_the_plain_table_of_the_issue(tmp_path):
    columns = ("unit_id", "slot", "axis", "annotator", "direction")
    rows = []
    for unit in range(55):
        labels = {53: "abb", 54: "aac"}.get(unit, "aaa")
        rows += [(f"u{unit}", "one", "control", f"p{n}", d) for n, d in enumerate(labels)]
    write_csv(tmp_path / "labels.csv", columns, rows)
    found = json.loads(run("agreement", tmp_path / "labels.csv", "--json").stdout)
    assert round(found["overall"]["pairwise"], 4) == 0.9758
    assert round(found["overall"]["fleiss_kappa"], 4) == 0.3238
    assert found["slots"][0]["degenerate"] is True
    assert found["slots"][0]["measurable"] is True
    result = run("agreement", tmp_path / "labels.csv")
    assert "degenerate (a 98%)" in result.stdout
    assert "0.324" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("export", "STUDY", "--form", "pdf"), "there is no form `pdf`"),
        (("import", "STUDY", "x.csv"), "run: judgeprobe annotate export"),
        (("status", "STUDY"), "there is no batch"),
        (("agreement", "none.csv"), "is not there"),
    ],
)
def test_one_line_says_what_is_wrong(study, arguments, message):
    given = [str(study.folder) if one == "STUDY" else one for one in arguments]
    result = run(*given, status=1)
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_an_unknown_batch_is_named(study):
    run("export", study.folder, "-q", "--form", "csv")
    result = run("import", study.folder, "x.csv", "--batch", "batch-009", status=1)
    assert "there is no batch-009; name one of batch-001" in result.stderr


@pytest.mark.parametrize("form", ["html", "csv", "xlsx"])
def test_a_pipeline_of_478_units_by_three(tmp_path, form):
    # Its time is measured by benchmarks/annotation.py.
    items = [intervention(n, slot=n, base=n // 7) for n in range(478)]
    study = make_study(tmp_path / "study", items)
    run("export", study.folder, "--batch-size", 478, "-q", "--form", form)
    files = returned(study, tmp_path, form)
    found = json.loads(run("import", study.folder, *files, "--json", "-q").stdout)
    assert [one["imported"] for one in found["files"]] == [478, 478, 478]
    assert len(study.labels_path.read_text().splitlines()) == 3 * 478
    assert len(study.directions_path.read_text().splitlines()) == 478
    assert found["annotation"]["agreement"]["overall"]["n_units"] == 478
