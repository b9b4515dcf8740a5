"""What do the caches of several machines say together, and where do two replies disagree?

The caches are merged (`judgeprobe.llm.merge`), and every question that was asked more than once is
listed with all its replies, who served them, and, where a study is given, the grade that its judge
reads from each. Such pairs are regrades: the same text put to the same judge again.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.files import write_csv
from judgeprobe.llm.disk import DATABASE
from judgeprobe.llm.merge import Merged, MergedCache, Repeated
from judgeprobe.llm.shards import open_shard
from judgeprobe.records import Reply
from judgeprobe.study import load_study
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.plan import load_plan
from judgeprobe.sweep.roster import make_judges

__all__ = ["MergeReport", "merge_caches"]

TABLE = "regrades.csv"
COLUMNS = (
    "key",
    "conflict",
    "in_use",
    "judge",
    "text_id",
    "repetition",
    "value",
    "status",
    "model",
    "served_model",
    "served_provider",
    "served_fingerprint",
    "served_quantization",
    "at",
    "reply_sha256",
    "text",
)


@dataclass(frozen=True)
class MergeReport:
    """What a merge did and what the merged cache holds.

    Attributes:
        folder: The merged cache.
        merged: What was taken in.
        replies: Questions with a reply.
        repeated: Questions that were asked more than once.
        conflicts: Of these, the ones that were answered differently.
        table: The list of their replies; None where there is none.
        notes: What had to be mended or could not be said.
    """

    folder: Path
    merged: Merged
    replies: int
    repeated: int
    conflicts: int
    table: Path | None
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Everything, for `--json`."""
        return {
            "cache": str(self.folder),
            "replies": self.replies,
            "added": self.merged.added,
            "present": self.merged.present,
            "kept": self.merged.kept,
            "changed": self.merged.changed,
            "mended": self.merged.mended,
            "unreadable": list(self.merged.unreadable),
            "repeated": self.repeated,
            "conflicts": self.conflicts,
            "table": None if self.table is None else str(self.table),
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class _Asked:
    """Which call of a study a key stands for."""

    judge: Judge
    text_id: str
    repetition: int


def merge_caches(shards: Sequence[Path], out: Path, study: Path | None = None) -> MergeReport:
    """Merge some shards into one cache and list what was asked more than once.

    Args:
        shards: Cache folders, study folders, files of `cache export`; none is changed.
        out: The study or cache folder that takes the replies in. What it holds stays in it.
        study: Whose judges read the grades; where None, `out` or the first shard that is one.

    Raises:
        InputError: A shard, `out` or the study cannot be used.
        StorageError: The disk refused.
    """
    folder = _target(out)
    # The target's own replies are there already.
    opened = [shard for shard in map(open_shard, shards) if not _same(shard.path, folder)]
    for shard in opened:
        shard.check()
    chosen = study or next((path for path in (out, *shards) if _is_built(path)), None)
    notes: list[str] = []
    with MergedCache(folder) as cache:
        merged = cache.take_in(opened)
        repeated = {each.key: each.conflict for each in cache.repeated()}
        table = folder / TABLE
        if repeated:
            asked = _asked(chosen, set(repeated))
            if not asked:
                notes.append(
                    "no study was given that asks these questions, so no grade was read; "
                    "give --study"
                )
            rows = (row for each in cache.repeated() for row in _rows(each, asked))
            write_csv(table, COLUMNS, rows)
        if merged.changed:
            notes.append(
                f"{merged.changed} questions have an earlier reply in use than before; read the "
                "grades again with: judgeprobe sweep STUDY --reparse"
            )
        return MergeReport(
            folder=folder,
            merged=merged,
            replies=len(cache),
            repeated=len(repeated),
            conflicts=sum(repeated.values()),
            table=table if repeated else None,
            notes=(*notes, *cache.notes),
        )


def _target(out: Path) -> Path:
    if _is_study(out):
        return out / "cache"
    if out.exists() and not out.is_dir():
        raise InputError("is a file", file=out, remedy="give --out a study or a cache folder")
    if out.is_dir() and not (out / DATABASE).is_file() and any(out.iterdir()):
        raise InputError(
            "is neither a study nor a cache, and is not empty",
            file=out,
            remedy="give --out a study, a cache folder or a new one",
        )
    return out


def _is_study(path: Path) -> bool:
    return (path / "study.toml").is_file()


def _is_built(path: Path) -> bool:
    return _is_study(path) and (path / "interventions.jsonl").is_file()


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _asked(study: Path | None, keys: set[str]) -> dict[str, _Asked]:
    """Which call of the study each of some keys stands for; the first judge's by its order."""
    if study is None:
        return {}
    loaded = load_study(study)
    found: dict[str, _Asked] = {}
    judges = make_judges(loaded)
    for text in load_plan(loaded).texts:
        for judge in judges:
            for repetition in range(judge.repetitions):
                key = judge.key(text, repetition)
                if key in keys:
                    found.setdefault(key, _Asked(judge, text.id, repetition))
    return found


def _rows(repeated: Repeated, asked: Mapping[str, _Asked]) -> Iterator[list[Any]]:
    for place, reply in enumerate(repeated.replies):
        call = asked.get(repeated.key)
        read = None if call is None else call.judge.read(reply)
        yield [
            repeated.key,
            "yes" if repeated.conflict else "no",
            "yes" if place == 0 else "no",
            "" if call is None else call.judge.name,
            "" if call is None else call.text_id,
            "" if call is None else call.repetition,
            None if read is None else read.value,
            "" if read is None else read.status,
            *_said(reply),
        ]


def _said(reply: Reply) -> list[str]:
    served = reply.served
    cells = [
        reply.requested.model,
        served.model,
        served.provider,
        served.fingerprint,
        served.quantization,
        reply.at,
        hashlib.sha256(reply.text.encode("utf-8", "surrogatepass")).hexdigest(),
        reply.text,
    ]
    # A provider may send half of a surrogate pair; the table is UTF-8.
    return [cell.encode("utf-8", "replace").decode("utf-8") for cell in cells]
