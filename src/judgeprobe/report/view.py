"""What does profile.json say, in the form that the report shows?

Read with the names of schema 1; fields that the report does not show are passed over. Anything
that is missing, null or of another type is an error with the field's name or a stated absence,
never a zero.
"""

from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from judgeprobe.errors import InputError
from judgeprobe.files import read_json
from judgeprobe.records import SCHEMA_VERSION
from judgeprobe.report.parts import (
    Apart,
    Bar,
    Bound,
    Cut,
    DomainRate,
    Dominance,
    Excluded,
    Gap,
    Grouping,
    Lengths,
    Matched,
    MemberAgreement,
    OperatingPoint,
    Pair,
    Prediction,
    RightWay,
    SlotRate,
    View,
)

__all__ = ["ControlView", "JudgeView", "ProfileView", "read_profile"]


class JudgeView(View):
    """One judge's row.

    Attributes:
        status: "frontier", "single point" or "uninterpretable".
        reason: Why it is not "frontier".
        frontier: Attained cuts, in the order given.
        regrade: Share of texts graded twice that got the same grade, or None where none was.
        bounds: By "S" and "R": the rate if no ungraded pair had changed, and if all had.
        remedy: For a judge computed from others: its kind and its members.
    """

    judge: str
    status: str
    reason: str | None = None
    n_graded: int | None = None
    n_ungraded: int | None = None
    n_pairs: dict[str, int] = Field(default_factory=dict)
    distinct_grades: int | None = None
    usable_points: int | None = None
    regrade: float | None = None
    regrade_n: int | None = None
    operating_point: OperatingPoint | None = None
    frontier: tuple[Cut, ...] = ()
    slots: tuple[SlotRate, ...] = ()
    bounds: dict[str, Bound | None] = Field(default_factory=dict)
    by_domain: tuple[DomainRate, ...] = ()
    reported_apart: Apart | None = None
    remedy: dict[str, Any] | None = None
    gap: Gap | None = None
    direction: RightWay | None = None
    agreement: MemberAgreement | None = None

    @property
    def vertices(self) -> tuple[Cut, ...]:
        """Vertices of its frontier, from the largest S down; none for a single point."""
        if self.status == "single point":
            return ()
        return tuple(sorted((cut for cut in self.frontier if cut.hull), key=lambda c: -c.S))


class ControlView(View):
    """A judge whose profile is known, or whose blindness is.

    Attributes:
        expected: {"S", "R"} that it must measure; None where nothing is expected.
        passed: Whether it did; None where nothing is expected.
    """

    judge: str
    status: str = ""
    S: float | None = None
    R: float | None = None
    S_interval: Pair | None = None
    R_interval: Pair | None = None
    expected: dict[str, float] | None = None
    passed: bool | None = None


class ProfileView(View):
    """The whole of profile.json as far as the report shows it.

    Attributes:
        judges: Judges that were asked.
        remedies: Rows computed from their grades (self-consistency, ensembles); in no mean.
    """

    direction: str
    direction_source: str = ""
    watermark: str | None = None
    level: float = 0.95
    floor: float
    rule: str
    n_base: int
    judges: tuple[JudgeView, ...]
    remedies: tuple[JudgeView, ...] = ()
    mean: dict[str, Any] | None = None
    gap: Gap | None = None
    slots: tuple[SlotRate, ...] = ()
    groupings: tuple[Grouping, ...] = ()
    dominance: tuple[Dominance, ...] = ()
    matched: tuple[Matched, ...] = ()
    lengths: Lengths | None = None
    bars: tuple[Bar, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    controls: tuple[ControlView, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    made_under: dict[str, str] = Field(default_factory=dict)
    raw: dict[str, Any] = Field(default_factory=dict, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _part(cls, value: Any) -> Any:
        """Keep judges that were asked apart from remedies computed from their grades."""
        rows = value.get("judges") if isinstance(value, dict) else None
        if not isinstance(rows, list):
            return value
        computed = [row for row in rows if isinstance(row, dict) and row.get("remedy")]
        asked = [row for row in rows if row not in computed]
        return {**value, "judges": asked, "remedies": computed} if computed else value

    @property
    def compared(self) -> tuple[JudgeView, ...]:
        """The judges read off a frontier: means, contrast and slots are over them."""
        return tuple(
            judge
            for judge in self.judges
            if judge.status == "frontier" and judge.operating_point is not None
        )

    @property
    def axes(self) -> tuple[str, ...]:
        """Axes of the construct arm for which some judge has an R, in the order first met."""
        names: dict[str, None] = {}
        for judge in self.judges:
            if judge.operating_point is not None:
                found = judge.operating_point.axes.items()
                names.update(dict.fromkeys(axis for axis, rate in found if rate is not None))
        return tuple(names)


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
