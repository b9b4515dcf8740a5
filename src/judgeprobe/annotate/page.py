"""How does a sheet of pairs become one HTML file that works from a double click?"""

from markupsafe import Markup

from judgeprobe import resources
from judgeprobe.annotate.sheet import Sheet
from judgeprobe.forms.page import inline_json, prose, source_hash, template
from judgeprobe.taxonomy import AnnotatorWords

__all__ = ["render_page"]


def render_page(
    sheet: Sheet, *, codebook: str, consent: str, words: AnnotatorWords | None = None
) -> str:
    """One annotator's page.

    Args:
        sheet: What is labelled.
        codebook: Markdown.
        consent: Markdown.
        words: What is asked; that of claim calibration where None.
    """
    style = resources.read_text("annotation", "page.css")
    script = resources.read_text("annotation", "page.js")
    words = words or AnnotatorWords()
    data = {
        "answer": words.answer,
        "quote": words.quote,
        "sheet": sheet.token,
        "batch": sheet.batch,
        "annotator": sheet.annotator,
        "units": [
            {"id": unit.unit_id, "evidence": unit.evidence, "a": unit.a, "b": unit.b}
            for unit in sheet.units
        ],
    }
    return template("page.html").render(
        words=words,
        batch=sheet.batch,
        annotator=sheet.annotator,
        style=Markup(style),
        script=Markup(script),
        style_source=source_hash(style),
        script_source=source_hash(script),
        data=inline_json(data),
        codebook=prose(codebook),
        consent=prose(consent),
    )
