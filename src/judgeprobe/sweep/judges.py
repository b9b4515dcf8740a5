"""What is a judge to the sweep?

Something with a name that turns a text into a reply, and a reply into a grade. A judge that is
asked over the network and one that is a Python function look the same here, so that both are
cached, counted, interrupted and resumed in the same way.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from judgeprobe.llm import Reading, read_grade
from judgeprobe.records import GradeStatus, Reply, Scale
from judgeprobe.sweep.plan import Text
from judgeprobe.user_function import UserFunction

__all__ = ["Elicitation", "Judge", "Judgement"]

Elicitation = Literal["written", "expected", "computed"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a reply amounts to.

    Attributes:
        value: Grade in scale units; None unless the status is "graded".
        detail: Why there is no grade, or what was odd about it.
    """

    status: GradeStatus
    value: float | None
    detail: str = ""


class Judge(ABC):
    """One judge.

    Attributes:
        name: As it stands in study.toml.
        elicitation: How its grade is had from a reply.
        repetitions: How often each text is graded.
        group: Calls of one group share one limit on how many run at once.
        concurrency: Most calls at once, or None for the study's number.
        prompt_hash: Hash of its prompt; "" where it has none.
        parser: The user's own reader of its replies; None where ours reads them.
    """

    name: str
    elicitation: Elicitation
    repetitions: int
    group: str
    concurrency: int | None = None
    prompt_hash: str = ""
    scale: Scale
    reply_pattern: str | None = None
    parser: UserFunction | None = None

    def prepare(self) -> None:
        """Check, before the first call, what can be checked without one.

        Raises:
            InputError: The judge cannot be asked, or its parser cannot be loaded.
        """
        if self.parser is not None:
            self.parser.load()

    @abstractmethod
    def key(self, text: Text, repetition: int) -> str:
        """Cache key of one call."""

    @abstractmethod
    async def ask(self, text: Text, repetition: int) -> Reply:
        """Make one call, without retrying.

        Raises:
            RetryableCallError: The same call may succeed later.
            PermanentCallError: No call of this judge will succeed.
            CallError: This text cannot be graded by it.
        """

    def read(self, reply: Reply) -> Judgement:
        """The grade that a reply gives."""
        if self.parser is not None:
            from judgeprobe.sweep.parsers import parsed

            return parsed(reply, self.parser.load(), self.scale)
        found = read_grade(
            reply.message or reply.text, self.scale, reply_pattern=self.reply_pattern
        )
        return judgement(found)

    def estimate(self, text: Text) -> tuple[int, int]:  # noqa: ARG002
        """About how many prompt and reply tokens a call takes; (0, 0) for a judge without any."""
        return 0, 0

    def price(self, prompt_tokens: float, reply_tokens: float) -> float | None:  # noqa: ARG002
        """US dollars for some tokens; None where no price is known."""
        return 0.0

    def cost(self, reply: Reply) -> float | None:
        """US dollars that a reply cost; None where no price is known."""
        if reply.cost is not None:
            return reply.cost
        usage = reply.usage
        return self.price(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0))

    def findings(self) -> list[str]:
        """What the run was asked to watch for and found while it asked."""
        return []

    def notes(self) -> list[str]:
        """What went otherwise than planned while it asked."""
        return []

    async def close(self) -> None:  # noqa: B027 - most judges hold nothing
        """Let go of connections and servers."""


def judgement(found: Reading) -> Judgement:
    """A reading as the sweep keeps it: the text read is named where it is no grade."""
    detail = found.detail
    if found.status not in ("graded", "refused") and found.span:
        detail = f"{detail}: {found.span[:80]!r}"
    return Judgement(found.status, found.value, detail)
