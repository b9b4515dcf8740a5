"""What is measured, what is a judge asked, and how do labels and grades become a profile?

`[study]`, `[elicitation]`, `[annotation]`, `[profile]` and `[budget]` of study.toml.
"""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from judgeprobe.records import Scale
from judgeprobe.settings.base import SettingsTable, scale_of

__all__ = [
    "AnnotationSettings",
    "BudgetSettings",
    "DatasetSettings",
    "ElicitationSettings",
    "ProfileSettings",
    "StudySettings",
]


class DatasetSettings(SettingsTable):
    """Which part of a Hugging Face data set is read.

    Attributes:
        config: Its configuration, where it has several.
        split: "train", "test" and the like.
        revision: Commit, tag or branch; a commit for results that others can repeat.
    """

    config: str | None = None
    split: str = "train"
    revision: str | None = None


class StudySettings(SettingsTable):
    """What is measured.

    Attributes:
        base_items: Table of claims with evidence; "shipped" for the items in probes/; "hf:NAME"
            for a Hugging Face data set, or the folder of an exported one.
        dataset: Which part of that data set.
        pairs: Table of pairs whose direction people set elsewhere, in place of build and annotate.
        columns: Their column names, by field name, where they differ.
        direction: "human", or "construction", which watermarks everything made from it.
        direction_source: Who set the direction, for a pairs table.
    """

    name: str
    seed: int = 0
    taxonomy: str = "claim-calibration"
    base_items: str | None = None
    pairs: str | None = None
    columns: dict[str, str] = Field(default_factory=dict)
    labels: dict[str, str] = Field(default_factory=dict)
    dataset: DatasetSettings | None = None
    limit: int | None = Field(None, ge=1)
    direction: Literal["human", "construction"] = "human"
    direction_source: str = ""

    @model_validator(mode="after")
    def _check(self) -> "StudySettings":
        if (self.base_items is None) == (self.pairs is None):
            raise ValueError("give either `base_items` or `pairs`")
        if self.pairs is not None and self.direction == "human" and not self.direction_source:
            raise ValueError('`pairs` with direction "human" needs `direction_source`: who set it')
        return self


class ElicitationSettings(SettingsTable):
    """What a judge is asked.

    Attributes:
        run: Label of the run; calls under another label are made anew.
    """

    scale: Scale = Scale()
    prompt: str = "judge.v1"
    repetitions: int = Field(1, ge=1)
    run: str = Field("", max_length=60)

    @field_validator("scale", mode="before")
    @classmethod
    def _scale(cls, value: Any) -> Any:
        return scale_of(value)


class AnnotationSettings(SettingsTable):
    """Who labels direction, and at what bar it counts."""

    annotators: int = Field(3, ge=1)
    bar: float | None = Field(None, ge=0, le=1)
    batch_size: int = Field(100, ge=1)
    training: int = Field(0, ge=0)
    repeats: int = Field(0, ge=0)


class ProfileSettings(SettingsTable):
    """How grades become a profile."""

    floor: float | None = Field(None, ge=0, le=1)
    rule: Literal["cut", "shift"] = "cut"
    resamples: int = Field(10_000, ge=100)
    permutations: int = Field(10_000, ge=100)
    level: float = Field(0.95, gt=0, lt=1)
    groupings: dict[str, dict[str, str]] = Field(default_factory=dict)
    ensembles: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    adjust: Literal["bh", "holm"] = "bh"


class BudgetSettings(SettingsTable):
    """Hard stops, and how much runs at once."""

    max_usd: float | None = Field(None, ge=0)
    max_calls: int | None = Field(None, ge=0)
    max_minutes: float | None = Field(None, gt=0)
    concurrency: int = Field(32, ge=1, le=1024)
    require_pin: bool = False
