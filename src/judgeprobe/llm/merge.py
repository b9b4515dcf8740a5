"""How do the caches of machines that share no disk become one, and what if two disagree?

Every reply of every shard is kept. Where one question has several, the one that arrived first (then
the one whose JSON sorts first; one without a time comes last) is the one in use, and the others lie
in `regrades/` beside it. The rule looks at the replies alone, so that the same shards give the same
cache in whatever order, at once or one after the other, and a merge made again changes nothing.

A question asked twice is a repeated measurement: equal answers and different ones both say how
steady the judge is.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from judgeprobe.llm.cache import ReplyCache, reply_json
from judgeprobe.llm.disk import DATABASE
from judgeprobe.llm.portable import whole_reply
from judgeprobe.llm.shards import REGRADES, Shard
from judgeprobe.records import Reply, content_hash

__all__ = ["Merged", "MergedCache", "Repeated", "regrade_count"]

_BLOCK = 512


@dataclass
class Merged:
    """What a merge did to the cache that it wrote into.

    Attributes:
        added: Questions that were new to it.
        present: Replies that it had already.
        kept: Further replies to questions that it had, kept beside the one in use.
        mended: Entries that could not be read and were replaced.
        unreadable: A line for each row of a shard that is no reply.
    """

    added: int = 0
    present: int = 0
    kept: int = 0
    mended: int = 0
    unreadable: list[str] = field(default_factory=list)
    _changed: set[str] = field(default_factory=set)

    @property
    def changed(self) -> int:
        """Questions that it had, whose reply in use is another, earlier one now."""
        return len(self._changed)

    def change(self, key: str) -> None:
        """Another reply is in use."""
        self._changed.add(key)


@dataclass(frozen=True)
class Repeated:
    """One question that was asked more than once.

    Attributes:
        key: Cache key.
        replies: Every reply; the first is the one in use.
        conflict: Whether two of them answer differently.
    """

    key: str
    replies: tuple[Reply, ...]
    conflict: bool


class MergedCache:
    """A cache folder with the further replies to questions that were asked more than once.

    Args:
        folder: The cache's folder; made where missing.

    Raises:
        StorageError: The folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cache = ReplyCache(folder)
        self._regrades = ReplyCache(folder / REGRADES)

    @property
    def notes(self) -> list[str]:
        """One line for everything that had to be mended in it."""
        return [*self._cache.notes, *self._regrades.notes]

    def __len__(self) -> int:
        return len(self._cache)

    def take_in(self, shards: Sequence[Shard]) -> Merged:
        """Take in every reply of some shards. Memory does not grow with their size.

        Raises:
            InputError: A shard cannot be read. What was taken in before stays.
            StorageError: The disk refused.
        """
        merged = Merged()
        replies = _replies(shards, merged)
        while block := list(itertools.islice(replies, _BLOCK)):
            self._take_block(block, merged)
        if merged.added or merged.mended:
            self._settle(merged)
        return merged

    def _take_block(self, block: Sequence[Reply], merged: Merged) -> None:
        there = self._cache.present([reply.key for reply in block])
        in_use: dict[str, Reply] = {}
        for reply in block:
            found = in_use.get(reply.key)
            if found is None and reply.key in there:
                found = self._cache.get(reply.key)
                merged.mended += found is None
            elif found is None:
                merged.added += 1
            if found is None:
                in_use[reply.key] = reply
            elif _canonical(found) == _canonical(reply):
                merged.present += 1
            else:
                first, later = sorted((found, reply), key=_order)
                name = _regrade_name(later)
                known = name in self._regrades
                merged.present += known and first is found
                merged.kept += not known
                self._regrades.put_text(name, reply_json(later))
                if first is reply:
                    in_use[reply.key] = reply
                    if reply.key in there:
                        merged.change(reply.key)
        # What gives way is on the disk before what takes its place.
        self._regrades.flush()
        for reply in in_use.values():
            self._cache.put(reply)
        self._cache.flush()

    def _settle(self, merged: Merged) -> None:
        """Where the reply in use had been lost, an earlier one may lie among the further ones."""
        for key, replies in self._groups():
            first, found = replies[0], self._cache.get(key)
            if found is not None and _canonical(found) == _canonical(first):
                continue
            if found is not None:
                self._regrades.put_text(_regrade_name(found), reply_json(found))
                self._regrades.flush()
                merged.change(key)
            self._cache.put(first)
            self._cache.flush()
            self._regrades.delete([_regrade_name(first)])

    def _groups(self) -> Iterator[tuple[str, list[Reply]]]:
        """Each key with further replies, and all its replies in their order."""
        for key, names in itertools.groupby(
            self._regrades.keys(), key=lambda name: name.partition("-")[0]
        ):
            found = self._cache.get(key)
            texts = [self._regrades.text(name) for name in names]
            replies = [whole_reply(key, text) for text in texts]
            known = {_canonical(reply): reply for reply in (found, *replies) if reply is not None}
            if known:
                yield key, sorted(known.values(), key=_order)

    def repeated(self) -> Iterator[Repeated]:
        """Every question with more than one reply, by key. Memory grows with their number alone."""
        for key, replies in self._groups():
            if len(replies) > 1:
                answers = {_answer(reply) for reply in replies}
                yield Repeated(key, tuple(replies), len(answers) > 1)

    def close(self) -> None:
        """Write what waits and let go of the databases.

        Raises:
            StorageError: The disk refused.
        """
        try:
            self._regrades.close()
        finally:
            self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def regrade_count(folder: Path) -> int:
    """Further replies that lie beside a cache's own."""
    if not (folder / REGRADES / DATABASE).is_file():
        return 0
    with ReplyCache(folder / REGRADES) as regrades:
        return len(regrades)


def _replies(shards: Iterable[Shard], merged: Merged) -> Iterator[Reply]:
    for shard in shards:
        for entry in shard.entries():
            if entry.reply is None:
                merged.unreadable.append(f"{entry.place}: {entry.wrong}")
            else:
                yield entry.reply


def _canonical(reply: Reply) -> str:
    """A reply as text that is the same for equal replies, however they were stored."""
    return json.dumps(reply.model_dump(), sort_keys=True)


def _order(reply: Reply) -> tuple[bool, str, str]:
    return not reply.at, reply.at, _canonical(reply)


def _regrade_name(reply: Reply) -> str:
    return f"{reply.key}-{content_hash(_canonical(reply))}"


def _answer(reply: Reply) -> str:
    """What was answered and by whom; not when, nor what it cost."""
    parts: list[Any] = [reply.served.model_dump(), reply.text, reply.message]
    return json.dumps([*parts, reply.finish, reply.note], sort_keys=True)
