"""Does a generator's reply hold one edit of the claim, and what is wrong with it where not?

Reading the JSON is `judgeprobe.llm.structured`'s part. Here: a model that says that the claim
offers no place for the edit, a label or quotation marks around the edit, the original repeated in
front of it, the evidence pasted in, a refusal inside the JSON, and text that cannot be shown.
Whether the edit is a good one is for the gates and the verifier.
"""

import difflib
import re
from dataclasses import dataclass

from pydantic import BaseModel

from judgeprobe.build.rows import CLAIM_LIMIT, text_problem
from judgeprobe.llm.structured import read_structured, refuses
from judgeprobe.records import BaseItem, Reply
from judgeprobe.typography import normalise

__all__ = ["EditReply", "Offer", "read_edit"]

# Words in a row that stand in the evidence and not in the claim.
_PASTED_WORDS = 8
# A text that holds the whole original and is this much longer holds more than an edit of it.
_REPEATED = 1.6
# Characters of a reply without an edit that rejections.jsonl keeps.
_KEPT = 2_000
_LABEL = re.compile(
    r"\A\W*(?:(?:the|my)\s+)?(?:edited|edit|revised|rewritten|modified|new|final)"
    r"(?:\s+(?:claim|sentence|text|version|reply))?\s*:\W*\s+",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "\u201c": "\u201d", "\u00ab": "\u00bb", "`": "`", "'": "'", "\u2018": "\u2019"}


class EditReply(BaseModel):
    """What the generator is asked for; null where the claim offers no place for the edit."""

    edited: str | None


@dataclass(frozen=True, slots=True)
class Offer:
    """One edit that a generator offers, or why it offers none.

    Attributes:
        text: The edit; the reply as it came (its beginning) where it holds none.
        problem: "" for an edit; else what it is filed under.
        reason: One line on the problem.
        final: Whether asking again is no use.
        incomplete: Whether a later run may get what is missing now.
    """

    text: str
    problem: str = ""
    reason: str = ""
    final: bool = False
    incomplete: bool = False


def read_edit(reply: Reply, item: BaseItem) -> Offer:
    """The edit that a reply gives, or why it gives none."""
    found = read_structured(reply, EditReply)
    raw = reply.text.encode("utf-8", "replace").decode()[:_KEPT]
    if found.value is None:
        return Offer(raw, found.problem, found.detail)
    if found.value.edited is None:
        reason = "the model finds no place for this edit"
        return Offer(raw, "not_applicable", reason, final=True)
    text = _undressed(found.value.edited, item.claim)
    if not text:
        return Offer(raw, "empty", "the edit is an empty text")
    if problem := text_problem(text, limit=CLAIM_LIMIT):
        return Offer(text, "unfit_text", f"the edit {problem[0]}")
    if refuses(text) and not refuses(item.claim):
        return Offer(text, "refused", "the model declines inside the JSON")
    before, after = normalise(item.claim), normalise(text)
    if before in after and len(after) >= _REPEATED * len(before):
        return Offer(
            text, "original_repeated", "holds the whole original and more than an edit of it"
        )
    if pasted := _pasted(before, after, normalise(item.evidence)):
        return Offer(text, "evidence_pasted", f"holds words of the evidence: {pasted!r}")
    return Offer(text)


def _undressed(text: str, claim: str) -> str:
    """The edit without a label or quotation marks around it that the claim does not have."""
    text = text.strip()
    if not _LABEL.match(claim):
        text = _LABEL.sub("", text, count=1)
    closer = _QUOTES.get(text[:1])
    if closer and len(text) > 2 and text[-1] == closer and claim.strip()[:1] != text[0]:
        inner = text[1:-1]
        if closer not in inner and text[0] not in inner:
            text = inner.strip()
    return text


def _runs(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + _PASTED_WORDS]) for at in range(len(words))}


def _pasted(before: str, after: str, evidence: str) -> str:
    """The first words that came into a text and stand in the evidence in the same order; or ""."""
    old, new, source = (re.findall(r"\w+", part.casefold()) for part in (before, after, evidence))
    runs = _runs(source) - _runs(old)
    for kind, _, _, begin, end in difflib.SequenceMatcher(
        a=old, b=new, autojunk=False
    ).get_opcodes():
        if kind in ("insert", "replace"):
            for at in range(begin, end - _PASTED_WORDS + 1):
                run = tuple(new[at : at + _PASTED_WORDS])
                if run in runs:
                    return " ".join(run)
    return ""
