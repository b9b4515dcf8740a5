"""How does a sheet become one HTML file that works from a double click?

The template, its style and its script lie in annotation/. Texts go in as JSON in which every
character that could end a script element is escaped, and the page only ever makes text nodes of
them. A content security policy admits the one style and the one script by their hashes and no
address at all, so even a text that became markup could neither run nor be sent anywhere.
"""

import base64
import hashlib
import json
from functools import lru_cache

from jinja2 import Environment, StrictUndefined, Template
from markdown_it import MarkdownIt
from markupsafe import Markup

from judgeprobe import resources
from judgeprobe.annotate.sheet import Sheet
from judgeprobe.taxonomy import AnnotatorWords

__all__ = ["inline_json", "prose", "render_codebook", "render_page", "template"]

# `<` ends a script element in `</script>` and opens a comment in `<!--`.
ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"}


def inline_json(value: object) -> Markup:
    """JSON that is safe inside a script element: plain ASCII without `<`, `>` or `&`."""
    return Markup(json.dumps(value, ensure_ascii=True).translate(ESCAPES))


@lru_cache(maxsize=8)
def prose(markdown: str) -> Markup:
    """Markdown as HTML; line ends are kept, and HTML inside it stays text."""
    options = {"html": False, "breaks": True}
    rendered = MarkdownIt("commonmark", options).enable("table").render(markdown)
    return Markup(rendered)


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
        style_source=_source(style),
        script_source=_source(script),
        data=inline_json(data),
        codebook=prose(codebook),
        consent=prose(consent),
    )


@lru_cache(maxsize=4)
def render_codebook(codebook: str, consent: str) -> str:
    """Codebook and consent as a page, for those who label in a spreadsheet."""
    style = resources.read_text("annotation", "page.css")
    return template("codebook.html").render(
        style=Markup(style),
        style_source=_source(style),
        codebook=prose(codebook),
        consent=prose(consent),
    )


@lru_cache(maxsize=4)
def template(name: str) -> Template:
    """A shipped template of annotation/; what is put into it is escaped."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.from_string(resources.read_text("annotation", name))


def _source(text: str) -> Markup:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(f"'sha256-{digest}'")
