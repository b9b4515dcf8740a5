"""How does a sheet of pairs become one HTML file that works from a double click?"""

from judgeprobe.annotate.sheet import Sheet
from judgeprobe.forms.page import Choice, PageForm, Side, render_form
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
    return render_form(
        _form(words or AnnotatorWords()),
        batch=sheet.batch,
        annotator=sheet.annotator,
        token=sheet.token,
        units=[
            {"id": unit.unit_id, "evidence": unit.evidence, "a": unit.a, "b": unit.b}
            for unit in sheet.units
        ],
        codebook=codebook,
        consent=consent,
    )


def _form(words: AnnotatorWords) -> PageForm:
    member = words.member.capitalize()
    named = tuple(
        Choice(
            side, f"{name} {words.answer}", f"{name} {words.answer}.", side, quote=True, say=True
        )
        for side, name in (("a", "A"), ("b", "B"))
    )
    return PageForm(
        noun="pair",
        question=words.question,
        field="direction",
        free="supported",
        free_title="What does the evidence support? One sentence.",
        quote=words.quote,
        quote_hint=f"For A or B, quote what {words.quote}.",
        reach=f"a {words.member} (key 1 or 2)",
        sides=(Side("a", f"{member} A", " of A", "1"), Side("b", f"{member} B", " of B", "2")),
        choices=(
            *named,
            Choice("neither", "Neither", "Neither.", "n", quote=False, say=True),
            Choice(
                "cannot_tell",
                "Cannot tell from this evidence",
                "Cannot tell.",
                "c",
                quote=False,
                say=False,
            ),
        ),
        facts=True,
    )
