"""Which grade does a judge expect, read from the probabilities of the grade tokens?

At the first position of the reply where the chosen token is a number of the scale, the alternatives
that are numbers of the scale too are taken, their probabilities renormalised to sum to one, and the
grade is their mean: sum(g * p(g)) / sum(p(g)). The mass sum(p(g)) is reported; where it is small,
the model was about to say something else.

It reads one token. A grade spread over several tokens ("3", ".", "5") has no such mean, because the
probabilities of the later tokens are known after the chosen first token only; it is refused, and
the remedy is a prompt that asks for whole numbers.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgeprobe.llm.reading import Reading
from judgeprobe.records import Reply, Scale

__all__ = ["LEAST_MASS", "Position", "expected_grade", "token_positions"]

LEAST_MASS = 0.05
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
Position = tuple[str, dict[str, float]]


def expected_grade(reply: Reply | Mapping[str, Any], scale: Scale) -> Reading:
    """The mean over the grade tokens.

    Args:
        reply: A reply, or its choice, with token log-probabilities (natural logarithms), in the
            form of either of OpenAI's interfaces.
        scale: The scale that was asked for; its whole numbers are the grade tokens.

    Returns:
        A reading whose value is in scale units and whose span tells the grades and their mass.
        "unparseable" where there are no log-probabilities, no grade token, a mass under
        `LEAST_MASS`, or a grade of several tokens.
    """
    choice = reply.message if isinstance(reply, Reply) else reply
    positions = list(token_positions(choice.get("logprobs") or {}))
    if not positions:
        return Reading("unparseable", None, detail="the reply has no token log-probabilities")
    at = next((i for i, (token, _) in enumerate(positions) if _grade(token, scale) is not None), -1)
    if at < 0:
        # A model that was about to say something else still gave its grades some probability.
        if len(positions) > 1:
            return Reading("unparseable", None, detail="no token of the reply is a grade")
        at = 0
    if at + 1 < len(positions) and re.match(r"[.,/]?\d", _tail(positions, at + 1)):
        return Reading(
            "unparseable", None, detail="the grade has several tokens; ask for whole numbers"
        )
    return _mean(positions[at][1], scale)


def _mean(alternatives: Mapping[str, float], scale: Scale) -> Reading:
    masses: dict[float, float] = {}
    for token, logprob in alternatives.items():
        grade = _grade(token, scale)
        if grade is not None:
            masses[grade] = masses.get(grade, 0.0) + math.exp(min(logprob, 0.0))
    mass = math.fsum(masses.values())
    told = f"mass {mass:.3f}"
    if mass < LEAST_MASS:
        return Reading("unparseable", None, detail=f"the grade tokens have little {told}")
    value = math.fsum(grade * share for grade, share in masses.items()) / mass
    shares = " ".join(f"{grade:g}:{share / mass:.3f}" for grade, share in sorted(masses.items()))
    return Reading("graded", round(value, 10), f"{shares} ({told})")


def _grade(token: str, scale: Scale) -> float | None:
    """The grade that one token says: a number alone, on the scale."""
    text = token.strip().strip("\"'")
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if value in scale else None


def _tail(positions: Sequence[Position], start: int) -> str:
    return "".join(token for token, _ in positions[start : start + 2])


def token_positions(logprobs: Mapping[str, Any]) -> Iterator[Position]:
    """(chosen token, {token: log-probability}) of each position, in either of the two forms."""
    content = logprobs.get("content")
    if content:
        for entry in content:
            found = {str(entry["token"]): float(entry["logprob"])}
            for other in entry.get("top_logprobs") or ():
                found[str(other["token"])] = float(other["logprob"])
            yield str(entry["token"]), found
        return
    tokens = logprobs.get("tokens") or ()
    own = logprobs.get("token_logprobs") or [None] * len(tokens)
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    for token, logprob, top in zip(tokens, own, tops, strict=False):
        found = {str(name): float(value) for name, value in (top or {}).items()}
        if logprob is not None:
            found[str(token)] = float(logprob)
        yield str(token), found
