"""The cache: one form only, nothing lost, nothing executed, mended where damaged."""

import json
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path

import diskcache
import pytest

from judgeprobe.errors import StorageError
from judgeprobe.llm.cache import ReplyCache, reply_key
from judgeprobe.llm.disk import TextDisk, UnsafeEntryError
from judgeprobe.llm.portable import export_cache, import_cache
from judgeprobe.records import Reply, Requested, Served


def reply(number: int, text: str = "4") -> Reply:
    return Reply(
        key=f"{number:064x}", requested=Requested(model="m"), served=Served(model="m"), text=text
    )


class Bomb:
    """What a tampered row would run."""

    def __reduce__(self):
        return os.mkdir, (os.environ["BOMB"],)


def test_a_reply_comes_back_before_and_after_it_is_written(tmp_path):
    with ReplyCache(tmp_path) as cache:
        cache.put(reply(1, "4.25 \u2713 \ud800"[:-1]))
        assert cache.get(reply(1).key) == reply(1, "4.25 \u2713 ")
        assert cache.get(reply(2).key) is None
    with ReplyCache(tmp_path) as cache:
        assert cache.get(reply(1).key) == reply(1, "4.25 \u2713 ")
        assert cache.keys() == [reply(1).key]
        assert cache.notes == []


def test_half_a_surrogate_pair_is_kept(tmp_path):
    odd = reply(1, "4 \ud83d").model_copy(update={"message": {"content": "\udfff"}})
    with ReplyCache(tmp_path) as cache:
        cache.put(odd)
    with ReplyCache(tmp_path) as cache:
        assert cache.get(odd.key) == odd
        assert export_cache(cache, tmp_path / "r.gz") == 1
    with ReplyCache(tmp_path / "other") as cache:
        import_cache(cache, tmp_path / "r.gz")
        assert cache.get(odd.key) == odd


def test_a_waiting_reply_is_on_the_disk_within_a_second(tmp_path):
    cache = ReplyCache(tmp_path)
    cache.put(reply(1))
    time.sleep(0.8)
    with sqlite3.connect(tmp_path / "cache.db") as other:
        assert other.execute("SELECT COUNT(*) FROM Cache").fetchone() == (1,)
    cache.close()


@pytest.mark.parametrize(
    ("text", "kind"), [("4", "text"), ("4" * 2000, "blob"), ("\u2713", "blob")]
)
def test_values_lie_as_text_or_compressed_json(tmp_path, text, kind):
    with ReplyCache(tmp_path) as cache:
        cache.put(reply(1, text))
    with sqlite3.connect(tmp_path / "cache.db") as other:
        row = other.execute("SELECT mode, filename, typeof(value), value FROM Cache").fetchone()
    assert row[:3] == (1, None, kind)
    value = zlib.decompress(row[3]).decode() if kind == "blob" else row[3]
    assert Reply.model_validate(json.loads(value)) == reply(1, text)
    with ReplyCache(tmp_path) as cache:
        assert cache.get(reply(1).key) == reply(1, text)


@pytest.mark.parametrize("value", [b"bytes", 1, None, {"a": 1}, Bomb])
def test_nothing_but_text_goes_in(tmp_path, value):
    with diskcache.Cache(str(tmp_path), disk=TextDisk) as cache:
        with pytest.raises(UnsafeEntryError):
            cache.set("key", value)
        with pytest.raises(UnsafeEntryError):
            cache.set(("a", "b"), "text")
        with pytest.raises(UnsafeEntryError):
            cache.get(b"key")


@pytest.mark.parametrize("column", ["value", "key", "file", "value as raw"])
def test_a_tampered_row_is_never_unpickled(tmp_path, monkeypatch, column):
    bomb = tmp_path / "boom"
    monkeypatch.setenv("BOMB", str(bomb))
    data = pickle.dumps(Bomb())
    folder = tmp_path / "cache"
    with ReplyCache(folder) as cache:
        cache.put(reply(1))
        cache.put(reply(2))
    (folder / "x.val").write_bytes(data)
    change = {
        "value": ("UPDATE Cache SET mode = 4, value = ? WHERE key = ?", (data, reply(1).key)),
        "key": ("UPDATE Cache SET key = ?, raw = 0 WHERE key = ?", (data, reply(1).key)),
        "file": (
            "UPDATE Cache SET mode = 4, filename = ?, value = NULL WHERE key = ?",
            ("x.val", reply(1).key),
        ),
        "value as raw": ("UPDATE Cache SET value = ? WHERE key = ?", (data, reply(1).key)),
    }
    with sqlite3.connect(folder / "cache.db") as other:
        other.execute(*change[column])
    with ReplyCache(folder) as cache:
        assert cache.get(reply(1).key) is None
        assert cache.get(reply(2).key) == reply(2)
        assert list(cache.texts())[-1][0] == reply(2).key
        assert any("not read" in note or "damaged" in note for note in cache.notes)
        cache.put(reply(1))
        cache.flush()
        assert cache.get(reply(1).key) == reply(1)
    assert not bomb.exists()


def test_a_tampered_settings_table_is_quarantined(tmp_path):
    with ReplyCache(tmp_path) as cache:
        cache.put(reply(1))
    with sqlite3.connect(tmp_path / "cache.db") as other:
        other.execute("INSERT INTO Settings VALUES ('sqlite_writable_schema', 1)")
    with ReplyCache(tmp_path) as cache:
        assert "sqlite_writable_schema" in cache.notes[0]
        assert cache.get(reply(1).key) == reply(1)


def test_a_damaged_page_costs_only_its_rows(tmp_path):
    with ReplyCache(tmp_path) as cache:
        for number in range(400):
            cache.put(reply(number, str(number) * 50))
    path = tmp_path / "cache.db"
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    with ReplyCache(tmp_path) as cache:
        assert len(cache.notes) == 1
        assert "quarantine" in cache.notes[0]
        kept = [number for number in range(400) if cache.get(reply(number).key)]
        assert 200 < len(kept) < 400
        cache.put(reply(999))
    assert (tmp_path / "quarantine" / "1" / "cache.db").exists()
    with ReplyCache(tmp_path) as cache:
        assert cache.notes == []
        assert cache.get(reply(999).key) == reply(999)
        assert len(cache) == len(kept) + 1


def test_a_file_that_is_no_database_is_moved_aside(tmp_path):
    (tmp_path / "cache.db").write_bytes(b"not a database at all" * 500)
    with ReplyCache(tmp_path) as cache:
        assert "not a database" in cache.notes[0]
        cache.put(reply(1))
    with ReplyCache(tmp_path) as cache:
        assert cache.get(reply(1).key) == reply(1)


def test_a_database_damaged_while_in_use_is_mended(tmp_path):
    cache = ReplyCache(tmp_path)
    for number in range(200):
        cache.put(reply(number, str(number) * 50))
    cache.flush()
    cache._cache.close()
    with sqlite3.connect(tmp_path / "cache.db") as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path = tmp_path / "cache.db"
    data = bytearray(path.read_bytes())
    data[4096 * 8 :] = b"\x00" * (len(data) - 4096 * 8)
    path.write_bytes(data)
    for number in range(200):
        cache.get(reply(number).key)
    assert any("quarantine" in note for note in cache.notes)
    cache.put(reply(999))
    cache.close()


def test_a_locked_database_is_read_from_a_copy_and_nothing_is_lost(tmp_path):
    with ReplyCache(tmp_path) as cache:
        cache.put(reply(1))
    holder = sqlite3.connect(tmp_path / "cache.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with ReplyCache(tmp_path, lock_timeout=0.1) as cache:
        assert "locked" in cache.notes[0]
        assert cache.get(reply(1).key) == reply(1)
        cache.put(reply(2))
    holder.execute("ROLLBACK")
    holder.close()
    with ReplyCache(tmp_path) as cache:
        assert cache.get(reply(2).key) == reply(2)
    assert not list(tmp_path.glob("overflow*"))


def test_a_lock_during_the_run_loses_nothing(tmp_path):
    with ReplyCache(tmp_path, lock_timeout=0.1) as cache:
        holder = sqlite3.connect(tmp_path / "cache.db", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        cache.put(reply(1))
        cache.flush()
        holder.close()
        assert "locked" in cache.notes[0]
    with ReplyCache(tmp_path) as cache:
        assert cache.get(reply(1).key) == reply(1)


def test_a_full_disk_stops_with_one_line(tmp_path):
    cache = ReplyCache(tmp_path)
    cache.put(reply(1))
    cache.flush()
    # SQLite's own error for a full disk, from its own limit; the writing thread has its connection.
    pages = cache._cache._sql("PRAGMA page_count").fetchone()[0]
    cache._cache._sql(f"PRAGMA max_page_count = {pages}")
    for number in range(2, 200):
        cache._pending[reply(number).key] = os.urandom(4000).hex()
    with pytest.raises(StorageError, match="full") as caught:
        cache.flush()
    assert "\n" not in str(caught.value)
    cache._pending.clear()
    cache.close()
    with ReplyCache(tmp_path) as cache:
        assert cache.notes == []
        assert cache.keys() == [reply(1).key]


def test_a_read_only_database_stops_with_one_line(tmp_path):
    cache = ReplyCache(tmp_path)
    cache._cache._sql("PRAGMA query_only = 1")
    cache._pending[reply(1).key] = "{}"
    with pytest.raises(StorageError, match="readonly"):
        cache.flush()
    cache._pending.clear()
    cache.close()


def test_an_error_of_the_writing_thread_reaches_the_caller(tmp_path, monkeypatch):
    cache = ReplyCache(tmp_path, write_every=0.01)

    def refuse(batch):
        raise cache._refused(sqlite3.OperationalError("database or disk is full"))

    monkeypatch.setattr(cache, "_store", refuse)
    cache.put(reply(1))
    cache._thread.join(5)
    with pytest.raises(StorageError, match="disk is full"):
        cache.put(reply(2))
    with pytest.raises(StorageError, match="disk is full"):
        cache.close()


WRITER = """
import sys, time
from pathlib import Path
sys.path.insert(0, {src!r})
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.records import Reply, Requested, Served
cache = ReplyCache(Path(sys.argv[1]))
start, count = int(sys.argv[2]), int(sys.argv[3])
for number in range(start, start + count):
    key = f"{{number:064x}}"
    cache.put(Reply(key=key, requested=Requested(model="m"), served=Served(), text="4"))
    print(number, flush=True)
    time.sleep(0.002)
cache.close()
"""


def writer(folder, start, count):
    script = WRITER.format(src=str(Path(__file__).parents[2] / "src"))
    return subprocess.Popen(
        [sys.executable, "-c", script, str(folder), str(start), str(count)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_kill_loses_at_most_a_second(tmp_path):
    process = writer(tmp_path, 0, 10_000)
    written = []
    for line in process.stdout:
        written.append((time.monotonic(), int(line)))
        if written[-1][0] - written[0][0] > 1.5:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    end = time.monotonic()
    with ReplyCache(tmp_path) as cache:
        assert cache.notes == []
        due = [number for at, number in written if at < end - 1.0]
        assert due
        assert all(cache.get(reply(number).key) for number in due)


def test_two_processes_write_one_cache(tmp_path):
    processes = [writer(tmp_path, start, 150) for start in (0, 100)]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    with ReplyCache(tmp_path) as cache:
        assert len(cache) == 250


def test_the_key_takes_no_account_of_order_and_all_of_content():
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "temperature": 0}
    key = reply_key(body, "t", 0)
    assert key == reply_key(dict(reversed(body.items())), "t", 0)
    assert len({key, reply_key(body, "u", 0), reply_key(body, "t", 1)}) == 3
    assert reply_key({**body, "temperature": 0.1}, "t", 0) != key
