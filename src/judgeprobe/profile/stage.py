"""The stage itself: read, compute, write profile.json."""

from pathlib import Path
from typing import Any

from judgeprobe.files import file_hash, write_json
from judgeprobe.profile.bars import bar_rows
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.register import REGISTER, evaluated, read_register
from judgeprobe.profile.run import make_profile
from judgeprobe.profile.sources import (
    Source,
    options_of,
    source_of_pairs,
    source_of_study,
)
from judgeprobe.study import Study
from judgeprobe.taxonomy import Taxonomy

__all__ = ["profile_pairs", "profile_study"]


def profile_study(study: Study) -> dict[str, Any]:
    """Make and write a study's profile.json.

    Raises:
        InputError: A file is missing, or holds nothing to profile.
        MixedArtifactsError: The files were made under different taxonomies.
        StorageError: The folder cannot be written to.
    """
    source, options = source_of_study(study), options_of(study)
    profile = _profile(source, options)
    if source.relaxed is not None and source.agreement:
        profile["bars"] = bar_rows(source.relaxed, source.agreement, study.bar, options)
    register = study.folder / REGISTER
    predictions = read_register(register) if register.is_file() else []
    profile["predictions"] = evaluated(predictions, profile, file=register)
    write_json(study.profile_path, profile)
    made = {**source.made_under, "profile": file_hash(study.profile_path)}
    study.record("profile", {**made, "seed": options.seed})
    return profile


def profile_pairs(
    path: Path, taxonomy: Taxonomy, options: ProfileOptions, *, direction_source: str = ""
) -> dict[str, Any]:
    """The profile of a file of pairs graded elsewhere; nothing is written.

    Args:
        path: The file.
        taxonomy: Names its slots.
        options: Settings.
        direction_source: Who set the direction; where nobody is named, the profile says so.

    Raises:
        InputError: The file cannot be read or no row can be used.
    """
    return _profile(source_of_pairs(path, taxonomy, options, direction_source), options)


def _profile(source: Source, options: ProfileOptions) -> dict[str, Any]:
    profile = make_profile(
        source.table,
        options,
        study=source.name,
        direction=source.direction,
        direction_source=source.direction_source,
        made_under=source.made_under,
    )
    return {**profile, "bars": [], "predictions": []}
