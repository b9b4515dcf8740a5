"""Do two texts say the same thing in different type?

Source sentences carry non-breaking hyphens, en dashes and curly quotes; a person or a model that
retypes one gives the ASCII forms. Texts are compared in one normal form, so that a difference in
type alone is never taken for a difference in wording (appendix C of the construct-validity
reference: an unnormalised substring test rejects a correct label over one character).

Only typographic variants are folded. A superscript two stays apart from the digit two and a
multiplication sign from the letter x, because folding them would hide a changed fact.
"""

import re
import unicodedata

__all__ = ["normalise"]

_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\uff07"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02"
# Soft hyphen, zero-width space, joiners, word joiner, byte-order mark; direction marks change no
# word either, and bidirectional overrides are refused where base items are read.
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f"
_LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}

_TABLE: dict[int, str] = {
    **{ord(mark): "-" for mark in _HYPHENS},
    **{ord(mark): "'" for mark in _SINGLE_QUOTES},
    **{ord(mark): '"' for mark in _DOUBLE_QUOTES},
    **{ord(mark): "" for mark in _INVISIBLE},
    **{ord(mark): letters for mark, letters in _LIGATURES.items()},
    0x2026: "...",
    0x00B5: "\u03bc",  # the micro sign is a second code for the letter mu
}
_SPACES = re.compile(r"\s+")


def normalise(text: str, *, casefold: bool = False) -> str:
    """A text in the one form that texts are compared in.

    Dashes and hyphens become "-", quotation marks straight, ligatures their letters, every run of
    white space (non-breaking and thin spaces included) one space; accents are composed (NFC);
    invisible marks go; the ends are stripped. Normalising twice changes nothing more.

    Args:
        text: Any text.
        casefold: Whether capitals count as their small letters too.
    """
    text = unicodedata.normalize("NFC", text.translate(_TABLE))
    if casefold:
        text = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text.translate(_TABLE))).strip()
