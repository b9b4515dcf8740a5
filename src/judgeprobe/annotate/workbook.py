"""How does a sheet become a CSV or an XLSX file that a spreadsheet cannot harm or run?

All cells are text. In CSV a cell that a spreadsheet would run gets an apostrophe; in XLSX it is
stored as text with the text format, so nothing typed into it becomes a date, a number or a
formula either. The same sheet gives the same bytes: an XLSX file carries no time.
"""

import csv
import io
import re
import zipfile
from copy import copy
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from openpyxl.styles.cell_style import StyleArray
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from judgeprobe.annotate.columns import (
    ANSWERS,
    COLUMNS,
    DIRECTION_WORDS,
    FACTS_WORDS,
    encode_cell,
    guard,
)
from judgeprobe.annotate.sheet import Sheet, Unit
from judgeprobe.errors import InputError

__all__ = ["CELL_LIMIT", "csv_text", "xlsx_bytes"]

CELL_LIMIT = 32_767
WIDTHS = {"unit_id": 15, "evidence": 60, "sentence_a": 45, "sentence_b": 45, "supported": 40}
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
CORE_DATE = "1980-01-01T00:00:00Z"


def csv_text(sheet: Sheet) -> str:
    """The sheet as CSV: a byte-order mark, so that Excel reads UTF-8, and one row a unit."""
    buffer = io.StringIO()
    buffer.write("\ufeff")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for unit in sheet.units:
        writer.writerow([guard(cell) for cell in _cells(unit)])
    return buffer.getvalue()


def xlsx_bytes(sheet: Sheet) -> bytes:
    """The sheet as an Excel workbook with lists of the allowed answers.

    Raises:
        InputError: A text is longer than a cell may be.
    """
    book = Workbook()
    page = book.active
    assert isinstance(page, Worksheet)
    page.title = "pairs"
    page.append(COLUMNS)
    style = _text_style(page)
    for number, unit in enumerate(sheet.units, start=1):
        _write_row(page, number, unit, style)
    _dress(page, len(sheet.units))
    buffer = io.BytesIO()
    book.save(buffer)
    return _without_times(buffer.getvalue())


def _cells(unit: Unit) -> list[str]:
    return [unit.unit_id, unit.evidence, unit.a, unit.b, *("" for _ in ANSWERS)]


def _text_style(page: Worksheet) -> StyleArray:
    """The style of all cells: text, and still text after someone edits it."""
    cell: Any = page.cell(row=2, column=1)
    cell.number_format = "@"
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    cell.quotePrefix = True
    style: StyleArray = cell._style
    return style


def _write_row(page: Worksheet, number: int, unit: Unit, style: StyleArray) -> None:
    for column, text in enumerate(_cells(unit), start=1):
        value = encode_cell(text)
        if len(value) > CELL_LIMIT:
            raise InputError(
                f"the {COLUMNS[column - 1]} of unit {unit.unit_id} has {len(text)} characters; "
                f"a spreadsheet cell holds {CELL_LIMIT}",
                remedy="export with --form html, or shorten the base item",
            )
        cell: Any = page.cell(row=number + 1, column=column)
        cell._style = copy(style)
        cell.value = value or None
        if value:
            # Text whatever it looks like; openpyxl would take "=" for a formula.
            cell.data_type = "s"


def _dress(page: Worksheet, rows: int) -> None:
    page.freeze_panes = "B2"
    for column, name in enumerate(COLUMNS, start=1):
        page.cell(row=1, column=column).font = Font(bold=True)
        page.column_dimensions[get_column_letter(column)].width = WIDTHS.get(name, 18)
    for name, words in (("direction", DIRECTION_WORDS), ("same_facts", FACTS_WORDS)):
        letter = get_column_letter(COLUMNS.index(name) + 1)
        allowed = DataValidation(
            type="list", formula1=f'"{",".join(words)}"', allow_blank=True, showErrorMessage=True
        )
        allowed.error = "Please choose one of: " + ", ".join(words)
        page.add_data_validation(allowed)
        allowed.add(f"{letter}2:{letter}{rows + 1}")


def _without_times(data: bytes) -> bytes:
    source = zipfile.ZipFile(io.BytesIO(data))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(source.namelist()):
            content = source.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", CORE_DATE.encode(), content)
            target.writestr(zipfile.ZipInfo(name, ZIP_DATE), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
