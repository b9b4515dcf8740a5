"""How does a sheet become a CSV or an XLSX file that a spreadsheet cannot harm or run?

All cells are text. In CSV a cell that a spreadsheet would run gets an apostrophe; in XLSX it is
stored as text with the text format, so nothing typed into it becomes a date, a number or a
formula either. The same sheet gives the same bytes: an XLSX file carries no time.
"""

import csv
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from openpyxl.styles.cell_style import StyleArray
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from judgeprobe.errors import InputError
from judgeprobe.forms.cells import encode_cell, guard

__all__ = ["CELL_LIMIT", "SheetTable", "csv_text", "xlsx_bytes"]

CELL_LIMIT = 32_767
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
CORE_DATE = "1980-01-01T00:00:00Z"
_WIDTH = 18


@dataclass(frozen=True)
class SheetTable:
    """A sheet as a table of texts.

    Attributes:
        title: Name of the workbook's page.
        columns: Names; the first is the unit id.
        rows: One a unit, as many cells as columns.
        widths: Of columns in a workbook, in characters.
        choices: Allowed answers, by column.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    widths: Mapping[str, int] = field(default_factory=dict)
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)


def csv_text(table: SheetTable) -> str:
    """The sheet as CSV: a byte-order mark, so that Excel reads UTF-8, and one row a unit."""
    buffer = io.StringIO()
    buffer.write("\ufeff")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([guard(cell) for cell in row])
    return buffer.getvalue()


def xlsx_bytes(table: SheetTable) -> bytes:
    """The sheet as an Excel workbook with lists of the allowed answers.

    Raises:
        InputError: A text is longer than a cell may be.
    """
    book = Workbook()
    page = book.active
    assert isinstance(page, Worksheet)
    page.title = table.title
    page.append(list(table.columns))
    style = _text_style(page)
    for number, row in enumerate(table.rows, start=1):
        _write_row(page, number, table.columns, row, style)
    _dress(page, table)
    buffer = io.BytesIO()
    book.save(buffer)
    return _without_times(buffer.getvalue())


def _text_style(page: Worksheet) -> StyleArray:
    """The style of all cells: text, and still text after someone edits it."""
    cell: Any = page.cell(row=2, column=1)
    cell.number_format = "@"
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    cell.quotePrefix = True
    style: StyleArray = cell._style
    return style


def _write_row(
    page: Worksheet, number: int, columns: Sequence[str], row: Sequence[str], style: StyleArray
) -> None:
    for column, text in enumerate(row, start=1):
        value = encode_cell(text)
        if len(value) > CELL_LIMIT:
            raise InputError(
                f"the {columns[column - 1]} of unit {row[0]} has {len(text)} characters; "
                f"a spreadsheet cell holds {CELL_LIMIT}",
                remedy="export with --form html, or shorten the base item",
            )
        cell: Any = page.cell(row=number + 1, column=column)
        cell._style = copy(style)
        cell.value = value or None
        if value:
            # Text whatever it looks like; openpyxl would take "=" for a formula.
            cell.data_type = "s"


def _dress(page: Worksheet, table: SheetTable) -> None:
    page.freeze_panes = "B2"
    for column, name in enumerate(table.columns, start=1):
        page.cell(row=1, column=column).font = Font(bold=True)
        width = table.widths.get(name, _WIDTH)
        page.column_dimensions[get_column_letter(column)].width = width
    for name, words in table.choices.items():
        letter = get_column_letter(list(table.columns).index(name) + 1)
        allowed = DataValidation(
            type="list", formula1=f'"{",".join(words)}"', allow_blank=True, showErrorMessage=True
        )
        allowed.error = "Please choose one of: " + ", ".join(words)
        page.add_data_validation(allowed)
        allowed.add(f"{letter}2:{letter}{len(table.rows) + 1}")


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
