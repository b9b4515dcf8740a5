import json
import re

import pytest
from tests.annotate.test_round_trip import HOSTILE
from tests.helpers.annotation import intervention, make_study, sheets
from tests.helpers.chromium import needs_chromium, open_page

from judgeprobe.annotate.export import export
from judgeprobe.annotate.importing import import_files
from judgeprobe.annotate.keys import read_keys
from judgeprobe.annotate.page import render_page
from judgeprobe.annotate.sheet import Sheet, Unit
from judgeprobe.files import read_jsonl
from judgeprobe.forms.page import inline_json, prose
from judgeprobe.records import Intervention

NASTY = HOSTILE[8]  # ends a script element and opens a comment


@pytest.fixture
def study(tmp_path):
    made = make_study(tmp_path / "study", [intervention(n, slot=n, base=n) for n in range(20)])
    export(made, annotators=2, size=20, forms=["html"])
    return made


def page_of(study, number=1):
    name = f"batch-001-annotator-{number}.html"
    return study.annotation_dir / "batch-001" / f"annotator-{number}" / name


# ---- the file ------------------------------------------------------------------------------------


def test_hostile_text_stays_inside_its_script_element():
    units = tuple(Unit(f"u{n}", text, text, text) for n, text in enumerate(HOSTILE))
    page = render_page(Sheet("b", "a", "t", units), codebook=NASTY, consent=NASTY)
    assert page.count("</script>") == 2
    assert page.count("<script") == 2
    assert "alert(1)</script>" not in page
    data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]
    assert data.isascii()
    assert not set(data) & set("<>&")
    assert [unit["evidence"] for unit in json.loads(data)["units"]] == list(HOSTILE)


def test_inline_json_and_prose():
    assert json.loads(str(inline_json({"x": "\u2028<&>\ud800"}))) == {"x": "\u2028<&>\ud800"}
    assert "<script>" not in prose("<script>x</script>")
    assert "<img" not in prose('<img src="x" onerror="y">')


def test_the_page_loads_nothing_and_its_policy_allows_nothing():
    page = render_page(Sheet("b", "a", "t", (Unit("u", "e", "a", "b"),)), codebook="c", consent="d")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not re.search(r"https?://", page)
    assert re.findall(r"(?:src|href)=\"([^\"]*)\"", page) == ["data:,", "#pair"]


def test_every_field_has_a_label():
    page = render_page(Sheet("b", "a", "t", (Unit("u", "e", "a", "b"),)), codebook="c", consent="d")
    for found in re.finditer(r"<(input|textarea)\b[^>]*>", page):
        name = re.search(r'id="([\w-]+)"', found[0])
        labelled = name and f'for="{name[1]}"' in page
        wrapped = page[: found.start()].rstrip().endswith("<label>")
        assert labelled or wrapped or "aria-label=" in found[0], found[0]
    assert 'role="status" aria-live="polite"' in page
    assert '<html lang="en">' in page


# ---- in a browser --------------------------------------------------------------------------------


def label_by_keyboard(page, number):
    """One pair, with keys alone: a quotation of two words for A and B."""
    direction = "abnc"[number % 4]
    if direction in "ab":
        page.press("1" if direction == "a" else "2")
        page.press("ArrowRight")
        page.press("ArrowRight", "Shift")
        page.press("Enter")
    page.press(direction)
    if direction != "c":
        page.press("e")
        page.type(f"It changed {number} times")
        page.press("Escape")
    page.press("d" if number % 5 == 0 else "s")


def expected_label(unit, number):
    direction = {"a": "a", "b": "b", "n": "neither", "c": "cannot_tell"}["abnc"[number % 4]]
    sentence = unit.b if direction == "b" else unit.a
    return {
        "direction": direction,
        "spans": (" ".join(sentence.split()[1:3]),) if direction in ("a", "b") else (),
        "supported": "" if direction == "cannot_tell" else f"It changed {number} times",
        "same_facts": number % 5 != 0,
    }


# Keeps what "Save a copy" would put into the downloads folder.
CATCH_DOWNLOAD = """
  window.saved = null;
  URL.createObjectURL = (blob) => { blob.text().then((t) => { window.saved = t; }); return "#"; };
  HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };
"""


def save_copy(page, path):
    page.evaluate(CATCH_DOWNLOAD)
    page.click("#save")
    path.write_text(page.wait_for("window.saved"), encoding="utf-8")
    return path


def open_copy(page, text):
    page.evaluate(
        "openCopy(new File([" + json.dumps(text) + "], 'copy.json', {type: 'application/json'}))"
    )


def text_of(page, name):
    return page.evaluate(f"document.getElementById('{name}').textContent")


@needs_chromium
def test_twenty_pairs_by_keyboard_with_a_reload_export_and_import(study, tmp_path):
    units = sheets(study)[0].units
    with open_page() as page:
        page.goto(page_of(study))
        assert text_of(page, "heading") == "Pair 1 of 20"
        for number in range(9):
            label_by_keyboard(page, number)
            page.press("j")
        assert text_of(page, "progress-text") == "9 of 20 done"
        half = save_copy(page, tmp_path / "half.json")
        page.goto(page_of(study))
        assert text_of(page, "progress-text") == "9 of 20 done"
        assert text_of(page, "heading") == "Pair 10 of 20"
        for number in range(9, 20):
            label_by_keyboard(page, number)
            page.press("j")
        assert text_of(page, "progress-text") == "20 of 20 done"
        page.press("u")
        assert text_of(page, "status") == "Every pair is done. Save a copy and send it."
        whole = save_copy(page, tmp_path / "whole.json")
        assert page.evaluate("window.savedName") == "batch-001-annotator-1-labels.json"
        assert page.problems() == []
        # Nothing was asked for but the file itself and its empty icon.
        assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []
    items = {item.id: item for item in read_jsonl(study.interventions_path, Intervention)}
    first = import_files([half], read_keys(study), items, [])
    assert len(first.labels) == 9
    found = import_files([whole], read_keys(study), items, first.labels)
    assert [str(one) for one in found.problems] == []
    labels = {label.unit_id: label for label in found.labels}
    for number, unit in enumerate(units):
        label = labels[unit.unit_id]
        for name, value in expected_label(unit, number).items():
            assert getattr(label, name) == value, (number, name)
        assert label.flags == ()
        assert label.seconds is not None


@needs_chromium
def test_a_half_done_copy_is_opened_on_another_machine(study, tmp_path):
    with open_page() as page:
        page.goto(page_of(study))
        for number in range(3):
            label_by_keyboard(page, number)
            page.press("j")
        half = save_copy(page, tmp_path / "half.json").read_text("utf-8")
        other = json.loads(save_copy(page, tmp_path / "again.json").read_text("utf-8"))
    with open_page() as page:
        page.goto(page_of(study, 2))
        open_copy(page, half)
        assert text_of(page, "alarm") == "That copy belongs to another batch or another annotator."
        page.goto(page_of(study))
        assert text_of(page, "progress-text") == "0 of 20 done"
        open_copy(page, half)
        page.wait_for("document.getElementById('progress-text').textContent === '3 of 20 done'")
        # A copy that says something else is not taken without asking.
        other["labels"][0]["supported"] = "Something else"
        open_copy(page, json.dumps(other))
        page.wait_for("!document.getElementById('conflict').hidden")
        assert "1 answers in the copy differ" in text_of(page, "conflict-text")
        page.click("#keep-mine")
        assert page.evaluate("answers[units[0].id].supported") == "It changed 0 times"
        open_copy(page, json.dumps(other))
        page.wait_for("!document.getElementById('conflict').hidden")
        page.click("#take-file")
        assert page.evaluate("answers[units[0].id].supported") == "Something else"
        for broken in ("{", "[]", "null", '{"format": "judgeprobe-labels", "version": 9}'):
            page.evaluate("document.getElementById('alarm').textContent = ''")
            open_copy(page, broken)
            assert text_of(page, "alarm") == "That file is not a saved copy."


@needs_chromium
def test_words_are_marked_with_the_mouse_or_typed_and_taken_back(study):
    unit = sheets(study)[0].units[0]
    with open_page() as page:
        page.goto(page_of(study))
        page.evaluate(
            "(() => { const words = document.querySelectorAll('#sentence-b span');"
            "const range = document.createRange();"
            "range.setStart(words[1].firstChild, 0); range.setEnd(words[3].firstChild, 2);"
            "const s = getSelection(); s.removeAllRanges(); s.addRange(range); })()"
        )
        page.wait_for("marked !== null")
        page.click("[data-sentence=b]")
        words = unit.b.split()
        assert page.evaluate("answers[units[0].id].spans") == [
            {"sentence": "b", "text": f"{words[1]} {words[2]} {words[3][:2]}"}
        ]
        page.click("#typed")
        page.call("Input.insertText", text=unit.a[:7])
        page.click("#add-typed")
        assert page.evaluate("answers[units[0].id].spans.length") == 2
        assert page.evaluate("document.querySelectorAll('.quoted').length") >= 3
        page.click("#quotes button")
        page.click("#quotes button")
        assert page.evaluate("answers[units[0].id].spans") == []
        # The basis is mandatory for A and B.
        page.press("Escape")
        page.press("a")
        assert "what goes beyond the evidence" in text_of(page, "missing")
        assert text_of(page, "progress-text") == "0 of 20 done"


@needs_chromium
def test_hostile_text_is_shown_as_text(tmp_path):
    items = [
        intervention(
            n, base=n, evidence=f"{text} {NASTY}", original=f"{text} x", edited=f"{text} y"
        )
        for n, text in enumerate(HOSTILE)
    ]
    study = make_study(tmp_path / "study", items)
    export(study, annotators=1, size=100, forms=["html"])
    (sheet,) = sheets(study)
    with open_page() as page:
        page.goto(page_of(study))
        for unit in sheet.units:
            assert text_of(page, "evidence") == unit.evidence
            assert text_of(page, "sentence-a") == unit.a
            assert text_of(page, "sentence-b") == unit.b
            page.press("2")
            page.press("End")
            page.press("Home", "Shift")
            page.press("Enter")
            assert page.evaluate("answers[units[at].id].spans[0].text") == unit.b.strip()
            page.press("Escape")
            page.press("j")
        assert (
            page.evaluate("document.querySelectorAll('main script, main img, main b').length") == 0
        )
        assert page.problems() == []


@needs_chromium
@pytest.mark.parametrize(
    ("width", "mobile"), [(1280, False), (640, False), (390, True), (320, True)]
)
def test_nothing_is_cut_off_at_any_width(study, width, mobile):
    # 640 is 1280 at 200 percent zoom, 320 at 400 percent.
    with open_page() as page:
        page.resize(width, 900, mobile=mobile)
        page.goto(page_of(study))
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        label_by_keyboard(page, 0)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cut = page.evaluate(
            "[...document.querySelectorAll('main *, header *')].filter((e) =>"
            " e.getClientRects().length && e.scrollWidth > e.clientWidth + 1 &&"
            " getComputedStyle(e).display !== 'inline' &&"
            " !e.matches('textarea, input, progress')).map((e) => e.id || e.tagName)"
        )
        assert cut == []


@needs_chromium
def test_a_screen_reader_is_told_names_roles_and_changes(study):
    with open_page() as page:
        page.goto(page_of(study))
        page.call("Accessibility.enable")
        nodes = page.call("Accessibility.getFullAXTree")["nodes"]
        seen = {
            (node["role"]["value"], node["name"]["value"])
            for node in nodes
            if not node.get("ignored") and node.get("name", {}).get("value")
        }
        roles = {"radio", "textbox", "button", "checkbox", "progressbar"}
        unnamed = [
            node["role"]["value"]
            for node in nodes
            if not node.get("ignored")
            and node.get("role", {}).get("value") in roles
            and not node.get("name", {}).get("value")
        ]
        assert unnamed == []
        assert ("radio", "A claims more A") in seen
        assert ("group", "Which sentence claims more than the evidence licenses?") in seen
        assert ("progressbar", "0 of 20 done") in seen
        page.press("n")
        assert text_of(page, "status") == "Neither."
        page.press("j")
        assert page.evaluate("document.activeElement.id") == "heading"
        assert text_of(page, "status").startswith("Pair 2 of 20")


@needs_chromium
def test_letter_keys_can_be_turned_off_and_do_not_fire_while_typing(study):
    with open_page() as page:
        page.goto(page_of(study))
        page.press("e")
        page.type("abc")
        assert page.evaluate("answers[units[0].id].direction") is None
        assert page.evaluate("answers[units[0].id].supported") == "abc"
        page.press("Escape")
        page.evaluate("document.getElementById('letters').checked = false")
        page.press("a")
        assert page.evaluate("answers[units[0].id].direction") is None


@needs_chromium
def test_a_browser_that_keeps_nothing_is_told(study):
    with open_page() as page:
        page.goto(page_of(study))
        page.evaluate("Storage.prototype.setItem = () => { throw new Error('full'); }")
        page.press("n")
        assert "Save a copy often" in text_of(page, "alarm")
        assert page.evaluate("document.getElementById('alarm').hidden") is False
