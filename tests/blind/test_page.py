"""The page of single sentences, in a browser: by keys, saved, opened again and imported."""

import json
import re

import pytest
from tests.annotate.test_page import open_copy, save_copy, text_of
from tests.annotate.test_round_trip import HOSTILE
from tests.helpers.blind import blind_study, shown_units
from tests.helpers.chromium import needs_chromium, open_page

from judgeprobe.blind.export import export_set
from judgeprobe.blind.paths import paths_of
from judgeprobe.blind.run import import_set
from judgeprobe.blind.sheet import BlindSheet, ShownUnit, render_sheet
from judgeprobe.settings import BlindSettings

NAMES = ("anna", "ben", "cleo")
CLASSES = BlindSettings().classes


@pytest.fixture
def study(tmp_path):
    made = blind_study(tmp_path / "study", n_base=2)
    export_set(made, annotators=NAMES, forms=["html"])
    return made


def page_of(study, name):
    return paths_of(study).sheets / name / f"sentences-{name}.html"


def test_hostile_text_stays_inside_its_script_element():
    units = [ShownUnit(f"u{n}", text, text) for n, text in enumerate(HOSTILE)]
    sheet = BlindSheet("anna", "token", units)
    (page,) = render_sheet(sheet, "html", BlindSettings(), codebook="c", consent="d").values()
    text = page.decode()
    assert text.count("</script>") == text.count("<script") == 2
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1]
    assert not set(data) & set("<>&")
    assert [unit["s"] for unit in json.loads(data)["units"]] == list(HOSTILE)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


@needs_chromium
def test_a_sheet_by_keyboard_saved_opened_elsewhere_and_imported(study, tmp_path):
    shown = shown_units(study, "anna")
    total = len(shown)
    with open_page() as page:
        page.goto(page_of(study, "anna"))
        assert text_of(page, "heading") == f"Sentence 1 of {total}"
        assert page.evaluate("document.getElementById('sentence-b')") is None
        assert page.evaluate("document.getElementsByName('facts').length") == 0
        for number in range(total):
            page.press(str(number % 4 + 1))
            if number % 4:
                assert text_of(page, "missing") == (
                    "Still missing: what puts it in its class (quote it)."
                )
                page.press("s")
                page.press("ArrowRight")
                page.press("Enter")
            if number == 0:
                page.press("e")
                page.type("sure")
                page.press("Escape")
            page.press("j")
        assert text_of(page, "progress-text") == f"{total} of {total} done"
        page.press("u")
        assert text_of(page, "status") == "Every sentence is done. Save a copy and send it."
        copy = save_copy(page, tmp_path / "copy.json")
        assert page.evaluate("window.savedName") == "sentences-anna-labels.json"
        assert page.problems() == []
    with open_page() as page:
        page.goto(page_of(study, "ben"))
        open_copy(page, copy.read_text("utf-8"))
        assert "another annotator" in text_of(page, "alarm")
        page.goto(page_of(study, "anna"))
        open_copy(page, copy.read_text("utf-8"))
        page.wait_for(
            f"document.getElementById('progress-text').textContent === '{total} of {total} done'"
        )
    found, _ = import_set(study, [copy])
    assert [str(one) for one in found.problems] == []
    labels = {label.unit_id: label for label in found.labels}
    for number, (shown_id, unit) in enumerate(shown):
        label = labels[shown_id]
        assert label.label == CLASSES[number % 4]
        assert label.spans == ((unit.sentence.split()[1],) if number % 4 else ())
        assert label.note == ("sure" if number == 0 else "")
        assert label.flags == ()


def test_every_field_of_the_page_has_a_label(study):
    text = page_of(study, "anna").read_text(encoding="utf-8")
    for found in re.finditer(r"<(input|textarea)\b[^>]*>", text):
        name = re.search(r'id="([\w-]+)"', found[0])
        labelled = name and f'for="{name[1]}"' in text
        wrapped = text[: found.start()].rstrip().endswith("<label>")
        assert labelled or wrapped or "aria-label=" in found[0], found[0]
