"""Which columns does a spreadsheet of pairs have, and how are its answers read?

The same columns in CSV and XLSX, for every batch and annotator.
"""

from judgeprobe.forms.rows import Layout
from judgeprobe.typography import normalise

__all__ = [
    "ANSWERS",
    "COLUMNS",
    "DIRECTION_WORDS",
    "FACTS_WORDS",
    "LAYOUT",
    "TEXT_COLUMNS",
    "read_direction",
    "read_same_facts",
]

TEXT_COLUMNS = ("evidence", "sentence_a", "sentence_b")
SPANS = ("span_1", "span_2", "span_3", "span_4")
ANSWERS = ("direction", *SPANS, "supported", "same_facts")
COLUMNS = ("unit_id", *TEXT_COLUMNS, *ANSWERS)
LAYOUT = Layout(
    answer="direction",
    texts=TEXT_COLUMNS,
    regions={"span_a": "sentence_a", "span_b": "sentence_b"},
    free=("supported",),
    choices=("same_facts",),
)

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


def read_direction(cell: str) -> str | None:
    """The direction as a label has it; None where the cell says something else."""
    return _DIRECTIONS.get(normalise(cell, casefold=True).replace("_", " ").rstrip("."))


def read_same_facts(cell: str) -> bool | None:
    """Whether the facts are the same; None where the cell says something else."""
    return _FACTS.get(normalise(cell, casefold=True).replace("_", " ").rstrip("."))
