"""Which surface features does an audit see? The user's numeric columns, and some ready to use.

Ready ones are asked for with a leading @: `@length` (characters, tokens), `@position` (place in the
group, in file order), `@overlap` (share of the text's words that the other text has, and Jaccard),
`@formatting` (counts of list items, headings, bold, code, line ends, digits), `@tfidf` (words of
the one text, at most 8,000). None of them sees the label or the score; the TF-IDF vocabulary and
weights come from all texts, which are no labels.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from judgeprobe.errors import InputError
from judgeprobe.stats.residual_operator import Features

__all__ = ["READY", "ready_features"]

FloatArray = NDArray[np.float64]
READY = ("@length", "@position", "@overlap", "@formatting", "@tfidf")
NEEDS_TEXT = ("@length", "@overlap", "@formatting", "@tfidf")
MAX_TERMS = 8_000

_WORD = re.compile(r"\w+")
_FORMATS = {
    "list_items": re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s", re.MULTILINE),
    "headings": re.compile(r"^\s*#{1,6}\s", re.MULTILINE),
    "bold": re.compile(r"\*\*|__"),
    "code": re.compile(r"`+"),
    "newlines": re.compile(r"\n"),
    "digits": re.compile(r"\d"),
}


def ready_features(
    names: Sequence[str],
    columns: dict[str, FloatArray],
    *,
    texts: Sequence[str] | None,
    against: Sequence[str] | None,
    groups: NDArray[np.int64],
) -> Features:
    """Features in the order asked for.

    Args:
        names: User's columns and ready features.
        columns: Values of the user's columns, each shape (n,).
        texts: The text of each row, or None.
        against: The other text of each row (the question, the evidence), or None.
        groups: Group codes.

    Raises:
        InputError: A ready feature is unknown or lacks its text.
    """
    dense: list[FloatArray] = []
    told: list[str] = []
    block = None
    for name in names:
        if not name.startswith("@"):
            dense.append(columns[name])
            told.append(name)
            continue
        _check(name, texts, against)
        if name == "@tfidf":
            block = _tfidf(texts or ())
        elif name == "@position":
            dense.append(_position(groups))
            told.append("position")
        else:
            made = _from_text(name, texts or (), against or ())
            dense += list(made.values())
            told += list(made)
    n = len(groups)
    matrix = np.column_stack(dense) if dense else np.zeros((n, 0))
    return Features(matrix, tuple(told), block)


def _check(name: str, texts: Sequence[str] | None, against: Sequence[str] | None) -> None:
    if name not in READY:
        raise InputError(f"there is no feature {name!r}", remedy=f"use one of {', '.join(READY)}")
    if name in NEEDS_TEXT and texts is None:
        raise InputError(f"{name} needs the text", remedy="give --text COLUMN")
    if name == "@overlap" and against is None:
        raise InputError("@overlap needs the other text", remedy="give --against COLUMN")


def _from_text(name: str, texts: Sequence[str], against: Sequence[str]) -> dict[str, FloatArray]:
    if name == "@length":
        return {
            "characters": np.array([len(text) for text in texts], dtype=np.float64),
            "tokens": np.array([len(text.split()) for text in texts], dtype=np.float64),
        }
    if name == "@formatting":
        return {
            each: np.array([len(pattern.findall(text)) for text in texts], dtype=np.float64)
            for each, pattern in _FORMATS.items()
        }
    pairs = [_overlap(text, other) for text, other in zip(texts, against, strict=True)]
    return {
        "overlap_share": np.array([pair[0] for pair in pairs]),
        "overlap_jaccard": np.array([pair[1] for pair in pairs]),
    }


def _overlap(text: str, other: str) -> tuple[float, float]:
    words, others = set(_WORD.findall(text.lower())), set(_WORD.findall(other.lower()))
    shared = len(words & others)
    return shared / max(1, len(words)), shared / max(1, len(words | others))


def _position(groups: NDArray[np.int64]) -> FloatArray:
    seen: dict[int, int] = {}
    place = np.empty(len(groups))
    for row, group in enumerate(groups.tolist()):
        place[row] = seen.get(group, 0)
        seen[group] = seen.get(group, 0) + 1
    return place


def _tfidf(texts: Sequence[str]) -> object:
    try:
        return TfidfVectorizer(max_features=MAX_TERMS, min_df=2, sublinear_tf=True).fit_transform(
            texts
        )
    except ValueError:
        raise InputError(
            "@tfidf finds no word in two texts", remedy="leave @tfidf out, or check --text"
        ) from None
