import pytest

from judgeprobe.families import family_of


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("openrouter/anthropic/claude-haiku-4.5", "anthropic"),
        ("anthropic/claude-sonnet-4", "anthropic"),
        ("openrouter/mistralai/mistral-small-3.2-24b-instruct", "mistral"),
        ("nvidia/nemotron-3-nano-30b-a3b", "nvidia"),
        ("google/gemini-2.5-flash-lite", "google"),
        ("local/gemma-3-270m", "google"),
        ("deepseek/deepseek-v4-flash", "deepseek"),
        ("z-ai/glm-4.7-flash", "zhipu"),
        ("meta-llama/llama-4-scout", "meta"),
        ("gpt-4o", "openai"),
        ("rules", "rules"),
        ("something-unheard-of", None),
    ],
)
def test_the_name_tells_the_family(model: str, family: str | None) -> None:
    assert family_of(model) == family
