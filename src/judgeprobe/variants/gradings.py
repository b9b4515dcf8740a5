"""What grades do a study and its variants hold, and may they be compared?

All are graded on the same edits in the same order. A variant whose files were made under other
settings, prompts or edits than those in force is named and left out, never mixed in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, parquet_metadata, read_json, read_table, write_json
from judgeprobe.profile import make_profile, options_of, profile_study
from judgeprobe.profile.sources import Source, source_of_study
from judgeprobe.study import Study
from judgeprobe.sweep.grades import grades_metadata
from judgeprobe.sweep.paired import ORDERS, paired_judges, pairs_path
from judgeprobe.sweep.plan import load_plan
from judgeprobe.sweep.roster import make_judges
from judgeprobe.tables import PairTable
from judgeprobe.variants.folders import is_as_planned
from judgeprobe.variants.plan import Variant
from judgeprobe.variants.running import as_piloted

__all__ = ["Graded", "Waiting", "graded_base", "graded_variant"]


@dataclass(frozen=True)
class Graded:
    """A study or a variant with its grades.

    Attributes:
        study: Where it lies.
        variant: None for the study itself.
        table: Its pairs and grades, remedies among its judges.
        profile: As profile.json holds it.
        orders: For the paired mode the table of each order; else empty.
    """

    study: Study
    variant: Variant | None
    table: PairTable
    profile: Mapping[str, Any]
    orders: tuple[PairTable, ...] = ()

    def entry(self, judge: str) -> Mapping[str, Any]:
        """What the profile says of a judge."""
        found = (row for row in self.profile["judges"] if row["judge"] == judge)
        return next(found)


@dataclass(frozen=True)
class Waiting:
    """A variant without grades that can be compared, and why."""

    variant: Variant
    reason: str


def graded_base(study: Study, source: Source) -> Graded:
    """The study itself.

    Raises:
        JudgeprobeError: It cannot be profiled.
    """
    return Graded(study, None, source.table, _profile(study))


def graded_variant(base: Study, source: Source, planned: Variant) -> Graded | Waiting:
    """A variant as its folder holds it.

    Args:
        base: The study.
        source: The study's own pairs.
        planned: The variant as it would be run now.

    Raises:
        JudgeprobeError: Its files cannot be read.
    """
    variant = as_piloted(base, planned)
    if not variant.judges:
        return Waiting(variant, "no judge can be asked in this way")
    study = variant.study(base)
    path = pairs_path(study) if variant.kind == "paired" else study.grades_path
    if not path.is_file():
        return Waiting(variant, "not run yet")
    if not is_as_planned(base, variant):
        return Waiting(variant, "made under other settings; run it again")
    judges = paired_judges(study) if variant.kind == "paired" else make_judges(study)
    if parquet_metadata(path) != grades_metadata(study, load_plan(study), judges):
        return Waiting(variant, "made from other edits or prompts; run it again")
    if variant.kind == "paired":
        return _paired(study, variant, source)
    table = source_of_study(study).table
    _require_aligned(source.table, table)
    return Graded(study, variant, table, _profile(study))


def _require_aligned(base: PairTable, other: PairTable) -> None:
    """Both read the same files; only a file changed in between can make them differ."""
    for name in ("base", "slot", "original_text", "edited_text"):
        if not np.array_equal(getattr(base, name), getattr(other, name)):
            raise InputError(
                f"a variant holds other pairs than the study (`{name}` differs)",
                remedy="nothing may write to the study while it is compared; run it again",
            )


def _profile(study: Study) -> Mapping[str, Any]:
    """profile.json, made again where it was made from other grades."""
    path = study.profile_path
    if path.is_file():
        found: Mapping[str, Any] = read_json(path)
        if found.get("made_under", {}).get("grades") == file_hash(study.grades_path):
            return found
    return profile_study(study)


def _paired(study: Study, variant: Variant, source: Source) -> Graded:
    """The paired mode: a pair's grades are their means over both orders, where both are there."""
    frame = read_table(pairs_path(study))
    place = {edit: number for number, edit in enumerate(source.edits)}
    shape = (len(ORDERS), 2, len(variant.judges), len(source.edits))
    grades, asked = np.full(shape, np.nan), np.zeros(shape, dtype=np.bool_)
    columns = ("judge", "edit", "order", "grade_original", "grade_edited")
    for judge, edit, order, original, edited in frame[list(columns)].itertuples(index=False):
        if edit in place:
            where = (ORDERS.index(order), slice(None), variant.judges.index(judge), place[edit])
            grades[where] = (original, edited)
            asked[where] = True
    both = asked.all(axis=(0, 1))
    tables = [_with_grades(source.table, variant.judges, one, both) for one in grades]
    table = _with_grades(source.table, variant.judges, grades.mean(axis=0), both)
    profile = make_profile(
        table,
        options_of(study),
        study=f"{study.settings.study.name}: {variant.change}",
        direction=source.direction,
        direction_source=source.direction_source,
        made_under={**source.made_under, "grades": file_hash(pairs_path(study))},
    )
    profile = {**profile, "bars": [], "predictions": []}
    write_json(study.profile_path, profile)
    return Graded(study, variant, table, profile, tuple(tables))


def _with_grades(base: PairTable, judges: Sequence[str], grades: Any, asked: Any) -> PairTable:
    """The pairs of a table with other judges; a pair's members are texts of this pair alone."""
    n = base.base.size
    nothing = (np.zeros(0), np.zeros(0))
    return replace(
        base,
        judges=tuple(judges),
        elicitation=("written",) * len(judges),
        original=grades[0],
        edited=grades[1],
        asked=asked,
        original_text=np.arange(n, dtype=np.int64),
        edited_text=np.arange(n, 2 * n, dtype=np.int64),
        regrades=(nothing,) * len(judges),
        excluded=(),
        remedies={},
    )
