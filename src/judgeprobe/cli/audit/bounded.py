"""`judgeprobe audit bounded`: is a difference in differences made by the bounds of the scale?"""

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
from judgeprobe.cli.common import (
    JsonOption,
    QuietOption,
    SeedOption,
    print_json,
    verb,
)

__all__ = ["bounded"]


@verb
def bounded(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Long table (CSV, TSV, JSONL, Parquet); or see --reader."
        ),
    ],
    item: Annotated[str, column("--item", "Item.")],
    response: Annotated[str, column("--response", "Response: two values.")],
    arm: Annotated[str, column("--arm", "Condition arm.")],
    rating: Annotated[str, column("--rating", "Rating; one rating a row.")],
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
        str | None, column("--cluster", "Items that are not independent; else each is its own.")
    ] = None,
    field: Annotated[
        list[str] | None, column("--field", "Another column of ratings; repeatable.")
    ] = None,
    evidence: Annotated[
        str | None, column("--evidence", "How clear an item's evidence is: the gradient check.")
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
    gold: Annotated[
        str | None, column("--gold", "People's rating of the same row, set beside the judge's.")
    ] = None,
    reader: ReaderOption = None,
    gold_file: GoldFileOption = None,
    key: IdOption = None,
    level: LevelOption = 0.95,
    out: OutOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Is this difference in differences a preference, or made by the bounds of the scale?"""
    from judgeprobe.audit.bounded import BoundedSettings, audit_bounded
    from judgeprobe.audit.bounded_report import bounded_page
    from judgeprobe.audit.bounded_table import BoundedColumns
    from judgeprobe.audit.grades_input import GradesSource
    from judgeprobe.audit.page import write_page

    columns = BoundedColumns(
        item, response, arm, rating, treated, control, positive, cluster, tuple(field or ()),
        evidence, gold,
    )  # fmt: skip
    settings = BoundedSettings(
        low, high, step, level, resamples, effect, simulations, ordinal, seed
    )
    source = GradesSource(file, reader, gold_file, key=key)
    result = audit_bounded(source, columns, settings)
    if out is not None:
        write_page(out, "bounded", bounded_page(result), result)
    if as_json:
        print_json(result)
    else:
        print_page(bounded_page(result), quiet=quiet)
