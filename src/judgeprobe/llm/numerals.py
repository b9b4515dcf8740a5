"""Which number does a piece of text write, if it writes exactly one?

Decimal point or comma, full-width and other scripts' digits, signs, halves and quarters, and
English number words. A numeral that two conventions read differently ("4,250") is no number.
"""

import functools
import re
import unicodedata

__all__ = ["NUMBER", "WORD", "number", "plain_text"]

_POINTS = {
    "．": ".",
    "٫": ".",
    "，": ",",
    "：": ":",
    "／": "/",
    "⁄": "/",
    "＝": "=",
    "－": "-",
    "−": "-",
    "﹣": "-",
    "‐": "-",
    "‑": "-",
    "＋": "+",
    "（": "(",
    "）": ")",
    "［": "[",
    "］": "]",
    "｛": "{",
    "｝": "}",
    "％": "%",
    "“": '"',
    "”": '"',
    "＂": '"',
    "’": "'",
    "‘": "'",
    "\u00a0": " ",
    "\u202f": " ",
    "\u2009": " ",
    "\u3000": " ",
    "\u200b": " ",
    "\u200e": " ",
    "\u200f": " ",
    "\ufeff": " ",
    "\ufe0f": " ",
    "\u20e3": " ",
}
_PARTS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "1/2": 0.5, "1/4": 0.25, "3/4": 0.75}
_NAMES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_UNITS = {name: float(value) for value, name in enumerate(_NAMES)}

NUMBER = (
    r"[+-]?(?:\d+ (?:1/2|1/4|3/4)(?![\d/])|\d+(?:[.,]\d+)*[½¼¾]?|[.,]\d+|[½¼¾])(?![½¼¾\d]|[.,]\d)"
)
WORD = (
    rf"(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})"
    r"(?: and (?:a half|one half|a quarter|one quarter|three[ -]quarters)"
    rf"|(?: point(?: (?:{'|'.join(_NAMES[:10])}))+))?(?![\w-])"
)
_DIGITS = re.compile(r"[+-]?(?:\d+|\d*[.,]\d+)")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")


def plain_text(text: str) -> str:
    """The text with digits, signs and separators in ASCII; every character keeps its place."""
    return text if text.isascii() else text.translate(_table())


@functools.cache
def _table() -> dict[int, str]:
    # No decimal digit lies above U+1FFFF but those of private planes; the loop costs 10 ms.
    digits = {
        code: str(unicodedata.decimal(chr(code)))
        for code in range(128, 0x20000)
        if chr(code).isdecimal()
    }
    return digits | {ord(old): new for old, new in _POINTS.items()}


def number(token: str) -> float | None:
    """The number that a whole token writes, or None where it writes none or an ambiguous one.

    Args:
        token: Text already passed through `plain_text`.
    """
    token = token.strip().lower()
    if not token:
        return None
    if token[0].isalpha():
        return _from_words(token)
    for part, value in _PARTS.items():
        if token.endswith(part) and token not in ("1/2", "1/4", "3/4"):
            whole = token[: -len(part)].strip()
            if not whole:
                return value
            if not re.fullmatch(r"[+-]?\d+", whole):
                return None
            return float(whole) - value if whole.startswith("-") else float(whole) + value
    # "4,250" is 4.25 or 4250; which, nobody can tell.
    if not _DIGITS.fullmatch(token) or _THOUSANDS.fullmatch(token):
        return None
    return float(token.replace(",", "."))


def _from_words(token: str) -> float | None:
    words = re.split(r"[ -]+", token)
    if words[0] not in _UNITS:
        return None
    value, rest = _UNITS[words[0]], words[1:]
    if not rest:
        return value
    if rest[0] == "point":
        digits = [_UNITS.get(word) for word in rest[1:]]
        if not digits or any(digit is None or digit > 9 for digit in digits):
            return None
        return float(f"{value:.0f}." + "".join(f"{digit:.0f}" for digit in digits))
    fraction = {"half": 0.5, "quarter": 0.25, "quarters": 0.75}.get(rest[-1])
    if rest[0] != "and" or fraction is None:
        return None
    return value + fraction
