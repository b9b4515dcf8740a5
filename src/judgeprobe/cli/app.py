"""The command `judgeprobe`: its verbs are registered here, each in a module of its own."""

import os
from typing import Annotated

import typer

from judgeprobe import __version__
from judgeprobe.cli import annotate, blind
from judgeprobe.cli.audit import app as audit_app
from judgeprobe.cli.build import build
from judgeprobe.cli.bundle import bundle
from judgeprobe.cli.cache import cache
from judgeprobe.cli.check import check
from judgeprobe.cli.demo import demo
from judgeprobe.cli.gates import gates
from judgeprobe.cli.new import new
from judgeprobe.cli.pilot import pilot
from judgeprobe.cli.plan import plan
from judgeprobe.cli.pressure import pressure
from judgeprobe.cli.profile import profile
from judgeprobe.cli.report import report
from judgeprobe.cli.run import run
from judgeprobe.cli.sweep import sweep
from judgeprobe.cli.vary import vary

__all__ = ["app", "main"]

app = typer.Typer(
    name="judgeprobe",
    help="Measure whether an LLM judge is a valid instrument: does it hold its verdict when an "
    "edit leaves the construct alone, and change it when an edit changes the construct?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"judgeprobe {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    if debug:
        os.environ["JUDGEPROBE_DEBUG"] = "1"


# Verbs: module `judgeprobe.cli.NAME`, function `NAME`, one line each, in the order of the work.
app.command("demo")(demo)
app.command("new")(new)
app.command("run")(run)
app.command("build")(build)
app.add_typer(annotate.app, name="annotate")
app.add_typer(blind.app, name="blind")
app.command("pilot")(pilot)
app.command("sweep")(sweep)
app.command("profile")(profile)
app.command("check")(check)
app.command("vary")(vary)
app.command("plan")(plan)
app.command("report")(report)
app.command("bundle")(bundle)
app.command("pressure")(pressure)
app.add_typer(audit_app, name="audit")
app.add_typer(cache, name="cache")
app.command("gates")(gates)


def main() -> None:
    """Entry point of the `judgeprobe` script."""
    app()
