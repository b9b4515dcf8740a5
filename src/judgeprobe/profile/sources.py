"""Where does a profile's table come from, and under which hashes?

A study's interventions.jsonl and grades.parquet, or one file of pairs graded elsewhere.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, parquet_metadata, read_jsonl, read_table, write_json
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.run import make_profile
from judgeprobe.records import Intervention
from judgeprobe.study import Study
from judgeprobe.tables import PairTable, pairs_from_file, pairs_from_study
from judgeprobe.taxonomy import Taxonomy

__all__ = ["options_of", "profile_pairs", "profile_study", "read_study_table"]


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
    )


def read_study_table(study: Study) -> tuple[PairTable, dict[str, str], str]:
    """A study's pairs with their grades, the hashes they were made under, who set the direction.

    Raises:
        InputError: A file is missing, or holds nothing to profile.
        MixedArtifactsError: The files were made under another taxonomy or scale.
    """
    for path, stage in ((study.interventions_path, "build"), (study.grades_path, "sweep")):
        if not path.is_file():
            raise InputError(
                "is not there", file=path, remedy=f"make it with: judgeprobe {stage} {study.folder}"
            )
    interventions = read_jsonl(study.interventions_path, Intervention)
    _same_taxonomy(study, interventions)
    hashes = parquet_metadata(study.grades_path)
    if "taxonomy" in hashes:
        study.require_same(
            "taxonomy",
            hashes["taxonomy"],
            study.taxonomy.hash,
            file=study.grades_path,
            remedy=f"run again: judgeprobe sweep {study.folder}",
        )
    table = pairs_from_study(
        interventions,
        read_table(study.grades_path),
        axes=study.taxonomy.construct_axes,
        judges=[judge.name for judge in study.settings.judges],
    )
    made_under = {
        "taxonomy": study.taxonomy.hash,
        "interventions": file_hash(study.interventions_path),
        "grades": file_hash(study.grades_path),
    }
    sources = sorted({row.direction_source for row in interventions})
    return table, made_under, "; ".join(sources)


def _same_taxonomy(study: Study, interventions: Sequence[Intervention]) -> None:
    for row in interventions:
        found = row.made_under.get("taxonomy")
        if found is not None:
            study.require_same(
                "taxonomy",
                found,
                study.taxonomy.hash,
                file=study.interventions_path,
                remedy=f"run again: judgeprobe build {study.folder}",
            )


def profile_study(study: Study) -> dict[str, Any]:
    """Make and write a study's profile.json.

    Raises:
        InputError: A file is missing, or holds nothing to profile.
        StorageError: The folder cannot be written to.
    """
    table, made_under, source = read_study_table(study)
    profile = make_profile(
        table,
        options_of(study),
        study=study.settings.study.name,
        direction=study.settings.study.direction,
        direction_source=source,
        made_under=made_under,
    )
    write_json(study.profile_path, profile)
    study.record("profile", {**made_under, "profile": file_hash(study.profile_path)})
    return profile


def profile_pairs(
    path: Path, taxonomy: Taxonomy, options: ProfileOptions, *, direction_source: str = ""
) -> dict[str, Any]:
    """The profile of a file of pairs graded elsewhere.

    Args:
        path: The file.
        taxonomy: Names its slots.
        options: Settings.
        direction_source: Who set the direction; where nobody is named, the profile says so.

    Raises:
        InputError: The file cannot be read or no row can be used.
    """
    return make_profile(
        pairs_from_file(path, taxonomy, options.scale),
        options,
        study=path.name,
        direction="human" if direction_source else "not stated",
        direction_source=direction_source,
        made_under={"taxonomy": taxonomy.hash, "pairs": file_hash(path)},
    )
