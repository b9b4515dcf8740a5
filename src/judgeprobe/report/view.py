"""What does profile.json say, in the form that the report shows?

Read with the names of schema 1; fields that the report does not show are passed over. Anything
that is missing, null or of another type is an error with the field's name or a stated absence,
never a zero.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from judgeprobe.errors import InputError
from judgeprobe.files import read_json
from judgeprobe.records import SCHEMA_VERSION

__all__ = [
    "AXIS_PREFIX",
    "ControlView",
    "Cut",
    "Excluded",
    "Gap",
    "Grouping",
    "JudgeView",
    "OperatingPoint",
    "ProfileView",
    "SlotRate",
    "read_profile",
]

AXIS_PREFIX = "R_"
Pair = tuple[float, float]


class _View(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Cut(_View):
    """One attained cut; `hull` where no other beats it (a vertex of the frontier)."""

    tau: float
    S: float
    R: float
    hull: bool


class OperatingPoint(_View):
    """The cut at which a judge is read.

    Attributes:
        tau: The cut, in grade units; None for a judge whose verdict no cut changes.
        axes: R of each axis, by the axis' name.
        axis_intervals: Interval of each of them.
        n_base: Base items with a graded pair, by arm.
    """

    tau: float | None
    S: float
    R: float
    S_interval: Pair | None = None
    R_interval: Pair | None = None
    axes: dict[str, float | None] = Field(default_factory=dict)
    axis_intervals: dict[str, Pair | None] = Field(default_factory=dict)
    n_base: dict[str, int] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _collect(cls, value: Any) -> Any:
        return _with_axes(value)


class Bound(_View):
    """What a rate could be if the ungraded pairs were known."""

    low: float | None
    high: float | None
    n_ungraded: int


class DomainRate(_View):
    """S and R of one judge in one domain."""

    domain: str
    n_pairs: dict[str, int] = Field(default_factory=dict)
    S: float | None
    R: float | None
    S_interval: Pair | None = None
    R_interval: Pair | None = None


class Apart(_View):
    """Pairs in neither arm: how many, and the share of their verdicts that changed."""

    n: int
    rate: float | None = None


class SlotRate(_View):
    """Share of verdicts changed in one slot at the operating point."""

    slot: str
    axis: str
    n: int
    rate: float | None
    low: float | None = None
    high: float | None = None


class PartGap(_View):
    """The contrast on some of the pairs, or adjusted for something."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n_pairs: int | None = None
    n_base: int | None = None
    n_judges: int | None = None
    positive_judges: int | None = None


class Gap(_View):
    """R of the first axis minus R of the second, of one judge or as the mean over judges.

    Attributes:
        axes: The two axes.
        low, high: Interval with the cuts held.
        bca: Bias-corrected interval likewise: {"low", "high"}.
        reselected: Interval with every cut chosen anew in each resample.
        adjusted_p: The permutation p adjusted over the judges.
        reason: Why there is no estimate.
    """

    axes: tuple[str, ...] = ()
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None
    n_base: int | None = None
    n_judges: int | None = None
    positive_judges: int | None = None
    bca: dict[str, Any] | None = None
    reselected: dict[str, Any] | None = None
    permutation_p: float | None = None
    adjusted_p: float | None = None
    largest_null: float | None = None
    unanimous: PartGap | None = None
    reason: str | None = None


class Grouping(_View):
    """How much of the spread between slots a grouping of them accounts for."""

    name: str
    n_slots: int
    n_groups: int
    eta_squared: float | None = None
    reason: str | None = None


class RightWay(_View):
    """Of the construct edits whose verdict changed, the share that changed as people set it."""

    n_changed: int = 0
    share: float | None = None
    low: float | None = None
    high: float | None = None


class MemberAgreement(_View):
    """Judge against people on which member claims more, at the operating cut."""

    n: int
    raw: float | None = None
    kappa: float | None = None
    kappa_interval: Pair | None = None
    weighted_kappa: float | None = None
    weighted_kappa_interval: Pair | None = None
    degenerate: bool = False


class JudgeView(_View):
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


class ControlView(_View):
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


class Dominance(_View):
    """How one judge's frontier stands to another's.

    Attributes:
        relation: Of the first to the second: "dominating", "dominated", "crossing" or "equal".
        judge_above, other_above: Ranges of S, (above, up to), on which each has the larger R.
    """

    judge: str
    other: str
    relation: str
    judge_above: tuple[Pair, ...] = ()
    other_above: tuple[Pair, ...] = ()


class MatchedJudge(_View):
    """The best R of one judge at some S or a stricter one, with the S it was attained at."""

    judge: str
    S: float | None = None
    R: float | None = None


class Matched(_View):
    """Every judge at one level of S."""

    level: float
    judges: tuple[MatchedJudge, ...]


class LengthChange(_View):
    """Length changes of a slot's or an axis' edits, as shares of the original's characters."""

    slot: str = ""
    axis: str = ""
    n: int
    median_absolute: float | None = None
    median_signed: float | None = None
    longer: float | None = None


class LengthCorrelation(_View):
    """Correlation of a text's length with its grade."""

    judge: str
    n: int
    r: float | None = None
    low: float | None = None
    high: float | None = None


class Lengths(_View):
    """The controls for edit length."""

    slots: tuple[LengthChange, ...] = ()
    axes: tuple[LengthChange, ...] = ()
    correlation: tuple[LengthCorrelation, ...] = ()
    lengthened: PartGap | None = None
    shortened: PartGap | None = None
    adjusted: PartGap | None = None


class Excluded(_View):
    """What was left out, why, and how many."""

    what: str
    reason: str
    n: int
    judge: str | None = None


class ProfileView(_View):
    """The whole of profile.json as far as the report shows it."""

    direction: str
    direction_source: str = ""
    watermark: str | None = None
    level: float = 0.95
    floor: float
    rule: str
    n_base: int
    judges: tuple[JudgeView, ...]
    mean: dict[str, Any] | None = None
    gap: Gap | None = None
    slots: tuple[SlotRate, ...] = ()
    groupings: tuple[Grouping, ...] = ()
    dominance: tuple[Dominance, ...] = ()
    matched: tuple[Matched, ...] = ()
    lengths: Lengths | None = None
    controls: tuple[ControlView, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    made_under: dict[str, str] = Field(default_factory=dict)
    raw: dict[str, Any] = Field(default_factory=dict, repr=False)

    @property
    def compared(self) -> tuple[JudgeView, ...]:
        """The judges that means, contrast and slots are over: with a frontier, no remedies."""
        return tuple(
            judge
            for judge in self.judges
            if judge.status == "frontier"
            and judge.operating_point is not None
            and judge.remedy is None
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


def _with_axes(value: Any) -> Any:
    """R_scope, R_scope_interval and the like, gathered by axis; R_interval is not an axis."""
    if not isinstance(value, Mapping) or "axes" in value:
        return value
    named = {k.removeprefix(AXIS_PREFIX): v for k, v in value.items() if k.startswith(AXIS_PREFIX)}
    named.pop("interval", None)
    ends = {k.removesuffix("_interval"): v for k, v in named.items() if k.endswith("_interval")}
    axes = {k: v for k, v in named.items() if not k.endswith("_interval")}
    return {**value, "axes": axes, "axis_intervals": ends}


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
