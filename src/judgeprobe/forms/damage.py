"""The text that came back is not the text that went out. What happened to it?

Spreadsheets and table libraries damage text in a few known ways. A damage that is recognised is
named and the label kept, because the annotator read the pair. Anything else is an edit: the label
was given for another text, and is refused.
"""

import re
from functools import lru_cache

from judgeprobe.forms.cells import decode_cell, reads_as_missing, unguard
from judgeprobe.typography import normalise

__all__ = ["FORMULA_ERRORS", "explain", "looks_like_date", "same_lines", "unscramble"]

# What a spreadsheet shows in place of a text that it took for a formula, in small letters.
FORMULA_ERRORS = ("#name?", "#ref!", "#value!", "#div/0!", "#num!", "#null!", "#field!", "err:5")
_CELL_LIMITS = (255, 8_192, 32_759, 32_767)
_DATE = re.compile(
    r"\d{1,4}[-./]\d{1,2}([-./]\d{1,4})?( \d\d:\d\d(:\d\d)?)?"
    r"|\d{1,2}[-. ][^\W\d]{3,9}\.?([-. ]\d{2,4})?|[^\W\d]{3,9}\.?[-. ]\d{1,4}"
)
_NUMBER = re.compile(r"[-+]?[\d.,\s]*\d([eE][-+]?\d+)?%?")


def explain(found: str, expected: str, *, kind: str = "") -> str | None:
    """What turned `expected` into `found`: "" for nothing, a name of the damage, None for an edit.

    Args:
        found: The text as it came back.
        expected: The text as it was exported.
        kind: What the spreadsheet says that the cell is, where it is no text.
    """
    if same_lines(found) == same_lines(expected):
        return ""
    ours, theirs = normalise(expected), normalise(found)
    if ours == theirs:
        return "typography"
    if reads_as_missing(found) and reads_as_missing(expected):
        return "read as missing"
    if kind == "number" or (_is_short(expected) and _same_number(theirs, ours)):
        return "turned into a number"
    if kind == "date" or (_is_short(expected) and looks_like_date(found) and _digits(expected)):
        return "turned into a date"
    if kind in ("formula", "error") or theirs.casefold().startswith(FORMULA_ERRORS):
        return "read as a formula"
    if same_lines(unguard(found)) == same_lines(expected):
        return "apostrophe added"
    if decode_cell(expected) == found:
        return "an escape such as _x0041_ was read"
    if normalise(unscramble(found)) == ours:
        return "scrambled characters (mojibake)"
    if _lost(found, expected):
        return "characters lost (saved in an old code page)"
    if len(found) in _CELL_LIMITS and same_lines(expected).startswith(same_lines(found)):
        return f"cut at {len(found)} characters"
    return None


def looks_like_date(text: str) -> bool:
    """Whether a text reads as a spreadsheet writes a date."""
    return _DATE.fullmatch(normalise(text)) is not None


def same_lines(text: str) -> str:
    """The text with LF line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=4096)
def unscramble(text: str) -> str:
    """The text before its UTF-8 was read as Windows-1252, once or twice; as given if it was not."""
    for _ in range(2):
        if text.isascii():
            break
        try:
            text = _as_windows(text).decode("utf-8")
        except (UnicodeEncodeError, UnicodeDecodeError):
            break
    return text


def _as_windows(text: str) -> bytes:
    # Windows-1252 leaves five codes open; programs read them as the control codes of Latin-1.
    encoded = bytearray()
    for mark in text:
        if 0x80 <= ord(mark) <= 0x9F:
            encoded.append(ord(mark))
        else:
            encoded += mark.encode("cp1252")
    return bytes(encoded)


def _is_short(text: str) -> bool:
    return len(text) <= 40


def _digits(text: str) -> bool:
    return any(mark.isdigit() for mark in text)


def _same_number(found: str, expected: str) -> bool:
    if not (_NUMBER.fullmatch(found) and _NUMBER.fullmatch(expected)):
        return False
    return _value(found) == _value(expected) is not None


def _value(text: str) -> float | None:
    percent = text.endswith("%")
    plain = re.sub(r"\s", "", text.rstrip("%")).replace(",", ".")
    try:
        return float(plain) / (100 if percent else 1)
    except ValueError:
        return None


def _lost(found: str, expected: str) -> bool:
    """Whether every character that some old code page lacks has become a "?"."""
    theirs = same_lines(found)
    if "?" not in theirs:
        return False
    ours = same_lines(expected)
    # Programs that count in UTF-16 write two marks for a character beyond its first plane.
    doubled = "".join(mark if ord(mark) < 0x10000 else mark * 2 for mark in ours)
    return any(
        text.encode(page, "replace").decode(page) == theirs
        for text in (ours, doubled)
        for page in ("cp1252", "latin-1", "ascii")
    )
