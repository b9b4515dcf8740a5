"""What would a build send, how many calls would it make, and what would they cost?

Nothing is sent and nothing is written. The estimate counts four characters a token and the replies
at the length of the claims. How many edits reach the verifier is not known beforehand, so the
figures are two: one attempt at each edit, every one of them checked; and every attempt allowed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judgeprobe.build.gates import check_waivers
from judgeprobe.build.generate import chosen_slots, workers
from judgeprobe.build.items import base_items
from judgeprobe.build.sources import ModelSource, RulesSource, Source
from judgeprobe.build.verifier import Verifier
from judgeprobe.llm.cache import ReplyCache, reply_key
from judgeprobe.llm.disk import DATABASE
from judgeprobe.llm.endpoint import CHARACTERS_A_TOKEN, Endpoint
from judgeprobe.llm.request import Request
from judgeprobe.records import BaseItem
from judgeprobe.study import Study
from judgeprobe.taxonomy import Slot

__all__ = ["Planned", "Preview", "Shown", "preview"]

_VERDICT_TOKENS = 60
_EDIT_TOKENS = 12
_NO_EDIT_YET = "[the edit that the generator will have written]"


@dataclass(frozen=True)
class Shown:
    """What one role is sent for one base item and slot."""

    role: str
    model: str
    base_id: str
    slot: str
    messages: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Planned:
    """Calls of one role.

    Attributes:
        calls: With one attempt at each edit, without the cached ones.
        cached: First attempts that are in the cache already.
        most_calls: With every attempt allowed.
        prompt_tokens: Of `calls`, estimated.
        reply_tokens: Likewise.
        usd: Of `calls`; None where no price is known.
        most_usd: Of `most_calls`.
    """

    role: str
    model: str
    calls: int
    cached: int
    most_calls: int
    prompt_tokens: int
    reply_tokens: int
    usd: float | None
    most_usd: float | None


@dataclass(frozen=True)
class Preview:
    """What a build would do.

    Attributes:
        rules: Whether the rules generator, which makes no call, is at work.
    """

    base_items: int
    slots: int
    rules: bool
    shown: tuple[Shown, ...]
    planned: tuple[Planned, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "base_items": self.base_items,
            "slots": self.slots,
            "rules": self.rules,
            "calls": [asdict(row) for row in self.planned],
            "shown": [asdict(row) for row in self.shown],
        }


def preview(study: Study, count: int) -> Preview:
    """What a build of a study would send, without sending it.

    Args:
        study: The study.
        count: How many edits are shown, spread over base items and slots.

    Raises:
        InputError: As a build would.
    """
    check_waivers(study.taxonomy)
    slots = chosen_slots(study)
    sources, verifier = workers(study, None)
    items = base_items(study).items
    known = _cached(study)
    models = [source for source in sources if isinstance(source, ModelSource)]
    planned = [_of_generator(source, items, slots, known) for source in models]
    if verifier is not None:
        planned.append(_of_verifier(verifier, sources, items, slots))
    return Preview(
        base_items=len(items),
        slots=len(slots),
        rules=any(isinstance(source, RulesSource) for source in sources),
        shown=tuple(_shown(models, verifier, items, slots, count)),
        planned=tuple(planned),
    )


def _cached(study: Study) -> set[str]:
    if not (study.cache_dir / DATABASE).is_file():
        return set()
    with ReplyCache(study.cache_dir) as cache:
        return set(cache.keys())


def _of_generator(
    source: ModelSource, items: Sequence[BaseItem], slots: Sequence[Slot], known: set[str]
) -> Planned:
    template = source.prompt.template.hash
    prompt = written = calls = cached = 0
    for item in items:
        for slot in slots:
            request = source.request(item, slot)
            if reply_key(request.body(), template, 0) in known:
                cached += 1
                continue
            calls += 1
            prompt += _tokens(request)
            written += len(item.claim) // CHARACTERS_A_TOKEN + _EDIT_TOKENS
    most = len(items) * len(slots) * source.tries - cached
    return _planned(source.endpoint, calls, cached, most, prompt, written)


def _of_verifier(
    verifier: Verifier, sources: Sequence[Source], items: Sequence[BaseItem], slots: Sequence[Slot]
) -> Planned:
    edits = len(items) * len(slots)
    calls = edits * len(sources)
    prompt = sum(
        _tokens(verifier.request(item, slot, item.claim)) for item in items for slot in slots
    ) * len(sources)
    most = edits * sum(source.checks for source in sources)
    return _planned(verifier.endpoint, calls, 0, most, prompt, calls * _VERDICT_TOKENS)


def _planned(
    endpoint: Endpoint, calls: int, cached: int, most: int, prompt: int, written: int
) -> Planned:
    usd = endpoint.usd(prompt, written)
    return Planned(
        role=endpoint.role,
        model=endpoint.model,
        calls=calls,
        cached=cached,
        most_calls=most,
        prompt_tokens=prompt,
        reply_tokens=written,
        usd=usd,
        most_usd=None if usd is None else usd * most / calls if calls else 0.0,
    )


def _tokens(request: Request) -> int:
    return sum(len(str(message["content"])) for message in request.messages) // CHARACTERS_A_TOKEN


def _shown(
    models: Sequence[ModelSource],
    verifier: Verifier | None,
    items: Sequence[BaseItem],
    slots: Sequence[Slot],
    count: int,
) -> Iterator[Shown]:
    for item, slot in _spread(items, slots, count):
        for source in models:
            yield _one(source.endpoint, item, slot, source.request(item, slot))
        if verifier is not None:
            request = verifier.request(item, slot, _NO_EDIT_YET)
            yield _one(verifier.endpoint, item, slot, request)


def _one(endpoint: Endpoint, item: BaseItem, slot: Slot, request: Request) -> Shown:
    messages = tuple(dict(message) for message in request.messages)
    return Shown(endpoint.role, endpoint.model, item.id, slot.name, messages)


def _spread(
    items: Sequence[BaseItem], slots: Sequence[Slot], count: int
) -> Iterable[tuple[BaseItem, Slot]]:
    """Some base items with slots: another item and another slot each time, none twice."""
    total = len(items) * len(slots)
    for turn in range(min(count, total)):
        # After every item has had its turn the slots move on by one.
        turns, item = divmod(turn, len(items))
        yield items[item], slots[(item + turns) % len(slots)]
