"""What small parts is profile.json made of, as the report reads them?

Fields that the report does not show are passed over; every field that may be missing says so.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "AXIS_PREFIX",
    "Apart",
    "Bar",
    "Bound",
    "Cut",
    "DomainRate",
    "Dominance",
    "Excluded",
    "Gap",
    "Grouping",
    "LengthChange",
    "LengthCorrelation",
    "Lengths",
    "Matched",
    "MatchedJudge",
    "MemberAgreement",
    "OperatingPoint",
    "Pair",
    "PartGap",
    "Prediction",
    "RightWay",
    "SlotRate",
    "View",
]

AXIS_PREFIX = "R_"
Pair = tuple[float, float]


class View(BaseModel):
    """A part of profile.json."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Cut(View):
    """One attained cut; `hull` where no other beats it (a vertex of the frontier)."""

    tau: float
    S: float
    R: float
    hull: bool


class OperatingPoint(View):
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


class Bound(View):
    """What a rate could be if the ungraded pairs were known."""

    low: float | None
    high: float | None
    n_ungraded: int


class DomainRate(View):
    """S and R of one judge in one domain."""

    domain: str
    n_pairs: dict[str, int] = Field(default_factory=dict)
    S: float | None
    R: float | None
    S_interval: Pair | None = None
    R_interval: Pair | None = None


class Apart(View):
    """Pairs in neither arm: how many, and the share of their verdicts that changed."""

    n: int
    rate: float | None = None


class SlotRate(View):
    """Share of verdicts changed in one slot at the operating point."""

    slot: str
    axis: str
    n: int
    rate: float | None
    low: float | None = None
    high: float | None = None


class PartGap(View):
    """The contrast on some of the pairs, or adjusted for something."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n_pairs: int | None = None
    n_base: int | None = None
    n_judges: int | None = None
    positive_judges: int | None = None


class Gap(View):
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


class Grouping(View):
    """How much of the spread between slots a grouping of them accounts for."""

    name: str
    n_slots: int
    n_groups: int
    eta_squared: float | None = None
    reason: str | None = None


class RightWay(View):
    """Of the construct edits whose verdict changed, the share that changed as people set it."""

    n_changed: int = 0
    share: float | None = None
    low: float | None = None
    high: float | None = None


class MemberAgreement(View):
    """Judge against people on which member claims more, at the operating cut."""

    n: int
    raw: float | None = None
    kappa: float | None = None
    kappa_interval: Pair | None = None
    weighted_kappa: float | None = None
    weighted_kappa_interval: Pair | None = None
    degenerate: bool = False


class Dominance(View):
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


class MatchedJudge(View):
    """The best R of one judge at some S or a stricter one, with the S it was attained at."""

    judge: str
    S: float | None = None
    R: float | None = None


class Matched(View):
    """Every judge at one level of S."""

    level: float
    judges: tuple[MatchedJudge, ...]


class LengthChange(View):
    """Length changes of a slot's or an axis' edits, as shares of the original's characters."""

    slot: str = ""
    axis: str = ""
    n: int
    median_absolute: float | None = None
    median_signed: float | None = None
    longer: float | None = None


class LengthCorrelation(View):
    """Correlation of a text's length with its grade."""

    judge: str
    n: int
    r: float | None = None
    low: float | None = None
    high: float | None = None


class Lengths(View):
    """The controls for edit length."""

    slots: tuple[LengthChange, ...] = ()
    axes: tuple[LengthChange, ...] = ()
    correlation: tuple[LengthCorrelation, ...] = ()
    lengthened: PartGap | None = None
    shortened: PartGap | None = None
    adjusted: PartGap | None = None


class Excluded(View):
    """What was left out, why, and how many."""

    what: str
    reason: str
    n: int
    judge: str | None = None


def _with_axes(value: Any) -> Any:
    """R_scope, R_scope_interval and the like, gathered by axis; R_interval is not an axis."""
    if not isinstance(value, Mapping) or "axes" in value:
        return value
    named = {k.removeprefix(AXIS_PREFIX): v for k, v in value.items() if k.startswith(AXIS_PREFIX)}
    named.pop("interval", None)
    ends = {k.removesuffix("_interval"): v for k, v in named.items() if k.endswith("_interval")}
    axes = {k: v for k, v in named.items() if not k.endswith("_interval")}
    return {**value, "axes": axes, "axis_intervals": ends}


class Bar(View):
    """The means over judges and the contrast with the agreement bar elsewhere.

    Attributes:
        registered: Whether it is the bar that was fixed beforehand.
        slots: Slots that reach it.
    """

    bar: float
    registered: bool = False
    slots: tuple[str, ...] = ()
    n_pairs: int = 0
    n_judges: int = 0
    mean: dict[str, float | None] | None = None
    gap: PartGap | None = None


class Prediction(View):
    """One entry of the register of predicted values.

    Attributes:
        refuted_if: What refutes it; None for a design parameter.
        measured_by: Where in the profile its measurement stands.
        state: "standing", "measured" or "refuted".
        measured: The measurement, or None.
    """

    key: str
    value: float
    basis: str
    refuted_if: str | None = None
    measured_by: str | None = None
    state: str
    measured: float | str | bool | None = None
