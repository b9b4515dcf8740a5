"""Which vendor family is behind a model name, and are the families of a study disjoint?

Generator, verifier and judges must come from disjoint families, so that none scores its own
output (Protocol 1 of the construct-validity reference). A name tells its family by its words; what
only carries a model (a router, a host, a transport) tells nothing. A model that one vendor trained
on another's weights belongs to both ("nvidia/llama-3.1-nemotron-70b"). Where the name tells none,
study.toml must.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judgeprobe.errors import StudyError
from judgeprobe.settings import JudgeSettings, ModelSettings
from judgeprobe.study import Study

__all__ = [
    "VERIFIER",
    "Member",
    "families_of",
    "family_of",
    "pressure_members",
    "require_disjoint",
    "settings_families",
]

# The order matters: the first family found in a name is its own, the others are what it builds on.
_FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("rules", ("rules",)),
    ("google", ("gemini", "gemma", "codegemma", "medgemma", "palm", "google", "bison")),
    ("anthropic", ("claude", "anthropic")),
    ("openai", ("gpt", "chatgpt", "davinci", "babbage", "openai", "o1", "o3", "o4")),
    ("nvidia", ("nemotron", "nvidia")),
    ("deepseek", ("deepseek",)),
    (
        "mistral",
        ("mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral",
         "mistralai"),
    ),
    ("zhipu", ("glm", "z-ai", "zai", "zhipu", "chatglm")),
    ("nous", ("hermes", "nousresearch")),
    ("microsoft", ("phi", "microsoft", "wizardlm")),
    ("allenai", ("olmo", "tulu", "allenai")),
    ("perplexity", ("sonar", "perplexity")),
    ("qwen", ("qwen", "qwq", "qvq", "alibaba")),
    ("meta", ("llama", "codellama", "meta-llama", "meta")),
    ("cohere", ("command", "cohere", "aya", "c4ai")),
    ("xai", ("grok", "x-ai", "xai")),
    ("amazon", ("nova", "titan", "amazon")),
    ("moonshot", ("kimi", "moonshot", "moonshotai")),
    ("minimax", ("minimax",)),
    ("ai21", ("jamba", "ai21", "j2", "jurassic")),
    ("ibm", ("granite", "ibm")),
    ("databricks", ("dbrx",)),
    ("01ai", ("yi", "01-ai")),
    ("bytedance", ("doubao", "seed-oss", "bytedance")),
    ("baidu", ("ernie", "baidu")),
    ("tencent", ("hunyuan", "tencent")),
    ("tii", ("falcon", "tiiuae")),
    ("huggingface", ("smollm", "smollm2", "smollm3", "zephyr")),
    ("writer", ("palmyra",)),
    ("stepfun", ("stepfun",)),
    ("liquid", ("lfm", "lfm2")),
    ("internlm", ("internlm", "internlm2")),
    ("eleutherai", ("pythia", "eleutherai")),
)  # fmt: skip

# Leading segments that name who carries the model, not who trained it. Some hold a vendor's name.
_CARRIERS = {
    *("openrouter", "azure", "azure_ai", "azure_text", "bedrock", "bedrock_converse", "converse"),
    *("vertex_ai", "vertex_ai_beta", "sagemaker", "sagemaker_chat", "nvidia_nim", "huggingface"),
    *("together_ai", "fireworks_ai", "groq", "replicate", "ollama", "ollama_chat", "lm_studio"),
    *("hosted_vllm", "vllm", "local", "github", "github_copilot", "databricks", "watsonx", "oci"),
    *("text-completion-openai", "openai_like", "custom_openai", "litellm_proxy", "llamafile"),
    *("snowflake", "cerebras", "sambanova", "deepinfra", "baseten", "anyscale", "cloudflare"),
    *("featherless_ai", "nebius", "novita", "hyperbolic", "lambda_ai", "xinference", "predibase"),
}
# With an endpoint of the user's own these name the protocol that it speaks.
_PROTOCOLS = {"openai", "anthropic", "cohere", "mistral", "gemini", "azure", "deepseek", "xai"}


def family_of(model: str, *, own_endpoint: bool = False) -> str | None:
    """The vendor family that a model name tells, or None where it tells none.

    Args:
        model: A litellm model name, `local/NAME`, the path of a GGUF file, or "rules".
        own_endpoint: Whether the model is reached at an endpoint of the user's own. The leading
            segment ("openai/my-model") is then the protocol and tells nothing.
    """
    return next(iter(families_of(model, own_endpoint=own_endpoint)), None)


def families_of(model: str, *, own_endpoint: bool = False) -> tuple[str, ...]:
    """The family that a model name tells, then those whose weights it builds on.

    A word of the name decides, or the beginning of one (`gpt4o`, `llama3`). The most specific
    segment that tells a family is read and no other, so that a folder's or a router's name does
    not decide over the model's own.
    """
    for segment in _segments(model.strip().lower(), own_endpoint=own_endpoint):
        found = tuple(family for family, names in _FAMILIES if _told(segment, names))
        if found:
            return found
    return ()


def _segments(model: str, *, own_endpoint: bool) -> Iterator[str]:
    """The parts of a name that may tell the family, the most specific first."""
    if tuned := re.search(r"(?:^|/)ft:([^:/]+)", model):
        # What follows the base model's name is the customer's: "ft:gpt-4o:acme:our-claude:id".
        yield tuned[1]
        return
    path = model.replace("\\", "/")
    if path.endswith(".gguf"):
        yield path.rsplit("/", 1)[-1]
        return
    parts = path.split("/")
    while len(parts) > 1 and (parts[0] in _CARRIERS or (own_endpoint and parts[0] in _PROTOCOLS)):
        parts.pop(0)
    for part in reversed(parts):
        # A variant or a version after a colon or an at sign names no model: "model:free", "m@2024".
        yield re.split(r"[:@]", part)[0] if not part.startswith("arn:") else part


def _told(segment: str, names: tuple[str, ...]) -> bool:
    words = re.split(r"[^a-z0-9]+", segment)
    return any(
        segment == name
        or ("-" in name and re.search(rf"(?<![a-z0-9]){name}(?![a-z0-9])", segment) is not None)
        or any(_begins(word, name) for word in words)
        for name in names
    )


def _begins(word: str, name: str) -> bool:
    return word == name or (
        len(name) > 2 and word.startswith(name) and not word[len(name) :].isalpha()
    )


# The name of the verifier among the models of the pressure arm.
VERIFIER = "[verifier]"


@dataclass(frozen=True)
class Member:
    """A model of a study with its families.

    Attributes:
        role: "generator", "verifier" or "judge `NAME`".
        model: As study.toml names it; the function of a callable judge.
        families: Its own first, then those whose weights it builds on.
    """

    role: str
    model: str
    families: tuple[str, ...]

    def __str__(self) -> str:
        """As an error names it."""
        return f"the {self.role} ({self.model}, family {' on '.join(self.families)})"


def require_disjoint(study: Study) -> tuple[Member, ...]:
    """The models of a study, after checking that generator, verifier and judges are disjoint.

    Judges may share a family with each other. The rules generator is a family of its own, and a
    study that only rules write and nobody verifies has nothing to compare a judge with.

    Raises:
        StudyError: Two share a family (it names both models and both families), or a model's
            family cannot be told (it says where to name it).
    """
    path = study.folder / "study.toml"
    makers: list[Member] = []
    for role, settings in _makers(study):
        makers.append(_member(role, settings, path, f"[{role}]"))
        _compare(makers[:-1], makers[-1], path)
    judges: list[Member] = []
    for judge in study.settings.judges if makers else ():
        member = _member(f"judge `{judge.name}`", judge, path, f'[[judges]] of "{judge.name}"')
        _compare(makers, member, path)
        judges.append(member)
    return (*makers, *judges)


def pressure_members(study: Study) -> dict[str, Member]:
    """The models of the accuracy-pressure arm by name, after checking that they are disjoint.

    The verifier, under `VERIFIER`, must share no family with a generator: it reads what they wrote.
    Generators may share families with each other and with the judges, who grade none of it.

    Raises:
        StudyError: The study has no `[pressure]`, the verifier shares a family with a generator (it
            names both), or a family cannot be told.
    """
    path = study.folder / "study.toml"
    settings = study.settings.pressure
    if settings is None:
        raise StudyError(
            "has no table [pressure]",
            file=path,
            remedy="add one: docs/pressure.md shows it",
        )
    writers = {
        one.name: _member(
            f"pressure generator `{one.name}`", one, path, f'[[pressure.generators]] "{one.name}"'
        )
        for one in settings.generators
    }
    if settings.verifier is None:
        return writers
    verifier = _member("verifier of [pressure]", settings.verifier, path, "[pressure.verifier]")
    _compare(list(writers.values()), verifier, path)
    return {**writers, VERIFIER: verifier}


def _makers(study: Study) -> Iterator[tuple[str, ModelSettings]]:
    settings = study.settings
    if settings.study.pairs is not None:
        return
    if settings.generator.model != "rules":
        yield "generator", settings.generator
    if settings.verifier is not None:
        yield "verifier", settings.verifier


def settings_families(settings: ModelSettings | JudgeSettings) -> tuple[str, ...]:
    """The families of a model of study.toml: as it says, or as the name tells; or none."""
    if settings.family:
        given = settings.family.strip().lower()
        # "Claude" and "anthropic" are one family.
        return families_of(given) or (given,)
    return families_of(settings.model or "", own_endpoint=bool(settings.base_url))


def _member(role: str, settings: ModelSettings | JudgeSettings, file: Path, table: str) -> Member:
    name = settings.model or getattr(settings, "call", None) or ""
    found = settings_families(settings)
    if not found:
        raise StudyError(
            f"the family of the {role} ({name}) cannot be told from its name, so it cannot be "
            "shown to differ from the others'",
            file=file,
            remedy=f'name its vendor: family = "..." in {table}',
        )
    return Member(role, name, found)


def _compare(makers: list[Member], member: Member, file: Path) -> None:
    for maker in makers:
        if set(maker.families) & set(member.families):
            raise StudyError(
                f"{member} and {maker} are of one family, and no family may score its own output",
                file=file,
                remedy=f"choose another model as {member.role.split()[0]}",
            )
