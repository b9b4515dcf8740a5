"""What does profile.json say, in the form that the report shows?

Read with the names of schema 1; fields that the report does not show are passed over. Anything
that is missing, null or of another type is an error with the field's name or a stated absence,
never a zero.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from judgeprobe.errors import InputError
from judgeprobe.files import read_json
from judgeprobe.records import CONTROLS, SCHEMA_VERSION

__all__ = [
    "AXIS_PREFIX",
    "Cut",
    "Excluded",
    "Gap",
    "JudgeView",
    "OperatingPoint",
    "ProfileView",
    "SlotRate",
    "hull",
    "read_profile",
]

AXIS_PREFIX = "R_"
Pair = tuple[float, float]


class _View(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Cut(_View):
    """One cut of a frontier: invariance S and sensitivity R measured there."""

    tau: float
    S: float
    R: float


class OperatingPoint(_View):
    """The cut at which a judge is read.

    Attributes:
        axes: R of each axis, by the axis' name.
    """

    tau: float
    S: float
    R: float
    S_interval: Pair | None = None
    R_interval: Pair | None = None
    axes: dict[str, float | None] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _collect(cls, value: Any) -> Any:
        return _with_axes(value)


class JudgeView(_View):
    """One judge's row.

    Attributes:
        frontier: Attained cuts, in the order given.
        regrade: Share of texts graded twice that got the same grade, or None where none was.
    """

    judge: str
    status: str
    n_graded: int | None = None
    n_ungraded: int | None = None
    distinct_grades: int | None = None
    usable_points: int | None = None
    regrade: float | None = None
    operating_point: OperatingPoint | None = None
    frontier: tuple[Cut, ...] = ()

    @property
    def is_control(self) -> bool:
        """Whether it is one of the judges that test the instrument."""
        return self.judge in {control.name for control in CONTROLS}


class Gap(_View):
    """The contrast of the two axes."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""
    n_base: int | None = None
    positive_judges: int | None = None
    permutation_p: float | None = None
    largest_null: float | None = None
    reselected: dict[str, Any] | None = None
    reason: str | None = None


class SlotRate(_View):
    """Share of verdicts changed in one slot, mean over judges at their operating points."""

    slot: str
    axis: str
    n: int
    rate: float | None
    low: float | None = None
    high: float | None = None


class Excluded(_View):
    """What was left out, why, and how many."""

    what: str
    reason: str
    n: int
    judge: str | None = None


class ProfileView(_View):
    """The whole of profile.json as far as the report shows it."""

    direction: str
    floor: float
    rule: str
    n_base: int
    judges: tuple[JudgeView, ...]
    mean: dict[str, Any] | None = None
    gap: Gap | None = None
    slots: tuple[SlotRate, ...] = ()
    controls: Any = None
    excluded: tuple[Excluded, ...] = ()
    raw: dict[str, Any] = Field(default_factory=dict, repr=False)

    @property
    def measured(self) -> tuple[JudgeView, ...]:
        """The judges that the study is about."""
        return tuple(judge for judge in self.judges if not judge.is_control)

    @property
    def control_judges(self) -> tuple[JudgeView, ...]:
        """The judges that test the instrument."""
        return tuple(judge for judge in self.judges if judge.is_control)

    @property
    def axes(self) -> tuple[str, ...]:
        """Axes of the construct arm that some judge has an R for, in the order first met."""
        names: dict[str, None] = {}
        for judge in self.judges:
            if judge.operating_point is not None:
                names.update(dict.fromkeys(judge.operating_point.axes))
        names.update(dict.fromkeys(s.axis for s in self.slots if s.axis != "control"))
        return tuple(names)


def _with_axes(value: Any) -> Any:
    """R_scope, R_strength and the like, gathered under `axes`; R_interval is not an axis."""
    if not isinstance(value, Mapping) or "axes" in value:
        return value
    axes = {
        key.removeprefix(AXIS_PREFIX): number
        for key, number in value.items()
        if key.startswith(AXIS_PREFIX) and not key.endswith("_interval")
    }
    return {**value, "axes": axes}


def hull(cuts: Sequence[Cut]) -> tuple[Cut, ...]:
    """The attained cuts that no other cut beats, from the largest S to the smallest.

    At each S the frontier is the best R attained at that S or stricter (section 2.3 of the
    construct-validity reference); a cut stays if every cut with at least its S has a smaller R.
    Of equal cuts the one with the smallest tau stays.
    """
    kept: list[Cut] = []
    best = float("-inf")
    for cut in sorted(cuts, key=lambda c: (-c.S, -c.R, c.tau)):
        if best < cut.R:
            kept.append(cut)
            best = cut.R
    return tuple(kept)


def read_profile(path: Path) -> ProfileView:
    """profile.json as the report shows it.

    Raises:
        InputError: It is missing, is not JSON, was written by a newer judgeprobe, or lacks a field.
    """
    if not path.exists():
        raise InputError(
            "is not there", file=path, remedy=f"make it with: judgeprobe profile {path.parent}"
        )
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError("is not an object", file=path, remedy="make it again: judgeprobe profile")
    version = content.get("schema", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise InputError(
            f"has schema version {version}; this judgeprobe reads {SCHEMA_VERSION}",
            file=path,
            remedy="install a newer judgeprobe",
        )
    try:
        return ProfileView.model_validate({**content, "raw": content})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"`{place}`: {first['msg'].lower()}",
            file=path,
            remedy="make it again with: judgeprobe profile",
        ) from None
