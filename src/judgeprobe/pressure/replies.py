"""Does a generator's reply hold one claim, and what is wrong with it where not?

The claim is asked for as one sentence of plain text. A label, quotation marks around it and a line
that announces it are dress and are taken off. A refusal, a reply cut at its token limit, several
paragraphs, words of the prompt itself and text that cannot be shown are no claim. Nothing else is
judged: what a claim covers and how firmly it commits is what is to be measured.
"""

import re
import unicodedata
from typing import Literal

from judgeprobe.llm.visible import visible
from judgeprobe.records import Reply
from judgeprobe.typography import normalise

__all__ = ["CLAIM_LIMIT", "ReadClaim", "read_claim"]

CLAIM_LIMIT = 2_000
_KEPT = 500
# Words in a row that stand in the prompt and not in the evidence.
_REPEATED_WORDS = 8
# So few words may be the prompt's by chance.
_FEWEST_WORDS = 4
_LABEL = re.compile(
    r"\A[\W_]*(?:(?:the|my|one)\s+)?(?:claim|sentence|answer|summary|statement)\s*:[\W_]*",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "\u201c": "\u201d", "\u00ab": "\u00bb", "`": "`", "'": "'", "\u2018": "\u2019"}
_REFUSAL = re.compile(
    r"\A\W*(?:(?:i\s*(?:'|\u2019)?m|i\s+am)\s+(?:(?:very\s+|so\s+)?sorry|unable|not\s+able)"
    r"|i\s+(?:can(?:'|\u2019)?t|can\s?not|won(?:'|\u2019)t|will\s+not|(?:must\s+)?decline)"
    r"|(?:very\s+)?sorry\b|as\s+an\s+ai\b)",
    re.IGNORECASE,
)
ReadClaim = tuple[
    str,
    Literal[
        "kept", "empty", "refused", "truncated", "several", "prompt_repeated", "unfit", "failed"
    ],
    str,
]


def read_claim(
    reply: Reply, *, completion: bool, prompt: str = "", evidence: str = ""
) -> ReadClaim:
    """The claim of a reply, what it is filed under, and one line on it.

    Args:
        reply: The reply.
        completion: Whether the model continued a text; then the claim ends with the line.
        prompt: The prompt without the evidence. A small model may answer with its examples.
        evidence: The passage.
    """
    answer = visible(reply.message or reply.text)
    text, cut = answer.text, answer.cut
    if completion:
        line, end, _ = text.lstrip().partition("\n")
        text, cut = line, cut and not end
    text = text.encode("utf-8", "replace").decode()
    if answer.error and not text.strip():
        return text[:_KEPT], "failed", f"the reply carries an error: {answer.error[:200]}"
    if answer.refused or _REFUSAL.match(text):
        return text[:_KEPT], "refused", "the model declines"
    if cut:
        return text[:_KEPT], "truncated", "the reply ended at its token limit"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):
        lines = lines[1:]
    if len(lines) > 1:
        return text[:_KEPT], "several", f"{len(lines)} paragraphs where one sentence was asked for"
    claim = _undressed(lines[0]) if lines else ""
    if not any(char.isalpha() for char in claim):
        where = "nothing outside the reasoning" if answer.hidden else "the reply holds no word"
        return text[:_KEPT], "empty", where
    if len(claim) > CLAIM_LIMIT:
        return (
            claim[:_KEPT],
            "unfit",
            f"has {len(claim):,} characters; the limit is {CLAIM_LIMIT:,}",
        )
    if odd := next((c for c in claim if unicodedata.category(c) in ("Cc", "Cs", "Cf")), ""):
        return claim[:_KEPT], "unfit", f"holds U+{ord(odd):04X}, which cannot be shown"
    if repeated := _repeated(claim, prompt, evidence):
        return claim, "prompt_repeated", f"holds words of the prompt: {repeated!r}"
    return claim, "kept", ""


def _repeated(claim: str, prompt: str, evidence: str) -> str:
    """The first words in a row that are the prompt's and not the evidence's; or ""."""
    words, shown, source = (
        re.findall(r"\w+", normalise(text, casefold=True)) for text in (claim, prompt, evidence)
    )
    length = min(_REPEATED_WORDS, len(words))
    if length < _FEWEST_WORDS:
        return ""
    of_prompt, of_source = _runs(shown, length), _runs(source, length)
    for at in range(len(words) - length + 1):
        run = tuple(words[at : at + length])
        if run in of_prompt and run not in of_source:
            return " ".join(run)
    return ""


def _runs(words: list[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def _undressed(text: str) -> str:
    """The claim without a label, bold marks or quotation marks around the whole of it."""
    text = _LABEL.sub("", text, count=1).strip()
    if text.startswith("**") and text.endswith("**") and text.count("**") == 2:
        text = text[2:-2].strip()
    closer = _QUOTES.get(text[:1])
    if closer and len(text) > 2 and text[-1] == closer:
        inner = text[1:-1]
        if closer not in inner and text[0] not in inner:
            text = inner.strip()
    return text
