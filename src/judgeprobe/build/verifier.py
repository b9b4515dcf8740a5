"""Did an edit do what was asked and nothing else, as a model of another family sees it?

Step 2 of Protocol 1 of the construct-validity reference. The verifier chooses the slot from a list
and is never told which was asked. An edit enters only if the facts are identical, both texts are
free of anchors, the register is comparable and the slot returned is the slot asked; a control edit
also needs the scope relation "same". Whether the edited text claims more is kept for the record:
direction is set by people.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, create_model

from judgeprobe.build.prompts import NO_SLOT, SEVERAL_SLOTS, VerifierPrompts, listed_slots
from judgeprobe.errors import CallError, RetryableCallError, WrongServerError
from judgeprobe.families import Member
from judgeprobe.llm.endpoint import Endpoint
from judgeprobe.llm.pool import Pool
from judgeprobe.llm.request import Request
from judgeprobe.llm.structured import plain_key, read_structured, response_format
from judgeprobe.records import BaseItem
from judgeprobe.study import Study
from judgeprobe.taxonomy import Slot

__all__ = ["RELATIONS", "Verdict", "VerdictReply", "Verifier"]

SAME = "same"
RELATIONS = (SAME, "wider", "narrower", "other")


class VerdictReply(BaseModel):
    """What the verifier is asked for."""

    facts_identical: bool
    anchor_free_both: bool
    register_comparable: bool
    slot_changed: str
    scope_relation: str
    claims_more: bool


@dataclass(frozen=True)
class Verdict:
    """What the verifier said of one edit.

    Attributes:
        gate: What refuses it, the first of the checks in their order; "" where it may enter.
        reason: Every check that refuses it, or why there is no verdict.
        record: What is kept with the edit; None where there is no verdict.
        incomplete: Whether a later run may get the verdict that is missing now.
    """

    gate: str = ""
    reason: str = ""
    record: dict[str, Any] | None = None
    incomplete: bool = False


class Verifier:
    """The verifier of a study.

    Args:
        study: Its [verifier] says which model.
        member: The model's families.

    Raises:
        InputError: A prompt is missing or does not fit.
    """

    def __init__(self, study: Study, member: Member) -> None:
        settings = study.settings.verifier
        assert settings is not None
        self.endpoint = Endpoint(settings, "verifier")
        self.prompts = VerifierPrompts(study)
        self.member = member
        self._taxonomy = study.taxonomy
        self._formats = {
            slot.arm: response_format(_schema(self._names(slot))) for slot in study.taxonomy.slots
        }

    def _names(self, slot: Slot) -> list[str]:
        listed = listed_slots(self._taxonomy, slot)
        return [*(entry.name for entry in listed), NO_SLOT, SEVERAL_SLOTS]

    def request(self, item: BaseItem, slot: Slot, edited: str) -> Request:
        """What is sent for one edit."""
        messages = self.prompts.messages(item, slot, edited)
        return self.endpoint.request(messages, self._formats[slot.arm])

    async def check(
        self, pool: Pool, item: BaseItem, slot: Slot, edited: str, attempt: int
    ) -> Verdict:
        """The verdict on one edit.

        Raises:
            JudgeprobeError: The run was stopped.
        """
        request = self.request(item, slot, edited)
        template = self.prompts.template(slot).hash
        try:
            reply = await pool.ask(
                self.endpoint, request, template_hash=template, repetition=attempt - 1
            )
        except WrongServerError as error:
            return Verdict("wrong_server", str(error))
        except RetryableCallError as error:
            return Verdict("call_failed", str(error), incomplete=True)
        except CallError as error:
            if type(error) is not CallError:
                raise
            return Verdict("unanswerable", str(error))
        found = read_structured(reply, VerdictReply)
        if found.value is None:
            reason = f"the verifier's reply gives no verdict: {found.detail}"
            return Verdict(found.problem, reason)
        served = reply.served
        who = {"model": self.endpoint.model, "family": self.member.families[0]}
        who |= {"served_model": served.model, "served_provider": served.provider}
        return self._judged(found.value, slot, who)

    def _judged(self, reply: VerdictReply, slot: Slot, who: dict[str, str]) -> Verdict:
        changed, relation = plain_key(reply.slot_changed), plain_key(reply.scope_relation)
        names = self._names(slot)
        if changed not in names:
            return Verdict(
                "keys", f"the verifier names the slot `{changed[:60]}`, which is not listed"
            )
        if relation not in RELATIONS:
            return Verdict("keys", f"the verifier names the scope relation `{relation[:60]}`")
        axes = {entry.name: entry.axis for entry in self._taxonomy.slots}
        record: dict[str, Any] = {
            **who,
            **reply.model_dump(),
            "slot_changed": changed,
            "axis_changed": axes.get(changed),
            "scope_relation": relation,
        }
        refusals = list(_refusals(reply, changed, relation, slot))
        if not refusals:
            return Verdict(record=record)
        return Verdict(refusals[0][0], "; ".join(reason for _, reason in refusals), record)


def _refusals(
    reply: VerdictReply, changed: str, relation: str, slot: Slot
) -> list[tuple[str, str]]:
    found = []
    if not reply.facts_identical:
        found.append(("facts_identical", "the verifier sees different facts"))
    if not reply.anchor_free_both:
        found.append(("anchor_free_both", "the verifier sees a text that points to a source"))
    if not reply.register_comparable:
        found.append(("register_comparable", "the verifier sees another register"))
    if changed != slot.name:
        seen = {NO_SLOT: "no edit of the list", SEVERAL_SLOTS: "several edits at once"}
        what = seen.get(changed, f"`{changed}`")
        found.append(("slot_changed", f"the verifier sees {what} where `{slot.name}` was asked"))
    if slot.arm == "invariance" and relation != SAME:
        found.append(
            ("scope_relation", f"the verifier sees a text that covers {relation}, not the same")
        )
    return found


def _schema(names: list[str]) -> type[VerdictReply]:
    """The reply's schema with the names that are allowed."""
    return create_model(
        "Verdict",
        __base__=VerdictReply,
        slot_changed=(str, Field(json_schema_extra={"enum": list(names)})),
        scope_relation=(str, Field(json_schema_extra={"enum": list(RELATIONS)})),
    )
