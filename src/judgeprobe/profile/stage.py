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
    direction_of_pairs,
    made_under_of_pairs,
    options_of,
    source_of_pairs,
    source_of_study,
)
from judgeprobe.profile.streamed import streamed_profile
from judgeprobe.study import Study
from judgeprobe.tables import Way, way_of
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
    profile = {**_profile(source, options), "bars": [], "predictions": []}
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
    path: Path,
    taxonomy: Taxonomy,
    options: ProfileOptions,
    *,
    direction_source: str = "",
    way: Way = "auto",
) -> dict[str, Any]:
    """The profile of a file of pairs graded elsewhere; nothing is written.

    Args:
        path: The file, or a folder of files.
        taxonomy: Names its slots.
        options: Settings.
        direction_source: Who set the direction; where nobody is named, the profile says so.
        way: "memory" (every row at hand, every statistic), "stream" (any number of rows; what
            needs all rows at once is named in `needs_rows`), or "auto": see `way_of`.

    Raises:
        InputError: The file cannot be read or no row can be used.
        StorageError: Streamed: the folder for temporary files is full.
    """
    if way_of(path, way) == "memory":
        source = source_of_pairs(path, taxonomy, options, direction_source)
        profile = _profile(source, options)
    else:
        profile = streamed_profile(
            path,
            taxonomy,
            options,
            direction=direction_of_pairs(direction_source),
            direction_source=direction_source,
            made_under=made_under_of_pairs(path, taxonomy),
        )
    return {**profile, "bars": [], "predictions": []}


def _profile(source: Source, options: ProfileOptions) -> dict[str, Any]:
    return make_profile(
        source.table,
        options,
        study=source.name,
        direction=source.direction,
        direction_source=source.direction_source,
        made_under=source.made_under,
    )
