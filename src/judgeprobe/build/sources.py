"""Which edits are offered for a claim and a slot, and by whom?

The rules offer theirs one after the other, best first, and cost nothing. A model writes one, and
where that is refused another, told why the last one was. Both look the same to the chain that
checks what they offer (`build.generate`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from judgeprobe.build import rules
from judgeprobe.build.prompts import GeneratorPrompt
from judgeprobe.build.replies import EditReply, Offer, read_edit
from judgeprobe.errors import CallError, RetryableCallError, WrongServerError
from judgeprobe.families import Member
from judgeprobe.llm.endpoint import Endpoint
from judgeprobe.llm.pool import Pool
from judgeprobe.llm.request import Request
from judgeprobe.llm.structured import response_format
from judgeprobe.records import BaseItem, Rejection
from judgeprobe.study import Study
from judgeprobe.taxonomy import Slot, Taxonomy

__all__ = ["RULES", "ModelSource", "RulesSource", "Source"]

RULES = "rules"
# Edits of one claim and slot that are tried before the rules give it up.
MOST_TRIES = 8


class Source(ABC):
    """Who writes edits.

    Attributes:
        generator: As study.toml names it.
        family: Its vendor family.
        tries: Most attempts at one base item and slot.
        checks: Most edits of one base item and slot that are shown to the verifier.
        made_under: Hashes that its edits are made under.
    """

    generator: str
    family: str
    tries: int
    checks: int
    made_under: dict[str, str]

    @abstractmethod
    async def offer(
        self, item: BaseItem, slot: Slot, attempt: int, refused: Rejection | None
    ) -> Offer | None:
        """The next edit, or None where there is none left.

        Args:
            item: The base item.
            slot: The edit that is asked for.
            attempt: 1 for the first.
            refused: The last attempt, where one was refused.
        """


@dataclass
class RulesSource(Source):
    """The rules generator."""

    taxonomy: Taxonomy
    checks: int = 1
    generator: str = RULES
    family: str = RULES
    tries: int = MOST_TRIES
    made_under: dict[str, str] = field(default_factory=dict)
    _known: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    async def offer(
        self,
        item: BaseItem,
        slot: Slot,
        attempt: int,
        refused: Rejection | None,  # noqa: ARG002 - rules do not learn
    ) -> Offer | None:
        """The rules' next candidate."""
        key = item.id, slot.name
        if attempt == 1:
            made = rules.generate(item, slot, self.taxonomy, limit=self.tries)
            self._known[key] = tuple(candidate.text for candidate in made)
        texts = self._known[key]
        if attempt > len(texts):
            return None
        return Offer(texts[attempt - 1])


class ModelSource(Source):
    """A model that writes edits.

    Args:
        study: Its [generator] says which.
        member: The model's families.
        pool: Makes the calls; None where no call is made (a preview).

    Raises:
        InputError: The prompt is missing or does not fit.
    """

    def __init__(self, study: Study, member: Member, pool: Pool | None) -> None:
        settings = study.settings.generator
        self.endpoint = Endpoint(settings, "generator")
        self.prompt = GeneratorPrompt(study)
        self.generator = settings.model
        self.family = member.families[0]
        self.tries = self.checks = settings.attempts
        self.made_under = {"generator_prompt": self.prompt.template.hash}
        self._pool = pool
        self._format = response_format(EditReply)

    def request(self, item: BaseItem, slot: Slot, refused: Rejection | None = None) -> Request:
        """What is sent for one base item and slot."""
        return self.endpoint.request(self.prompt.messages(item, slot, refused), self._format)

    async def offer(
        self, item: BaseItem, slot: Slot, attempt: int, refused: Rejection | None
    ) -> Offer | None:
        """The model's edit.

        Raises:
            JudgeprobeError: The run was stopped.
        """
        assert self._pool is not None
        try:
            reply = await self._pool.ask(
                self.endpoint,
                self.request(item, slot, refused),
                template_hash=self.prompt.template.hash,
                repetition=attempt - 1,
            )
        except WrongServerError as error:
            return Offer("", "wrong_server", str(error))
        except RetryableCallError as error:
            return Offer("", "call_failed", str(error), final=True, incomplete=True)
        except CallError as error:
            if type(error) is not CallError:
                raise
            return Offer("", "unanswerable", str(error), final=True)
        return read_edit(reply, item)
