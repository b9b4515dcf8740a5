from pathlib import Path

import pytest

from judgeprobe.errors import StudyError
from judgeprobe.families import families_of, family_of, require_disjoint
from judgeprobe.study import load_study


@pytest.mark.parametrize(
    ("model", "family"),
    [
        # Routers.
        ("openrouter/anthropic/claude-haiku-4.5", "anthropic"),
        ("openrouter/mistralai/mistral-small-3.2-24b-instruct", "mistral"),
        ("openrouter/openai/gpt-oss-20b:free", "openai"),
        ("openrouter/z-ai/glm-4.7-flash", "zhipu"),
        ("openrouter/auto", None),
        # Direct.
        ("anthropic/claude-sonnet-4", "anthropic"),
        ("nvidia/nemotron-3-nano-30b-a3b", "nvidia"),
        ("google/gemini-2.5-flash-lite", "google"),
        ("gemini/gemini-2.0-flash", "google"),
        ("deepseek/deepseek-v4-flash", "deepseek"),
        ("z-ai/glm-4.7-flash", "zhipu"),
        ("meta-llama/llama-4-scout", "meta"),
        ("gpt-4o", "openai"),
        ("o3-mini", "openai"),
        ("xai/grok-3", "xai"),
        ("cohere/command-a-03-2025", "cohere"),
        ("perplexity/sonar-pro", "perplexity"),
        ("moonshot/kimi-k2", "moonshot"),
        # Bedrock.
        ("bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0", "anthropic"),
        ("bedrock/us.meta.llama3-2-90b-instruct-v1:0", "meta"),
        ("bedrock/eu.amazon.nova-pro-v1:0", "amazon"),
        ("bedrock/converse/us.deepseek.r1-v1:0", "deepseek"),
        ("bedrock/us-east-1/mistral.mistral-large-2402-v1:0", "mistral"),
        (
            "bedrock/arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-3-haiku",
            "anthropic",
        ),
        ("bedrock/arn:aws:bedrock:us-east-1:1:custom-model/abc123", None),
        # Vertex.
        ("vertex_ai/claude-3-5-sonnet@20240620", "anthropic"),
        ("vertex_ai/gemini-2.5-pro", "google"),
        ("vertex_ai/meta/llama-3.1-405b-instruct-maas", "meta"),
        ("vertex_ai/mistral-large@2407", "mistral"),
        ("vertex_ai/4711081514", None),
        # Azure: a deployment has the name that its owner gave it.
        ("azure/gpt-4o-prod", "openai"),
        ("azure/our-gpt4-deployment", "openai"),
        ("azure/judge-prod", None),
        ("azure_ai/mistral-large-latest", "mistral"),
        # Hosts that carry other vendors' models.
        ("nvidia_nim/meta/llama3-70b-instruct", "meta"),
        ("nvidia_nim/our-model", None),
        ("fireworks_ai/accounts/fireworks/models/llama-v3p1-8b-instruct", "meta"),
        ("groq/llama3-8b-8192", "meta"),
        ("together_ai/Qwen/Qwen2.5-7B-Instruct-Turbo", "qwen"),
        ("huggingface/TheBloke/Mistral-7B-Instruct-v0.2-GGUF", "mistral"),
        ("ollama/llama3:8b", "meta"),
        ("sambanova/Meta-Llama-3.1-8B-Instruct", "meta"),
        ("text-completion-openai/our-model", None),
        # Local files: the folder tells nothing.
        ("local/gemma-3-270m", "google"),
        ("local//home/meta/models/Qwen2.5-7B-Instruct-Q4_K_M.gguf", "qwen"),
        ("local//srv/claude/ours.gguf", None),
        ("local/C:\\models\\Phi-4.gguf", "microsoft"),
        # Fine-tuned: the customer's words come after the base model.
        ("ft:gpt-4o-mini-2024-07-18:acme::abc", "openai"),
        ("openai/ft:gpt-3.5-turbo:claude-lovers:our-llama:id", "openai"),
        # Whole words only.
        ("rules", "rules"),
        ("something-unheard-of", None),
        ("metaphor-7b", None),
        ("commander-1", None),
        ("philosopher", None),
    ],
)
def test_the_name_tells_the_family(model: str, family: str | None) -> None:
    assert family_of(model) == family


@pytest.mark.parametrize(
    ("model", "families"),
    [
        ("nvidia/llama-3.1-nemotron-70b-instruct", ("nvidia", "meta")),
        ("openrouter/deepseek/deepseek-r1-distill-qwen-32b", ("deepseek", "qwen")),
        ("nousresearch/hermes-3-llama-3.1-405b", ("nous", "meta")),
    ],
)
def test_a_model_on_other_weights_is_of_both_families(
    model: str, families: tuple[str, ...]
) -> None:
    assert families_of(model) == families


def test_with_an_endpoint_of_ones_own_the_protocol_tells_nothing() -> None:
    assert family_of("openai/our-model") == "openai"
    assert family_of("openai/our-model", own_endpoint=True) is None
    assert family_of("openai/qwen2.5-7b-instruct", own_endpoint=True) == "qwen"


def study(tmp_path: Path, text: str):
    top = '[study]\nname = "t"\nbase_items = "shipped"\n'
    (tmp_path / "study.toml").write_text(top + text)
    return load_study(tmp_path)


GENERATOR = '[generator]\nmodel = "anthropic/claude-sonnet-4"\n'
VERIFIER = '[verifier]\nmodel = "openrouter/mistralai/mistral-small"\n'


def test_disjoint_models_are_listed_with_their_families(tmp_path: Path) -> None:
    found = require_disjoint(
        study(tmp_path, GENERATOR + VERIFIER + '[[judges]]\nname = "j"\nmodel = "gpt-4o"\n')
    )
    assert [(member.role, member.families) for member in found] == [
        ("generator", ("anthropic",)),
        ("verifier", ("mistral",)),
        ("judge `j`", ("openai",)),
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            GENERATOR + '[verifier]\nmodel = "bedrock/us.anthropic.claude-3-haiku-v1:0"\n',
            ["generator (anthropic/claude-sonnet-4, family anthropic)",
             "verifier (bedrock/us.anthropic.claude-3-haiku-v1:0, family anthropic)"],
        ),
        (
            GENERATOR + VERIFIER + '[[judges]]\nname = "h"\nmodel = "vertex_ai/claude-3@1"\n',
            ["judge `h` (vertex_ai/claude-3@1, family anthropic)",
             "generator (anthropic/claude-sonnet-4, family anthropic)"],
        ),
        (
            GENERATOR + VERIFIER + '[[judges]]\nname = "m"\nmodel = "azure/prod"\n'
            'family = "Mistral"\n',
            ["judge `m` (azure/prod, family mistral)", "verifier (openrouter/mistralai/"],
        ),
        (
            '[generator]\nmodel = "meta-llama/llama-4-scout"\n[verifier]\n'
            'model = "nvidia/llama-3.1-nemotron-70b"\n',
            ["verifier (nvidia/llama-3.1-nemotron-70b, family nvidia on meta)",
             "generator (meta-llama/llama-4-scout, family meta)"],
        ),
    ],
)  # fmt: skip
def test_a_violation_names_both_models_and_both_families(
    tmp_path: Path, text: str, named: list[str]
) -> None:
    with pytest.raises(StudyError) as error:
        require_disjoint(study(tmp_path, text))
    for words in named:
        assert words in str(error.value)
    assert "choose another model" in str(error.value)


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ('[generator]\nmodel = "azure/prod"\n', "in [generator]"),
        ('[verifier]\nmodel = "openai/ours"\nbase_url = "http://localhost:1/v1"\n', "[verifier]"),
        (VERIFIER + '[[judges]]\nname = "j"\ncall = "a:b"\n', '[[judges]] of "j"'),
    ],
)
def test_a_family_that_cannot_be_told_must_be_named(tmp_path: Path, text: str, table: str) -> None:
    with pytest.raises(StudyError, match="cannot be told from its name") as error:
        require_disjoint(study(tmp_path, text))
    assert table in str(error.value)


def test_a_named_family_decides_over_the_name(tmp_path: Path) -> None:
    found = require_disjoint(study(tmp_path, '[generator]\nmodel = "azure/gpt"\nfamily = "acme"\n'))
    assert found[0].families == ("acme",)


def test_rules_without_a_verifier_leave_nothing_to_compare(tmp_path: Path) -> None:
    judges = '[[judges]]\nname = "j"\nmodel = "something-unheard-of"\n'
    assert require_disjoint(study(tmp_path, judges)) == ()
