"""Where does a profile's table come from, and under which hashes?

A study's interventions.jsonl and grades.parquet (with directions.jsonl where people label them), or
one file of pairs graded elsewhere. An edit enters an arm when the majority of the people says what
it was made for and its slot and axis reach the agreement bar; the others are counted by reason.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, parquet_metadata, read_json, read_jsonl, read_table
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.remedies import with_remedies
from judgeprobe.records import Direction, Intervention
from judgeprobe.study import Study
from judgeprobe.tables import (
    Exclusion,
    PairTable,
    in_table_order,
    pairs_from_file,
    pairs_from_study,
    repeated_grades,
    table_hash,
)
from judgeprobe.taxonomy import Taxonomy

__all__ = [
    "Source",
    "direction_of_pairs",
    "made_under_of_pairs",
    "options_of",
    "source_of_pairs",
    "source_of_study",
]

_ENTERS, _APART = "enters", "reported apart"
_BELOW_BAR = ("slot not measurable", "axis not measurable")


@dataclass(frozen=True)
class Source:
    """What a profile is made from.

    Attributes:
        name: Name shown.
        table: Pairs and grades.
        direction: "human", "construction", or "not stated".
        direction_source: Who set the direction.
        made_under: Hashes of what it rests on.
        relaxed: The table with the edits of slots and axes below the bar too; None where people
            did not label this study.
        agreement: Raw pairwise agreement of each slot and axis, by name.
        edits: Id of each pair's edit, in the order of the table; empty for pairs graded elsewhere.
    """

    name: str
    table: PairTable
    direction: str
    direction_source: str
    made_under: Mapping[str, str]
    relaxed: PairTable | None = None
    agreement: Mapping[str, float] = field(default_factory=dict)
    edits: tuple[str, ...] = ()


def options_of(study: Study) -> ProfileOptions:
    """A study's profile settings."""
    profile = study.settings.profile
    return ProfileOptions(
        floor=study.floor,
        scale=study.settings.elicitation.scale,
        rule=profile.rule,
        usable_share=study.taxonomy.constants.usable_share,
        level=profile.level,
        resamples=profile.resamples,
        permutations=profile.permutations,
        seed=study.settings.study.seed,
        groupings=profile.groupings,
        ensembles=profile.ensembles,
        adjust=profile.adjust,
    )


def source_of_pairs(
    path: Path, taxonomy: Taxonomy, options: ProfileOptions, direction_source: str
) -> Source:
    """A file of pairs graded elsewhere.

    Args:
        path: The file, or a folder of files.
        taxonomy: Names its slots.
        options: Settings; the scale is used here.
        direction_source: Who set the direction; where nobody is named, the profile says so.

    Raises:
        InputError: The file cannot be read or no row can be used.
    """
    table = with_remedies(pairs_from_file(path, taxonomy, options.scale), options.ensembles, {})
    return Source(
        name=path.name,
        table=table,
        direction=direction_of_pairs(direction_source),
        direction_source=direction_source,
        made_under=made_under_of_pairs(path, taxonomy),
    )


def direction_of_pairs(direction_source: str) -> str:
    """Who set the direction of pairs graded elsewhere: people, or nobody named."""
    return "human" if direction_source else "not stated"


def made_under_of_pairs(path: Path, taxonomy: Taxonomy) -> dict[str, str]:
    """The hashes that a profile of pairs graded elsewhere rests on."""
    return {"taxonomy": taxonomy.hash, "pairs": table_hash(path)}


def source_of_study(study: Study) -> Source:
    """A study's files.

    Raises:
        InputError: A file is missing, or holds nothing to profile.
        MixedArtifactsError: The files were made under different taxonomies, or the grades are of
            other interventions.
    """
    for path, stage in ((study.interventions_path, "build"), (study.grades_path, "sweep")):
        _need(study, path, f"judgeprobe {stage}")
    interventions = read_jsonl(study.interventions_path, Intervention)
    _check_hashes(study, interventions)
    settings = study.settings.study
    labelled = settings.direction == "human" and settings.pairs is None
    directions = _directions(study) if labelled else None
    entering, below, left_out = _sort_out(interventions, directions)
    grades = read_table(study.grades_path)
    table = _table(study, entering, grades, directions)
    made_under = {
        "taxonomy": study.taxonomy.hash,
        "interventions": file_hash(study.interventions_path),
        "grades": file_hash(study.grades_path),
    }
    sources = sorted({row.direction_source for row in interventions})
    if labelled:
        made_under["directions"] = file_hash(study.directions_path)
        sources = ["human: the annotators of this study"]
    return Source(
        name=settings.name,
        table=replace(table, excluded=(*left_out, *table.excluded)),
        direction=settings.direction,
        direction_source="; ".join(sources),
        made_under=made_under,
        relaxed=_table(study, [*entering, *below], grades, directions) if labelled else None,
        agreement=_agreement(study) if labelled else {},
        edits=tuple(row.id for row in in_table_order(entering)),
    )


def _need(study: Study, path: Path, command: str) -> None:
    if not path.is_file():
        raise InputError(
            "is not there", file=path, remedy=f"make it with: {command} {study.folder}"
        )


def _check_hashes(study: Study, interventions: Sequence[Intervention]) -> None:
    build, sweep = (f"run again: judgeprobe {s} {study.folder}" for s in ("build", "sweep"))
    expected = study.taxonomy.hash
    for row in interventions:
        found = row.made_under.get("taxonomy", expected)
        study.require_same("taxonomy", found, expected, file=study.interventions_path, remedy=build)
    grades = parquet_metadata(study.grades_path)
    study.require_same(
        "taxonomy", grades.get("taxonomy", expected), expected, file=study.grades_path, remedy=sweep
    )


def _directions(study: Study) -> dict[str, Direction]:
    _need(study, study.directions_path, "judgeprobe annotate import")
    return {row.intervention_id: row for row in read_jsonl(study.directions_path, Direction)}


def _sort_out(
    interventions: Sequence[Intervention], directions: Mapping[str, Direction] | None
) -> tuple[list[Intervention], list[Intervention], list[Exclusion]]:
    """Edits that enter, edits that only the bar keeps out, and the rest counted by reason."""
    if directions is None:
        return list(interventions), [], []
    entering, below = [], []
    reasons: Counter[tuple[str, str]] = Counter()
    for row in interventions:
        found = directions.get(row.id)
        status = "not annotated" if found is None else found.status
        if status in (_ENTERS, _APART):
            entering.append(row)
            continue
        reasons[row.slot, status] += 1
        if status in _BELOW_BAR:
            below.append(row)
    left_out = [
        Exclusion("intervention", f"{slot}: {status}", n)
        for (slot, status), n in sorted(reasons.items())
    ]
    if not entering:
        why = ", ".join(f"{n} {status}" for (_, status), n in reasons.most_common(3))
        raise InputError(f"no intervention enters an arm ({why})", remedy="see: annotate status")
    return entering, below, left_out


def _table(
    study: Study,
    interventions: Sequence[Intervention],
    grades: Any,
    directions: Mapping[str, Direction] | None,
) -> PairTable:
    table = pairs_from_study(
        interventions,
        grades,
        axes=study.taxonomy.construct_axes,
        judges=[judge.name for judge in study.settings.judges],
        directions=directions,
    )
    repetitions = repeated_grades(interventions, grades)
    return with_remedies(table, study.settings.profile.ensembles, repetitions)


def _agreement(study: Study) -> dict[str, float]:
    """Pairwise agreement of each slot and axis, from annotation.json; empty where there is none."""
    if not study.annotation_path.is_file():
        return {}
    content = read_json(study.annotation_path)
    figures = content.get("agreement", {}) if isinstance(content, dict) else {}
    found = {}
    for kind in ("slot", "axis"):
        for row in figures.get("slots" if kind == "slot" else "axes", []):
            if row.get("pairwise") is not None:
                found[str(row[kind])] = float(row["pairwise"])
    return found
