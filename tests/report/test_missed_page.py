"""The page that lists what a judge missed: its words, its order, and as a person sees it."""

import csv
import re
import shutil

import pytest
from tests.helpers.chromium import needs_chromium, open_page
from tests.helpers.report_study import JUDGES, build_study

from judgeprobe.files import read_json, write_json
from judgeprobe.report import make_report
from judgeprobe.report.words import side_words
from judgeprobe.study import load_study

HOSTILE = '"><img src=x onerror=document.title=1>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = build_study(
        tmp_path_factory.mktemp("missed") / "study",
        judges=[JUDGES[0], HOSTILE],
        claim=f"{HOSTILE} may lower the rate of {{}} in some plots.",
    )
    make_report(load_study(made))
    return made


@pytest.fixture(scope="module")
def text(folder):
    return (folder / "missed.html").read_text()


def rows_of(folder):
    with (folder / "tables" / "missed_all.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_missed_edit_is_in_the_table_and_counted_on_the_page(folder, text):
    rows = rows_of(folder)
    told = re.findall(r"Missed: (\d+) of (\d+) edits whose", text)
    assert sum(int(missed) for missed, _ in told) == len(rows)
    for judge in (JUDGES[0],):
        mine = [row for row in rows if row["judge"] == judge]
        for slot in {row["slot"] for row in mine}:
            n = sum(row["slot"] == slot for row in mine)
            assert f"{slot.replace('_', ' ')}: {n} of" in text


def test_within_a_slot_the_order_is_the_one_the_page_states(folder, text):
    assert "ordered by the grade of their second text" in text
    seen = {}
    for row in rows_of(folder):
        cut, grades = float(row["cut"]), (float(row["grade_original"]), float(row["grade_edited"]))
        assert float(row["margin"]) == pytest.approx(min(abs(grade - cut) for grade in grades))
        assert row["passed"] == ("yes" if min(grades) >= cut else "no")
        place = (-grades[1], grades[0])
        key = row["judge"], row["slot"]
        assert seen.get(key, place) <= place
        seen[key] = place


def test_two_sentences_that_share_little_are_shown_without_marks():
    same, other = side_words("The rate fell in some plots.", "Crops everywhere are now safe.")
    assert same == (("same", "The rate fell in some plots."),)
    assert other == (("same", "Crops everywhere are now safe."),)
    first, second = side_words("The rate may fall here.", "The rate will fall here.")
    assert ("del", "may") in first
    assert ("ins", "will") in second


def test_the_watermark_and_s_beside_r_stand_on_it(text):
    assert "Direction by construction." in text
    assert re.search(r"At this cut S, .*holds, is \d\.\d{3}; R, .*changes, is \d\.\d{3}", text)
    assert "constant, flip" not in text


def test_hostile_text_is_escaped(text):
    assert HOSTILE not in text
    assert "<script" not in text


def test_a_judge_without_a_cut_says_why_nothing_is_listed(folder, tmp_path):
    copy = tmp_path / "study"
    shutil.copytree(folder, copy)
    profile = read_json(copy / "profile.json")
    row = profile["judges"][0]
    row |= {"status": "uninterpretable", "reason": "no cut reaches S 0.9", "operating_point": None}
    write_json(copy / "profile.json", profile)
    make_report(load_study(copy))
    text = (copy / "missed.html").read_text()
    assert "It has no cut that can be read: no cut reaches S 0.9." in text
    assert "set a lower [profile] floor" in text


TOO_WIDE = """[...document.querySelectorAll('body *')]
  .filter(e => !e.closest('.table'))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""


@pytest.mark.end_to_end
@needs_chromium
def test_it_fits_a_desktop_and_a_phone_and_asks_for_nothing(folder):
    with open_page() as page:
        page.goto(folder / "missed.html")
        assert page.problems() == []
        assert page.evaluate("document.title").endswith(": edits that were not noticed")
        assert page.evaluate("document.images.length") == 0
        for width, height, columns in ((1280, 900, 2), (390, 844, 1)):
            page.resize(width, height)
            assert page.evaluate(TOO_WIDE) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            shown = "getComputedStyle(document.querySelector('.sides')).gridTemplateColumns"
            assert len(page.evaluate(shown).split()) == columns
