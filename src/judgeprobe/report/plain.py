"""How is text from models, annotators and files shown without letting it act?

Escaping keeps markup from being read as markup. What is left are characters that nobody sees:
controls, direction overrides, zero-width marks. They are shown by their code point.
"""

import unicodedata

__all__ = ["plain"]

_KEPT = {"\n", "\t"}


def plain(text: str) -> str:
    """The text with every control or format character shown as [U+XXXX].

    Line ends and tabs stay; a soft hyphen, a zero-width joiner or a right-to-left override does
    not. Lone surrogates, which no file can hold, are shown the same way.
    """
    return "".join(
        f"[U+{ord(c):04X}]"
        if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in _KEPT
        else c
        for c in text
    )
