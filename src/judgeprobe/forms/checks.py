"""Was the answer given for the text that was sent, and what did a program do to it on its way?"""

from collections.abc import Mapping

from judgeprobe.forms.damage import FORMULA_ERRORS, explain, looks_like_date
from judgeprobe.forms.problems import Problem
from judgeprobe.forms.rows import SPAN_COLUMN, Row

__all__ = ["odd_cells", "text_damages"]


def text_damages(
    row: Row, unit_id: str, texts: Mapping[str, str], problems: list[Problem]
) -> list[str] | None:
    """What happened to the texts on their way; None where one was edited.

    Args:
        row: As it came back.
        unit_id: Its unit.
        texts: The texts as they were sent, by column.
        problems: Gets what is to be told.
    """
    damages = []
    for name, expected in texts.items():
        if name not in row.cells:
            continue
        damage = explain(row.cells[name], expected, kind=row.odd.get(name, ""))
        if damage is None:
            message = f"the {name.replace('_', ' ')} was edited, so the label is for another text"
            problems.append(Problem.refused(row.file, row.row, "edited_text", message, unit_id))
            return None
        if damage:
            damages.append(f"{name}: {damage}")
            problems.append(
                Problem.kept(row.file, row.row, "damaged_text", f"{name}: {damage}", unit_id)
            )
    return damages


def odd_cells(row: Row, free: str, *, lost: bool) -> list[str]:
    """What a spreadsheet made of the annotator's own words.

    Args:
        row: As it came back.
        free: The column of an answer in the annotator's own words.
        lost: Whether a quotation was not found.
    """
    flags = [
        f"{name}: the spreadsheet made it a {kind}"
        for name, kind in row.odd.items()
        if name == free or SPAN_COLUMN.fullmatch(name)
    ]
    if row.form not in ("csv", "xlsx"):
        return flags
    # A sentence may hold such words; then the quotation is right.
    suspects = (*(row.spans if lost else ()), row.text(free))
    if any(text.strip().casefold().startswith(FORMULA_ERRORS) for text in suspects):
        flags.append("an answer was read as a formula by the spreadsheet")
    if lost and any(looks_like_date(span) for span in row.spans):
        flags.append("a quotation was turned into a date by the spreadsheet")
    return flags
