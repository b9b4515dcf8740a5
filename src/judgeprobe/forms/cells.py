"""How do texts stand in a cell so that no spreadsheet harms or runs them?"""

import re

__all__ = ["decode_cell", "encode_cell", "guard", "reads_as_missing", "unguard"]

# How spreadsheets and table libraries write "nothing here".
_MISSING = {"", "na", "n/a", "#n/a", "nan", "<na>", "null"}

# A spreadsheet runs a cell that begins like this. The apostrophes are those of earlier guards.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")

# Office Open XML writes characters that XML cannot hold as _xHHHH_, and so escapes such a text.
_ILLEGAL = re.compile("[\x00-\x08\x0b-\x0d\x0e-\x1f\ufffe\uffff]")
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def guard(text: str) -> str:
    """The text with an apostrophe before what a spreadsheet would run; `unguard` undoes it."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguard(text: str) -> str:
    """A cell without the apostrophe that `guard` put there."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def reads_as_missing(cell: str) -> bool:
    """Whether a cell is empty or holds a table library's word for empty."""
    return cell.strip().casefold() in _MISSING


def encode_cell(text: str) -> str:
    """A text as an XLSX cell holds it."""
    text = _LOOKS_ESCAPED.sub("_x005F_", text)
    return _ILLEGAL.sub(lambda hit: f"_x{ord(hit[0]):04X}_", text)


def decode_cell(text: str) -> str:
    """What `encode_cell` was given."""
    return _ESCAPED.sub(lambda hit: chr(int(hit[1], 16)), text)
