"""Which edits are made of the base items, and which of them enter?

For each base item and slot a generator offers an edit; it goes through the gates, cheapest first,
and then to the verifier where the study has one. What is refused is kept with what refused it and
why, and the generator may try again. The slots of one base item follow each other, because no text
may be two interventions of it; base items run at once. So the accepted set depends on the replies
and not on the order in which they arrive.
"""

import asyncio
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from judgeprobe.build.gates import Pair, check_waivers, first_failure, run_gates, seen_key
from judgeprobe.build.prompts import GeneratorPrompt, VerifierPrompts
from judgeprobe.build.sources import RULES, ModelSource, RulesSource, Source
from judgeprobe.build.verifier import Verdict, Verifier
from judgeprobe.errors import StudyError
from judgeprobe.families import Member, require_disjoint
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.limits import Budget
from judgeprobe.llm.pool import Counts, Pool, Watch
from judgeprobe.records import BaseItem, GateResult, Intervention, Rejection, content_hash
from judgeprobe.study import Study
from judgeprobe.taxonomy import Slot

__all__ = [
    "RULES",
    "Generated",
    "chosen_slots",
    "generate",
    "prompt_hashes",
    "require_makers",
    "workers",
]


@dataclass(frozen=True)
class Generated:
    """What came of the base items, in the order of items, slots and attempts.

    Attributes:
        incomplete: Edits that are missing because a call failed and may succeed in a later run.
        calls: Calls of this run, by role; empty where no model was asked.
        notes: What was mended in the cache.
    """

    accepted: list[Intervention]
    refused: list[Rejection]
    incomplete: int = 0
    calls: dict[str, Counts] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def generate(study: Study, items: Sequence[BaseItem], *, watch: Watch | None = None) -> Generated:
    """Every edit of every base item, accepted and refused.

    Replies are kept in the study's cache; a run that was stopped is taken up where it was.

    Raises:
        InputError: The study names a slot that the taxonomy lacks, models that are not disjoint, a
            model without a verifier, or a prompt that cannot be used.
        JudgeprobeError: The run was stopped by its budget, or by calls that cannot succeed.
        KeyboardInterrupt: The user stopped it.
    """
    slots = chosen_slots(study)
    check_waivers(study.taxonomy)
    require_makers(study)
    if study.settings.generator.model == RULES and study.settings.verifier is None:
        sources, _ = workers(study, None)
        return asyncio.run(_Builder(study, slots, sources, None, None).in_turn(items))
    settings = study.settings.budget
    budget = Budget(settings.max_usd, settings.max_calls, settings.max_minutes)
    with ReplyCache(study.cache_dir) as cache:
        pool = Pool(cache, budget, concurrency=settings.concurrency)
        sources, verifier = workers(study, pool)
        builder = _Builder(study, slots, sources, verifier, pool)
        found = asyncio.run(builder.at_once(items, watch))
        return replace(found, calls=dict(pool.counts), notes=tuple(cache.notes))


def chosen_slots(study: Study) -> tuple[Slot, ...]:
    """The slots to fill: those of `[generator].slots`, or else all of the taxonomy.

    Raises:
        InputError: One is not in the taxonomy.
    """
    names = study.settings.generator.slots
    if names is None:
        return study.taxonomy.slots
    return tuple(study.taxonomy.slot(name) for name in names)


def require_makers(study: Study) -> dict[str, Member]:
    """The models of a study by role, after checking that they may build together.

    Raises:
        StudyError: Two models share a family, a model writes and none checks, or the rules are to
            check.
    """
    verifier = study.settings.verifier
    if verifier is not None and verifier.model == RULES:
        raise StudyError(
            "the verifier is `rules`, which only write",
            file=study.folder / "study.toml",
            remedy="name a model under [verifier], or take the table out",
        )
    members = {member.role: member for member in require_disjoint(study)}
    if "generator" in members and "verifier" not in members:
        raise StudyError(
            f"the generator ({members['generator'].model}) is a model and nothing checks its edits",
            file=study.folder / "study.toml",
            remedy='name a model of another family: [verifier] model = "..."',
        )
    return members


def workers(study: Study, pool: Pool | None) -> tuple[list[Source], Verifier | None]:
    """Who writes the edits of a study, in the order in which they are asked, and who checks them.

    Args:
        study: The study.
        pool: Makes the calls; None where none is made.

    Raises:
        StudyError: As `require_makers`.
        InputError: A prompt or a model file cannot be used.
    """
    members = require_makers(study)
    settings = study.settings
    model = settings.generator.model
    verifier = Verifier(study, members["verifier"]) if settings.verifier is not None else None
    sources: list[Source] = []
    if model == RULES or settings.generator.mix_rules:
        sources.append(RulesSource(study.taxonomy, checks=settings.generator.attempts))
    if model != RULES:
        sources.append(ModelSource(study, members["generator"], pool))
    return sources, verifier


def prompt_hashes(study: Study) -> dict[str, set[str]]:
    """Hashes of the prompts in force, by the name under which an edit keeps them.

    Raises:
        InputError: A prompt cannot be used.
    """
    settings = study.settings
    generator: set[str] = set()
    if settings.generator.model != RULES:
        generator = {GeneratorPrompt(study).template.hash}
    verifier: set[str] = set()
    if settings.verifier is not None:
        verifier = {template.hash for template in VerifierPrompts(study).templates.values()}
    return {"generator_prompt": generator, "verifier_prompt": verifier}


@dataclass
class _Made:
    """What came of one base item."""

    accepted: list[Intervention] = field(default_factory=list)
    refused: list[Rejection] = field(default_factory=list)
    incomplete: int = 0


def _joined(found: Sequence[_Made]) -> Generated:
    return Generated(
        [edit for made in found for edit in made.accepted],
        [row for made in found for row in made.refused],
        sum(made.incomplete for made in found),
    )


class _Builder:
    def __init__(
        self,
        study: Study,
        slots: Sequence[Slot],
        sources: Sequence[Source],
        verifier: Verifier | None,
        pool: Pool | None,
    ) -> None:
        self._taxonomy = study.taxonomy
        self._slots = slots
        self._sources = sources
        self._verifier = verifier
        self._pool = pool

    async def in_turn(self, items: Sequence[BaseItem]) -> Generated:
        """All base items, one after the other; for generators that need no waiting."""
        return _joined([await self.item(item) for item in items])

    async def at_once(self, items: Sequence[BaseItem], watch: Watch | None) -> Generated:
        """All base items at once, as far as the pool lets them."""
        pool = self._pool
        assert pool is not None
        jobs = [functools.partial(self.item, item) for item in items]
        try:
            return _joined(await pool.all(jobs, watch))
        finally:
            await self._close()

    async def _close(self) -> None:
        for source in self._sources:
            if isinstance(source, ModelSource):
                await source.endpoint.close()
        if self._verifier is not None:
            await self._verifier.endpoint.close()

    async def item(self, item: BaseItem) -> _Made:
        """All slots of one base item, one after the other."""
        made = _Made()
        seen: set[tuple[str, str]] = set()
        for slot in self._slots:
            for source in self._sources:
                edit = await self._chain(item, slot, source, seen, made)
                if edit is not None:
                    made.accepted.append(edit)
                    seen.add(seen_key(item.id, edit.edited))
        return made

    async def _chain(
        self, item: BaseItem, slot: Slot, source: Source, seen: set[tuple[str, str]], made: _Made
    ) -> Intervention | None:
        """Attempts at one edit until one enters or no further one is allowed."""
        refused: Rejection | None = None
        checks = 0
        for attempt in range(1, source.tries + 1):
            offer = await source.offer(item, slot, attempt, refused)
            if offer is None:
                return None
            gates: dict[str, GateResult] = {}
            stage, gate, reason, verdict = "generate", offer.problem, offer.reason, Verdict()
            if not gate:
                pair = Pair(item.id, item.evidence, item.claim, offer.text)
                gates = run_gates(pair, slot, self._taxonomy, seen)
                stage, (gate, reason) = "gate", first_failure(gates) or ("", "")
            if not gate and self._verifier is not None and self._pool is not None:
                checks += 1
                verdict = await self._verifier.check(self._pool, item, slot, offer.text, attempt)
                stage, gate, reason = "verify", verdict.gate, verdict.reason
            if not gate:
                return self._accepted(item, slot, source, offer.text, attempt, gates, verdict)
            refused = Rejection(
                base_id=item.id,
                slot=slot.name,
                stage=stage,
                gate=gate,
                reason=reason,
                text=offer.text,
                attempt=attempt,
                generator=source.generator,
                verifier=verdict.record,
            )
            made.refused.append(refused)
            made.incomplete += offer.incomplete or verdict.incomplete
            if offer.final or verdict.incomplete or checks >= source.checks:
                return None
        return None

    def _accepted(
        self,
        item: BaseItem,
        slot: Slot,
        source: Source,
        text: str,
        attempt: int,
        gates: dict[str, GateResult],
        verdict: Verdict,
    ) -> Intervention:
        made_under = {"taxonomy": self._taxonomy.hash, **source.made_under}
        if self._verifier is not None:
            made_under["verifier_prompt"] = self._verifier.prompts.template(slot).hash
        return Intervention(
            id=content_hash([item.id, slot.name, item.claim, text])[:16],
            base_id=item.id,
            slot=slot.name,
            axis=slot.axis,
            arm=slot.arm,
            domain=item.domain,
            document=item.document,
            evidence=item.evidence,
            original=item.claim,
            edited=text,
            generator=source.generator,
            family=source.family,
            attempts=attempt,
            gates=gates,
            verifier=verdict.record,
            length_change=(len(text) - len(item.claim)) / len(item.claim),
            direction_source="construction",
            made_under=made_under,
        )
