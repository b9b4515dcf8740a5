"""What the audits of grades share on the command line: options, and how a page is printed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgeprobe.cli.common import note, print_table

if TYPE_CHECKING:
    from judgeprobe.audit.page import Page

__all__ = [
    "GoldFileOption",
    "IdOption",
    "LevelOption",
    "OutOption",
    "ReaderOption",
    "column",
    "print_page",
]


def column(name: str, text: str) -> Any:
    """An option that names a column."""
    return typer.Option(name, metavar="COL", help=text)


ReaderOption = Annotated[
    str | None,
    typer.Option(
        "--reader",
        metavar="TOOL",
        help="FILE is what a tool wrote: inspect, promptfoo, deepeval, lm-eval, openai-evals.",
    ),
]
GoldFileOption = Annotated[
    Path | None,
    typer.Option("--gold-file", metavar="FILE", help="Table with people's labels, joined by --id."),
]
IdOption = Annotated[str | None, column("--id", "Id that joins two files.")]
LevelOption = Annotated[
    float, typer.Option("--level", min=0.5, max=0.999, help="Coverage of intervals.")
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write the result as JSON, Markdown and HTML."),
]


def print_page(page: "Page", *, quiet: bool) -> None:
    """Tables and sentences on standard output; what was left out on standard error."""
    for table in page.tables:
        print_table(table.title, table.columns, table.rows)
    for sentence in (page.headline, *page.facts):
        print(sentence)
    if not quiet:
        for left_out in page.notes:
            note(left_out)
