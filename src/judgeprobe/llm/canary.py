"""Are two endpoints one instrument?

Each is asked the same fixed question through the judge's own prompt. What they say of the model,
its weights and its chat template must be equal, the prompt must have the same number of tokens, and
every token that either of them gives a probability of 1 percent or more must have the same
log-probability within a tolerance, position by position, as far as both wrote the same tokens.
Where log-probabilities are not disclosed, the greedy text must be the same.

How much two servers of the same weights differ depends on how they are run; docs/cluster.md has
measured values. The default tolerance tells servers that are run alike from those that are not.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judgeprobe.llm.expected import Position, token_positions
from judgeprobe.llm.request import Request
from judgeprobe.llm.sender import Disclosed
from judgeprobe.records import Reply, Served
from judgeprobe.records.calls import NOT_DISCLOSED

__all__ = ["CLAIM", "EVIDENCE", "Signature", "canary_request", "difference", "signature_of"]

EVIDENCE = (
    "In one wet spring a survey looked at 40 ponds in two valleys and found newts in 12 of them. "
    "No pond was visited twice."
)
CLAIM = "Newts live in some of the ponds of the two valleys."
LEAST_PROBABILITY = 0.01
_TOP = 20
_TOKENS = 16


@dataclass(frozen=True)
class Signature:
    """How an endpoint answered the canary.

    Attributes:
        served: What it says answered.
        text: What it wrote.
        positions: Chosen token and {token: log-probability} of each position; empty where it
            discloses none.
        prompt_tokens: Tokens of the prompt; None where not disclosed.
        disclosed: What it says of itself.
    """

    served: Served
    text: str
    positions: Sequence[Position]
    prompt_tokens: int | None
    disclosed: Disclosed


def canary_request(request: Request, *, logprobs: bool = True) -> Request:
    """A judge's request about the canary, made greedy and short.

    Args:
        request: What the judge would send.
        logprobs: Whether log-probabilities are asked for.
    """
    return dataclasses.replace(
        request,
        temperature=None if request.temperature is None else 0.0,
        max_tokens=_TOKENS,
        top_logprobs=_TOP if logprobs else None,
    )


def signature_of(reply: Reply, disclosed: Disclosed) -> Signature:
    """What is compared of an endpoint's answer."""
    try:
        positions = list(token_positions(reply.message.get("logprobs") or {}))
    except (TypeError, ValueError, KeyError, AttributeError):
        # A form that is not known is as good as none.
        positions = []
    return Signature(
        served=reply.served,
        text=_written(reply),
        positions=positions,
        prompt_tokens=reply.usage.get("prompt_tokens"),
        disclosed=disclosed,
    )


def _written(reply: Reply) -> str:
    message: Mapping[str, Any] = reply.message.get("message") or {}
    thought = message.get("reasoning_content") or message.get("reasoning") or ""
    return f"{thought}{reply.text}".strip()


def difference(one: Signature, other: Signature, *, tolerance: float) -> str:
    """How the first differs from the second, as words after its name; "" where they are one.

    Args:
        one: The signature that is judged.
        other: The one it is held against.
        tolerance: Most difference of a token's log-probability (natural logarithm).
    """
    quantization, wanted = one.served.quantization, other.served.quantization
    if quantization != wanted and NOT_DISCLOSED not in (quantization, wanted):
        return f"serves the quantization {quantization!r} where the others serve {wanted!r}"
    for name, value in sorted(one.disclosed.facts.items()):
        known = other.disclosed.facts.get(name, value)
        if value != known:
            return f"has another {name} ({value}) than the others ({known})"
    counts = (one.prompt_tokens, other.prompt_tokens)
    if None not in counts and counts[0] != counts[1]:
        return (
            f"reads the canary as {counts[0]} tokens where the others read {counts[1]} "
            "(another template or tokenizer)"
        )
    if one.positions and other.positions:
        return _other_probabilities(one.positions, other.positions, tolerance)
    if one.text != other.text:
        return f"answers the canary {one.text[:40]!r} where the others answer {other.text[:40]!r}"
    return ""


def _other_probabilities(
    one: Sequence[Position], other: Sequence[Position], tolerance: float
) -> str:
    least = math.log(LEAST_PROBABILITY)
    for place, ((mine, ours), (theirs, known)) in enumerate(zip(one, other, strict=False), start=1):
        for token in sorted({*ours, *known}):
            found, wanted = _of(token, ours), _of(token, known)
            if max(found.value, wanted.value) < least or not _apart(found, wanted, tolerance):
                continue
            return (
                f"gives the token {token!r} at position {place} of the canary the "
                f"log-probability {found} where the others give {wanted}"
            )
        if mine != theirs:
            # Two tokens that are as good as tied; from here on the texts are not the same.
            return ""
    return "" if len(one) == len(other) else "ends its answer to the canary elsewhere"


class _LogProbability(NamedTuple):
    value: float
    # Whether the value is the most that it can be, because the token is not listed.
    bound: bool

    def __str__(self) -> str:
        return f"{'at most ' if self.bound else ''}{self.value:.3f}"


def _of(token: str, listed: Mapping[str, float]) -> _LogProbability:
    if token in listed:
        return _LogProbability(listed[token], bound=False)
    return _LogProbability(min(listed.values(), default=0.0), bound=True)


def _apart(one: _LogProbability, other: _LogProbability, tolerance: float) -> bool:
    apart = one.value - other.value
    if one.bound or other.bound:
        # The listed one must exceed what the other can be at most.
        return (-apart if one.bound else apart) > tolerance
    return abs(apart) > tolerance
