"""What would the arm send, how many calls would it make, and what would they cost?

Nothing is sent and nothing is written. Four characters count as a token, and a claim is reckoned at
40 tokens. The verifier's questions are counted as if every claim will be kept and no two are one
text, which is the most there can be; what of its replies is cached is not known before the claims
are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judgeprobe.families import VERIFIER, pressure_members
from judgeprobe.llm.cache import ReplyCache, reply_key
from judgeprobe.llm.disk import DATABASE
from judgeprobe.llm.endpoint import CHARACTERS_A_TOKEN, Endpoint
from judgeprobe.llm.request import Request
from judgeprobe.pressure.passages import Passage, passages
from judgeprobe.pressure.verifying import PressureReader
from judgeprobe.pressure.writing import Writer, writers
from judgeprobe.records import PressureClaim
from judgeprobe.study import Study

__all__ = ["Planned", "Preview", "preview"]

_CLAIM_TOKENS = 40
_ANSWER_TOKENS = 10


@dataclass(frozen=True)
class Planned:
    """Calls of one role.

    Attributes:
        calls: Without the cached ones.
        cached: Replies that are there already.
        prompt_tokens: Of `calls`, estimated.
        reply_tokens: Likewise.
        usd: Of `calls`; None where no price is known.
    """

    role: str
    model: str
    calls: int
    cached: int
    prompt_tokens: int
    reply_tokens: int
    usd: float | None


@dataclass(frozen=True)
class Preview:
    """What a run would do.

    Attributes:
        shown: Requests as they would be sent: role, model and text.
    """

    passages: int
    planned: tuple[Planned, ...]
    shown: tuple[tuple[str, str, str], ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "passages": self.passages,
            "calls": [asdict(row) for row in self.planned],
            "shown": [dict(zip(("role", "model", "text"), row, strict=True)) for row in self.shown],
        }


def preview(study: Study, count: int) -> Preview:
    """What a run would send, without sending it.

    Args:
        study: The study.
        count: How many passages have their requests shown.

    Raises:
        InputError: As a run would.
    """
    members = pressure_members(study)
    texts = passages(study)
    authors = writers(study, members)
    known = _cached(study)
    planned = [_of_writer(author, texts, known) for author in authors]
    shown = [
        (author.endpoint.role, author.endpoint.model, _text(author.request(*what)))
        for passage in texts[:count]
        for author in authors
        for what in ((passage.evidence, condition, 0) for condition in author.templates)
    ]
    if VERIFIER in members:
        reader = PressureReader(study, members[VERIFIER])
        requests = list(_questions(study, reader, texts))
        tokens = sum(map(_tokens, requests))
        planned.append(_planned(reader.endpoint, len(requests), 0, tokens, _ANSWER_TOKENS))
        first = list(_questions(study, reader, texts[:count], seeds=1))
        shown += [(reader.endpoint.role, reader.endpoint.model, _text(one)) for one in first]
    return Preview(len(texts), tuple(planned), tuple(shown))


def _cached(study: Study) -> set[str]:
    if not (study.cache_dir / DATABASE).is_file():
        return set()
    with ReplyCache(study.cache_dir) as cache:
        return set(cache.keys())


def _of_writer(author: Writer, texts: Sequence[Passage], known: set[str]) -> Planned:
    tokens = calls = cached = 0
    for order in author.orders(texts):
        request = author.request(order.passage.evidence, order.condition, order.seed)
        template = author.templates[order.condition].hash
        if reply_key(request.body(), template, order.seed) in known:
            cached += 1
            continue
        calls += 1
        tokens += _tokens(request)
    return _planned(author.endpoint, calls, cached, tokens, _CLAIM_TOKENS)


def _planned(endpoint: Endpoint, calls: int, cached: int, tokens: int, reply: int) -> Planned:
    usd = endpoint.usd(tokens, calls * reply)
    return Planned(endpoint.role, endpoint.model, calls, cached, tokens, calls * reply, usd)


def _questions(
    study: Study, reader: PressureReader, texts: Sequence[Passage], *, seeds: int | None = None
) -> Iterator[Request]:
    """The verifier's requests about claims that are still to be written."""
    settings = study.settings.pressure
    assert settings is not None
    evidence = {one.base_id: one.evidence for one in texts}
    claims = [
        PressureClaim(
            id=f"{generator.name}:{passage.base_id}:{condition}:{seed}",
            generator=generator.name,
            family="",
            base_id=passage.base_id,
            condition=condition,
            seed=seed,
            text=f"[the claim that {generator.name} will have written]".ljust(
                _CLAIM_TOKENS * CHARACTERS_A_TOKEN
            ),
            status="kept",
        )
        for generator in settings.generators
        for passage in texts
        for condition in settings.conditions
        for seed in range(seeds or settings.seeds)
    ]
    for question in reader.questions(claims):
        yield reader.request(question, evidence[question.claim.base_id])


def _text(request: Request) -> str:
    if request.prompt is not None:
        return request.prompt
    return "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in request.messages)


def _tokens(request: Request) -> int:
    return len(_text(request)) // CHARACTERS_A_TOKEN
