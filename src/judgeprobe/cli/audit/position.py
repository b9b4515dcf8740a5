"""`judgeprobe audit position`: does this judge name an answer for its place?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from judgeprobe.cli.common import JsonOption, QuietOption, note, print_json, print_table, verb

__all__ = ["position"]


def _column(name: str, text: str) -> Any:
    return typer.Option(name, metavar="COL", help=text)


@verb
def position(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL or Parquet.")],
    plain: Annotated[str, _column("--plain", "Winner where 1 is shown first: 1, 2 or empty.")],
    swapped: Annotated[
        str, _column("--swapped", "Winner where 2 is shown first, in the same numbering.")
    ],
    longer: Annotated[str | None, _column("--longer", "The longer answer: 1, 2 or empty.")] = None,
    own: Annotated[
        str | None, _column("--own", "The answer by the judge's own family: 1, 2 or empty.")
    ] = None,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Coverage of intervals.")
    ] = 0.95,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Does this judge name an answer for its place, its length or its family?"""
    from judgeprobe.audit.position import PositionColumns, audit_position

    result = audit_position(file, PositionColumns(plain, swapped, longer, own), level=level)
    if as_json:
        print_json(result)
    else:
        _print(result, quiet=quiet)


def _print(result: dict[str, Any], *, quiet: bool) -> None:
    from judgeprobe.audit.page import number

    first = {"rate": result["first_rate"], **result}
    rows = [
        ["names the first shown", str(result["n"]), *_cells(first)],
        ["of changed verdicts, the first", str(result["changed"]["n"]), *_cells(result["changed"])],
    ]
    names = {"longer": "names the longer", "own": "names its own family's"}
    rows += [[names[p["name"]], str(p["n"]), *_cells(p)] for p in result["probes"]]
    print_table("Preference", ["question", "comparisons", "rate", "low", "high", "p"], rows)
    print(f"The same winner in both orders: {number(result['consistent'])}.")
    if not quiet:
        if result["n_unread"]:
            note(f"left out: {result['n_unread']} comparisons without a winner in both orders")
        if result["reason"]:
            note(result["reason"])


def _cells(share: dict[str, Any]) -> list[str]:
    from judgeprobe.audit.page import number

    return [number(share[key], 4) for key in ("rate", "low", "high", "p")]
