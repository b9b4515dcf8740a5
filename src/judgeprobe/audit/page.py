"""How does an audit's result become a page? Through Jinja2 with autoescape: texts are untrusted.

A page is made from the result alone: one finding, a chart where estimates share an axis, tables,
what was left out, and what the audit does not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from judgeprobe.audit.interval_chart import Chart
from judgeprobe.files import write_json, write_text

__all__ = [
    "Page",
    "Table",
    "escape_markdown",
    "listed",
    "markdown_table",
    "number",
    "p_value",
    "page_html",
    "page_markdown",
    "render",
    "sources",
    "write_page",
]


@dataclass(frozen=True)
class Table:
    """One table of a page.

    Attributes:
        title: Heading.
        columns: Column names.
        rows: Cells as text.
    """

    title: str
    columns: list[str]
    rows: list[list[str]]

    @property
    def numeric(self) -> list[bool]:
        """Whether every filled cell of a column looks like a number."""
        filled = [[row[i] for row in self.rows if row[i]] for i in range(len(self.columns))]
        return [all(cell.lstrip("<")[:1] in "0123456789+-–" for cell in cells) for cells in filled]


@dataclass(frozen=True)
class Page:
    """One audit, for a person.

    Attributes:
        title: Heading.
        lead: What was read, in one line.
        headline: The finding, in one sentence.
        warn: Whether the finding is one to act on.
        facts: Further sentences.
        chart: Estimates with intervals, or None where they share no axis.
        tables: In reading order.
        notes: What was left out, with counts.
        limits: What the audit does not show.
        source: Files, hashes and seeds.
    """

    title: str
    lead: str
    headline: str
    warn: bool
    facts: tuple[str, ...]
    chart: Chart | None
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    limits: tuple[str, ...]
    source: str


def number(value: float | None, digits: int = 3) -> str:
    """A number for a table; an en dash where there is none."""
    # Adding 0.0 turns a rounded -0.0 into 0.0.
    return "–" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def p_value(value: float | None, digits: int = 4) -> str:
    """A p-value for a table: never rounded to zero."""
    if value is not None and value < 10**-digits:
        return f"<{10**-digits:.{digits}f}"
    return number(value, digits)


def escape_markdown(text: object) -> str:
    """Text that no Markdown renderer reads as markup, on one line."""
    line = " ".join(str(text).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{char}" if char in "\\`*_[]|#!" else char for char in line)


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names in a sentence; beyond the most, how many more there are."""
    shown = [*names[:most], f"{len(names) - most} more"] if len(names) > most else [*names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def sources(result: dict[str, Any]) -> str:
    """Which files a result was computed from, which tool wrote them, and the seed."""
    told = [f"{result['file']} (SHA-256 {result['sha256'][:12]})"]
    if result["reader"]:
        told[0] += f" read as {result['reader']}"
    told += [
        f"{result[f'{kind}_file']} (SHA-256 {result[f'{kind}_sha256'][:12]})"
        for kind in ("swapped", "gold")
        if f"{kind}_file" in result
    ]
    seed = f"; seed {result['seed']}" if "seed" in result else ""
    return f"Computed from {', '.join(told)}{seed}."


def markdown_table(table: Table) -> list[str]:
    """Lines of a Markdown table with its heading."""
    lines = [f"## {escape_markdown(table.title)}", "", _row(table.columns)]
    lines.append("|" + "".join("---:|" if right else "---|" for right in table.numeric))
    return [*lines, *(_row(row) for row in table.rows), ""]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escape_markdown(cell) for cell in cells)} |"


def page_markdown(page: Page) -> str:
    """The page as Markdown."""
    lines = [f"# {escape_markdown(page.title)}", "", escape_markdown(page.lead), ""]
    lines += [f"**{escape_markdown(page.headline)}**", ""]
    lines += _bullets(page.facts)
    for table in page.tables:
        lines += markdown_table(table)
    for title, sentences in (
        ("What was left out", page.notes),
        ("What this does not show", page.limits),
    ):
        if sentences:
            lines += [f"## {title}", "", *_bullets(sentences)]
    return "\n".join([*lines, escape_markdown(page.source), ""])


def _bullets(sentences: Sequence[str]) -> list[str]:
    return [*(f"- {escape_markdown(each)}" for each in sentences), ""] if sentences else []


def page_html(page: Page) -> str:
    """The page as one self-contained HTML file."""
    return render("page.html.j2", title=page.title, page=page)


def write_page(out: Path, name: str, page: Page, result: dict[str, Any]) -> None:
    """Write NAME.json, NAME.md and NAME.html into a folder, each whole or not at all.

    Raises:
        StorageError: The folder cannot be written.
    """
    write_json(out / f"{name}.json", result)
    write_text(out / f"{name}.md", page_markdown(page))
    write_text(out / f"{name}.html", page_html(page))


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
