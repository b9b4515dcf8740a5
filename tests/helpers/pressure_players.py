"""What do a played generator and a played verifier of the pressure arm answer?

Claims have one form, in which one word carries scope and one carries strength, so that what a
generator did can be planted and read back. The generator draws from the passage, the instruction
and the seed; the verifier tells two claims apart by those words and is told nothing.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from judgeprobe.files import write_jsonl
from judgeprobe.records import BaseItem
from judgeprobe.study import Study, load_study

__all__ = [
    "GENERATOR",
    "NARROWED",
    "STRENGTHENED",
    "VERIFIER",
    "idle",
    "pressed",
    "verify",
    "write_study",
]

GENERATOR = "openai/claude-haiku-4.5"
VERIFIER = "openai/mistral-small-3.2"
# Planted: the chance that pressure for accuracy narrows a claim, and that it takes the hedge away.
NARROWED, STRENGTHENED = 0.5, 0.7

_SCOPES = {"All of the": 2, "Most of the": 1, "The": 0, "Some of the": -1}
_STRENGTHS = {"warmed strongly": 1, "warmed": 0, "may have warmed": -1}
_NAMES = re.compile(r"The (\w+) lakes were measured")


def draw(*parts: object) -> float:
    """A number from 0 to 1 that depends on the parts alone."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)


def condition(user: str) -> str:
    """Which instruction a prompt holds."""
    if "accurate as you can" in user:
        return "accuracy"
    return "brevity" if "brief as you can" in user else "neutral"


def _name(user: str) -> str:
    found = _NAMES.search(user)
    assert found is not None
    return found[1]


def _claim(name: str, scope: str, strength: str, place: int) -> str:
    return f"{scope} {name} lakes {strength} at {place} stations."


def pressed(body: Mapping[str, Any]) -> str:
    """A generator that narrows and strengthens under pressure for accuracy, and for it alone."""
    user = body["messages"][-1]["content"]
    name, asked, seed = _name(user), condition(user), body["seed"]
    scope, strength = "Most of the", "may have warmed"
    if asked == "accuracy" and draw("scope", name, seed) < NARROWED:
        scope = "The"
    if asked == "accuracy" and draw("strength", name, seed) < STRENGTHENED:
        strength = "warmed"
    return _claim(name, scope, strength, 8 if asked == "brevity" else 9)


def idle(body: Mapping[str, Any]) -> str:
    """A generator that writes at random and does not heed the instruction."""
    user = body["messages"][-1]["content"]
    name, seed = _name(user), body["seed"]
    scope = list(_SCOPES)[int(4 * draw("scope", name, condition(user), seed))]
    strength = list(_STRENGTHS)[int(3 * draw("strength", name, condition(user), seed))]
    return _claim(name, scope, strength, 9)


def rank(claim: str, axis: str) -> int:
    """How far a claim of these players goes on an axis."""
    if axis == "scope":
        return next(value for words, value in _SCOPES.items() if claim.startswith(words))
    return next(value for words, value in _STRENGTHS.items() if f"lakes {words}" in claim)


def verify(body: Mapping[str, Any]) -> str:
    """A verifier that is always right; the passage licenses scope 0 and strength 0."""
    user = body["messages"][-1]["content"]
    axis = "scope" if "how many situations" in user else "strength"
    if pair := re.search(r"Claim A:\n(.*)\n\nClaim B:\n(.*)\n\nWhich", user):
        a, b = (rank(text, axis) for text in pair.groups())
        return json.dumps({"answer": "same" if a == b else "A" if a > b else "B"})
    found = re.search(r"Claim:\n(.*)\n\nBeside", user)
    assert found is not None
    level = rank(found[1], axis)
    return json.dumps({"answer": "same" if level == 0 else "more" if level > 0 else "less"})


def both(write: Callable[[Mapping[str, Any]], str]) -> Callable[[Mapping[str, Any]], str]:
    """One server's script for a generator and the verifier."""
    return lambda body: verify(body) if "mistral" in body["model"] else write(body)


def items(count: int) -> list[BaseItem]:
    """Base items with passages of one form; two of them rest on one passage."""
    made = []
    for number in range(count):
        name = "north" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:03d}")
        evidence = (
            f"The {name} lakes were measured at 9 stations in two summers. At 6 of the 9 the water "
            "was warmer in the second summer."
        )
        made.append(BaseItem(id=f"q{number:03d}", evidence=evidence, claim="The lakes warmed."))
    twin = made[0].model_copy(update={"id": "twin", "claim": "Lakes warm."})
    return [*made, twin]


def write_study(
    folder: Path,
    url: str,
    *,
    count: int = 30,
    pressure: str = "",
    verifier: bool = True,
    extra: str = "",
) -> Study:
    """A built study whose generator and verifier are played at a URL.

    Args:
        folder: Study folder.
        url: Of the server.
        count: Passages.
        pressure: Further keys of [pressure].
        verifier: Whether there is one.
        extra: Further tables.
    """
    folder.mkdir(parents=True, exist_ok=True)
    reach = f'base_url = "{url}"\ntransport = "direct"\n'
    verifying = f'[pressure.verifier]\nmodel = "{VERIFIER}"\n{reach}' if verifier else ""
    (folder / "study.toml").write_text(
        '[study]\nname = "played"\nseed = 3\nbase_items = "items.jsonl"\n'
        "[profile]\nresamples = 500\npermutations = 500\n"
        f"[pressure]\n{pressure}\n"
        f'[[pressure.generators]]\nname = "writer"\nmodel = "{GENERATOR}"\nseed = 11\n{reach}'
        f"{verifying}{extra}",
        encoding="utf-8",
    )
    write_jsonl(folder / "base_items.jsonl", items(count))
    return load_study(folder)
