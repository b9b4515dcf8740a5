"""Files as they come back: whole, half done, and damaged in every way that was foreseen."""

import copy
import csv
import io
import json
import random

import openpyxl
import pytest
from tests.forms.test_damage import scrambled
from tests.helpers.annotation import (
    edit_csv,
    fill_csv,
    fill_xlsx,
    intervention,
    label_studio_export,
    make_study,
    random_answer,
    sheets,
    write_html_copy,
)

from judgeprobe.annotate.columns import COLUMNS
from judgeprobe.annotate.export import export
from judgeprobe.annotate.importing import import_files
from judgeprobe.annotate.keys import read_keys
from judgeprobe.errors import InputError
from judgeprobe.files import read_jsonl
from judgeprobe.records import Intervention

PAIRS = 12


class Case:
    """One study with its sheets, and answers of each annotator."""

    def __init__(self, folder, size=PAIRS):
        self.folder = folder
        items = [
            intervention(
                n,
                slot=n,
                original=f"The signal’s rate – n° {n} – may be naïve",
                edited=f"The signal’s rate – n° {n} – is naïve",
            )
            for n in range(2 * PAIRS)
        ]
        items[0] = items[0].model_copy(update={"edited": "3/4"})
        items[1] = items[1].model_copy(update={"edited": "NA"})
        items[2] = items[2].model_copy(update={"edited": "=SUM(A1:A2)"})
        self.study = make_study(folder / "study", items, secret="0d" * 32)
        export(self.study, annotators=3, size=size)
        self.keys = read_keys(self.study)
        self.items = {i.id: i for i in read_jsonl(self.study.interventions_path, Intervention)}
        self.sheets = {
            (key.batch, sheet.annotator): sheet
            for key in self.keys
            for sheet in sheets(self.study, key)
        }

    def sheet(self, number=1, batch="batch-001"):
        return self.sheets[batch, f"annotator-{number}"]

    def answers(self, sheet):
        rng = random.Random(sheet.token)
        return [random_answer(rng, unit) for unit in sheet.units]

    def source(self, sheet, ending):
        return self.study.annotation_dir / sheet.batch / sheet.annotator / f"{sheet.stem}{ending}"

    def csv(self, sheet=None, name="labels.csv"):
        sheet = sheet or self.sheet()
        return fill_csv(self.source(sheet, ".csv"), self.folder / name, self.answers(sheet))

    def run(self, *files, existing=(), **options):
        return import_files(files, self.keys, self.items, existing, **options)


@pytest.fixture(scope="module")
def exported_cases(tmp_path_factory):
    top = tmp_path_factory.mktemp("cases")
    return {size: Case(top / str(size), size) for size in (PAIRS, 2 * PAIRS)}


def in_folder(one, folder):
    """The case with a folder and items of its own; the batches are shared and only read."""
    mine = copy.copy(one)
    mine.folder, mine.items = folder, dict(one.items)
    return mine


@pytest.fixture
def case(exported_cases, tmp_path):
    return in_folder(exported_cases[PAIRS], tmp_path)


@pytest.fixture
def one_batch(exported_cases, tmp_path):
    """The same with all pairs in one batch."""
    return in_folder(exported_cases[2 * PAIRS], tmp_path)


def told(found, kind):
    return [one for one in found.problems if one.kind == kind]


def row_of(sheet, text):
    """Row of the unit that shows a text as sentence A or B."""
    return next(n for n, u in enumerate(sheet.units, 1) if text in (u.a, u.b))


def test_any_mix_of_forms(case):
    one, two, three = (case.sheet(n) for n in (1, 2, 3))
    tasks = json.loads(case.source(three, "-label-studio-tasks.json").read_text("utf-8"))
    exported = case.folder / "ls.json"
    exported.write_text(json.dumps(label_studio_export(tasks, case.answers(three))))
    found = case.run(
        write_html_copy(case.folder / "one.json", one, case.answers(one)),
        fill_xlsx(case.source(two, ".xlsx"), case.folder / "two.xlsx", case.answers(two)),
        exported,
        case.csv(case.sheet(1, "batch-002")),
    )
    assert found.problems == ()
    assert [report.form for report in found.files] == ["html", "xlsx", "label_studio", "csv"]
    assert len(found.labels) == 4 * PAIRS
    assert {label.form for label in found.labels} == {"html", "xlsx", "label_studio", "csv"}


def test_unknown_units_are_named_and_the_rest_is_taken(case):
    path = edit_csv(
        case.csv(), lambda n, row: {**row, "unit_id": "zzzzzzzzzzzz"} if n == 3 else row
    )
    found = case.run(path)
    (problem,) = told(found, "unknown_unit")
    assert (problem.file, problem.rows, problem.effect) == ("labels.csv", (3,), "refused")
    assert "in no batch of this study" in str(problem)
    (missing,) = told(found, "missing_units")
    assert "1 of 12 units of annotator-1 in batch-001 are missing" in str(missing)
    assert len(found.labels) == PAIRS - 1
    assert found.files[0].refused == 1


def test_a_file_of_another_study_gives_nothing_and_names_every_row(case, tmp_path):
    strange = [intervention(n + 500) for n in range(4)]
    study = make_study(tmp_path / "strange", strange, secret="0e" * 32)
    export(study, annotators=1, size=10)
    (sheet,) = sheets(study)
    path = study.annotation_dir / "batch-001" / "annotator-1" / f"{sheet.stem}.csv"
    found = case.run(path)
    assert [one.rows for one in told(found, "unknown_unit")] == [(1,), (2,), (3,), (4,)]
    assert found.labels == ()


def test_two_files_by_one_annotator_with_the_same_answers(case):
    found = case.run(case.csv(), case.csv(name="again.csv"))
    (second,) = told(found, "second_file")
    assert str(second) == (
        "again.csv: is a second file of annotator-1 for batch-001, beside labels.csv"
    )
    assert len(told(found, "repeated_row")) == PAIRS
    assert len(found.labels) == PAIRS


def test_a_unit_with_two_answers_is_not_taken_and_both_rows_are_named(case):
    def other_answer(n, row):
        return {**row, "direction": "B" if row["direction"] == "A" else "A"} if n == 5 else row

    found = case.run(case.csv(), edit_csv(case.csv(name="again.csv"), other_answer))
    first, second = told(found, "two_answers")
    assert (first.file, first.rows) == ("labels.csv", (5,))
    assert (second.file, second.rows) == ("again.csv", (5,))
    assert "labels.csv row 5 and again.csv row 5" in first.message
    assert len(found.labels) == PAIRS - 1


def test_the_same_unit_twice_in_one_file(case):
    path = case.csv()
    lines = path.read_bytes().split(b"\r\n")
    path.write_bytes(b"\r\n".join([*lines[:-1], lines[1], b""]))
    (problem,) = told(case.run(path), "repeated_row")
    assert problem.rows == (PAIRS + 1,)


def test_missing_and_unanswered_units(case):
    def cut(n, row):
        if n in (2, 7):
            return None
        return {**row, "direction": "NA" if n == 4 else ""} if n in (4, 9) else row

    found = case.run(edit_csv(case.csv(), cut))
    (missing,) = told(found, "missing_units")
    assert len(missing.unit_ids) == 2
    (unanswered,) = told(found, "unanswered")
    assert unanswered.rows == (3, 7)  # rows 4 and 9 before two were cut
    assert len(found.labels) == PAIRS - 4


def test_an_edited_sentence_is_refused_with_its_row(case):
    def edit(n, row):
        return {**row, "sentence_a": row["sentence_a"] + " indeed"} if n == 6 else row

    found = case.run(edit_csv(case.csv(), edit))
    (problem,) = told(found, "edited_text")
    assert str(problem) == (
        "labels.csv, row 6: the sentence a was edited, so the label is for another text"
    )
    assert len(found.labels) == PAIRS - 1


def test_retyped_typography_is_no_edit(case):
    def retype(n, row):
        plain = row["sentence_a"].replace("’", "'").replace("–", "-")
        return {**row, "sentence_a": plain, "span_1": row["span_1"].replace("–", "-")}

    found = case.run(edit_csv(case.csv(), retype))
    assert len(found.labels) == PAIRS
    assert not told(found, "flag")
    assert {p.message for p in told(found, "damaged_text")} == {"sentence_a: typography"}


def test_a_file_from_another_batch(case):
    found = case.run(case.csv(case.sheet(1, "batch-002")), batch="batch-001")
    assert len(told(found, "other_batch")) == PAIRS
    assert told(found, "other_batch")[0].rows == (1,)
    assert found.labels == ()
    assert len(case.run(case.csv(case.sheet(1, "batch-002"))).labels) == PAIRS


def test_rows_of_another_annotator_or_batch_in_a_file(case):
    mine, theirs = case.csv(), case.csv(case.sheet(2), "theirs.csv")
    later = case.csv(case.sheet(1, "batch-002"), "later.csv")
    extra = [path.read_bytes().split(b"\r\n")[1] for path in (theirs, later)]
    mine.write_bytes(mine.read_bytes() + b"\r\n".join(extra) + b"\r\n")
    found = case.run(mine)
    (other,) = told(found, "other_annotator")
    assert other.rows == (PAIRS + 1,)
    assert "belongs to annotator-2, the file to annotator-1" in other.message
    (mixed,) = told(found, "mixed_batches")
    assert (mixed.rows, mixed.effect) == ((PAIRS + 2,), "kept")
    assert len(found.labels) == PAIRS + 1


def test_mojibake(case):
    path = case.csv()
    path.write_bytes(scrambled(path.read_bytes().decode("utf-8-sig")).encode("utf-8"))
    found = case.run(path)
    assert len(found.labels) == PAIRS
    assert "mojibake" in told(found, "damaged_text")[0].message
    assert not told(found, "edited_text")
    assert not any("quotation" in flag for label in found.labels for flag in label.flags)


def test_an_old_windows_code_page_with_semicolons(case):
    rows = list(csv.reader(io.StringIO(case.csv().read_bytes().decode("utf-8-sig"), newline="")))
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=";", lineterminator="\r\n").writerows(rows)
    path = case.folder / "ansi.csv"
    path.write_bytes(buffer.getvalue().encode("cp1252"))
    found = case.run(path)
    assert len(found.labels) == PAIRS
    (encoding,) = told(found, "encoding")
    assert encoding.rows == (1,)
    assert "Windows-1252" in str(encoding)
    assert "semicolons" in str(told(found, "delimiter")[0])
    assert not told(found, "flag")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_dialect_of_a_spreadsheet(case, encoding, line_end, delimiter):
    rows = list(csv.reader(io.StringIO(case.csv().read_bytes().decode("utf-8-sig"), newline="")))
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    path = case.folder / "dialect.csv"
    path.write_bytes(buffer.getvalue().encode(encoding))
    found = case.run(path)
    assert len(found.labels) == PAIRS
    assert not [one for one in found.problems if one.effect != "note"]


def test_dates_missing_words_and_formulas(one_batch):
    sheet = one_batch.sheet()
    changes = {
        row_of(sheet, "3/4"): ("3/4", "04-Mar"),
        row_of(sheet, "NA"): ("NA", ""),
        row_of(sheet, "=SUM(A1:A2)"): ("'=SUM(A1:A2)", "#NAME?"),
    }

    def damage(n, row):
        if n not in changes:
            return row
        before, after = changes[n]
        names = ("sentence_a", "sentence_b")
        return {**row, **{name: after for name in names if row[name] == before}}

    found = one_batch.run(edit_csv(one_batch.csv(), damage))
    assert len(found.labels) == 2 * PAIRS
    messages = {one.rows[0]: one.message for one in told(found, "damaged_text")}
    rows = list(changes)
    assert messages[rows[0]].endswith("turned into a date")
    assert messages[rows[1]].endswith("read as missing")
    assert messages[rows[2]].endswith("read as a formula")


def test_excel_types_in_a_workbook(one_batch):
    import datetime

    sheet = one_batch.sheet()
    path = one_batch.folder / "typed.xlsx"
    answers = one_batch.answers(sheet)
    fill_xlsx(one_batch.source(sheet, ".xlsx"), path, answers)
    book = openpyxl.load_workbook(path)
    page = book.active
    row = row_of(sheet, "3/4")
    for name in ("sentence_a", "sentence_b"):
        cell = page.cell(row=row + 1, column=COLUMNS.index(name) + 1)
        if cell.value == "3/4":
            cell.value = datetime.datetime(2024, 3, 4)
    page.cell(row=2, column=COLUMNS.index("supported") + 1).value = 2024
    page.cell(row=3, column=COLUMNS.index("same_facts") + 1).value = True
    page.cell(row=4, column=COLUMNS.index("direction") + 1).value = 1
    page.cell(row=5, column=COLUMNS.index("supported") + 1).value = "=A1&B1"
    book.save(path)
    found = one_batch.run(path)
    dated = [p for p in told(found, "damaged_text") if "date" in p.message]
    assert [p.rows for p in dated] == [(row,)]
    by_unit = {label.unit_id: label for label in found.labels}
    first, second, third, fourth = (unit.unit_id for unit in sheet.units[:4])
    assert "supported: the spreadsheet made it a number" in by_unit[first].flags
    assert by_unit[first].supported == "2024"
    assert by_unit[second].same_facts is True
    assert third not in by_unit
    (bad,) = told(found, "bad_direction")
    assert bad.rows == (3,)
    assert "the direction `1` is none of A, B, neither, cannot tell (the cell is a number)" in str(
        bad
    )
    assert "supported: the spreadsheet made it a formula" in by_unit[fourth].flags


def test_a_label_is_kept_whatever_its_quotation(case):
    def misquote(n, row):
        return {**row, "span_1": "words that nobody wrote", "supported": "", "same_facts": "maybe"}

    found = case.run(edit_csv(case.csv(), misquote))
    assert len(found.labels) == PAIRS
    assert {one.effect for one in found.problems} == {"kept"}
    for label in found.labels:
        assert "quotation not found" in label.flags
        assert label.same_facts is None
        assert "same facts unreadable: maybe" in label.flags
    assert "the quotation is in neither sentence: words that nobody wrote" in str(
        told(found, "flag")[0]
    )


def test_nothing_imported_is_overwritten_without_replace(case):
    first = case.run(case.csv())
    changed = edit_csv(case.csv(), lambda n, row: {**row, "supported": "Now something else."})
    again = case.run(changed, existing=first.labels)
    assert again.labels == first.labels
    kept = told(again, "already_imported")
    assert len(kept) == PAIRS
    assert "--replace" in str(kept[0])
    replaced = case.run(changed, existing=first.labels, replace_existing=True)
    assert {label.supported for label in replaced.labels} == {"Now something else."}
    assert replaced.files[0].imported == PAIRS


def test_a_half_done_file_and_later_the_whole(case):
    half = case.run(edit_csv(case.csv(), lambda n, row: row if n < 5 else {**row, "direction": ""}))
    assert len(half.labels) == 4
    whole = case.run(case.csv(), existing=half.labels)
    assert len(whole.labels) == PAIRS
    assert (whole.files[0].imported, whole.files[0].unchanged) == (PAIRS - 4, 4)


def test_columns_added_moved_or_left_out(case):
    rows = list(
        csv.DictReader(io.StringIO(case.csv().read_bytes().decode("utf-8-sig"), newline=""))
    )
    names = [
        "note",
        "same_facts",
        "direction",
        "span_1",
        "span_2",
        "span_3",
        "unit_id",
        "supported",
    ]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, names, extrasaction="ignore", restval="mine")
    writer.writeheader()
    writer.writerows(rows)
    path = case.folder / "moved.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8")
    assert case.run(path).labels == case.run(case.csv()).labels


def test_a_fifth_quotation_in_a_column_of_its_own(case):
    sheet = case.sheet()
    rows = list(
        csv.DictReader(io.StringIO(case.csv().read_bytes().decode("utf-8-sig"), newline=""))
    )
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, [*rows[0], "span_5"])
    writer.writeheader()
    writer.writerows({**row, "span_5": sheet.units[0].a[:3]} for row in rows[:1])
    path = case.folder / "fifth.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8")
    assert case.run(path).labels[0].spans[-1] == sheet.units[0].a[:3]


def test_a_row_with_too_many_cells_is_named_and_the_rest_is_taken(case):
    path = case.csv()
    lines = path.read_bytes().split(b"\r\n")
    lines[3] += b",one,too many"
    path.write_bytes(b"\r\n".join(lines))
    found = case.run(path)
    (problem,) = told(found, "ragged")
    assert problem.rows == (3,)
    assert len(found.labels) == PAIRS - 1


def test_a_label_studio_task_answered_twice_or_skipped(case):
    sheet = case.sheet()
    tasks = json.loads(case.source(sheet, "-label-studio-tasks.json").read_text("utf-8"))
    answers = case.answers(sheet)
    content = label_studio_export(tasks, answers)
    other = {**answers[0], "direction": "neither" if answers[0]["direction"] != "neither" else "a"}
    content[0]["annotations"] += label_studio_export(tasks[:1], [other])[0]["annotations"]
    content[1]["annotations"][0]["was_cancelled"] = True
    content.append({"data": {"text": "not ours"}})
    path = case.folder / "ls.json"
    path.write_text(json.dumps(content))
    found = case.run(path)
    assert [one.rows for one in told(found, "two_answers")] == [(1,), (1,)]
    assert [one.rows for one in told(found, "unanswered")] == [(2,)]
    assert [one.rows for one in told(found, "no_unit_id")] == [(PAIRS + 1,)]
    assert len(found.labels) == PAIRS - 2


def test_label_studio_offsets_without_a_text(case):
    sheet = case.sheet()
    tasks = json.loads(case.source(sheet, "-label-studio-tasks.json").read_text("utf-8"))
    answers = case.answers(sheet)
    content = label_studio_export(tasks, answers)
    for task in content:
        for region in task["annotations"][0]["result"]:
            region["value"].pop("text", None) if region["type"] == "labels" else None
    path = case.folder / "ls.json"
    path.write_text(json.dumps(content))
    found = case.run(path)
    spans = {label.unit_id: list(label.spans) for label in found.labels}
    assert spans == {one["unit_id"]: one["spans"] for one in answers}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("labels.pdf", b"x", "give .csv, .xlsx or .json"),
        ("page.html", b"<html>", "choose `Save a copy`"),
        ("labels.json", b"{", "is not JSON"),
        ("labels.json", b'{"format": "other"}', "neither a saved copy"),
        (
            "labels.json",
            b'{"format": "judgeprobe-labels", "version": 2}',
            "this judgeprobe reads 1",
        ),
        ("labels.csv", b"", "is empty"),
        ("labels.csv", b"a,b\n1,2\n", "has no column `unit_id`"),
        ("labels.csv", b"unit_id,direction,direction\n", "has the column `direction` twice"),
        ("labels.xlsx", b"PK not really", "is not an Excel workbook"),
    ],
)
def test_a_file_that_is_no_form_is_named(case, name, content, message):
    path = case.folder / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        case.run(path)
    assert str(error.value).startswith(str(path))


def test_a_missing_file_and_a_file_named_twice(case):
    with pytest.raises(InputError, match="is not there"):
        case.run(case.folder / "gone.csv")
    with pytest.raises(InputError, match="is named twice"):
        case.run(case.csv(), case.csv())


def test_an_intervention_that_was_built_anew(case):
    gone = case.sheet().units[0]
    row = next(r for r in case.keys[0].rows if r.unit_id == gone.unit_id)
    del case.items[row.intervention_id]
    found = case.run(case.csv())
    (problem,) = told(found, "gone")
    assert problem.rows == (1,)
    assert "is no longer in the study" in str(problem)
    assert len(found.labels) == PAIRS - 1
