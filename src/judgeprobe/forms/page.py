"""How does a labelling page stay one file that asks for nothing and runs nothing it was not given?

Templates, style and script lie in annotation/. Texts go in as JSON in which every character that
could end a script element is escaped, and the page only ever makes text nodes of them. A content
security policy admits the one style and the one script by their hashes and no address at all, so
even a text that became markup could neither run nor be sent anywhere.
"""

import base64
import hashlib
import json
from functools import lru_cache

from jinja2 import Environment, StrictUndefined, Template
from markdown_it import MarkdownIt
from markupsafe import Markup

from judgeprobe import resources

__all__ = ["inline_json", "prose", "render_codebook", "source_hash", "template"]

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


@lru_cache(maxsize=4)
def render_codebook(codebook: str, consent: str) -> str:
    """Codebook and consent as a page, for those who label in a spreadsheet."""
    style = resources.read_text("annotation", "page.css")
    return template("codebook.html").render(
        style=Markup(style),
        style_source=source_hash(style),
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


def source_hash(text: str) -> Markup:
    """A text as a source that a content security policy admits."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(f"'sha256-{digest}'")
