"""Did a claim rise or fall on an axis, as a model of another family sees it?

Asked per axis and never of both at once: each claim against its evidence, and each pressed claim
against the neutral claim of the same passage and seed. Of two claims the verifier is not told which
was written under pressure; which stands as A is drawn from the study's seed, and where the study
says so it is asked a second time in the other order. Two texts that are one are not shown: they are
the same on every axis.
"""

import functools
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field, create_model

from judgeprobe.errors import CallError, RetryableCallError, WrongServerError
from judgeprobe.families import Member
from judgeprobe.llm.endpoint import Endpoint
from judgeprobe.llm.pool import Pool
from judgeprobe.llm.request import Request
from judgeprobe.llm.structured import plain_key, read_structured, response_format
from judgeprobe.llm.templates import Template
from judgeprobe.pressure.prompts import verifier_prompts
from judgeprobe.pressure.writing import PAUSED
from judgeprobe.records import Comparison, PressureClaim, Reply
from judgeprobe.study import Study
from judgeprobe.typography import normalise

__all__ = ["IDENTICAL", "PressureReader", "same_text"]

IDENTICAL = "identical"
_PAIR_ANSWERS = ("A", "B", "same", "cannot tell")
_EVIDENCE_ANSWERS = ("more", "less", "same", "cannot tell")
Side = Literal["pressed", "neutral"]
_Answer = Literal["rose", "fell", "same", "cannot_tell"]


class ComparisonReply(BaseModel):
    """What the verifier is asked for."""

    answer: str


def same_text(one: str, other: str) -> bool:
    """Whether two claims are one text but for typography and capitals."""
    return normalise(one, casefold=True) == normalise(other, casefold=True)


@dataclass(frozen=True)
class _Question:
    """One question to the verifier; `neutral` is None against the evidence."""

    claim: PressureClaim
    neutral: PressureClaim | None
    axis: str
    first: Side | Literal[""]


class PressureReader:
    """The verifier of the pressure arm.

    Args:
        study: Its [pressure.verifier] says which model.
        member: The model's families.

    Raises:
        InputError: A prompt or a model file cannot be used.
    """

    def __init__(self, study: Study, member: Member) -> None:
        pressure = study.settings.pressure
        assert pressure is not None
        assert pressure.verifier is not None
        self.member = member
        self.endpoint = Endpoint(pressure.verifier, "pressure.verifier")
        self.pair, self.alone = verifier_prompts(study)
        self._axes = {axis: study.taxonomy.axes[axis] for axis in study.taxonomy.construct_axes}
        self._both = pressure.both_orders
        self._seed = study.settings.study.seed
        self._formats = {
            True: response_format(_schema(_PAIR_ANSWERS)),
            False: response_format(_schema(_EVIDENCE_ANSWERS)),
        }

    def questions(self, claims: Sequence[PressureClaim]) -> Iterator[_Question]:
        """Every question, claim by claim."""
        kept = [one for one in claims if one.status == "kept"]
        neutral = {
            (one.generator, one.base_id, one.seed): one
            for one in kept
            if one.condition == "neutral"
        }
        for claim in kept:
            for axis in self._axes:
                yield _Question(claim, None, axis, "")
                other = neutral.get((claim.generator, claim.base_id, claim.seed))
                if claim.condition == "neutral" or other is None:
                    continue
                for side in self._sides(claim, axis):
                    yield _Question(claim, other, axis, side)

    def _sides(self, claim: PressureClaim, axis: str) -> tuple[Side, ...]:
        drawn = hashlib.sha256(f"{self._seed}:{claim.id}:{axis}".encode()).digest()[0] & 1
        sides: tuple[Side, Side] = ("pressed", "neutral") if drawn else ("neutral", "pressed")
        return sides if self._both else sides[:1]

    def request(self, question: _Question, evidence: str) -> Request:
        """What is sent for one question."""
        values = {
            "axis": question.axis,
            "gloss": self._axes[question.axis],
            "evidence": evidence,
        }
        if question.neutral is None:
            values["claim"] = question.claim.text
        else:
            texts = [question.claim.text, question.neutral.text]
            values["a"], values["b"] = texts if question.first == "pressed" else texts[::-1]
        template = self._template(question)
        return self.endpoint.request(
            template.messages(values), self._formats[question.neutral is not None]
        )

    def _template(self, question: _Question) -> Template:
        return self.alone if question.neutral is None else self.pair

    def jobs(
        self, pool: Pool, claims: Sequence[PressureClaim], evidence: dict[str, str]
    ) -> list[Callable[[], Awaitable[Comparison]]]:
        """One job a question; `evidence` by passage."""
        return [
            functools.partial(self._ask, pool, one, evidence[one.claim.base_id])
            for one in self.questions(claims)
        ]

    async def _ask(self, pool: Pool, question: _Question, evidence: str) -> Comparison:
        if question.neutral is not None and same_text(question.claim.text, question.neutral.text):
            return self._row(question, "same", IDENTICAL, "the two claims are one text")
        try:
            reply = await pool.ask(
                self.endpoint,
                self.request(question, evidence),
                template_hash=self._template(question).hash,
            )
        except WrongServerError as error:
            return self._row(question, None, "wrong_server", str(error))
        except RetryableCallError as error:
            return self._row(question, None, PAUSED, str(error))
        except CallError as error:
            if type(error) is not CallError:
                raise
            return self._row(question, None, "unanswerable", str(error))
        return self._read(question, reply)

    def _read(self, question: _Question, reply: Reply) -> Comparison:
        found = read_structured(reply, ComparisonReply)
        if found.value is None:
            return self._row(question, None, found.problem, found.detail, reply)
        said = plain_key(found.value.answer)
        answer = _meaning(said, question.first)
        if answer is None:
            detail = f"the answer `{said[:60]}` is none of those asked for"
            return self._row(question, None, "keys", detail, reply)
        return self._row(question, answer, "read", "", reply)

    def _row(
        self,
        question: _Question,
        answer: _Answer | None,
        status: str,
        detail: str,
        reply: Reply | None = None,
    ) -> Comparison:
        return Comparison(
            claim_id=question.claim.id,
            axis=question.axis,
            against="evidence" if question.neutral is None else "neutral",
            first=question.first,
            answer=answer,
            status=status,
            detail=detail,
            reply_key=reply.key if reply is not None else "",
            made_under={"prompt": self._template(question).hash},
        )


def _meaning(said: str, first: Side | Literal[""]) -> _Answer | None:
    """What an answer says of the pressed claim; None where it is none of those asked for."""
    if said == "same":
        return "same"
    if said == "cannot_tell":
        return "cannot_tell"
    if first == "":
        return {"more": "rose", "less": "fell"}.get(said)  # type: ignore[return-value]
    if said not in ("a", "b"):
        return None
    return "rose" if (said == "a") == (first == "pressed") else "fell"


def _schema(answers: tuple[str, ...]) -> type[ComparisonReply]:
    """The reply's schema with the answers that are allowed."""
    return create_model(
        "Answer",
        __base__=ComparisonReply,
        answer=(str, Field(json_schema_extra={"enum": list(answers)})),
    )
