"""`judgeprobe cache merge`: two machines sweep halves of a study, and one cache comes of it."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judgeprobe.errors import InputError
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.sweep.plan import load_plan
from judgeprobe.sweep.regrades import COLUMNS, TABLE, merge_caches
from judgeprobe.sweep.stage import sweep

from ..helpers.loopback import Loopback

SOURCE = Path(__file__).parents[2] / "src"
SETTINGS = """
[[judges]]
name = "m1"
model = "openai/m1"
transport = "direct"
prompt = "mine.txt"
base_url = "{url}"
[budget]
max_calls = {most}
"""


@pytest.fixture
def machine(make_study):
    """A copy of the study on a machine of its own, whose sweep is cut off or not."""

    def build(name, server, *, most=1000):
        study = make_study(SETTINGS.format(url=server.url, most=most), bases=6, name=name)
        prompt = "=== system\nGrade.\n=== user\n{{evidence}}\nClaim: {{claim}}\n"
        (study.folder / "mine.txt").write_text(prompt)
        return study

    return build


def merge(*arguments):
    """The verb as a user runs it; its exit status and its JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "judgeprobe", "cache", "merge", *map(str, arguments), "--json"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout), done.stderr


def table(folder):
    with (folder / TABLE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_shards_of_two_machines_make_the_grades_of_one(machine):
    with Loopback(lambda body: "Score: 3") as server:
        whole = machine("whole", server)
        sweep(whole)
        first, second = machine("first", server, most=10), machine("second", server)
        sweep(first)
        # The second machine asked everything but what the first one has.
        shutil.copytree(first.cache_dir, second.cache_dir)
        sweep(second)
        with ReplyCache(first.cache_dir) as mine, ReplyCache(second.cache_dir) as theirs:
            theirs.delete(mine.keys())
        asked = server.requests
        here = machine("here", server)
        status, found, _ = merge(first.folder, second.cache_dir, "--out", here.folder)
        assert (status, found["conflicts"], found["table"]) == (0, 0, None)
        assert found["added"] == found["replies"] == len(load_plan(here).texts)
        sweep(here)
        assert server.requests == asked
        assert here.grades_path.read_bytes() == whole.grades_path.read_bytes()


def test_two_answers_to_one_question_are_listed_with_their_grades(machine):
    with Loopback(lambda body: "Score: 3") as server:
        first = machine("first", server)
        sweep(first)
    with Loopback(lambda body: '=1+1 {"grade": 4}') as server:
        second = machine("second", server)
        sweep(second)
    count = len(load_plan(first).texts)
    before = (first.cache_dir / "cache.db").read_bytes()
    out = first.folder.parent / "merged"
    status, found, said = merge(first.folder, second.folder, "--out", out)
    assert status == 3
    assert (found["conflicts"], found["kept"], found["replies"]) == (count, count, count)
    assert f"{count} questions have different replies" in said
    assert (first.cache_dir / "cache.db").read_bytes() == before
    rows = table(out)
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 2 * count
    texts = {text.id for text in load_plan(first).texts}
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert one["key"] == other["key"]
        assert (one["in_use"], other["in_use"]) == ("yes", "no")
        assert (one["value"], other["value"]) == ("3.0", "4.0")
        assert one["at"] < other["at"]
        assert one["text_id"] in texts
        assert (one["judge"], one["served_model"], one["conflict"]) == ("m1", "m1", "yes")
        # A cell that a spreadsheet would run is text.
        assert other["text"].startswith("'=1+1")
    again, repeated, _ = merge(second.folder, first.folder, "--out", out)
    assert again == 3
    assert (repeated["added"], repeated["kept"], repeated["changed"]) == (0, 0, 0)
    turned = first.folder.parent / "turned"
    merge(second.folder, first.folder, "--out", turned, "--study", first.folder)
    assert (turned / TABLE).read_bytes() == (out / TABLE).read_bytes()


def test_without_a_study_no_grade_is_read_and_it_is_said(machine, tmp_path):
    for name, words in (("first", "Score: 3"), ("second", "Score: 4")):
        with Loopback(lambda body, words=words: words) as server:
            sweep(machine(name, server))
    caches = [tmp_path / name / "cache" for name in ("first", "second")]
    report = merge_caches(caches, tmp_path / "out")
    assert report.conflicts > 0
    assert "no grade was read" in report.notes[0]
    assert {(row["value"], row["status"]) for row in table(tmp_path / "out")} == {("", "")}


def test_merging_into_a_study_keeps_its_own_replies(machine):
    with Loopback(lambda body: "Score: 3") as server:
        first = machine("first", server)
        sweep(first)
        other = machine("second", server, most=5)
        sweep(other)
        data = first.grades_path.read_bytes()
        report = merge_caches([other.folder, first.folder], first.folder)
        # The same answers at another time: regrades that agree, and nothing to watch for.
        assert (report.merged.kept, report.repeated, report.conflicts) == (5, 5, 0)
        assert report.merged.changed == 0
        sweep(first)
        assert first.grades_path.read_bytes() == data


def test_what_cannot_be_a_target_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "a").mkdir()
    with ReplyCache(tmp_path / "a"):
        pass
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/x.txt").write_text("x")
    with pytest.raises(InputError, match="not empty"):
        merge_caches([tmp_path / "a"], tmp_path / "notes")
    with pytest.raises(InputError, match="is a file"):
        merge_caches([tmp_path / "a"], tmp_path / "notes/x.txt")
    with pytest.raises(InputError, match="is not there"):
        merge_caches([tmp_path / "a", tmp_path / "none"], tmp_path / "new")
    assert not (tmp_path / "new").exists()
