"""What was measured, on what, by whom was the direction set, and what answered?

Counted from the study's own files at the moment the report is made.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from judgeprobe.errors import InputError
from judgeprobe.files import read_json, read_jsonl, read_table
from judgeprobe.records import Intervention, Record, Rejection
from judgeprobe.study import Study
from judgeprobe.yields import Yield, yields

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evidence", "ServedBy", "read_evidence"]

R = TypeVar("R", bound=Record)

NOT_DISCLOSED = "not disclosed"
_SERVED = ("served_model", "served_provider", "served_quantization")


class SlotDirection(BaseModel):
    """What people said of one slot's edits: agreement, and how many went as intended."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    slot: str
    axis: str
    n: int
    pairwise: float | None = None
    measurable: bool | None = None
    matches_intent: int = 0
    rate: float | None = None
    enters: int = 0


class AnnotationExclusion(BaseModel):
    """Pairs that the annotation kept out of the arms."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: str
    slot: str
    n: int


class Annotation(BaseModel):
    """annotation.json, as far as the report shows it."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    slots: tuple[SlotDirection, ...] = Field((), alias="yield")
    excluded: tuple[AnnotationExclusion, ...] = ()


@dataclass(frozen=True)
class ServedBy:
    """What answered for one judge, and how its replies were read.

    Attributes:
        statuses: Number of grades by status, "graded" first, then by name.
        elicitation: How grades were read: "written", "expected" or "computed"; several with ", ".
        model, provider, quantization: As the replies say; "not disclosed" where they do not.
    """

    judge: str
    statuses: dict[str, int]
    elicitation: str
    model: str
    provider: str
    quantization: str


@dataclass(frozen=True)
class Evidence:
    """A study's edits and replies, counted.

    Attributes:
        arms: Edits by arm.
        domains: Base items by domain, largest first.
        documents: Number of source documents.
        directions: Edits by who set their direction, most frequent first.
        generators: Edits by generator.
        annotation: What the study's own annotators said; None where none labelled.
    """

    interventions: tuple[Intervention, ...]
    rejections: tuple[Rejection, ...]
    grades: "pd.DataFrame | None"
    arms: dict[str, int]
    domains: dict[str, int]
    documents: int
    directions: dict[str, int]
    generators: dict[str, int]
    yields: tuple[Yield, ...]
    served: tuple[ServedBy, ...]
    annotation: Annotation | None = None


def read_evidence(study: Study, judges: Sequence[str]) -> Evidence:
    """Count a study's files.

    A file that is not there counts as none: a profile of pairs graded elsewhere has neither edits
    nor replies.

    Args:
        study: The study.
        judges: Judges of the profile, in its order.

    Raises:
        InputError: A file is there and cannot be read.
    """
    edits = _rows(study.interventions_path, Intervention)
    refused = _rows(study.rejections_path, Rejection)
    grades = read_table(study.grades_path) if study.grades_path.exists() else None
    bases = {edit.base_id: edit.domain for edit in edits}
    return Evidence(
        interventions=edits,
        rejections=refused,
        grades=grades,
        arms=_counted(edit.arm for edit in edits),
        domains=_counted(domain for domain in bases.values() if domain),
        documents=len({edit.document for edit in edits if edit.document}),
        directions=_counted(edit.direction_source for edit in edits),
        generators=_counted(edit.generator for edit in edits),
        yields=yields(edits, refused, study.taxonomy.slots) if edits or refused else (),
        served=() if grades is None else _served(study, grades, judges),
        annotation=_annotation(study),
    )


def _annotation(study: Study) -> Annotation | None:
    path = study.annotation_path
    if not path.exists():
        return None
    try:
        return Annotation.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"`{'.'.join(str(part) for part in first['loc'])}`: {first['msg'].lower()}",
            file=path,
            remedy="make it again with: judgeprobe annotate import",
        ) from None


def _rows(path: Path, kind: type[R]) -> tuple[R, ...]:
    return tuple(read_jsonl(path, kind)) if path.exists() else ()


def _counted(values: Iterable[str]) -> dict[str, int]:
    counts = Counter(values)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _served(study: Study, grades: "pd.DataFrame", judges: Sequence[str]) -> tuple[ServedBy, ...]:
    missing = {"judge", "status", "elicitation", *_SERVED} - set(grades.columns)
    if missing:
        raise InputError(
            f"has no column `{sorted(missing)[0]}`",
            file=study.grades_path,
            remedy="make it again with: judgeprobe sweep",
        )
    found = []
    for judge in judges:
        rows = grades[grades["judge"] == judge]
        if len(rows):
            told = [_told(rows[name]) for name in _SERVED]
            statuses = _counted(rows["status"])
            first = {"graded": statuses.pop("graded", 0)}
            found.append(
                ServedBy(
                    judge, first | statuses, ", ".join(sorted(set(rows["elicitation"]))), *told
                )
            )
    return tuple(found)


def _told(values: "pd.Series[str]") -> str:
    names = sorted({str(value) for value in values if value and value != NOT_DISCLOSED})
    return ", ".join(names) if names else NOT_DISCLOSED
