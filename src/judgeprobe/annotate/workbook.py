"""How does a sheet of pairs become a table, as CSV or XLSX?"""

from judgeprobe.annotate.columns import ANSWERS, COLUMNS, DIRECTION_WORDS, FACTS_WORDS
from judgeprobe.annotate.sheet import Sheet
from judgeprobe.forms import table

__all__ = ["csv_text", "xlsx_bytes"]

WIDTHS = {"unit_id": 15, "evidence": 60, "sentence_a": 45, "sentence_b": 45, "supported": 40}


def csv_text(sheet: Sheet) -> str:
    """The sheet as CSV, one row a pair."""
    return table.csv_text(_table(sheet))


def xlsx_bytes(sheet: Sheet) -> bytes:
    """The sheet as an Excel workbook with lists of the allowed answers.

    Raises:
        InputError: A text is longer than a cell may be.
    """
    return table.xlsx_bytes(_table(sheet))


def _table(sheet: Sheet) -> table.SheetTable:
    empty = [""] * len(ANSWERS)
    return table.SheetTable(
        title="pairs",
        columns=COLUMNS,
        rows=[[unit.unit_id, unit.evidence, unit.a, unit.b, *empty] for unit in sheet.units],
        widths=WIDTHS,
        choices={"direction": DIRECTION_WORDS, "same_facts": FACTS_WORDS},
    )
