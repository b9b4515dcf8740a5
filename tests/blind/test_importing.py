"""Labels through each form and back, as strictly as those of pairs."""

import csv
import io

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

from judgeprobe.blind.export import export_set
from judgeprobe.blind.paths import paths_of
from judgeprobe.blind.run import import_set, read_set
from judgeprobe.errors import InputError
from judgeprobe.files import read_jsonl
from judgeprobe.records import BlindLabel, BlindMajority

NAMES = ("anna", "ben", "cleo")


@pytest.fixture
def study(tmp_path):
    made = blind_study(tmp_path / "study", n_base=4)
    export_set(made, annotators=NAMES)
    return made


def minimal(study, name, target):
    return blind_label_studio(study, name, target, minimal=True)


@pytest.mark.parametrize(
    ("write", "ending", "form"),
    [
        (fill_blind_csv, "csv", "csv"),
        (fill_blind_xlsx, "xlsx", "xlsx"),
        (write_blind_copy, "json", "html"),
        (blind_label_studio, "json", "label_studio"),
        (minimal, "json", "label_studio"),
    ],
)
def test_every_form_comes_back_whole(study, tmp_path, write, ending, form):
    path = write(study, "ben", tmp_path / f"back.{ending}")
    found, _ = import_set(study, [path])
    wanted = {shown: scripted(unit, "ben") for shown, unit in shown_units(study, "ben")}
    assert {label.unit_id: label.label for label in found.labels} == wanted
    assert {label.form for label in found.labels} == {form}
    assert not [one for one in found.problems if one.effect != "note"]
    assert found.files[0].imported == len(wanted)
    quoted = {label.unit_id: label.spans for label in found.labels if label.label != "clean"}
    texts = {shown: unit.sentence for shown, unit in shown_units(study, "ben")}
    assert all(spans == (texts[shown].split(" ")[0],) for shown, spans in quoted.items())
    assert read_jsonl(paths_of(study).labels, BlindLabel) == list(found.labels)


def change_rows(path, change):
    """Pass every row of a returned CSV through a function."""
    text = path.read_bytes().decode("utf-8-sig")
    reader = csv.DictReader(io.StringIO(text, newline=""))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(reader.fieldnames))
    writer.writeheader()
    for number, row in enumerate(reader, start=1):
        change(number, row)
        writer.writerow(row)
    path.write_text(buffer.getvalue(), encoding="utf-8")


def test_what_is_wrong_with_a_row_is_named_and_the_rest_is_kept(study, tmp_path):
    path = fill_blind_csv(study, "anna", tmp_path / "anna.csv", lambda unit, name: "clean")
    other = shown_units(study, "ben")[0][0]

    def damage(number, row):
        if number == 1:
            row["label"] = "overblown"
        elif number == 2:
            row["sentence"] += " And more."
        elif number == 3:
            row["unit_id"] = "zzzz"
        elif number == 4:
            row["unit_id"] = other
        elif number == 5:
            row["label"] = ""
        elif number == 6:
            row["label"], row["span_1"] = "Over scoped", "words that are nowhere"
        elif number == 7:
            row["label"], row["span_1"] = "ANCHORED", ""
        elif number == 8:
            row["evidence"] = row["evidence"].replace(".", "").replace("was", "wаs")  # Cyrillic

    change_rows(path, damage)
    found, report = import_set(study, [path])
    told = {(one.kind, one.rows): one.message for one in found.problems}
    assert "`overblown` is none of clean, anchored, over-scoped" in told["bad_label", (1,)]
    assert "the sentence was edited" in told["edited_text", (2,)]
    assert "`zzzz` is in no sheet" in told["unknown_unit", (3,)]
    assert "belongs to ben, the file to anna" in told["other_annotator", (4,)]
    assert told["unanswered", (5,)] == "1 units have no answer"
    assert told["flag", (6,)] == "quotation not found"
    assert told["flag", (7,)] == "no quotation"
    assert ("edited_text", (8,)) in told
    total = len(shown_units(study, "anna"))
    assert len(found.labels) == total - 6
    assert found.files[0].refused == 5
    labels = {label.unit_id: label for label in found.labels}
    sixth = shown_units(study, "anna")[5][0]
    assert (labels[sixth].label, labels[sixth].flags) == ("over-scoped", ("quotation not found",))
    assert report["status"]["incomplete"] == total - 6


def test_a_second_answer_does_not_replace_the_first_unasked(study, tmp_path):
    first = fill_blind_csv(study, "anna", tmp_path / "1.csv", lambda unit, name: "clean")
    import_set(study, [first])
    second = fill_blind_csv(study, "anna", tmp_path / "2.csv", lambda unit, name: "unsupported")
    found, _ = import_set(study, [second])
    assert {label.label for label in found.labels} == {"clean"}
    assert {one.kind for one in found.problems} == {"already_imported"}
    again, _ = import_set(study, [first])
    assert again.files[0].unchanged == len(again.labels)
    found, _ = import_set(study, [second], replace=True)
    assert {label.label for label in found.labels} == {"unsupported"}


def test_three_who_differ_give_no_label_and_two_who_agree_do(study, tmp_path):
    said = {
        "anna": lambda unit, name: "clean",
        "ben": lambda unit, name: "clean" if unit.inherited == "clean" else "anchored",
        "cleo": lambda unit, name: "unsupported",
    }
    files = [fill_blind_csv(study, name, tmp_path / f"{name}.csv", said[name]) for name in NAMES]
    _, before = import_set(study, files[:2])
    _, report = import_set(study, files[2:])
    rows = read_jsonl(paths_of(study).majority, BlindMajority)
    units = {unit.unit_id: unit for unit in read_set(study).units}
    for row in rows:
        if units[row.unit_id].inherited == "clean":
            assert (row.majority, row.status) == ("clean", "labelled")
            assert row.votes == {"clean": 2, "unsupported": 1}
        else:
            assert (row.majority, row.status) == (None, "no majority")
    differ = sum(unit.inherited != "clean" for unit in units.values())
    assert report["status"]["no majority"] == differ > 0
    assert before["status"]["incomplete"] == differ  # the third could still have decided
    assert report["unanimous"] == 0


def test_nothing_is_imported_where_nothing_fits(study, tmp_path):
    with pytest.raises(InputError, match="holds no label yet"):
        import_set(study, [])
    (tmp_path / "page.html").write_text("<p>")
    with pytest.raises(InputError, match="Save a copy"):
        import_set(study, [tmp_path / "page.html"])
    assert not paths_of(study).labels.exists()


def test_a_changed_key_or_class_list_is_refused(study):
    paths = paths_of(study)
    toml = study.folder / "study.toml"
    text = toml.read_text()
    toml.write_text(text + '[blind]\nclasses = ["clean", "over-scoped"]\nholds = ["clean"]\n')
    from judgeprobe.study import load_study

    with pytest.raises(InputError, match="was exported with the classes"):
        read_set(load_study(study.folder))
    units = paths.units.read_text()
    paths.units.write_text(units.replace('"over-scoped"', '"clean"', 1))
    with pytest.raises(InputError, match="was changed after the export"):
        read_set(study)
    paths.key.write_text("{}")
    with pytest.raises(InputError, match="is not a key"):
        read_set(study)
