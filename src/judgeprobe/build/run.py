"""What does the build stage write, and what came of it?

base_items.jsonl, interventions.jsonl, rejections.jsonl and an entry in manifest.json, all from the
study's table, its taxonomy, its generator and its verifier. Everything is made and checked before
the first file is written: a build that is stopped keeps the replies in the cache and writes nothing
else. The same inputs and replies give the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from judgeprobe.build.balance import AxisBalance, balances, match_lengths
from judgeprobe.build.generate import generate, prompt_hashes, require_makers
from judgeprobe.build.items import base_items
from judgeprobe.build.pairs import pairs_file, read_pairs
from judgeprobe.files import file_hash, read_jsonl, write_jsonl
from judgeprobe.llm.pool import Counts, Watch
from judgeprobe.noticing import Noticing, noticing
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
        rows_left: Rows of the table past `[study].limit`.
        noticing: What the verifier noticed, by axis; empty where it was not asked.
        balance: Length changes of every two construct axes, held against each other.
        incomplete: Edits that are missing because a call failed and may succeed in a later build.
        calls: Model calls of this run, by role.
        notes: What was mended in the cache.
    """

    source: str
    slots: tuple[Yield, ...]
    axes: tuple[Yield, ...]
    base_items: int
    directions: dict[str, int]
    rows_left: int = 0
    noticing: tuple[Noticing, ...] = ()
    balance: tuple[AxisBalance, ...] = ()
    incomplete: int = 0
    calls: dict[str, Counts] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

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
            "noticing": [row.as_dict() for row in self.noticing],
            "length_balance": [row.as_dict() for row in self.balance],
            "incomplete": self.incomplete,
            "calls": {role: counts.as_dict() for role, counts in self.calls.items()},
            "notes": list(self.notes),
        }


def run_build(study: Study, *, replace: bool = False, watch: Watch | None = None) -> BuildResult:
    """Make a study's interventions.

    Args:
        study: The study.
        replace: Whether interventions of another taxonomy or prompt may be replaced.
        watch: Told how far the work is, where models are asked.

    Raises:
        InputError: The study's table has a row that cannot be used, or its models do not go
            together.
        MixedArtifactsError: The folder holds interventions of another taxonomy or prompt.
        StorageError: The folder cannot be written.
        JudgeprobeError: The budget is reached, or calls cannot succeed.
        KeyboardInterrupt: The user stopped it.
    """
    if not replace:
        refuse_mixing(study)
    if study.settings.study.pairs is not None:
        return _from_pairs(study)
    return _from_items(study, watch)


def refuse_mixing(study: Study) -> None:
    """Refuse a folder whose interventions were made under another taxonomy or other prompts.

    Labels and grades may have been made from them, so they are not replaced in silence.

    Raises:
        MixedArtifactsError: It shows both hashes and the remedy.
    """
    path = study.interventions_path
    if not path.exists():
        return
    edits = read_jsonl(path, Intervention)
    in_force = {"taxonomy": {study.taxonomy.hash}, **prompt_hashes(study)}
    for what, expected in in_force.items():
        found = {edit.made_under[what] for edit in edits if what in edit.made_under}
        if what == "taxonomy":
            found |= {"unknown" for edit in edits if what not in edit.made_under}
        for other in sorted(found - expected):
            study.require_same(
                what.replace("_", " "),
                other,
                min(expected, default="none"),
                file=path,
                remedy=f"put the old {what.split('_')[-1]} back, or replace them with: "
                f"judgeprobe build {study.folder} --replace",
            )


def _from_pairs(study: Study) -> BuildResult:
    pairs = read_pairs(study)
    # Names only: a path of one machine would make two equal studies differ.
    table = pairs_file(study)
    inputs = {"pairs": {"file": table.name, "sha256": file_hash(table)}}
    _write(study, pairs.accepted, pairs.refused, inputs)
    return BuildResult(
        source="pairs",
        slots=yields(pairs.accepted, pairs.refused),
        axes=yields_by_axis(pairs.accepted, pairs.refused),
        base_items=len({edit.base_id for edit in pairs.accepted}),
        directions=pairs.directions,
        rows_left=pairs.rows_left,
    )


def _from_items(study: Study, watch: Watch | None) -> BuildResult:
    table = base_items(study)
    made = generate(study, table.items, watch=watch)
    accepted, refused = made.accepted, made.refused
    caliper = study.settings.generator.match_length
    if caliper is not None:
        accepted, left_out = match_lengths(accepted, study.taxonomy.construct_axes, caliper)
        refused = [*refused, *left_out]
    slots = study.taxonomy.slots
    noticed = noticing(accepted, refused, slots) if study.settings.verifier else ()
    balance = balances(accepted)
    _write(
        study,
        accepted,
        refused,
        {"base_items": {"file": table.source, "sha256": table.sha256}},
        table.items,
        {
            **_models(study),
            "noticing": [row.as_dict() for row in noticed],
            "length_balance": [row.as_dict() for row in balance],
        },
    )
    return BuildResult(
        source="items",
        slots=yields(accepted, refused, slots),
        axes=yields_by_axis(accepted, refused, slots),
        base_items=len(table.items),
        directions={},
        rows_left=table.rows_left,
        noticing=noticed,
        balance=balance,
        incomplete=made.incomplete,
        calls=made.calls,
        notes=made.notes,
    )


def _models(study: Study) -> dict[str, Any]:
    """Who wrote and who checked, and under which prompts."""
    prompts = prompt_hashes(study)
    return {
        "families": {
            member.role: list(member.families)
            for member in require_makers(study).values()
            if member.role in ("generator", "verifier")
        },
        "verifier": study.settings.verifier.model if study.settings.verifier else None,
        "prompts": {name: sorted(hashes) for name, hashes in prompts.items() if hashes},
    }


def _write(
    study: Study,
    accepted: Sequence[Intervention],
    refused: Sequence[Rejection],
    inputs: dict[str, dict[str, str]],
    items: Sequence[BaseItem] | None = None,
    more: dict[str, Any] | None = None,
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
            "inputs": inputs,
            "outputs": {path.name: file_hash(path) for path in outputs},
            "accepted": len(accepted),
            "rejected": len(refused),
            **(more or {}),
        },
    )
