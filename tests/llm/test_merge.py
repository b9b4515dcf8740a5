"""Caches become one: nothing lost, nothing overwritten, the same whatever the order."""

import itertools
import json
import os
import shutil
import sqlite3
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeprobe.errors import InputError
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.disk import write_overflow
from judgeprobe.llm.merge import MergedCache, regrade_count
from judgeprobe.llm.portable import export_cache
from judgeprobe.llm.shards import REGRADES, open_shard
from judgeprobe.records import Reply, Requested, Served


def reply(number, text="4", at="2027-01-01T00:00:00.000+00:00", model="m"):
    return Reply(
        key=f"{number:064x}",
        requested=Requested(model="m"),
        served=Served(model=model),
        text=text,
        message={"b": text, "a": [1, 2]},
        at=at,
    )


def shard(folder, replies):
    """A cache folder that holds some replies, one a key."""
    with ReplyCache(folder) as cache:
        for each in replies:
            cache.put(each)
    return folder


def merged(out, *sources):
    with MergedCache(out) as cache:
        return cache.take_in([open_shard(source) for source in sources])


def state(folder):
    """All that a merged cache holds: the replies in use, and every reply to repeated questions."""
    with MergedCache(folder) as cache:
        repeated = [(each.key, each.replies, each.conflict) for each in cache.repeated()]
    with ReplyCache(folder) as cache:
        return {key: cache.get(key) for key in cache.keys()}, repeated  # noqa: SIM118


def every(folder):
    """Every reply of a merged cache."""
    in_use, repeated = state(folder)
    found = {as_text(each) for each in in_use.values()}
    return found | {as_text(each) for _, replies, _ in repeated for each in replies}


def as_text(each):
    return json.dumps(each.model_dump(), sort_keys=True)


# Every example opens a dozen databases; a disk that is waited for tells nothing more.
MEMORY = next((path for path in ("/dev/shm",) if os.access(path, os.W_OK)), None)
REPLIES = st.builds(
    reply,
    st.integers(0, 3),
    st.sampled_from(["4", "3.5", "4 \ud83d"]),
    st.sampled_from(["", "2027-01-01T00:00:00.000+00:00", "2027-01-02T00:00:00.000+00:00"]),
    st.sampled_from(["m", "m-2"]),
)
SHARDS = st.lists(
    st.lists(REPLIES, max_size=4, unique_by=lambda each: each.key), min_size=3, max_size=3
)


@settings(max_examples=12, deadline=None)
@given(SHARDS, st.booleans())
def test_the_order_and_the_grouping_of_a_merge_do_not_matter(contents, through_a_file):
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        top = Path(name)
        sources = [shard(top / f"{n}", replies) for n, replies in enumerate(contents)]
        if through_a_file:
            with ReplyCache(sources[2]) as cache:
                export_cache(cache, top / "2.jsonl.gz")
            sources[2] = top / "2.jsonl.gz"
        merged(top / "all", *sources)
        wanted = state(top / "all")
        # Nothing is lost, and nothing is made up.
        assert every(top / "all") == {as_text(each) for each in itertools.chain(*contents)}
        for each in reversed(sources):
            merged(top / "one-by-one", each)
        assert state(top / "one-by-one") == wanted
        merged(top / "bc", *sources[1:])
        merged(top / "bc-a", top / "bc", sources[0])
        assert state(top / "bc-a") == wanted
        again = merged(top / "all", *sources, top / "all")
        assert (again.added, again.kept, again.changed) == (0, 0, 0)
        assert state(top / "all") == wanted


EARLY, LATE = "2027-01-01T00:00:00.000+00:00", "2027-02-01T00:00:00.000+00:00"


def test_two_answers_are_both_kept_and_the_earlier_is_in_use(tmp_path):
    shard(tmp_path / "a", [reply(1, "4", LATE), reply(2, "1", EARLY)])
    shard(tmp_path / "b", [reply(1, "3", EARLY), reply(2, "1", LATE), reply(3)])
    done = merged(tmp_path / "c", tmp_path / "a", tmp_path / "b")
    assert (done.added, done.present, done.kept) == (3, 0, 2)
    in_use, repeated = state(tmp_path / "c")
    assert [each.text for each in in_use.values()] == ["3", "1", "4"]
    (_, first, conflict), (_, second, same) = repeated
    assert [each.text for each in first] == ["3", "4"]
    assert conflict
    # The same answer at another time is a regrade that agrees.
    assert [each.at for each in second] == [EARLY, LATE]
    assert not same
    assert regrade_count(tmp_path / "c") == 2


def test_an_earlier_reply_takes_the_place_of_a_later_one_and_is_counted(tmp_path):
    shard(tmp_path / "a", [reply(1, "4", LATE)])
    shard(tmp_path / "b", [reply(1, "3", EARLY)])
    assert merged(tmp_path / "a", tmp_path / "b").changed == 1
    assert merged(tmp_path / "a", tmp_path / "b").changed == 0
    assert [each.text for each in state(tmp_path / "a")[1][0][1]] == ["3", "4"]


def test_a_different_server_is_a_different_answer(tmp_path):
    shard(tmp_path / "a", [reply(1)])
    shard(tmp_path / "b", [reply(1, model="m-2")])
    merged(tmp_path / "c", tmp_path / "a", tmp_path / "b")
    assert state(tmp_path / "c")[1][0][2]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("value = 'x'", "is no reply of that key"),
        ("mode = 4", "is a pickle or a file"),
        ("filename = 'x'", "is a pickle or a file"),
        ("value = x'00ff'", "a row is damaged"),
        ("key = 'odd'", "is no reply of that key"),
    ],
)
def test_a_bad_row_is_named_and_the_others_are_taken(tmp_path, change, words):
    shard(tmp_path / "a", [reply(n) for n in range(3)])
    with sqlite3.connect(tmp_path / "a/cache.db") as other:
        other.execute(f"UPDATE Cache SET {change} WHERE rowid = 2")
    before = (tmp_path / "a/cache.db").read_bytes()
    done = merged(tmp_path / "c", tmp_path / "a")
    assert done.added == 2
    (line,) = done.unreadable
    assert words in line
    assert "cache.db: entry" in line
    assert (tmp_path / "a/cache.db").read_bytes() == before


def test_a_damaged_database_gives_what_can_be_read_and_is_left_as_it_is(tmp_path):
    shard(tmp_path / "a", [reply(n, "x" * 900) for n in range(400)])
    path = tmp_path / "a/cache.db"
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = bytes(4096)
    path.write_bytes(data)
    # One damaged page, whose rows come out of order: all others are read, each once.
    done = merged(tmp_path / "c", tmp_path / "a")
    assert 380 <= done.added < 400
    assert done.present == 0
    assert any("damaged" in line for line in done.unreadable)
    assert path.read_bytes() == data
    assert not (tmp_path / "a/quarantine").exists()


def test_an_entry_that_the_target_cannot_read_is_mended_from_a_shard(tmp_path):
    shard(tmp_path / "a", [reply(1, "4", LATE)])
    shard(tmp_path / "b", [reply(1, "3", EARLY)])
    merged(tmp_path / "c", tmp_path / "a", tmp_path / "b")
    with sqlite3.connect(tmp_path / "c/cache.db") as other:
        other.execute("UPDATE Cache SET value = 'x'")
    # The later reply comes back first; the order must not show.
    shutil.copytree(tmp_path / "c/regrades", tmp_path / "later")
    assert merged(tmp_path / "c", tmp_path / "a").mended == 1
    assert merged(tmp_path / "c", tmp_path / "b").kept <= 1
    assert [each.text for each in state(tmp_path / "c")[1][0][1]] == ["3", "4"]


def test_replies_beside_a_locked_database_are_taken_and_stay_there(tmp_path):
    shard(tmp_path / "a", [reply(1)])
    each = reply(2)
    path = write_overflow(tmp_path / "a", 1, {each.key: each.model_dump_json()})
    with path.open("a") as file:
        file.write('["cut')
    done = merged(tmp_path / "c", tmp_path / "a")
    assert done.added == 2
    assert len(done.unreadable) == 1
    assert "row 2: is cut off" in done.unreadable[0]
    assert path.exists()


def test_a_shard_in_a_folder_that_may_not_be_written(tmp_path):
    shard(tmp_path / "a", [reply(1)])
    for path in (tmp_path / "a").glob("cache.db-*"):
        path.unlink()
    (tmp_path / "a").chmod(0o500)
    try:
        assert merged(tmp_path / "c", tmp_path / "a").added == 1
    finally:
        (tmp_path / "a").chmod(0o700)


def test_what_is_no_shard_is_named(tmp_path):
    with pytest.raises(InputError, match="is not there"):
        open_shard(tmp_path / "none")
    with pytest.raises(InputError, match="neither a cache nor a study"):
        open_shard(tmp_path)
    (tmp_path / "x.gz").write_bytes(b"no")
    with pytest.raises(InputError, match="damaged or no export"):
        open_shard(tmp_path / "x.gz").check()


def test_memory_does_not_grow_with_a_shard(tmp_path):
    """Peak of Python's own memory, over 1,100 and 3,300 replies of 4 KB."""
    peaks = []
    for count in (1100, 3300):
        source = shard(tmp_path / f"{count}", (reply(n, f"{n} " * 800) for n in range(count)))
        tracemalloc.start()
        assert merged(tmp_path / f"out{count}", source).added == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_the_folder_of_further_replies_is_named_as_the_documentation_says():
    assert REGRADES == "regrades"
