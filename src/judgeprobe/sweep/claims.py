"""Which of several sweeps of one study makes a call?

Each running sweep holds a lock on a file of its own, which the system lets go when the process
ends, however it ends. Before a call is sent its key is claimed in a small database beside the
cache. A key claimed by a sweep that still runs is left to it; one claimed by a sweep that is gone
is free. Nothing here is needed to read a cache; the folder may be deleted when no sweep runs.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from judgeprobe.errors import InputError, StorageError

try:
    import fcntl
except ImportError:  # pragma: no cover - no such locks on this system
    fcntl = None  # type: ignore[assignment]

__all__ = ["Claims", "exclusive"]

_MOST_SWEEPS = 64


class Claims:
    """The calls that this sweep has claimed.

    Args:
        folder: The cache's folder.

    Raises:
        StorageError: The folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "claims"
        self._slot = -1
        self._lock: IO[bytes] | None = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._take_slot()
            self._database = sqlite3.connect(
                self._folder / "claims.db", timeout=10.0, isolation_level=None
            )
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = OFF")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS claims "
                "(key TEXT PRIMARY KEY, slot INTEGER) WITHOUT ROWID"
            )
            # What an earlier holder of this slot left is nobody's.
            self._database.execute("DELETE FROM claims WHERE slot = ?", (self._slot,))
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise StorageError(f"{self._folder}: cannot be written ({reason.lower()})") from None

    def _take_slot(self) -> None:
        for slot in range(_MOST_SWEEPS):
            file = (self._folder / f"{slot}.lock").open("ab")
            if fcntl is None or _try_lock(file):
                self._slot, self._lock = slot, file
                return
            file.close()
        raise StorageError(f"{self._folder}: {_MOST_SWEEPS} sweeps run already; stop one of them")

    def others(self) -> set[int]:
        """Slots of the other sweeps that run now."""
        if fcntl is None:
            return set()
        found = set()
        for path in self._folder.glob("*.lock"):
            slot = int(path.stem)
            if slot == self._slot:
                continue
            with path.open("ab") as file:
                if not _try_lock(file):
                    found.add(slot)
        return found

    def take(self, keys: Sequence[str]) -> set[str]:
        """Claim some calls; those that are this sweep's now. The others are another's."""
        marks = ",".join("?" * len(keys))
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany(
                    "INSERT OR IGNORE INTO claims VALUES (?, ?)",
                    [(key, self._slot) for key in keys],
                )
                rows = self._database.execute(
                    f"SELECT key, slot FROM claims WHERE key IN ({marks})", list(keys)
                ).fetchall()
                taken = {key for key, slot in rows if slot == self._slot}
                if len(taken) < len(keys):
                    taken |= self._take_over(rows)
            finally:
                self._database.execute("COMMIT")
        except sqlite3.OperationalError:
            # Locked or full: a call made twice is better than one that is never made.
            return set(keys)
        return taken

    def _take_over(self, rows: Iterable[tuple[str, int]]) -> set[str]:
        """Claim what sweeps hold that run no more."""
        running = {*self.others(), self._slot}
        free = {key for key, slot in rows if slot not in running}
        self._database.executemany(
            "UPDATE claims SET slot = ? WHERE key = ?", [(self._slot, key) for key in free]
        )
        return free

    def give_back(self, keys: Iterable[str]) -> None:
        """Let go of claims whose calls gave no reply."""
        with contextlib.suppress(sqlite3.OperationalError):
            self._database.executemany(
                "DELETE FROM claims WHERE key = ? AND slot = ?", [(key, self._slot) for key in keys]
            )

    def close(self) -> None:
        """Let go of every claim and of the slot."""
        with contextlib.suppress(sqlite3.Error):
            self._database.execute("DELETE FROM claims WHERE slot = ?", (self._slot,))
        self._database.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _try_lock(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def exclusive(path: Path, otherwise: str) -> Iterator[None]:
    """Hold a lock file for as long as the block runs.

    Raises:
        InputError: Another process holds it; `otherwise` says what that process does.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        if fcntl is not None and not _try_lock(file):
            raise InputError(otherwise, file=path, remedy="wait for it to end")
        yield
