"""How does a reply lie on the disk, so that reading a foreign cache can never run code?

diskcache's own `Disk` pickles what is no plain value, and unpickling executes what the file says
(CVE-2025-69872). With `TextDisk` the key is text and the value is JSON inside the database: as text
where it is short, compressed with zlib where it is not. A row in any other form is refused, on
writing and on reading, and no file name of a row is ever followed.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from diskcache import core

from judgeprobe.errors import StorageError
from judgeprobe.files import write_bytes

__all__ = [
    "DATABASE",
    "TextDisk",
    "UnsafeEntryError",
    "damage",
    "is_lock",
    "locked",
    "move_aside",
    "overflowed",
    "salvage",
    "write_overflow",
]

DATABASE = "cache.db"
_SHORT = 1024
_SETTINGS = set(core.DEFAULT_SETTINGS) | set(core.METADATA)


class UnsafeEntryError(StorageError):
    """A row of a cache is in a form that is not read."""


class TextDisk(core.Disk):  # type: ignore[misc]
    """Text keys and compressed text values; nothing else goes in or comes out."""

    def put(self, key: Any) -> tuple[str, bool]:
        """The database form of a key."""
        if type(key) is not str:
            raise UnsafeEntryError(f"a cache key must be text; got {type(key).__name__}")
        return key, True

    def get(self, key: Any, raw: Any) -> str:
        """The key of a row."""
        if not raw or type(key) is not str:
            raise UnsafeEntryError("a row's key is not text; it was not read")
        return key

    def store(
        self,
        value: Any,
        read: Any,
        key: Any = None,  # noqa: ARG002
    ) -> tuple[int, int, None, str | bytes]:
        """The database form of a value."""
        if read or type(value) is not str:
            raise UnsafeEntryError(f"a cached value must be text; got {type(value).__name__}")
        return 0, core.MODE_RAW, None, pack(value)

    def fetch(self, mode: Any, filename: Any, value: Any, read: Any) -> str:
        """The value of a row."""
        if mode != core.MODE_RAW or filename is not None or read:
            raise UnsafeEntryError("a row is a pickle or a file, not text; it was not read")
        return unpack(value)


def pack(value: str) -> str | bytes:
    """The form of a value in the database."""
    # Below this length compressing takes longer than writing the row.
    if len(value) < _SHORT and value.isascii():
        return value
    return zlib.compress(value.encode("utf-8", "surrogatepass"), 3)


def unpack(value: Any) -> str:
    """The value of such a form.

    Raises:
        UnsafeEntryError: It is not what `pack` makes, or was damaged.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, bytes):
        raise UnsafeEntryError("a row is neither text nor compressed text; it was not read")
    try:
        return zlib.decompress(value).decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise UnsafeEntryError(f"a row is damaged ({error})") from None


def damage(folder: Path) -> str:
    """What is wrong with a cache's database, or "" where it can be used (or is not there).

    Raises:
        StorageError: It cannot be read at all (permissions).
    """
    path = folder / DATABASE
    if not path.exists():
        return ""
    try:
        path.open("rb").close()
    except OSError as error:
        raise StorageError(
            f"{path}: cannot be read ({(error.strerror or str(error)).lower()})"
        ) from None
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=1.0)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                return str(verdict)
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not {"Settings", "Cache"} <= {name for (name,) in tables}:
                # A process that was killed while it made the file; diskcache makes what is missing.
                return ""
            unknown = {key for (key,) in connection.execute("SELECT key FROM Settings")} - _SETTINGS
            return f"unknown setting {sorted(map(str, unknown))[0]!r}" if unknown else ""
    except sqlite3.OperationalError as error:
        return "" if is_lock(error) else str(error)
    except sqlite3.DatabaseError as error:
        return str(error)


def is_lock(error: BaseException) -> bool:
    """Whether an SQLite error says that another process holds the database."""
    return "locked" in str(error) or "busy" in str(error)


def locked(folder: Path, timeout: float) -> bool:
    """Whether another process keeps the database from being written for `timeout` seconds."""
    path = folder / DATABASE
    if not path.exists():
        return False
    try:
        with contextlib.closing(
            sqlite3.connect(path, timeout=timeout, isolation_level=None)
        ) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        return is_lock(error)
    return False


def move_aside(folder: Path, *, copy: bool = False) -> Path:
    """Move (or copy) the database with its journals to `quarantine/N/`; return that folder.

    Raises:
        StorageError: The folder cannot be written.
    """
    number = 1
    try:
        while True:
            aside = folder / "quarantine" / f"{number}"
            try:
                aside.mkdir(parents=True)
                break
            except FileExistsError:
                number += 1
        for ending in ("", "-wal", "-shm"):
            source = folder / f"{DATABASE}{ending}"
            if source.exists() and copy:
                shutil.copyfile(source, aside / source.name)
            elif source.exists():
                os.replace(source, aside / source.name)  # noqa: PTH105
    except OSError as error:
        raise StorageError(
            f"{folder}: the damaged cache cannot be moved aside "
            f"({(error.strerror or str(error)).lower()}); make the folder writable"
        ) from None
    return aside


def salvage(database: Path) -> Iterator[tuple[str, str]]:
    """(key, text) of every row that can still be read, in the order of the rows."""
    with contextlib.closing(sqlite3.connect(database, timeout=1.0)) as connection:
        connection.text_factory = bytes
        row = 0
        last = _last_row(connection)
        while last is None or row < last:
            try:
                found = connection.execute(
                    "SELECT rowid, key, typeof(value), mode, filename, value "
                    "FROM Cache NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT 1",
                    (row,),
                ).fetchone()
            except sqlite3.DatabaseError:
                if last is None:
                    return
                # The page of the next row is damaged; try the one after.
                row += 1
                continue
            if found is None:
                return
            number, key, kind, mode, filename, value = found
            if number <= row:
                # A damaged page gives rows out of order, over and over; look past it.
                row += 1
                continue
            row = number
            if mode != core.MODE_RAW or filename is not None:
                continue
            with contextlib.suppress(UnsafeEntryError, UnicodeDecodeError, AttributeError):
                yield key.decode(), value.decode() if kind == b"text" else unpack(value)


def _last_row(connection: sqlite3.Connection) -> int | None:
    try:
        (last,) = connection.execute("SELECT MAX(rowid) FROM Cache NOT INDEXED").fetchone()
    except sqlite3.DatabaseError:
        return None
    return int(last or 0)


def write_overflow(folder: Path, number: int, rows: Mapping[str, str]) -> Path:
    """Keep rows beside a database that another process has locked; the file.

    Raises:
        StorageError: The folder cannot be written.
    """
    path = folder / f"overflow-{os.getpid()}-{number}.jsonl"
    write_bytes(path, "".join(f"{json.dumps(row)}\n" for row in rows.items()).encode())
    return path


def overflowed(folder: Path) -> Iterator[list[tuple[str, str]]]:
    """The rows of each overflow file; a file goes once the caller has taken its rows in."""
    for path in sorted(folder.glob("overflow-*.jsonl")):
        # The name is claimed first: another process may be doing the same.
        taken = path.with_suffix(f".{os.getpid()}")
        try:
            path.rename(taken)
        except FileNotFoundError:
            continue
        rows = []
        for line in taken.read_text(encoding="utf-8").split("\n"):
            with contextlib.suppress(ValueError):
                key, text = json.loads(line)
                rows.append((str(key), str(text)))
        yield rows
        taken.unlink()
