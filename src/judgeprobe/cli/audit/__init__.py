"""`judgeprobe audit`: one module a verb, registered here."""

import typer

from judgeprobe.cli.audit.bounded import bounded
from judgeprobe.cli.audit.errors import errors
from judgeprobe.cli.audit.labels import labels
from judgeprobe.cli.audit.position import position
from judgeprobe.cli.audit.residual import residual
from judgeprobe.cli.audit.residual_model import residual_model

__all__ = ["app"]

app = typer.Typer(
    name="audit",
    help="Audit label sets and judge scores that already exist.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

# Verbs: module `judgeprobe.cli.audit.NAME`, function `NAME`, one line each.
app.command("bounded")(bounded)
app.command("errors")(errors)
app.command("labels")(labels)
app.command("position")(position)
app.command("residual")(residual)
app.command("residual-model")(residual_model)
