"""Has this exact question been answered before, and is the answer safe on the disk?

A reply is stored under the SHA-256 of everything that can change it, and nothing else
(`reply_key`). The raw reply is stored, so that grades can be read from it again by a better
parser. Errors are never stored; nothing expires and nothing is evicted.

Replies are written in batches by a thread of the cache, each batch one transaction, at the latest
`WRITE_EVERY` seconds after they arrive: a killed process loses no more than that. A damaged
database is moved to `quarantine/`, what is readable of it is kept, and the work goes on. Where
another process keeps the database locked, replies go to `overflow-*.jsonl` beside it and are taken
in at the next opening. Several processes may use one cache at once.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import diskcache
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from judgeprobe.errors import StorageError
from judgeprobe.llm.disk import (
    DATABASE,
    TextDisk,
    UnsafeEntryError,
    damage,
    is_lock,
    locked,
    move_aside,
    overflowed,
    salvage,
    write_overflow,
)
from judgeprobe.records import Reply, content_hash

__all__ = ["ReplyCache", "read_reply", "reply_json", "reply_key"]

WRITE_EVERY = 0.25
BATCH = 512
LOCK_TIMEOUT = 10.0
_FORM = "raw = 1 AND mode = 1 AND filename IS NULL AND typeof(key) = 'text'"


def reply_key(
    body: Mapping[str, Any], template_hash: str, repetition: int, *, run: str = ""
) -> str:
    """The cache key of one call: SHA-256 of canonical JSON, 64 hex digits.

    Args:
        body: The request's canonical content (`Request.body()`): model, provider pin, messages or
            prompt, sampling, response format, extra body.
        template_hash: Hash of the prompt file the messages were made from.
        repetition: 0 for the first; a further repetition asks anew.
        run: Label of the run; another label asks anew.
    """
    content = {"body": body, "template": template_hash, "repetition": repetition}
    return content_hash({**content, "run": run} if run else content)


def reply_json(reply: Reply) -> str:
    """A reply as JSON, in ASCII where it holds half of a surrogate pair, which UTF-8 cannot say."""
    try:
        return reply.model_dump_json()
    except PydanticSerializationError:
        return json.dumps(reply.model_dump())


def read_reply(text: str) -> Reply:
    """The reply that `reply_json` wrote.

    Raises:
        ValueError: It is none (pydantic's ValidationError is a ValueError).
    """
    try:
        return Reply.model_validate_json(text)
    except ValidationError:
        # pydantic's own JSON reader refuses half of a surrogate pair; Python's takes it.
        return Reply.model_validate(json.loads(text))


class ReplyCache:
    """Replies on the disk, by key.

    Args:
        folder: Where the database lies; made where missing.
        write_every: Most seconds a reply waits in memory.
        lock_timeout: Seconds to wait for another process's lock.

    Attributes:
        notes: One line for everything that had to be mended or was refused.
        unreadable: Keys of entries that were looked up and could not be read.

    Raises:
        StorageError: The folder cannot be written, or the disk is full.
    """

    def __init__(
        self, folder: Path, *, write_every: float = WRITE_EVERY, lock_timeout: float = LOCK_TIMEOUT
    ) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.unreadable: set[str] = set()
        self._write_every = write_every
        self._lock_timeout = lock_timeout
        self._pending: dict[str, str] = {}
        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._writing = threading.Lock()
        self._closed = False
        self._error: StorageError | None = None
        self._overflows = 0
        self._read_only = False
        self._cache = self._open()
        self._thread: threading.Thread | None = None

    # --- opening and mending ---

    def _open(self) -> diskcache.Cache:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._refused(error) from None
        wrong = damage(self.folder)
        if wrong:
            return self._mend(wrong)
        if locked(self.folder, self._lock_timeout):
            aside = move_aside(self.folder, copy=True)
            self.notes.append(
                f"{self.folder / DATABASE}: another process keeps it locked; replies are read from "
                f"a copy ({aside}), and new ones are kept beside it until it is free"
            )
            self._read_only = True
            return self._connect(aside)
        cache = self._connect(self.folder)
        for rows in overflowed(self.folder):
            with cache.transact():
                for key, text in rows:
                    cache.set(key, text)
        return cache

    def _connect(self, folder: Path) -> diskcache.Cache:
        try:
            return diskcache.Cache(
                str(folder),
                timeout=self._lock_timeout,
                disk=TextDisk,
                eviction_policy="none",
                cull_limit=0,
                statistics=0,
                size_limit=1 << 62,
                tag_index=0,
            )
        except (sqlite3.Error, OSError, diskcache.Timeout) as error:
            raise self._refused(error) from None

    def _mend(self, wrong: str) -> diskcache.Cache:
        aside = move_aside(self.folder)
        cache = self._connect(self.folder)
        rows = list(salvage(aside / DATABASE))
        with cache.transact():
            for key, text in rows:
                cache.set(key, text)
        self.notes.append(
            f"{self.folder / DATABASE}: damaged ({wrong}); moved to {aside}; "
            f"{len(rows)} replies could be read and were kept"
        )
        return cache

    # --- reading ---

    def get(self, key: str) -> Reply | None:
        """The stored reply, or None.

        Raises:
            StorageError: The disk refused, now or in an earlier write.
        """
        text = self.text(key)
        if text is None:
            return None
        try:
            return read_reply(text)
        except ValueError:
            self._unreadable(key, "is no reply; it was not read")
            return None

    def text(self, key: str) -> str | None:
        """The stored text, or None where there is none that can be read.

        Raises:
            StorageError: The disk refused, now or in an earlier write.
        """
        self._raise_pending_error()
        with self._lock:
            waiting = self._pending.get(key)
        if waiting is not None:
            return waiting
        try:
            found = self._cache.get(key)
        except UnsafeEntryError as error:
            self._unreadable(key, str(error))
            return None
        except sqlite3.OperationalError as error:
            if is_lock(error):
                return None
            raise self._refused(error) from None
        except sqlite3.DatabaseError as error:
            self._remake(str(error))
            return self.text(key)
        return found if isinstance(found, str) else None

    def _remake(self, wrong: str) -> None:
        with self._writing:
            self._cache.close()
            self._cache = self._mend(wrong)

    def _unreadable(self, key: str, why: str) -> None:
        self.unreadable.add(key)
        self._note(f"{self.folder / DATABASE}: entry {key[:12]}: {why}")

    def _note(self, line: str) -> None:
        if line not in self.notes:
            self.notes.append(line)

    def __contains__(self, key: str) -> bool:
        return key in self.present([key])

    def present(self, keys: Sequence[str]) -> set[str]:
        """The keys that have an entry in the one form that is read.

        Raises:
            StorageError: The disk refused, now or in an earlier write.
        """
        self._raise_pending_error()
        with self._lock:
            found = {key for key in keys if key in self._pending}
        marks = ",".join("?" * len(keys))
        query = f"SELECT key FROM Cache WHERE {_FORM} AND key IN ({marks})"
        try:
            found |= {key for (key,) in self._cache._con.execute(query, list(keys)).fetchall()}
        except sqlite3.OperationalError as error:
            if not is_lock(error):
                raise self._refused(error) from None
        except sqlite3.DatabaseError as error:
            self._remake(str(error))
            return self.present(keys)
        return found

    def __len__(self) -> int:
        self.flush()
        return len(self._cache)

    def keys(self) -> list[str]:
        """Every key, sorted."""
        self.flush()
        found = []
        connection = self._cache._con
        for key, raw in connection.execute("SELECT key, raw FROM Cache").fetchall():
            try:
                found.append(self._cache.disk.get(key, raw))
            except UnsafeEntryError as error:
                self._note(f"{self.folder / DATABASE}: {error}")
        return sorted(found)

    def stored(self) -> set[str]:
        """Every key that has an entry in the one form that is read; what it says is not looked at.

        Raises:
            StorageError: The disk refused.
        """
        self.flush()
        try:
            rows = self._cache._con.execute(f"SELECT key FROM Cache WHERE {_FORM}").fetchall()
        except sqlite3.OperationalError as error:
            raise self._refused(error) from None
        except sqlite3.DatabaseError as error:
            self._remake(str(error))
            return self.stored()
        return {key for (key,) in rows}

    def texts(self) -> Iterator[tuple[str, str | None]]:
        """(key, stored text) in the order of the keys; None where the entry is unreadable."""
        for key in self.keys():
            yield key, self.text(key)

    # --- writing ---

    def put(self, reply: Reply) -> None:
        """Keep a reply; it is on the disk within `write_every` seconds.

        Raises:
            StorageError: An earlier write failed.
        """
        self.put_text(reply.key, reply_json(reply))

    def put_text(self, key: str, text: str) -> None:
        """Keep a reply given as its JSON."""
        self._raise_pending_error()
        with self._wake:
            if self._closed:
                raise StorageError(f"{self.folder}: the cache is closed")
            self._pending[key] = text
            self.unreadable.discard(key)
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_loop, daemon=True, name="cache")
                self._thread.start()
            if len(self._pending) == 1 or len(self._pending) >= BATCH:
                self._wake.notify()

    def _write_loop(self) -> None:
        while True:
            with self._wake:
                while not self._pending and not self._closed:
                    self._wake.wait()
                if self._closed:
                    return
                end = time.monotonic() + self._write_every
                while len(self._pending) < BATCH and not self._closed:
                    left = end - time.monotonic()
                    if left <= 0 or not self._wake.wait(left):
                        break
            try:
                self._write()
            except StorageError as error:
                self._error = error
                return

    def flush(self) -> None:
        """Write what waits, now.

        Raises:
            StorageError: The disk refused.
        """
        self._raise_pending_error()
        self._write()

    def _write(self) -> None:
        with self._writing:
            with self._lock:
                batch = dict(self._pending)
            if not batch:
                return
            self._store(batch)
            with self._lock:
                for key, text in batch.items():
                    if self._pending.get(key) is text:
                        del self._pending[key]

    def _store(self, batch: Mapping[str, str]) -> None:
        if self._read_only:
            self._overflow(batch)
            return
        try:
            with self._cache.transact():
                for key, text in batch.items():
                    self._cache.set(key, text)
        except diskcache.Timeout as error:
            if error.__context__ is not None and not is_lock(error.__context__):
                raise self._refused(error.__context__) from None
            self._overflow(batch)
        except sqlite3.OperationalError as error:
            raise self._refused(error) from None
        except sqlite3.DatabaseError as error:
            self._cache.close()
            self._cache = self._mend(str(error))
            with self._cache.transact():
                for key, text in batch.items():
                    self._cache.set(key, text)

    def _overflow(self, batch: Mapping[str, str]) -> None:
        self._overflows += 1
        path = write_overflow(self.folder, self._overflows, batch)
        self._note(
            f"{self.folder / DATABASE}: another process keeps it locked; new replies are in "
            f"{path.parent}/overflow-*.jsonl and are taken in at the next run"
        )

    def delete(self, keys: Iterable[str]) -> int:
        """Remove entries; the number removed.

        Raises:
            StorageError: The disk refused.
        """
        self.flush()
        removed = 0
        try:
            with self._cache.transact():
                for key in keys:
                    removed += bool(self._cache.delete(key))
        except (sqlite3.Error, diskcache.Timeout) as error:
            raise self._refused(error.__context__ or error) from None
        return removed

    def _raise_pending_error(self) -> None:
        if self._error is not None:
            raise self._error

    def _refused(self, error: BaseException) -> StorageError:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return StorageError(
            f"{self.folder / DATABASE}: cannot be written ({reason.lower()}); what was stored "
            "before is kept; free space or make the folder writable, and run again"
        )

    def close(self) -> None:
        """Write what waits and let go of the database.

        Raises:
            StorageError: The disk refused.
        """
        try:
            if not self._closed:
                self.flush()
        finally:
            with self._wake:
                self._closed = True
                self._wake.notify_all()
            self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
