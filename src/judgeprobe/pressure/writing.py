"""What does each generator write about each passage, under each instruction?

Every generator, passage, condition and seed is one call, through the pool and the cache: a call
whose reply is there is not made again, so a run that was stopped is taken up where it was. A
failure is a row of its own with its reason, never a gap.
"""

import functools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from judgeprobe.errors import CallError, RetryableCallError, WrongServerError
from judgeprobe.families import Member
from judgeprobe.llm.endpoint import Endpoint
from judgeprobe.llm.function_endpoint import FunctionEndpoint
from judgeprobe.llm.pool import Pool
from judgeprobe.llm.request import Request
from judgeprobe.pressure.passages import Passage
from judgeprobe.pressure.prompts import generator_prompts
from judgeprobe.pressure.replies import read_claim
from judgeprobe.records import PressureClaim, Reply, content_hash
from judgeprobe.settings.pressure import PressureCondition, PressureGenerator
from judgeprobe.study import Study

__all__ = ["PAUSED", "Writer", "claim_id", "writers"]

# A claim that is missing now and may be there after a later run.
PAUSED = "call_failed"
# Where a text is continued: room for one sentence, which ends with its line.
_COMPLETION_TOKENS = 120


def claim_id(generator: str, base_id: str, condition: str, seed: int) -> str:
    """The id of a claim: 16 hex digits."""
    return content_hash([generator, base_id, condition, seed])[:16]


@dataclass(frozen=True)
class _Order:
    """One claim to be written."""

    passage: Passage
    condition: PressureCondition
    seed: int


class Writer:
    """One generator of the study.

    Args:
        study: The study.
        settings: The generator.
        member: Its families.

    Raises:
        InputError: A prompt or a model file cannot be used.
    """

    def __init__(self, study: Study, settings: PressureGenerator, member: Member) -> None:
        pressure = study.settings.pressure
        assert pressure is not None
        self.name = settings.name
        self.member = member
        self.templates = generator_prompts(study, settings)
        self.endpoint = self._endpoint(study, settings)
        self._settings = settings
        self._seeds = pressure.seeds
        self._first_seed = self._sampling_seed(study.settings.study.seed)

    def _sampling_seed(self, of_study: int) -> int | None:
        """What is added to the seed of a claim; None where none is sent: not all models take one.

        A model on this machine and a function always get one.
        """
        if self._settings.seed is not None:
            return self._settings.seed
        here = self._settings.call is not None or self._settings.model.startswith("local/")
        return of_study % 2**31 if here else None

    @staticmethod
    def _endpoint(study: Study, settings: PressureGenerator) -> Endpoint:
        role = f"pressure generator `{settings.name}`"
        if settings.call is None:
            return Endpoint(settings, role)
        return FunctionEndpoint(settings.call, role, folder=study.folder, timeout=settings.timeout)

    @property
    def prompt_hashes(self) -> dict[str, str]:
        """Hash of the prompt of each condition."""
        return {condition: template.hash for condition, template in self.templates.items()}

    def orders(self, passages: Sequence[Passage]) -> list[_Order]:
        """Every claim to be written, in the order of passages, conditions and seeds."""
        return [
            _Order(passage, condition, seed)
            for passage in passages
            for condition in self.templates
            for seed in range(self._seeds)
        ]

    def request(self, evidence: str, condition: PressureCondition, seed: int) -> Request:
        """What is sent for one claim."""
        template = self.templates[condition]
        values = {"evidence": evidence}
        drawn = None if self._first_seed is None else self._first_seed + seed
        if not template.is_completion:
            return replace(self.endpoint.request(template.messages(values)), seed=drawn)
        request = self.endpoint.completion(template.completion(values))
        return replace(
            request,
            seed=drawn,
            max_tokens=request.max_tokens or _COMPLETION_TOKENS,
            extra_body={"stop": ["\n"], **(request.extra_body or {})},
        )

    def jobs(
        self, pool: Pool, passages: Sequence[Passage]
    ) -> list[Callable[[], Awaitable[PressureClaim]]]:
        """One job a claim."""
        return [functools.partial(self._write, pool, one) for one in self.orders(passages)]

    async def _write(self, pool: Pool, order: _Order) -> PressureClaim:
        template = self.templates[order.condition]
        try:
            reply = await pool.ask(
                self.endpoint,
                self.request(order.passage.evidence, order.condition, order.seed),
                template_hash=template.hash,
                repetition=order.seed,
            )
        except WrongServerError as error:
            return self._claim(order, "", "wrong_server", str(error))
        except RetryableCallError as error:
            return self._claim(order, "", PAUSED, str(error))
        except CallError as error:
            if type(error) is not CallError:
                raise
            return self._claim(order, "", "unanswerable", str(error))
        text, status, detail = read_claim(
            reply,
            completion=template.is_completion,
            prompt="\n".join(section for _, section in template.sections),
            evidence=order.passage.evidence,
        )
        return self._claim(order, text, status, detail, reply)

    def _claim(
        self, order: _Order, text: str, status: str, detail: str, reply: Reply | None = None
    ) -> PressureClaim:
        return PressureClaim(
            id=claim_id(self.name, order.passage.base_id, order.condition, order.seed),
            generator=self.name,
            family=self.member.families[0],
            base_id=order.passage.base_id,
            condition=order.condition,
            seed=order.seed,
            text=text,
            status=status,
            detail=detail,
            reply_key=reply.key if reply is not None else "",
            made_under={"prompt": self.templates[order.condition].hash},
        )


def writers(study: Study, members: dict[str, Member]) -> list[Writer]:
    """The generators of a study, in the order of study.toml.

    Raises:
        InputError: As `Writer`.
    """
    settings = study.settings.pressure
    assert settings is not None
    return [Writer(study, one, members[one.name]) for one in settings.generators]
