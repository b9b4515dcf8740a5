"""Who writes claims under pressure, how often, and who reads them? The `[pressure]` table."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from judgeprobe.settings.base import ModelSettings, SettingsTable

__all__ = ["PressureGenerator", "PressureSettings", "PressureVerifier"]

PressureCondition = Literal["neutral", "accuracy", "brevity"]


class PressureGenerator(ModelSettings):
    """One model, or Python function, that writes claims.

    Attributes:
        name: As it stands in every file and table.
        call: `module:function`, sync or async, (prompt, seed) -> text, in place of `model`.
        temperature: Above 0, so that seeds differ.
        prompts: Prompts in place of the shipped ones, by condition.
    """

    name: str = Field(min_length=1, max_length=80)
    model: str = ""
    call: str | None = None
    temperature: float | None = 0.7
    prompts: dict[PressureCondition, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_of_two(self) -> "PressureGenerator":
        if bool(self.model) == (self.call is not None):
            raise ValueError(f"the generator `{self.name}` needs either `model` or `call`")
        return self


class PressureVerifier(ModelSettings):
    """The model that is asked, per axis, whether a claim rose or fell.

    Attributes:
        prompt_pair: Prompt that sets two claims side by side.
        prompt_evidence: Prompt that sets one claim against its evidence.
    """

    prompt_pair: str = "pressure_verifier_pair.v1"
    prompt_evidence: str = "pressure_verifier_evidence.v1"


class PressureSettings(SettingsTable):
    """The accuracy-pressure arm.

    Attributes:
        generators: Who writes; each is read by itself.
        verifier: Of a family that is none of theirs; None for no such readout.
        seeds: Claims of each passage under each instruction.
        brevity: Whether a third instruction asks for few words, as the control for length.
        limit: Passages that are used, the first of the study; all where None.
        both_orders: Whether the verifier sees each pair of claims in both orders.
        annotated_seeds: Of the seeds, how many of each passage go to the annotators.
    """

    generators: tuple[PressureGenerator, ...] = Field(min_length=1)
    verifier: PressureVerifier | None = None
    seeds: int = Field(3, ge=1, le=100)
    brevity: bool = True
    limit: int | None = Field(None, ge=1)
    both_orders: bool = True
    annotated_seeds: int = Field(1, ge=1)

    @field_validator("generators")
    @classmethod
    def _named_apart(cls, value: tuple[PressureGenerator, ...]) -> tuple[PressureGenerator, ...]:
        names = [one.name for one in value]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two generators are named `{name}`")
        return value

    @model_validator(mode="after")
    def _check(self) -> "PressureSettings":
        if self.annotated_seeds > self.seeds:
            raise ValueError(
                f"`annotated_seeds` is {self.annotated_seeds}, but there are {self.seeds} `seeds`"
            )
        return self

    @property
    def conditions(self) -> tuple[PressureCondition, ...]:
        """The instructions, the neutral one first."""
        return ("neutral", "accuracy", "brevity") if self.brevity else ("neutral", "accuracy")
