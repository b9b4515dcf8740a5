"""Which words did an edit change? For display only; nothing is measured with it."""

import difflib
import re

__all__ = ["LONGEST", "changed_words", "clip", "side_words"]

LONGEST = 1200
SHARED = 0.5
_PIECE = re.compile(r"\s+|[^\s]+")


def clip(text: str, most: int = LONGEST) -> str:
    """The beginning of a long text, with the number of characters left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]} […] ({len(text) - most} more characters)"


def changed_words(original: str, edited: str) -> tuple[tuple[str, str], ...]:
    """Both texts as one run of pieces: ("same" | "del" | "ins", words).

    Joining "same" and "del" gives the original (clipped), joining "same" and "ins" the edit.
    """
    before, after = _PIECE.findall(clip(original)), _PIECE.findall(clip(edited))
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    found = []
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            found.append(("same", "".join(before[i:j])))
            continue
        if j > i:
            found.append(("del", "".join(before[i:j])))
        if m > k:
            found.append(("ins", "".join(after[k:m])))
    return tuple(found)


def side_words(
    original: str, edited: str
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """The two texts apart, as pieces: ("same" | "del", words) and ("same" | "ins", words).

    Texts that share less than half of their letters are two sentences and not an edit of one; no
    word of them is marked.
    """
    pieces = changed_words(original, edited)
    shared = sum(len(words) for kind, words in pieces if kind == "same")
    if shared < SHARED * max(len(clip(original)), len(clip(edited))):
        return (("same", clip(original)),), (("same", clip(edited)),)
    return (
        tuple(piece for piece in pieces if piece[0] != "ins"),
        tuple(piece for piece in pieces if piece[0] != "del"),
    )
