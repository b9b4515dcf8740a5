"""How is a model of study.toml reached?

The keys that every table of study.toml which names a model shares, and the base of all tables: what
is not known is refused.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from judgeprobe.records import Scale

__all__ = ["ModelSettings", "SettingsTable", "scale_of"]


class SettingsTable(BaseModel):
    """A table of study.toml: frozen, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelSettings(SettingsTable):
    """How a model is reached.

    Attributes:
        model: A litellm model name, `local/NAME` for the embedded model or a GGUF file, or "rules"
            (generator only).
        provider: OpenRouter's provider object: order, allow_fallbacks, quantizations.
        family: Vendor family, where the name does not tell it.
        base_url: An OpenAI-compatible endpoint of the user's own.
        extra_body: Sent as it is in the request body.
        price: US dollars per million tokens, {input, output}, where litellm has none.
        served_model: Name under which the endpoint serves the model, where it is another one.
        transport: "litellm", or "direct" for an OpenAI-compatible endpoint.
        structured: Whether the reply's schema is requested through the provider's structured
            output; where None, it is for the models that litellm lists as capable of it.
    """

    model: str
    provider: dict[str, Any] | None = None
    family: str | None = None
    base_url: str | None = None
    price: dict[str, float] | None = None
    served_model: str | None = None
    transport: Literal["litellm", "direct"] = "litellm"
    structured: bool | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = Field(None, ge=1)
    seed: int | None = None
    reasoning_effort: str | None = None
    extra_body: dict[str, Any] | None = None
    timeout: float = Field(60.0, gt=0)


def scale_of(value: Any) -> Any:
    """A scale from the table of a study.toml; anything else as it is.

    Raises:
        ValueError: The table has an unknown key or is no scale.
    """
    if not isinstance(value, dict):
        return value
    unknown = sorted(set(value) - set(Scale.model_fields))
    if unknown:
        raise ValueError(f"unknown key `{unknown[0]}`; a scale has low, high, step and words")
    return Scale(**value)
