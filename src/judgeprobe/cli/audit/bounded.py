"""`judgeprobe audit bounded`: is a difference in differences made by the bounds of the scale?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from judgeprobe.cli.common import (
    JsonOption,
    QuietOption,
    SeedOption,
    note,
    print_json,
    print_table,
    verb,
)

__all__ = ["bounded"]


def _column(name: str, text: str) -> Any:
    return typer.Option(name, metavar="COL", help=text)


@verb
def bounded(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Long table (CSV, TSV, JSONL, Parquet).")
    ],
    item: Annotated[str, _column("--item", "Item.")],
    response: Annotated[str, _column("--response", "Response: two values.")],
    arm: Annotated[str, _column("--arm", "Condition arm.")],
    rating: Annotated[str, _column("--rating", "Rating; one rating a row.")],
    treated: Annotated[str, typer.Option("--treated", metavar="ARM", help="Arm that is read.")],
    control: Annotated[
        str, typer.Option("--control", metavar="ARM", help="Arm it is read against.")
    ],
    positive: Annotated[
        str,
        typer.Option("--positive", metavar="RESPONSE", help="Response whose shift counts up."),
    ],
    low: Annotated[float, typer.Option("--low", help="Lowest rating.")],
    high: Annotated[float, typer.Option("--high", help="Highest rating.")],
    step: Annotated[float, typer.Option("--step", help="Distance of two ratings.")] = 1.0,
    cluster: Annotated[
        str | None, _column("--cluster", "Items that are not independent; else each is its own.")
    ] = None,
    field: Annotated[
        list[str] | None, _column("--field", "Another column of ratings; repeatable.")
    ] = None,
    evidence: Annotated[
        str | None, _column("--evidence", "How clear an item's evidence is: the gradient check.")
    ] = None,
    effect: Annotated[
        float | None, typer.Option("--effect", help="Power at this effect, in rating points.")
    ] = None,
    ordinal: Annotated[
        bool, typer.Option("--ordinal", help="Fit the ordinal companion model too.")
    ] = False,
    resamples: Annotated[
        int, typer.Option("--resamples", min=100, help="Bootstrap draws of clusters.")
    ] = 10_000,
    simulations: Annotated[
        int, typer.Option("--simulations", min=100, help="Simulated audits for the power.")
    ] = 2000,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Coverage of the interval.")
    ] = 0.95,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Is this difference in differences a preference, or made by the bounds of the scale?"""
    from judgeprobe.audit.bounded import BoundedSettings, audit_bounded
    from judgeprobe.audit.bounded_table import BoundedColumns

    columns = BoundedColumns(
        item, response, arm, rating, treated, control, positive, cluster, tuple(field or ()),
        evidence,
    )  # fmt: skip
    settings = BoundedSettings(
        low, high, step, level, resamples, effect, simulations, ordinal, seed
    )
    result = audit_bounded(file, columns, settings)
    if as_json:
        print_json(result)
    else:
        _print(result, quiet=quiet)


def _print(result: dict[str, Any], *, quiet: bool) -> None:
    from judgeprobe.audit.bounded_report import bounded_sentences, bounded_tables

    for title, columns, rows in bounded_tables(result):
        print_table(title, columns, rows)
    for sentence in bounded_sentences(result):
        print(sentence)
    if not quiet:
        for reason, count in result["excluded"].items():
            if count:
                note(f"left out: {count} {reason.replace('_', ' ')}")
