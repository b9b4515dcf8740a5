"""What does the pressure arm do from end to end, and which files does it leave?

    pressure/claims.jsonl               every claim, and every failure with its reason
    pressure/verifier.jsonl             the verifier's answers, where the study names one
    pressure/human/AXIS/                a study folder for `judgeprobe annotate`, one an axis
    pressure/effects.json               effects, levels, lengths, prediction, judges
    pressure/effects-READOUT.csv        the same as tables, one a readout
    pressure/pressure.html              the same as a page

Claims and answers come through the reply cache. All is made before anything is written; the same
replies and labels give the same bytes.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from judgeprobe.errors import MixedArtifactsError
from judgeprobe.families import VERIFIER, pressure_members
from judgeprobe.files import file_hash, read_json, write_json, write_jsonl, write_text
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.limits import Budget
from judgeprobe.llm.pool import Counts, Pool, Watch
from judgeprobe.pressure.content import Material, content
from judgeprobe.pressure.human import human_dir, read_human, write_human
from judgeprobe.pressure.operators import axis_operators
from judgeprobe.pressure.page import render_page
from judgeprobe.pressure.passages import Passage, passages
from judgeprobe.pressure.tables import write_tables
from judgeprobe.pressure.verifying import PressureReader
from judgeprobe.pressure.writing import PAUSED, Writer, writers
from judgeprobe.records import Comparison, PressureClaim
from judgeprobe.study import Study

__all__ = ["PressureResult", "run_pressure"]


@dataclass(frozen=True)
class PressureResult:
    """What the arm made.

    Attributes:
        content: effects.json.
        folders: Study folders for the annotators, one an axis, relative to the study.
        incomplete: Claims and answers that are missing because a call failed and may succeed later.
        calls: Model calls of this run, by role.
        notes: What was mended in the cache.
    """

    content: dict[str, Any]
    folders: tuple[str, ...]
    incomplete: int
    calls: dict[str, Counts] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON: effects.json and what this run did."""
        return {
            **self.content,
            "annotation_folders": list(self.folders),
            "incomplete": self.incomplete,
            "calls": {role: counts.as_dict() for role, counts in self.calls.items()},
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class _Made:
    claims: list[PressureClaim]
    comparisons: list[Comparison]


def run_pressure(
    study: Study, *, replace: bool = False, watch: Watch | None = None
) -> PressureResult:
    """Write the claims, read them, and compute the effects.

    Args:
        study: The study.
        replace: Whether effects made under other prompts or another taxonomy may be replaced.
        watch: Told how far the calls are.

    Raises:
        InputError: The study has no [pressure], has not been built, names models of one family, or
            a prompt that cannot be used.
        MixedArtifactsError: The folder holds effects of another taxonomy or other prompts.
        JudgeprobeError: The budget is reached, or calls cannot succeed.
        KeyboardInterrupt: The user stopped it.
    """
    members = pressure_members(study)
    texts = passages(study)
    authors = writers(study, members)
    reader = PressureReader(study, members[VERIFIER]) if VERIFIER in members else None
    made_under = _made_under(study, authors, reader)
    if not replace:
        _refuse_mixing(study, made_under)
    budget = study.settings.budget
    with ReplyCache(study.cache_dir) as cache:
        pool = Pool(
            cache,
            Budget(budget.max_usd, budget.max_calls, budget.max_minutes),
            concurrency=budget.concurrency,
        )
        made = asyncio.run(_ask(pool, authors, reader, texts, watch))
        calls, notes = dict(pool.counts), tuple(cache.notes)
    folders = write_human(study, texts, made.claims)
    material = Material(
        study=study,
        passages=tuple(texts),
        members=members,
        claims=tuple(made.claims),
        comparisons=tuple(made.comparisons),
        human=read_human(study, made.claims, texts),
        operators=axis_operators(study.taxonomy),
        made_under=made_under,
    )
    found = content(material)
    _write(study, made, found)
    statuses = [one.status for one in made.claims]
    statuses += [one.status for one in made.comparisons]
    return PressureResult(
        found,
        tuple(folder.relative_to(study.folder).as_posix() for folder in folders),
        statuses.count(PAUSED),
        calls,
        notes,
    )


def _made_under(
    study: Study, authors: Sequence[Writer], reader: PressureReader | None
) -> dict[str, Any]:
    """Hashes in force."""
    prompts: dict[str, Any] = {author.name: author.prompt_hashes for author in authors}
    if reader is not None:
        prompts[VERIFIER] = {"pair": reader.pair.hash, "evidence": reader.alone.hash}
    operators = axis_operators(study.taxonomy)
    return {
        "taxonomy": study.taxonomy.hash,
        "operators": operators.hash if operators else None,
        "prompts": prompts,
    }


def _refuse_mixing(study: Study, made_under: dict[str, Any]) -> None:
    """Refuse to replace effects of another taxonomy or of other prompts in silence.

    Raises:
        MixedArtifactsError: It shows both hashes and the remedy.
    """
    path = study.pressure_dir / "effects.json"
    if not path.exists():
        return
    before = read_json(path).get("made_under", {})
    remedy = f"put the old one back, or: judgeprobe pressure {study.folder} --replace"
    study.require_same(
        "taxonomy",
        str(before.get("taxonomy")),
        made_under["taxonomy"],
        file=path,
        remedy=remedy,
    )
    for name, hashes in made_under["prompts"].items():
        for use, expected in hashes.items():
            found = before.get("prompts", {}).get(name, {}).get(use, expected)
            if found != expected:
                raise MixedArtifactsError(
                    f"{use} prompt of {name}",
                    file=path,
                    expected=expected,
                    found=found,
                    remedy=remedy,
                )


async def _ask(
    pool: Pool,
    authors: Sequence[Writer],
    reader: PressureReader | None,
    texts: Sequence[Passage],
    watch: Watch | None,
) -> _Made:
    """Every claim, then every answer about them."""
    try:
        written = [job for author in authors for job in author.jobs(pool, texts)]
        claims = await pool.all(written, watch)
        if reader is None:
            return _Made(claims, [])
        evidence = {one.base_id: one.evidence for one in texts}
        asked = reader.jobs(pool, claims, evidence)
        return _Made(claims, await pool.all(asked, watch))
    finally:
        for endpoint in (
            *(one.endpoint for one in authors),
            *([reader.endpoint] if reader else []),
        ):
            await endpoint.close()


def _write(study: Study, made: _Made, found: dict[str, Any]) -> None:
    folder = study.pressure_dir
    write_jsonl(folder / "claims.jsonl", made.claims)
    if made.comparisons:
        write_jsonl(folder / "verifier.jsonl", made.comparisons)
    else:
        (folder / "verifier.jsonl").unlink(missing_ok=True)
    write_json(folder / "effects.json", found)
    tables = write_tables(folder, found)
    write_text(folder / "pressure.html", render_page(found))
    names = ["claims.jsonl", *(["verifier.jsonl"] if made.comparisons else []), "effects.json"]
    study.record(
        "pressure",
        {
            **found["made_under"],
            "inputs": _inputs(study),
            "claims": dict(sorted(Counter(one.status for one in made.claims).items())),
            "outputs": {
                name: file_hash(folder / name) for name in (*names, *tables, "pressure.html")
            },
        },
    )


def _inputs(study: Study) -> dict[str, str]:
    """Hashes of the files that the arm read."""
    evidence = study.base_items_path
    if not evidence.exists():
        evidence = study.interventions_path
    axes = study.taxonomy.construct_axes
    labels = [human_dir(study, axis) / "directions.jsonl" for axis in axes]
    read = [evidence, study.profile_path, *labels]
    return {
        path.relative_to(study.folder).as_posix(): file_hash(path) for path in read if path.exists()
    }
