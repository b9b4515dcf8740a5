"""`judgeprobe demo`: the whole pipeline on the shipped items with the embedded model."""

from pathlib import Path
from typing import Annotated

import typer

from judgeprobe.cli.common import JsonOption, QuietOption, verb

__all__ = ["demo"]


@verb
def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Study folder to make or to go on with.")
    ] = Path("demo"),
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Profile the embedded model on the shipped items: no key, a few minutes on two cores.

    A second run into the same folder makes no model call. Exit status as of `judgeprobe run`.
    """
    from judgeprobe.cli.new import write_study
    from judgeprobe.cli.run import run_stages

    if not (out / "study.toml").exists():
        write_study(out, "demo.toml")
    run_stages(out, as_json=as_json, quiet=quiet)
