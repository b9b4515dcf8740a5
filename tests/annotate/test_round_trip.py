"""Labels through each form and back, with text that means harm."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.helpers.annotation import (
    fill_csv,
    fill_xlsx,
    intervention,
    label_studio_export,
    make_study,
    random_answer,
    sheets,
    write_html_copy,
)

from judgeprobe.annotate.export import export
from judgeprobe.annotate.importing import import_files
from judgeprobe.annotate.keys import read_keys
from judgeprobe.annotate.sheet import Sheet, Unit
from judgeprobe.annotate.workbook import csv_text, xlsx_bytes
from judgeprobe.files import read_jsonl
from judgeprobe.forms.cells import decode_cell, encode_cell, guard, unguard
from judgeprobe.forms.damage import same_lines
from judgeprobe.records import Intervention

HOSTILE = (
    '=HYPERLINK("http://127.0.0.1/x","y")',
    "+1-1 and @SUM(A1)",
    "-2+3 cmd|' /C calc'!A0",
    "'=already guarded",
    "\tled by a tab",
    'He said "so", twice; then "" again',
    "two\nlines\nand three",
    "a, b; c\td | e / f",
    "</script><script>alert(1)</script><!-- <b>",
    "\u2028 line and \u2029 paragraph separators",
    "emoji 👩‍👩‍👧‍👦 and 🇪🇺, astral 𝛼𝛽",
    "עברית with English ‏and‎ marks",
    "العربية ١٢٣ mixed",
    "non‑breaking hyphen, thin space, “curly” ‘quotes’ – dash",
    "e\u0301 decomposed and é composed, ﬁne ligature",
    "NA",
    "1/2",
    "3-4",
    "007",
    "1e5",
    "TRUE",
    "#NAME?",
    "_x0041_ looks escaped",
    "bell \x07 and null-like \x01",
    "{{ template }} {% raw %}",
    "中文没有空格的句子也要能用因为它们存在",
)
FORMS = ("html", "csv", "xlsx", "label_studio", "label_studio_min")


def hostile_text(rng, place):
    """A text that holds one of the hostile ones, at its start as often as not."""
    nasty = rng.choice(HOSTILE)
    plain = f"trial {place} changed"
    return rng.choice((f"{nasty} {plain}", f"{plain} {nasty}", f"{nasty}"))


def pairs(count, seed):
    rng = random.Random(seed)
    found = []
    for number in range(count):
        evidence = hostile_text(rng, number)
        if number % 100 == 0:
            evidence = (evidence + " 20,000 characters. ") * 1000
            evidence = evidence[:20_000]
        found.append(
            intervention(
                number,
                slot=number,
                evidence=evidence,
                original=f"{hostile_text(rng, number)} may be",
                edited=f"{hostile_text(rng, number)} is",
            )
        )
    return found


def give_back(form, study, sheet, answers, folder):
    """The file that an annotator returns."""
    source = study.annotation_dir / sheet.batch / sheet.annotator
    if form == "html":
        return write_html_copy(folder / f"{sheet.stem}-labels.json", sheet, answers)
    if form == "csv":
        return fill_csv(source / f"{sheet.stem}.csv", folder / f"{sheet.stem}.csv", answers)
    if form == "xlsx":
        return fill_xlsx(source / f"{sheet.stem}.xlsx", folder / f"{sheet.stem}.xlsx", answers)
    tasks = json.loads((source / f"{sheet.stem}-label-studio-tasks.json").read_text("utf-8"))
    path = folder / f"{sheet.stem}-export.json"
    content = label_studio_export(tasks, answers, minimal=form.endswith("min"))
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def hostile_answer(rng, unit):
    one = random_answer(rng, unit)
    one["supported"] = hostile_text(rng, 1)
    return one


@pytest.mark.parametrize("form", FORMS)
def test_five_hundred_pairs_come_back_identical(form, tmp_path):
    study = make_study(tmp_path / "study", pairs(500, seed=1))
    export(study, annotators=1, size=500)
    (sheet,) = sheets(study)
    rng = random.Random(form)
    answers = [hostile_answer(rng, unit) for unit in sheet.units]
    path = give_back(form, study, sheet, answers, tmp_path)
    items = {one.id: one for one in read_jsonl(study.interventions_path, Intervention)}
    found = import_files([path], read_keys(study), items, [])
    assert [str(one) for one in found.problems if one.effect == "refused"] == []
    labels = {label.unit_id: label for label in found.labels}
    assert len(labels) == 500
    for one in answers:
        label = labels[one["unit_id"]]
        assert label.direction == one["direction"]
        assert label.spans == tuple(one["spans"])
        assert label.supported == one["supported"]
        assert label.same_facts == one["same_facts"]
        assert label.form == form.removesuffix("_min")
        # In a spreadsheet these words are what is left of a text that was run.
        damaged = "#NAME?" in one["supported"] and form in ("csv", "xlsx")
        assert label.flags == () or damaged


# ---- property ------------------------------------------------------------------------------------

texts = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("=+-@\t\"',;\n|'_x0041")),
    min_size=1,
    max_size=60,
)


@given(texts)
def test_guarding_is_undone(text):
    assert unguard(guard(text)) == text
    assert guard(text)[0] not in "=+-@\t\r"


@given(texts)
def test_an_xlsx_cell_is_decoded(text):
    assert decode_cell(encode_cell(text)) == text


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.data(),
    shown=st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=4),
    form=st.sampled_from(FORMS),
)
def test_any_text_comes_back_through_any_form(tmp_path_factory, data, shown, form):
    folder = tmp_path_factory.mktemp("property")
    items = [
        intervention(number, slot=number, evidence=evidence, original=original, edited=edited)
        for number, (evidence, original, edited) in enumerate(shown)
    ]
    study = make_study(folder / "study", items, secret="5e" * 32)
    export(study, annotators=1, size=10)
    (sheet,) = sheets(study)
    answers = [
        {
            "unit_id": unit.unit_id,
            "direction": data.draw(st.sampled_from(("a", "b", "neither", "cannot_tell"))),
            "spans": data.draw(_spans(unit)),
            "supported": data.draw(texts),
            "same_facts": data.draw(st.booleans()),
        }
        for unit in sheet.units
    ]
    for one, unit in zip(answers, sheet.units, strict=True):
        if one["direction"] in ("a", "b"):
            sentence = unit.a if one["direction"] == "a" else unit.b
            one["spans"] = [span for span in one["spans"] if span in sentence]
        elif form.startswith("label_studio"):
            one["spans"] = [span for span in one["spans"] if span in unit.a]
    path = give_back(form, study, sheet, answers, folder)
    by_id = {one.id: one for one in items}
    found = import_files([path], read_keys(study), by_id, [])
    assert [str(one) for one in found.problems if one.effect == "refused"] == []
    labels = {label.unit_id: label for label in found.labels}
    for one in answers:
        label = labels[one["unit_id"]]
        assert label.direction == one["direction"]
        assert label.spans == tuple(same_lines(span) for span in one["spans"])
        assert label.supported == same_lines(one["supported"])
        assert label.same_facts is one["same_facts"]


@st.composite
def _spans(draw, unit):
    found = []
    for _ in range(draw(st.integers(0, 3))):
        sentence = draw(st.sampled_from((unit.a, unit.b)))
        start = draw(st.integers(0, len(sentence) - 1))
        text = sentence[start : draw(st.integers(start + 1, len(sentence)))]
        # A quotation of nothing but space is no quotation.
        if text.strip() and text not in found:
            found.append(text)
    return found


def test_a_cell_that_would_run_is_guarded_in_both_spreadsheets(tmp_path):
    import openpyxl

    sheet = Sheet("b", "a", "t", (Unit("u", "=1+1", "+2", "@x"),))
    assert "'=1+1,'+2,'@x" in csv_text(sheet)
    (tmp_path / "s.xlsx").write_bytes(xlsx_bytes(sheet))
    row = next(openpyxl.load_workbook(tmp_path / "s.xlsx").active.iter_rows(min_row=2))
    assert [cell.value for cell in row[1:4]] == ["=1+1", "+2", "@x"]
    assert {cell.data_type for cell in row[1:4]} == {"s"}
    assert all(cell.quotePrefix for cell in row[1:4])
    assert all(cell.number_format == "@" for cell in row)
