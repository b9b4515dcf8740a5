"""`judgeprobe audit position`: does this judge name an answer for its place?"""

from pathlib import Path
from typing import Annotated

import typer

from judgeprobe.cli.audit.options import (
    GoldFileOption,
    IdOption,
    LevelOption,
    OutOption,
    ReaderOption,
    column,
    print_page,
)
from judgeprobe.cli.common import JsonOption, QuietOption, print_json, verb

__all__ = ["position"]


@verb
def position(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL or Parquet; or see --reader.")
    ],
    plain: Annotated[str, column("--plain", "Winner where 1 is shown first: 1, 2 or empty.")],
    swapped: Annotated[
        str, column("--swapped", "Winner where 2 is shown first, in the same numbering.")
    ],
    longer: Annotated[str | None, column("--longer", "The longer answer: 1, 2 or empty.")] = None,
    own: Annotated[
        str | None, column("--own", "The answer by the judge's own family: 1, 2 or empty.")
    ] = None,
    gold: Annotated[
        str | None, column("--gold", "The answer that people prefer: 1, 2 or empty.")
    ] = None,
    names: Annotated[
        str, typer.Option("--names", metavar="A,B", help="How verdicts name answers 1 and 2.")
    ] = "1,2",
    tie: Annotated[
        list[str] | None,
        typer.Option("--tie", metavar="WORD", help="A verdict for neither; repeatable."),
    ] = None,
    as_shown: Annotated[
        bool,
        typer.Option(
            "--as-shown",
            help="--swapped names the place: its first name is the answer shown first.",
        ),
    ] = False,
    reader: ReaderOption = None,
    swapped_file: Annotated[
        Path | None,
        typer.Option(
            "--swapped-file", metavar="FILE", help="Run that holds --swapped, joined by --id."
        ),
    ] = None,
    gold_file: GoldFileOption = None,
    key: IdOption = None,
    level: LevelOption = 0.95,
    out: OutOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Does this judge name an answer for its place, its length or its family?"""
    from judgeprobe.audit.grades_input import GradesSource
    from judgeprobe.audit.page import write_page
    from judgeprobe.audit.position import PositionColumns, audit_position
    from judgeprobe.audit.position_report import position_page

    columns = PositionColumns(
        plain=plain,
        swapped=swapped,
        longer=longer,
        own=own,
        gold=gold,
        names=tuple(name.strip() for name in names.split(",")),
        ties=tuple(tie or ()),
        as_shown=as_shown,
    )
    source = GradesSource(file, reader, gold_file, swapped_file, key)
    result = audit_position(source, columns, level=level)
    if out is not None:
        write_page(out, "position", position_page(result), result)
    if as_json:
        print_json(result)
    else:
        print_page(position_page(result), quiet=quiet)
