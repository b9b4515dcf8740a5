"""How does an audit's result become a page? Through Jinja2 with autoescape: texts are untrusted."""

from typing import Any

import jinja2

__all__ = ["escape_markdown", "number", "render"]


def number(value: float | None, digits: int = 3) -> str:
    """A number for a table; an en dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def escape_markdown(text: object) -> str:
    """Text that no Markdown renderer reads as markup, on one line."""
    line = " ".join(str(text).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{char}" if char in "\\`*_[]|#!" else char for char in line)


def render(template: str, **values: Any) -> str:
    """An HTML page from a template of `audit/templates/`."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("judgeprobe.audit", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = number
    return environment.get_template(template).render(**values)
