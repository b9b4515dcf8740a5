"""What replies does a shard hold, read without changing it?

A shard is a cache folder, a study folder (its cache is read), or a file that `cache export` wrote.
A cache is read row by row, so that its size is bounded by the disk alone; nothing in it is mended,
moved or locked for longer than a page of rows. Of a damaged database every row that can still be
read is given. A row that is no reply is given as such, with the reason.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from diskcache import core

from judgeprobe.errors import InputError
from judgeprobe.llm.disk import DATABASE, UnsafeEntryError, damage, salvage, unpack
from judgeprobe.llm.portable import exported, whole_reply
from judgeprobe.records import Reply

__all__ = ["REGRADES", "Entry", "Shard", "open_shard"]

# Inside a cache folder: further replies to questions that were asked more than once.
REGRADES = "regrades"
_PAGE = 512


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a shard.

    Attributes:
        place: File and key, or file and row, as a message names it.
        reply: None where the row is no reply.
        wrong: Why there is none, or "".
    """

    place: str
    reply: Reply | None
    wrong: str = ""


@dataclass(frozen=True)
class Shard:
    """A shard that is there and has a form that is read.

    Attributes:
        path: The cache folder, or the exported file.
    """

    path: Path

    def entries(self) -> Iterator[Entry]:
        """Every row once, in no order that means anything.

        Raises:
            InputError: The file is cut off, or the database cannot be opened.
        """
        if self.path.is_file():
            yield from _of_file(self.path)
            return
        for folder in (self.path, self.path / REGRADES):
            yield from _of_database(folder)
            yield from _of_overflow(folder)

    def check(self) -> None:
        """Read an exported file to its end, so that a cut one is refused before anything is done.

        Raises:
            InputError: It is damaged or no export.
        """
        if self.path.is_file():
            for _ in exported(self.path):
                pass


def open_shard(path: Path) -> Shard:
    """The shard that a path names.

    Raises:
        InputError: It is neither a cache, a study, nor a file.
    """
    if path.is_file():
        return Shard(path)
    for folder in (path / "cache", path):
        if (folder / DATABASE).is_file() and (folder == path or (path / "study.toml").is_file()):
            return Shard(folder)
    problem = "is neither a cache nor a study with one" if path.is_dir() else "is not there"
    raise InputError(
        problem, file=path, remedy="give a cache folder, a study or a file of `cache export`"
    )


def _of_file(path: Path) -> Iterator[Entry]:
    for row, key, reply in exported(path):
        wrong = "" if reply is not None else f"is no reply of the key {key[:12]!r}"
        yield Entry(f"{path}, row {row}", reply, wrong)


def _of_database(folder: Path) -> Iterator[Entry]:
    path = folder / DATABASE
    if not path.is_file():
        return
    wrong = damage(folder)
    if wrong:
        yield Entry(str(path), None, f"is damaged ({wrong}); what can still be read was taken")
        for key, text in salvage(path):
            yield _entry(path, key, text)
        return
    with contextlib.closing(_connect(path)) as connection:
        last = 0
        while rows := connection.execute(
            "SELECT rowid, key, typeof(value), mode, filename, value FROM Cache "
            "WHERE rowid > ? ORDER BY rowid LIMIT ?",
            (last, _PAGE),
        ).fetchall():
            last = rows[-1][0]
            for _, key, kind, mode, filename, value in rows:
                yield _row(path, key, kind, mode, filename, value)


def _row(
    path: Path, key: object, kind: bytes, mode: object, filename: object, value: bytes
) -> Entry:
    name = key.decode(errors="replace") if isinstance(key, bytes) else str(key)
    if mode != core.MODE_RAW or filename is not None:
        return _bad(path, name, "is a pickle or a file, not text; it was not read")
    try:
        text = value.decode() if kind == b"text" else unpack(value)
    except UnsafeEntryError as error:
        return _bad(path, name, str(error))
    except UnicodeDecodeError as error:
        return _bad(path, name, f"is damaged ({error})")
    return _entry(path, name, text)


def _entry(path: Path, name: str, text: str) -> Entry:
    # A further reply is filed under its key and a hash of its content.
    reply = whole_reply(name.partition("-")[0], text)
    if reply is None:
        return _bad(path, name, "is no reply of that key")
    return Entry(f"{path}: entry {name[:12]}", reply)


def _bad(path: Path, name: str, wrong: str) -> Entry:
    return Entry(f"{path}: entry {name[:12]}", None, wrong)


def _connect(path: Path) -> sqlite3.Connection:
    """Open a database so that nothing in it can be changed.

    Raises:
        InputError: It cannot be opened, for example in a folder that may not be written while
            replies still wait in its journal.
    """
    journal = path.with_name(f"{DATABASE}-wal")
    # SQLite wants to make a file beside a database with a journal; where nothing waits in the
    # journal the database alone is whole.
    forms = ["?mode=ro"]
    if not journal.is_file() or not journal.stat().st_size:
        forms.append("?immutable=1")
    for form in forms:
        try:
            connection = sqlite3.connect(path.resolve().as_uri() + form, uri=True, timeout=10.0)
            connection.text_factory = bytes
            connection.execute("SELECT 1 FROM Cache LIMIT 1").fetchall()
        except sqlite3.OperationalError as error:
            reason = str(error)
        else:
            return connection
    raise InputError(
        f"cannot be read ({reason})", file=path, remedy="copy its folder to a place you may write"
    )


def _of_overflow(folder: Path) -> Iterator[Entry]:
    """Replies that a run wrote beside a database that another program kept locked."""
    for path in sorted(folder.glob("overflow-*.jsonl")):
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            for row, line in enumerate(file, start=1):
                try:
                    key, text = json.loads(line)
                except (ValueError, TypeError):
                    yield Entry(f"{path}, row {row}", None, "is cut off or damaged")
                    continue
                yield _entry(path, str(key), str(text))
