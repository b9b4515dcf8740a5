"""What does one annotator see of the set, in each form?

Evidence, one sentence, an id that says nothing. Every form is made from the same sheet.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from judgeprobe.files import dump_json
from judgeprobe.forms.page import Choice, PageForm, Side, render_form, template
from judgeprobe.forms.rows import Layout
from judgeprobe.forms.table import SheetTable, csv_text, xlsx_bytes
from judgeprobe.settings import BlindSettings

__all__ = ["LAYOUT", "WHOLE", "BlindSheet", "ShownUnit", "render_sheet"]

WHOLE = "sentences"
LAYOUT = Layout(
    answer="label",
    texts=("evidence", "sentence"),
    regions={"span_s": "sentence"},
    free=("note",),
)
COLUMNS = ("unit_id", "evidence", "sentence", "label", "span_1", "span_2", "span_3", "note")
WIDTHS = {"unit_id": 15, "evidence": 60, "sentence": 60, "note": 40}
QUESTION = "Which class does the sentence belong to, given this evidence?"
QUOTE = "puts it in its class"
QUOTE_HINT = "For every class but {first}, quote the words that put the sentence there."


@dataclass(frozen=True)
class ShownUnit:
    """One sentence as shown."""

    shown_id: str
    evidence: str
    sentence: str


@dataclass(frozen=True)
class BlindSheet:
    """One annotator's sentences in the order of labelling."""

    annotator: str
    token: str
    units: Sequence[ShownUnit]

    @property
    def stem(self) -> str:
        """Name of its files, without an ending."""
        return f"{WHOLE}-{self.annotator}"


def render_sheet(
    sheet: BlindSheet, form: str, settings: BlindSettings, *, codebook: str, consent: str
) -> dict[str, bytes]:
    """One form of a sheet, as file contents by name.

    Args:
        sheet: What is labelled.
        form: One of `FORMS`.
        settings: The classes.
        codebook: Markdown.
        consent: Markdown.

    Raises:
        InputError: A text is longer than a cell of a workbook may be.
    """
    if form == "html":
        page = render_form(
            _page_form(settings),
            batch=WHOLE,
            annotator=sheet.annotator,
            token=sheet.token,
            units=[
                {"id": unit.shown_id, "evidence": unit.evidence, "s": unit.sentence}
                for unit in sheet.units
            ],
            codebook=codebook,
            consent=consent,
        )
        return {f"{sheet.stem}.html": page.encode()}
    if form == "csv":
        return {f"{sheet.stem}.csv": csv_text(_table(sheet, settings)).encode()}
    if form == "xlsx":
        return {f"{sheet.stem}.xlsx": xlsx_bytes(_table(sheet, settings))}
    tasks = [
        {"data": {"unit_id": unit.shown_id, "evidence": unit.evidence, "sentence": unit.sentence}}
        for unit in sheet.units
    ]
    project = template("blind_label_studio.xml").render(form=_page_form(settings))
    return {
        f"{sheet.stem}-label-studio-tasks.json": dump_json(tasks).encode(),
        "label-studio-project.xml": project.encode(),
    }


def _table(sheet: BlindSheet, settings: BlindSettings) -> SheetTable:
    empty = [""] * (len(COLUMNS) - 3)
    return SheetTable(
        title=WHOLE,
        columns=COLUMNS,
        rows=[[unit.shown_id, unit.evidence, unit.sentence, *empty] for unit in sheet.units],
        widths=WIDTHS,
        choices={"label": settings.classes},
    )


def _page_form(settings: BlindSettings) -> PageForm:
    return PageForm(
        noun="sentence",
        question=QUESTION,
        field="label",
        free="note",
        free_title="A note, if the choice needs one.",
        quote=QUOTE,
        quote_hint=QUOTE_HINT.format(first=settings.classes[0]),
        reach="the sentence (key S)",
        sides=(Side("s", "Sentence", "", "s"),),
        choices=tuple(
            Choice(
                name,
                name,
                f"{name}.",
                str(place) if place < 10 else "",
                quote=name != settings.classes[0],
                say=False,
            )
            for place, name in enumerate(settings.classes, start=1)
        ),
    )
