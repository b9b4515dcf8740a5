"""What does the build stage write, and what came of it?

base_items.jsonl, interventions.jsonl, rejections.jsonl and an entry in manifest.json, all from the
study's table, its taxonomy and its generator. Everything is made and checked before the first file
is written; the same inputs give the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe.build.generate import generate
from judgeprobe.build.items import base_items, base_items_file
from judgeprobe.build.pairs import pairs_file, read_pairs
from judgeprobe.files import file_hash, read_jsonl, write_jsonl
from judgeprobe.records import BaseItem, Intervention, Rejection
from judgeprobe.study import Study
from judgeprobe.yields import Yield, yields, yields_by_axis

__all__ = ["BuildResult", "run_build"]


@dataclass(frozen=True)
class BuildResult:
    """What a build made.

    Attributes:
        source: "items" (edits of base items) or "pairs" (a table that people labelled).
        slots: Yield of every slot.
        axes: Yield of every axis.
        base_items: Base items read (distinct base ids of a pairs table).
        directions: Rows of a pairs table by direction; empty otherwise.
        rows_left: Rows of a pairs table past `[study].limit`.
    """

    source: str
    slots: tuple[Yield, ...]
    axes: tuple[Yield, ...]
    base_items: int
    directions: dict[str, int]
    rows_left: int = 0

    @property
    def generated(self) -> int:
        """Edits made."""
        return sum(row.generated for row in self.slots)

    @property
    def accepted(self) -> int:
        """Edits that entered."""
        return sum(row.accepted for row in self.slots)

    @property
    def rejected(self) -> int:
        """Edits refused."""
        return self.generated - self.accepted

    def as_dict(self) -> dict[str, Any]:
        """For JSON; generated = accepted + rejected, in sum and per slot."""
        return {
            "source": self.source,
            "base_items": self.base_items,
            "generated": self.generated,
            "accepted": self.accepted,
            "rejected": self.rejected,
            "directions": self.directions,
            "rows_left": self.rows_left,
            "slots": [row.as_dict() for row in self.slots],
            "axes": [row.as_dict() for row in self.axes],
        }


def run_build(study: Study, *, replace: bool = False) -> BuildResult:
    """Make a study's interventions.

    Args:
        study: The study.
        replace: Whether interventions of another taxonomy may be replaced.

    Raises:
        InputError: The study's table has a row that cannot be used.
        MixedArtifactsError: The folder holds interventions of another taxonomy.
        StorageError: The folder cannot be written.
    """
    if not replace:
        refuse_mixing(study)
    if study.settings.study.pairs is not None:
        return _from_pairs(study)
    return _from_items(study)


def refuse_mixing(study: Study) -> None:
    """Refuse a folder whose interventions were made under another taxonomy.

    Labels and grades may have been made from them, so they are not replaced in silence.

    Raises:
        MixedArtifactsError: It shows both hashes and the remedy.
    """
    path = study.interventions_path
    if not path.exists():
        return
    for found in dict.fromkeys(
        edit.made_under.get("taxonomy", "") for edit in read_jsonl(path, Intervention)
    ):
        study.require_same(
            "taxonomy",
            found or "unknown",
            study.taxonomy.hash,
            file=path,
            remedy="put the old taxonomy back, or replace them with: "
            f"judgeprobe build {study.folder} --replace",
        )


def _from_pairs(study: Study) -> BuildResult:
    pairs = read_pairs(study)
    _write(study, pairs.accepted, pairs.refused, {"pairs": pairs_file(study)})
    return BuildResult(
        source="pairs",
        slots=yields(pairs.accepted, pairs.refused),
        axes=yields_by_axis(pairs.accepted, pairs.refused),
        base_items=len({edit.base_id for edit in pairs.accepted}),
        directions=pairs.directions,
        rows_left=pairs.rows_left,
    )


def _from_items(study: Study) -> BuildResult:
    items = base_items(study)
    made = generate(study, items)
    accepted, refused = made.accepted, made.refused
    _write(study, accepted, refused, {"base_items": base_items_file(study)}, items)
    slots = study.taxonomy.slots
    return BuildResult(
        source="items",
        slots=yields(accepted, refused, slots),
        axes=yields_by_axis(accepted, refused, slots),
        base_items=len(items),
        directions={},
    )


def _write(
    study: Study,
    accepted: Sequence[Intervention],
    refused: Sequence[Rejection],
    inputs: dict[str, Path],
    items: Sequence[BaseItem] | None = None,
) -> None:
    outputs = [study.rejections_path, study.interventions_path]
    write_jsonl(study.rejections_path, refused)
    if items is not None:
        write_jsonl(study.base_items_path, items)
        outputs.insert(0, study.base_items_path)
    write_jsonl(study.interventions_path, accepted)
    study.record(
        "build",
        {
            "taxonomy": study.taxonomy.hash,
            "lists": study.taxonomy.list_hashes,
            "generator": study.settings.generator.model if items is not None else "pairs",
            # Names only: a path of one machine would make two equal studies differ.
            "inputs": {
                name: {"file": path.name, "sha256": file_hash(path)}
                for name, path in inputs.items()
            },
            "outputs": {path.name: file_hash(path) for path in outputs},
            "accepted": len(accepted),
            "rejected": len(refused),
        },
    )
