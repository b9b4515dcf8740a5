"""How does a labelling page stay one file that asks for nothing and runs nothing it was not given?

Templates, style and script lie in annotation/. Texts go in as JSON in which every character that
could end a script element is escaped, and the page only ever makes text nodes of them. A content
security policy admits the one style and the one script by their hashes and no address at all, so
even a text that became markup could neither run nor be sent anywhere.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

from jinja2 import Environment, StrictUndefined, Template
from markdown_it import MarkdownIt
from markupsafe import Markup

from judgeprobe import resources

__all__ = [
    "Choice",
    "PageForm",
    "Side",
    "inline_json",
    "prose",
    "render_codebook",
    "render_form",
    "template",
]


@dataclass(frozen=True)
class Side:
    """A text that is labelled.

    Attributes:
        key: Names it in the units and in saved copies.
        title: Its heading.
        of: What follows "Quote the marked words".
        press: The key that goes to it.
    """

    key: str
    title: str
    of: str
    press: str


@dataclass(frozen=True)
class Choice:
    """An answer.

    Attributes:
        value: As a saved copy has it.
        title: As the page shows it.
        said: What the page says when it is chosen.
        press: The key that chooses it.
        quote: Whether it needs a quotation.
        say: Whether it needs words of the annotator's own.
    """

    value: str
    title: str
    said: str
    press: str
    quote: bool
    say: bool


@dataclass(frozen=True)
class PageForm:
    """What a page asks of each unit.

    Attributes:
        noun: What a unit is called: "pair".
        question: Asked of it.
        field: Name of the answer in a saved copy.
        free: Name of the annotator's own words in a saved copy.
        free_title: What is asked for in the annotator's own words.
        quote: What is quoted: "goes beyond the evidence".
        quote_hint: When and what to quote, as a sentence.
        reach: How a text is reached by keys.
        facts: Whether it is asked if all texts assert the same facts.
    """

    noun: str
    question: str
    field: str
    free: str
    free_title: str
    quote: str
    quote_hint: str
    reach: str
    sides: tuple[Side, ...]
    choices: tuple[Choice, ...]
    facts: bool = False


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


def render_form(
    form: PageForm,
    *,
    batch: str,
    annotator: str,
    token: str,
    units: Sequence[Mapping[str, str]],
    codebook: str,
    consent: str,
) -> str:
    """One annotator's page.

    Args:
        form: What is asked.
        batch: What the sheet is part of.
        annotator: Whose it is.
        token: Names the sheet without telling anything; answers are kept under it.
        units: Each with `id`, `evidence` and a text for the key of every side, in order.
        codebook: Markdown.
        consent: Markdown.
    """
    style = resources.read_text("annotation", "page.css")
    script = resources.read_text("annotation", "page.js")
    data = {
        "form": asdict(form),
        "sheet": token,
        "batch": batch,
        "annotator": annotator,
        "units": list(units),
    }
    return template("page.html").render(
        form=form,
        batch=batch,
        annotator=annotator,
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
