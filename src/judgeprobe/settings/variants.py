"""Which changes of one thing at a time may a study ask for?

`[variants]` of a study.toml sets what `judgeprobe vary` changes. `[variant]` stands in the
study.toml of each variant's own folder and says which study it is a variant of.
"""

from typing import Any

from pydantic import Field, field_validator

from judgeprobe.records import Scale
from judgeprobe.settings.base import SettingsTable, scale_of

__all__ = ["SelfConsistency", "VariantSettings", "VariantsSettings"]


class SelfConsistency(SettingsTable):
    """One judge asked several times, with chance in its answers.

    Attributes:
        temperature: Sampling temperature, above 0.
        samples: How often each text is graded; from 3 on a majority is read beside the mean.
    """

    temperature: float = Field(0.7, gt=0)
    samples: int = Field(5, ge=2)


class VariantsSettings(SettingsTable):
    """What `judgeprobe vary` changes.

    Attributes:
        scales: Verdict spaces under which every judge is asked to write its grade.
        expected: Scale of whole numbers, of one digit each, for the expected grade.
        self_consistency: Temperature and samples.
        ensembles: Name of each ensemble and the judges in it; all judges together where none is
            named.
        prompts: Paraphrases of your own, used for every judge beside the shipped ones.
        claim_first: Your own prompt with the claim before the evidence, for judges whose prompt
            is not a shipped one.
        paired: Your own prompt that shows both sentences, for the same judges.
        bars: Agreement bars at which the profile is made again.
        margin: How far S and R may lie from those of the study and still count as the same, in
            shares.
        pilot: Fewest texts of each variant's pilot.
    """

    scales: tuple[Scale, ...] = (
        Scale(0, 1, 1),
        Scale(1, 5, 1),
        Scale(0, 5, 0.25),
        Scale(0, 100, 1),
    )
    expected: Scale = Scale(0, 5, 1)
    self_consistency: SelfConsistency = SelfConsistency()
    ensembles: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    prompts: tuple[str, ...] = ()
    claim_first: str | None = None
    paired: str | None = None
    bars: tuple[float, ...] = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
    margin: float = Field(0.05, gt=0, lt=1)
    pilot: int = Field(60, ge=1)

    @field_validator("scales", mode="before")
    @classmethod
    def _scales(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        found = tuple(scale_of(one) for one in value)
        names = [f"{len(scale.grades)}" for scale in found if isinstance(scale, Scale)]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two scales have {name} points; a variant is named by them")
        return found

    @field_validator("expected", mode="before")
    @classmethod
    def _expected(cls, value: Any) -> Any:
        scale = scale_of(value)
        # The expected grade is read from one token; "10" takes two in many vocabularies.
        if isinstance(scale, Scale) and any(grade not in range(10) for grade in scale.grades):
            raise ValueError("needs whole grades from 0 to 9, one digit each")
        return scale

    @field_validator("bars")
    @classmethod
    def _bars(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        for bar in value:
            if not 0 <= bar <= 1:
                raise ValueError(f"{bar:g} is no agreement bar; give shares from 0 to 1")
        return value


class VariantSettings(SettingsTable):
    """Which variant a folder holds.

    Attributes:
        of: Folder of the study, relative to this one.
        name: Name of the variant; also that of its folder.
        kind: What was changed: "granularity", "remedies", ...
        change: The change in a clause.
    """

    of: str
    name: str
    kind: str
    change: str = ""
