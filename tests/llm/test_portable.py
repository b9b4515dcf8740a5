"""Replies that travel as one file: the same bytes, nothing executed, nothing half taken in."""

import gzip
import json

import pytest

from judgeprobe.errors import InputError
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.portable import contents, export_cache, import_cache
from judgeprobe.records import Reply, Requested, Served


def reply(number: int, text: str = "4") -> Reply:
    return Reply(
        key=f"{number:064x}",
        requested=Requested(model=f"m{number % 2}"),
        served=Served(model="s"),
        text=text,
        cost=None if number == 0 else 0.5,
    )


@pytest.fixture
def cache(tmp_path):
    with ReplyCache(tmp_path / "cache") as found:
        for number in (3, 0, 2, 1):
            found.put(reply(number, f"{number} \u2713\n"))
        yield found


def test_what_is_exported_comes_back(cache, tmp_path):
    assert export_cache(cache, tmp_path / "r.gz") == 4
    with ReplyCache(tmp_path / "other") as other:
        assert import_cache(other, tmp_path / "r.gz").added == 4
        assert list(other.texts()) == list(cache.texts())
        counts = import_cache(other, tmp_path / "r.gz")
        assert (counts.added, counts.present, counts.kept) == (0, 4, 0)
        export_cache(other, tmp_path / "r2.gz")
    assert (tmp_path / "r.gz").read_bytes() == (tmp_path / "r2.gz").read_bytes()


def test_only_the_keys_asked_for(cache, tmp_path):
    wanted = {reply(1).key, reply(2).key, "f" * 64}
    assert export_cache(cache, tmp_path / "r.gz", wanted) == 2


def test_a_reply_that_is_there_is_kept(cache, tmp_path):
    export_cache(cache, tmp_path / "r.gz")
    with ReplyCache(tmp_path / "other") as other:
        other.put(reply(1, "mine"))
        counts = import_cache(other, tmp_path / "r.gz")
        assert (counts.added, counts.kept) == (3, 1)
        assert other.get(reply(1).key).text == "mine"


def test_contents_are_counted(cache):
    cache.put_text("f" * 64, "no reply")
    cache.put_text("e" * 64, reply(5).model_dump_json())
    found = contents(cache)
    assert found.replies == 4
    assert set(found.unreadable) == {"f" * 64, "e" * 64}
    assert found.models == {"m0": 2, "m1": 2}
    assert (found.usd, found.unpriced) == (1.5, 1)


def lines(path):
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows[1:], "holds no judgeprobe replies"),
        (lambda rows: [rows[0].replace('"version": 1', '"version": 2'), *rows[1:]], "version 2"),
        (lambda rows: [*rows[:2], "{", *rows[2:]], "row 2: is not JSON"),
        (lambda rows: [*rows[:2], "{}", *rows[2:]], "row 2: is no reply"),
        (lambda rows: [*rows, rows[1].replace("000000", "zzzzzz")], "row 5: is no reply"),
        (lambda rows: [*rows, json.dumps(["pickle"])], "row 5: is no reply"),
    ],
)
def test_a_wrong_file_is_named_and_nothing_is_taken_in(cache, tmp_path, change, words):
    path = tmp_path / "r.gz"
    export_cache(cache, path)
    path.write_bytes(gzip.compress("".join(f"{row}\n" for row in change(lines(path))).encode()))
    with ReplyCache(tmp_path / "other") as other:
        with pytest.raises(InputError, match=words):
            import_cache(other, path)
        assert other.keys() == []


def test_a_file_cut_short_or_of_another_kind(cache, tmp_path):
    path = tmp_path / "r.gz"
    export_cache(cache, path)
    data = path.read_bytes()
    with ReplyCache(tmp_path / "other") as other:
        for wrong in (data[: len(data) // 2], b"not gzip", data[:40] + b"\x00" * 20 + data[60:]):
            path.write_bytes(wrong)
            with pytest.raises(InputError, match=r"damaged|is no"):
                import_cache(other, path)
        with pytest.raises(InputError, match="is not there"):
            import_cache(other, tmp_path / "missing.gz")
        assert other.keys() == []
