"""What does one annotator see?

A sheet is the units of one batch for one annotator, in that annotator's sequence and orders. Every
form (page, CSV, XLSX, Label Studio) is made from it and from nothing else, so no form can show
more than another.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from judgeprobe.annotate.keys import Key
from judgeprobe.errors import InputError
from judgeprobe.records import Intervention

__all__ = ["Sheet", "Unit", "make_sheet", "shown_texts"]


@dataclass(frozen=True)
class Unit:
    """One pair as shown: evidence and two sentences, under an id that says nothing."""

    unit_id: str
    evidence: str
    a: str
    b: str


@dataclass(frozen=True)
class Sheet:
    """All units of one annotator's batch, in the order of labelling.

    Attributes:
        token: Names the sheet in its files without telling anything.
    """

    batch: str
    annotator: str
    token: str
    units: tuple[Unit, ...]

    @property
    def stem(self) -> str:
        """Name of the sheet's files, without an ending."""
        return f"{self.batch}-{self.annotator}"


def make_sheet(key: Key, annotator: str, interventions: Mapping[str, Intervention]) -> Sheet:
    """The sheet of one annotator.

    Raises:
        InputError: A text cannot be written as UTF-8.
    """
    units = []
    for row in key.rows:
        if row.annotator != annotator:
            continue
        item = interventions[row.intervention_id]
        evidence, a, b = shown_texts(item, row.first)
        try:
            f"{evidence}{a}{b}".encode()
        except UnicodeEncodeError:
            raise InputError(
                f"the intervention {item.id} holds half a character (a lone surrogate)",
                remedy="mend the base item and build again",
            ) from None
        units.append(Unit(row.unit_id, evidence, a, b))
    return Sheet(key.batch, annotator, key.sheets[annotator], tuple(units))


def shown_texts(item: Intervention, first: str) -> tuple[str, str, str]:
    """Evidence, sentence A and sentence B."""
    if first == "original":
        return item.evidence, item.original, item.edited
    return item.evidence, item.edited, item.original
