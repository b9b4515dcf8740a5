"""Which columns does a spreadsheet have, and how do texts and answers stand in its cells?

The same columns in CSV and XLSX, for every batch and annotator.
"""

import re

from judgeprobe.typography import normalise

__all__ = [
    "ANSWERS",
    "COLUMNS",
    "DIRECTION_WORDS",
    "FACTS_WORDS",
    "SPAN_COLUMN",
    "TEXT_COLUMNS",
    "decode_cell",
    "encode_cell",
    "guard",
    "read_direction",
    "read_same_facts",
    "reads_as_missing",
    "unguard",
]

TEXT_COLUMNS = ("evidence", "sentence_a", "sentence_b")
SPANS = ("span_1", "span_2", "span_3", "span_4")
ANSWERS = ("direction", *SPANS, "supported", "same_facts")
COLUMNS = ("unit_id", *TEXT_COLUMNS, *ANSWERS)
# More quotations may be added in columns of their own.
SPAN_COLUMN = re.compile(r"span_(\d+)")

DIRECTION_WORDS = ("A", "B", "neither", "cannot tell")
FACTS_WORDS = ("yes", "no")

_DIRECTIONS = {
    "a": "a",
    "a claims more": "a",
    "b": "b",
    "b claims more": "b",
    "neither": "neither",
    "cannot tell": "cannot_tell",
    "can't tell": "cannot_tell",
    "cannot tell from this evidence": "cannot_tell",
}
_FACTS = {
    "yes": True,
    "true": True,
    "same": True,
    "the same facts": True,
    "no": False,
    "false": False,
    "differ": False,
    "the facts differ": False,
}
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


def read_direction(cell: str) -> str | None:
    """The direction as a label has it; None where the cell says something else."""
    return _DIRECTIONS.get(normalise(cell, casefold=True).replace("_", " ").rstrip("."))


def read_same_facts(cell: str) -> bool | None:
    """Whether the facts are the same; None where the cell says something else."""
    return _FACTS.get(normalise(cell, casefold=True).replace("_", " ").rstrip("."))


def encode_cell(text: str) -> str:
    """A text as an XLSX cell holds it."""
    text = _LOOKS_ESCAPED.sub("_x005F_", text)
    return _ILLEGAL.sub(lambda hit: f"_x{ord(hit[0]):04X}_", text)


def decode_cell(text: str) -> str:
    """What `encode_cell` was given."""
    return _ESCAPED.sub(lambda hit: chr(int(hit[1], 16)), text)
