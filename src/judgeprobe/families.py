"""Which vendor family is behind a model name?

Generator, verifier and judges must come from disjoint families, so that none scores its own
output (Protocol 1 of the construct-validity reference).
"""

import re

__all__ = ["family_of"]

# The order matters: the first word found in the name decides.
_FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("rules", ("rules",)),
    ("google", ("gemini", "gemma", "palm", "google")),
    ("anthropic", ("claude", "anthropic")),
    ("openai", ("gpt", "chatgpt", "davinci", "openai", "o1", "o3", "o4")),
    ("mistral", ("mistral", "mixtral", "ministral", "magistral", "codestral", "mistralai")),
    ("nvidia", ("nemotron", "nvidia")),
    ("deepseek", ("deepseek",)),
    ("zhipu", ("glm", "z-ai", "zhipu")),
    ("qwen", ("qwen", "qwq", "alibaba")),
    ("meta", ("llama", "meta-llama", "meta")),
    ("cohere", ("command", "cohere", "aya")),
    ("microsoft", ("phi", "microsoft", "wizardlm")),
    ("xai", ("grok", "x-ai", "xai")),
    ("amazon", ("nova", "titan", "amazon")),
    ("moonshot", ("kimi", "moonshot", "moonshotai")),
    ("minimax", ("minimax",)),
    ("ai21", ("jamba", "ai21", "j2")),
    ("ibm", ("granite", "ibm")),
    ("allenai", ("olmo", "tulu", "allenai")),
)


def family_of(model: str) -> str | None:
    """The vendor family that a model name tells, or None where it tells none.

    A word of the name decides, or the beginning of one (`gpt4o`, `llama3`). The most specific
    path segment (the last) is read first, so that a router's or a host's name does not decide
    over the model's own.
    """
    for segment in reversed(re.split(r"[/:]", model.lower())):
        words = re.split(r"[^a-z0-9]+", segment)
        for family, names in _FAMILIES:
            for name in names:
                if segment == name or any(_begins(word, name) for word in words):
                    return family
    return None


def _begins(word: str, name: str) -> bool:
    return word == name or (
        len(name) > 2 and word.startswith(name) and not word[len(name) :].isalpha()
    )
