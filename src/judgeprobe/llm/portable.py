"""How do a study's replies travel, and are those in a cache whole?

One gzip file of JSON lines: a header, then one entry a line in the order of the keys. The same
replies give the same bytes. An importing reader needs no key and no call to reproduce a study.
Nothing in the file is run or unpickled; an entry that is no reply is refused and counted.
"""

import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.files import write_bytes
from judgeprobe.llm.cache import ReplyCache, read_reply
from judgeprobe.records import Reply

__all__ = [
    "Contents",
    "ImportCounts",
    "contents",
    "export_cache",
    "exported",
    "import_cache",
    "whole_reply",
]

FORMAT = "judgeprobe-replies"
VERSION = 1
_KEY = re.compile(r"[0-9a-f]{64}\Z")
_LONGEST_LINE = 64 * 1024 * 1024


@dataclass(frozen=True)
class Contents:
    """What a cache holds.

    Attributes:
        replies: Entries that are whole.
        unreadable: Keys of those that are not.
        models: Replies by the model asked for.
        served: Replies by the model that answered.
        usd: Sum of the known costs, US dollars.
        unpriced: Replies whose cost is not known.
    """

    replies: int
    unreadable: tuple[str, ...]
    models: dict[str, int]
    served: dict[str, int]
    usd: float
    unpriced: int


@dataclass(frozen=True)
class ImportCounts:
    """What an import did.

    Attributes:
        added: Entries that were new.
        present: Entries that were there already, equal.
        kept: Entries that were there with another reply, which was kept.
    """

    added: int
    present: int
    kept: int


def contents(cache: ReplyCache) -> Contents:
    """Read every entry of a cache and count."""
    unreadable: list[str] = []
    models: Counter[str] = Counter()
    served: Counter[str] = Counter()
    usd, unpriced = 0.0, 0
    for key, text in cache.texts():
        reply = whole_reply(key, text)
        if reply is None:
            unreadable.append(key)
            continue
        models[reply.requested.model] += 1
        served[reply.served.model] += 1
        usd += reply.cost or 0.0
        unpriced += reply.cost is None
    return Contents(
        replies=models.total(),
        unreadable=tuple(unreadable),
        models=dict(sorted(models.items())),
        served=dict(sorted(served.items())),
        usd=usd,
        unpriced=unpriced,
    )


def whole_reply(key: str, text: str | None) -> Reply | None:
    """The reply that lies under a key, or None where the entry is no reply of that key."""
    if text is None or not _KEY.match(key):
        return None
    try:
        reply = read_reply(text)
    except ValueError:
        return None
    return reply if reply.key == key else None


def export_cache(cache: ReplyCache, path: Path, keys: Iterable[str] | None = None) -> int:
    """Write replies to one file; the number written.

    Args:
        cache: Where they are taken from.
        path: The file.
        keys: Which to take; every one where None. One that is not there is left out.

    Raises:
        InputError: An entry is unreadable.
        StorageError: The disk refused.
    """
    chosen = None if keys is None else set(keys)
    buffer = io.BytesIO()
    count = 0
    # No name and no time in the header, so that equal replies give equal bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0, compresslevel=6) as file:
        file.write(_line({"format": FORMAT, "version": VERSION}))
        for key, text in cache.texts():
            if chosen is not None and key not in chosen:
                continue
            reply = whole_reply(key, text)
            if reply is None:
                raise InputError(
                    f"entry {key[:12]} is unreadable",
                    file=cache.folder,
                    remedy="remove it with: judgeprobe cache prune",
                )
            file.write(_line(reply.model_dump()))
            count += 1
    write_bytes(path, buffer.getvalue())
    return count


def _line(value: Any) -> bytes:
    # ASCII: a reply may hold half of a surrogate pair, which UTF-8 cannot say.
    return (json.dumps(value, sort_keys=True) + "\n").encode()


def import_cache(cache: ReplyCache, path: Path) -> ImportCounts:
    """Take in the replies of a file; a reply that is there already is kept.

    The whole file is checked before the first reply is taken in.

    Raises:
        InputError: It is not such a file, is cut off, or a line is no reply.
        StorageError: The disk refused.
    """
    for _ in _entries(path):
        pass
    added = present = kept = 0
    for reply in _entries(path):
        found = cache.get(reply.key)
        if found is None:
            cache.put(reply)
            added += 1
        elif found == reply:
            present += 1
        else:
            kept += 1
    cache.flush()
    return ImportCounts(added, present, kept)


def _entries(path: Path) -> Iterator[Reply]:
    for row, _, reply in exported(path):
        if reply is None:
            raise InputError("is no reply", file=path, row=row, remedy="export it again")
        yield reply


def exported(path: Path) -> Iterator[tuple[int, str, Reply | None]]:
    """(row, key as it is written, reply) of every row of such a file; None where it is no reply.

    Raises:
        InputError: It is not such a file, is cut off, or a row is not JSON.
    """
    try:
        with gzip.open(path, "rb") as file:
            header = _parsed(file.readline(_LONGEST_LINE), path, None)
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise InputError(
                    "holds no judgeprobe replies",
                    file=path,
                    remedy="make one with: judgeprobe cache export",
                )
            if header.get("version") != VERSION:
                raise InputError(
                    f"has version {header.get('version')}; this judgeprobe reads {VERSION}",
                    file=path,
                    remedy="install a newer judgeprobe",
                )
            row = 0
            while line := file.readline(_LONGEST_LINE):
                row += 1
                value = _parsed(line, path, row)
                key = value.get("key", "") if isinstance(value, dict) else ""
                yield row, str(key), whole_reply(str(key), json.dumps(value))
    except FileNotFoundError:
        raise InputError("is not there", file=path, remedy="check the name") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            f"is damaged or no export ({error})", file=path, remedy="copy it again"
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", file=path) from None


def _parsed(line: bytes, path: Path, row: int | None) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("is not JSON", file=path, row=row, remedy="export it again") from None
