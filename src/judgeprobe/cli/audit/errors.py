"""`judgeprobe audit errors`: what biases this judge, and by how much in each segment?"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from judgeprobe.cli.common import JsonOption, QuietOption, note, print_json, print_table, verb

__all__ = ["errors"]


class Correction(StrEnum):
    """Adjustments for many tests."""

    holm = "holm"
    bh = "bh"
    none = "none"


def _column(name: str, text: str) -> Any:
    return typer.Option(name, metavar="COL", help=text)


@verb
def errors(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL or Parquet; or see --reader.")
    ],
    judge: Annotated[str, _column("--judge", "The judge's grade.")],
    gold: Annotated[str, _column("--gold", "People's label; empty where there is none.")],
    covariate: Annotated[
        list[str] | None,
        _column(
            "--covariate",
            "What the error may go with; repeatable. A column, or @length @formatting @position "
            "@same-family.",
        ),
    ] = None,
    cluster: Annotated[
        str | None, _column("--cluster", "Group whose rows are not independent.")
    ] = None,
    by: Annotated[str | None, _column("--by", "Segment to correct the score in.")] = None,
    baseline_judge: Annotated[
        str | None, _column("--baseline-judge", "Grade of another system: compare the two.")
    ] = None,
    baseline_gold: Annotated[
        str | None, _column("--baseline-gold", "People's label of that system.")
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
        str | None, _column("--text", "The answer, for @length and @formatting.")
    ] = None,
    group: Annotated[str | None, _column("--group", "The question, for @position.")] = None,
    author: Annotated[
        str | None, _column("--author", "Model that wrote the answer, for @same-family.")
    ] = None,
    judge_model: Annotated[
        str | None,
        typer.Option("--judge-model", metavar="NAME", help="The judge, for @same-family."),
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option(
            "--reader",
            metavar="TOOL",
            help="FILE is what a tool wrote: inspect, promptfoo, deepeval, lm-eval, openai-evals.",
        ),
    ] = None,
    gold_file: Annotated[
        Path | None, typer.Option("--gold-file", metavar="FILE", help="People's labels, by --id.")
    ] = None,
    key: Annotated[str | None, _column("--id", "Id that joins the two files.")] = None,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Coverage of intervals.")
    ] = 0.95,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Read the table in parts, whatever its size, without what needs all rows at once "
            "(segments, categories, @position, a second file); or hold every row in memory. By "
            "default tables above 5 million rows are read in parts where nothing needs all rows.",
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """What biases this judge, and what would people have said in each segment?"""
    from judgeprobe.audit.covariates import Ready
    from judgeprobe.audit.errors import ErrorColumns, ErrorSettings, audit_errors

    way: Any = {None: "auto", True: "stream", False: "memory"}[stream]
    result = audit_errors(
        file,
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
        ErrorSettings(
            level=level,
            correction=correction.value,
            min_gold=min_gold,
            null=null,
            reader=reader,
            gold_file=gold_file,
            key=key,
            way=way,
        ),
    )
    if as_json:
        print_json(result)
    else:
        _print(result, quiet=quiet)


def _print(result: dict[str, Any], *, quiet: bool) -> None:
    from judgeprobe.audit.page import number

    shown = ("effect", "std_error", "low", "high", "p", "p_adjusted")
    rows = [[each["name"], *(number(each[key], 4) for key in shown)] for each in result["effects"]]
    if rows:
        print_table(
            f"Effects on judge minus people ({result['covariance']}, {result['correction']})",
            ["covariate", "effect", "std error", "low", "high", "p", "p adjusted"],
            rows,
        )
    if result["segments"]:
        cells = [_segment(each) for each in [*result["segments"], result["global"]]]
        print_table(
            f"Segments: p tests that the {result['tested']} ({result['correction']})",
            ["segment", "n", "labels", "judge", "corrected", "low", "high", "by global", "p adj",
             "status"],
            cells,
        )  # fmt: skip
    mean, low, high = (number(result[f"mean_error{end}"], 4) for end in ("", "_low", "_high"))
    over = f"Mean error {mean} ({low} to {high}) over {result['n']} rows with both grades."
    print(result["reason"] or over)
    for name in result["hidden_by_global"]:
        print(f"A global correction misstates {name}: it lies outside the segment's own interval.")
    if not quiet:
        for reason, count in result["counts"].items():
            if count and reason != "rows":
                note(f"{reason.replace('_', ' ')}: {count} rows")


def _segment(each: dict[str, Any]) -> list[str]:
    from judgeprobe.audit.page import number

    shown = ("judge", "corrected", "low", "high", "by_global", "p_adjusted")
    status = each["status"] if not each["reason"] else f"{each['status']}: {each['reason']}"
    return [
        each["segment"],
        str(each["n"]),
        str(each["n_gold"]),
        *(number(each[key], 4) for key in shown),
        status,
    ]
