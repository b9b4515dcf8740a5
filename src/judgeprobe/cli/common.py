"""What every verb shares: options, printing, errors turned into exit statuses.

Exit status: 0 done, 1 could not run, 2 wrong usage, 3 ran and found what it was asked to watch for.
Standard output carries the result (one JSON object with `--json`), standard error everything else.
"""

import functools
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from judgeprobe.errors import JudgeprobeError

if TYPE_CHECKING:
    from judgeprobe.forms.problems import Problem

__all__ = [
    "FOUND",
    "JsonOption",
    "QuietOption",
    "SeedOption",
    "StudyArgument",
    "finish",
    "note",
    "print_json",
    "print_table",
    "problem_notes",
    "verb",
]

P = ParamSpec("P")

FOUND = 3
_PROBLEMS_SHOWN = 20

StudyArgument = Annotated[
    Path, typer.Argument(metavar="STUDY", help="Study folder (it holds study.toml).")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No notes, no progress.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of every random draw.")]


def verb(function: Callable[P, None]) -> Callable[P, None]:
    """Turn an expected error into one line on standard error and exit status 1.

    With `--json` the error is printed as a JSON object too. `judgeprobe --debug VERB` shows the
    traceback instead.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
        except JudgeprobeError as error:
            if os.environ.get("JUDGEPROBE_DEBUG"):
                raise
            if kwargs.get("as_json"):
                print_json({"error": {"kind": type(error).__name__, "message": str(error)}})
            print(f"judgeprobe: {error}", file=sys.stderr)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            print("judgeprobe: stopped; what has arrived is kept", file=sys.stderr)
            raise typer.Exit(1) from None
        except BrokenPipeError:
            # The reader of the pipe has gone; nothing is left to say to it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None

    return run


def print_json(value: Any) -> None:
    """One JSON object on standard output.

    Raises:
        ValueError: The value holds NaN or an infinity; null with a reason is the rule.
    """
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def note(message: str) -> None:
    """A note for the person at the terminal, on standard error."""
    print(message, file=sys.stderr)


def print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """A table on standard output; a column whose cells all look like numbers is aligned right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # A pipe has no width; rich would cut cells at 80 columns there.
    console = Console(width=None if sys.stdout.isatty() else 200, markup=False, highlight=False)
    table = Table(title=title, title_justify="left")
    for index, name in enumerate(columns):
        numeric = all(row[index].lstrip("<")[:1] in "0123456789+-.–" for row in rows if row[index])
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        # Text, not str: a name from a file must not be read as markup.
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def finish(status: int) -> None:
    """End with an exit status other than 0."""
    if status:
        raise typer.Exit(status)


def problem_notes(problems: "Sequence[Problem]") -> None:
    """What was odd about returned files, on standard error; the first of many."""
    words = {"refused": "not imported", "kept": "imported and flagged", "note": "note"}
    for effect, word in words.items():
        found = [one for one in problems if one.effect == effect]
        for one in found[:_PROBLEMS_SHOWN]:
            note(f"{word}: {one}")
        if len(found) > _PROBLEMS_SHOWN:
            note(f"{word}: {len(found) - _PROBLEMS_SHOWN} more; see --json")
