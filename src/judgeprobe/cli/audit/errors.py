"""`judgeprobe audit errors`: what biases this judge, and by how much in each segment?"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

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

__all__ = ["errors"]


class Correction(StrEnum):
    """Adjustments for many tests."""

    holm = "holm"
    bh = "bh"
    none = "none"


@verb
def errors(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL or Parquet; or see --reader.")
    ],
    judge: Annotated[str, column("--judge", "The judge's grade.")],
    gold: Annotated[str, column("--gold", "People's label; empty where there is none.")],
    covariate: Annotated[
        list[str] | None,
        column(
            "--covariate",
            "What the error may go with; repeatable. A column, or @length @formatting @position "
            "@same-family.",
        ),
    ] = None,
    cluster: Annotated[
        str | None, column("--cluster", "Group whose rows are not independent.")
    ] = None,
    by: Annotated[str | None, column("--by", "Segment to correct the score in.")] = None,
    baseline_judge: Annotated[
        str | None, column("--baseline-judge", "Grade of another system: compare the two.")
    ] = None,
    baseline_gold: Annotated[
        str | None, column("--baseline-gold", "People's label of that system.")
    ] = None,
    null: Annotated[
        float | None,
        typer.Option("--null", help="Test segments' corrected means against this value."),
    ] = None,
    correction: Annotated[
        Correction, typer.Option("--correction", help="Over covariates, and over segments.")
    ] = Correction.holm,
    min_gold: Annotated[
        int, typer.Option("--min-gold", min=2, help="Labels that a segment needs.")
    ] = 20,
    text: Annotated[
        str | None, column("--text", "The answer, for @length and @formatting.")
    ] = None,
    group: Annotated[str | None, column("--group", "The question, for @position.")] = None,
    author: Annotated[
        str | None, column("--author", "Model that wrote the answer, for @same-family.")
    ] = None,
    judge_model: Annotated[
        str | None,
        typer.Option("--judge-model", metavar="NAME", help="The judge, for @same-family."),
    ] = None,
    reader: ReaderOption = None,
    gold_file: GoldFileOption = None,
    key: IdOption = None,
    level: LevelOption = 0.95,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Read the table in parts, whatever its size, without what needs all rows at once "
            "(segments, categories, @position, a second file); or hold every row in memory. By "
            "default tables above 5 million rows are read in parts where nothing needs all rows.",
        ),
    ] = None,
    out: OutOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """What biases this judge, and what would people have said in each segment?"""
    from judgeprobe.audit.covariates import Ready
    from judgeprobe.audit.errors import ErrorColumns, ErrorSettings, audit_errors
    from judgeprobe.audit.errors_report import errors_page
    from judgeprobe.audit.grades_input import GradesSource
    from judgeprobe.audit.page import write_page

    way: Any = {None: "auto", True: "stream", False: "memory"}[stream]
    result = audit_errors(
        GradesSource(file, reader, gold_file, key=key),
        ErrorColumns(
            judge=judge,
            gold=gold,
            covariates=tuple(covariate or ()),
            cluster=cluster,
            by=by,
            baseline_judge=baseline_judge,
            baseline_gold=baseline_gold,
            ready=Ready(text, group, author, judge_model),
        ),
        ErrorSettings(level, correction.value, min_gold, null, way),
    )
    if out is not None:
        write_page(out, "errors", errors_page(result), result)
    if as_json:
        print_json(result)
    else:
        print_page(errors_page(result), quiet=quiet)
