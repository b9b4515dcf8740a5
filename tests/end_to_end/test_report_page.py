"""The page as a person sees it, in headless Chromium."""

import pytest
from tests.helpers.chromium import needs_chromium, open_page
from tests.helpers.report_study import JUDGES, build_study

from judgeprobe.report import make_report
from judgeprobe.study import load_study

pytestmark = [pytest.mark.end_to_end, needs_chromium]

HOSTILE = '"><img src=x onerror=document.title=1>'
# Anything wider than the window, except inside the parts that scroll by themselves.
TOO_WIDE = """[...document.querySelectorAll('body *')]
  .filter(e => !e.closest('.table') && !e.closest('.picture'))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = build_study(tmp_path_factory.mktemp("page") / "study", judges=[*JUDGES[:6], HOSTILE])
    return make_report(load_study(folder)).page


@pytest.fixture(scope="module")
def page(report):
    with open_page() as page:
        page.goto(report)
        yield page


def test_nothing_is_complained_of_and_nothing_is_asked_for(page, report):
    assert page.problems() == []
    assert [r for r in page.requests if not r.startswith("data:")] == [report.as_uri()]


def test_the_figure_the_table_and_the_watermark_are_there(page):
    assert page.evaluate(
        "document.querySelector('#figure-plane svg').getBoundingClientRect().width > 500"
    )
    assert (
        page.evaluate("document.querySelectorAll('#figure-plane [id*=watermark] use').length") > 10
    )
    rows = page.evaluate(
        "[...document.querySelectorAll('table')][0].querySelectorAll('tbody tr').length"
    )
    assert rows == 8
    assert "Direction by construction" in page.evaluate("document.body.innerText")


def test_hostile_text_is_shown_as_text(page):
    assert page.evaluate("document.title") == "made for a test: validity profile"
    assert page.evaluate("document.images.length") == 0
    assert HOSTILE in page.evaluate("document.querySelector('table').innerText")


def test_a_screen_reader_finds_names(page):
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    images = [
        node["name"]["value"]
        for node in nodes
        if node.get("role", {}).get("value") == "image" and not node.get("ignored")
    ]
    assert len(images) == 5
    assert all("Direction by construction." in name for name in images)
    tables = [n for n in nodes if n.get("role", {}).get("value") == "table"]
    assert len(tables) >= 8
    assert all(n["name"]["value"] for n in tables)


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (640, 450), (390, 844)])
def test_nothing_sticks_out_sideways(page, width, height):
    page.resize(width, height)
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    size = page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
    assert size >= 16


def test_it_reads_the_same_without_scripts(report):
    with open_page() as page:
        page.scripts(allowed=False)
        page.goto(report)
        text = page.evaluate("document.body.innerText")
        assert "Validity profiles" in text
        assert "How each number was made" in text


def test_folded_parts_open_by_keyboard(page):
    page.evaluate("document.querySelector('summary').focus()")
    page.press("Enter")
    assert page.evaluate("document.querySelector('details').open")
    assert page.evaluate("document.querySelectorAll('details[open] .edit').length") == 10


def test_text_has_contrast(page):
    """Relative luminance of text against white: at least 4.5 to 1 (WCAG 1.4.3)."""
    colours = page.evaluate(
        "[...new Set([...document.querySelectorAll('body *')]"
        ".filter(e => !e.closest('svg') && e.innerText)"
        ".map(e => getComputedStyle(e).color))]"
    )
    assert len(colours) >= 3
    for colour in colours:
        parts = [float(c) / 255 for c in colour.strip("rgb()").split(",")[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (luminance + 0.05) >= 4.5, colour
