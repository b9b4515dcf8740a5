"""Which models write, check and judge, and how is each reached?

`[generator]`, `[verifier]` and `[[judges]]` of study.toml.
"""

from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from judgeprobe.settings.base import ModelSettings, SettingsTable

__all__ = ["GeneratorSettings", "JudgeSettings", "VerifierSettings"]


class GeneratorSettings(ModelSettings):
    """Who writes the edits (family A).

    Attributes:
        mix_rules: Whether the rules generator adds its own edits beside the model's.
        attempts: Most tries at one edit, each told why the last was refused; of the rules, most
            candidates that are shown to the verifier.
        match_length: Where given, construct edits are kept only in sets of one edit an axis whose
            absolute length changes differ by no more than this share.
    """

    model: str = "rules"
    prompt: str = "generator.v1"
    mix_rules: bool = False
    attempts: int = Field(1, ge=1, le=10)
    slots: tuple[str, ...] | None = None
    match_length: float | None = Field(None, ge=0)


class VerifierSettings(ModelSettings):
    """Who checks the edits (family B)."""

    prompt_construct: str = "verifier_construct.v1"
    prompt_control: str = "verifier_control.v1"


class JudgeSettings(SettingsTable):
    """One judge: a model or a Python callable.

    Attributes:
        call: `module:function`, sync or async, (evidence, claim) -> number or text.
        elicitation: "written" reads the grade from the reply's text; "expected" takes the mean
            over the grade tokens' probabilities.
        prompt: Prompt of this judge alone; the study's where None.
        reply_pattern: Regular expression whose first group is the grade.
        parser: `module:function` that reads a reply: (text) -> number, word of the scale or None.
        transport: "litellm", or "direct" for an OpenAI-compatible endpoint.
        price: US dollars per million tokens, {input, output}, where litellm has none.
        served_model: Name under which the endpoint serves the model, where it is another one.
        endpoint_selects_model: Whether two hosts of `base_url` serve two models under one name.
        base_urls: Several endpoints that serve the very same model, in place of `base_url`.
        canary_tolerance: By how much two of them may differ in the log-probability of a token
            (natural logarithm) before they count as two instruments.
        takes_scale: Whether the function wants the scale too, as the keyword `scale`: (low, high,
            step).
        paired_call: `module:function`, (evidence, first, second) -> both grades, for the paired
            mode of `judgeprobe vary`.
        model_group: Judges of one group are one model in several quantizations.
    """

    name: str = Field(min_length=1, max_length=80)
    model: str | None = None
    call: str | None = None
    takes_scale: bool = False
    paired_call: str | None = None
    model_group: str | None = None
    provider: dict[str, Any] | None = None
    family: str | None = None
    base_url: str | None = None
    base_urls: tuple[str, ...] = ()
    temperature: float | None = 0.0
    max_tokens: int | None = Field(None, ge=1)
    seed: int | None = None
    reasoning_effort: str | None = None
    extra_body: dict[str, Any] | None = None
    timeout: float = Field(60.0, gt=0)
    elicitation: Literal["written", "expected"] | None = None
    prompt: str | None = None
    reply_pattern: str | None = None
    parser: str | None = None
    transport: Literal["litellm", "direct"] = "litellm"
    repetitions: int | None = Field(None, ge=1)
    price: dict[str, float] | None = None
    served_model: str | None = None
    endpoint_selects_model: bool = False
    canary_tolerance: float = Field(0.1, gt=0)

    @model_validator(mode="before")
    @classmethod
    def _first_url(cls, values: Any) -> Any:
        """Whatever needs one endpoint takes the first of several."""
        if not isinstance(values, dict):
            return values
        if isinstance(values.get("base_url"), list | tuple):
            raise ValueError("`base_url` names one endpoint; give several as `base_urls`")
        if not values.get("base_urls"):
            return values
        if values.get("base_url") is not None:
            raise ValueError("give either `base_url` or `base_urls`")
        return {**values, "base_url": values["base_urls"][0]}

    @model_validator(mode="after")
    def _check(self) -> "JudgeSettings":
        if (self.model is None) == (self.call is None):
            raise ValueError(f"the judge `{self.name}` needs either `model` or `call`")
        if len(set(self.base_urls)) < len(self.base_urls):
            raise ValueError(f"the judge `{self.name}` has an endpoint twice in `base_urls`")
        if len({urlsplit(url).path.rstrip("/") for url in self.base_urls}) > 1:
            raise ValueError(
                f"the `base_urls` of the judge `{self.name}` have different paths; a path may "
                "name another model, so they must end alike"
            )
        if len(self.base_urls) > 1 and self.endpoint_selects_model:
            raise ValueError(
                f"the judge `{self.name}` has several `base_urls`, which must serve one model; "
                "make it one judge for each endpoint, or drop `endpoint_selects_model`"
            )
        if self.parser is not None and (self.reply_pattern or self.elicitation == "expected"):
            other = "reply_pattern" if self.reply_pattern else 'elicitation = "expected"'
            raise ValueError(f"the judge `{self.name}` has a `parser`; take `{other}` out")
        return self
