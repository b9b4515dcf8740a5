"""`judgeprobe plan`: how many base items does a study need?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from judgeprobe.cli.common import JsonOption, SeedOption, print_json, print_table, verb

__all__ = ["plan"]


@verb
def plan(
    pilot: Annotated[
        Path | None,
        typer.Option("--pilot", metavar="PATH", help="A study folder or a file of graded pairs."),
    ] = None,
    s: Annotated[float, typer.Option("--s", min=0, max=1, help="Stated: S.")] = 0.95,
    r: Annotated[
        tuple[float, float],
        typer.Option("--r", help="Stated: R on the first and on the second axis."),
    ] = (0.40, 0.30),
    edits: Annotated[
        tuple[float, float, float],
        typer.Option(
            "--edits", help="Stated: edits a base item: invariance, first axis, second axis."
        ),
    ] = (2.0, 2.0, 2.0),
    correlation: Annotated[
        float,
        typer.Option("--correlation", min=0, max=0.99, help="Stated: between a base item's edits."),
    ] = 0.2,
    judges: Annotated[int, typer.Option("--judges", min=1, help="Stated: number of judges.")] = 1,
    half_width: Annotated[
        float | None, typer.Option("--half-width", help="Wanted: half-width of S and of R.")
    ] = None,
    power: Annotated[
        float | None,
        typer.Option("--power", min=0, max=1, help="Wanted: chance that the gap is detected."),
    ] = None,
    sizes: Annotated[
        str, typer.Option("--sizes", help="Numbers of base items, joined by commas.")
    ] = "30,60,120,240,480,960",
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.9999, help="Coverage of the intervals.")
    ] = 0.95,
    simulations: Annotated[
        int, typer.Option("--simulations", min=20, help="Studies simulated at each size.")
    ] = 300,
    resamples: Annotated[
        int, typer.Option("--resamples", min=100, help="Resamples of each simulated study.")
    ] = 400,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Say how many base items give a half-width, or detect a gap at a given power.

    By simulation, from a pilot or from stated rates.
    """
    from judgeprobe.profile.planning import plan_study
    from judgeprobe.stats.power import from_rates

    if pilot is not None:
        sampler, names = _from_pilot(pilot)
        basis: dict[str, Any] = {"pilot": str(pilot.name), "judges": names}
    else:
        sampler = from_rates(s, r, edits, correlation, judges)
        basis = {
            "S": s,
            "R": list(r),
            "edits": list(edits),
            "correlation": correlation,
            "judges": judges,
        }
    found = plan_study(
        sampler,
        sizes=_sizes(sizes),
        simulations=simulations,
        resamples=resamples,
        level=level,
        half_width=half_width,
        power=power,
        seed=seed,
    )
    found["basis"] = basis
    if as_json:
        print_json(found)
        return
    print_table(
        f"Mean half-widths of {level:.0%} intervals, and power for the gap",
        ["base items", "S", "R", "gap", "power"],
        [
            [
                str(row["n"]),
                f"{row['half_width_s']:.3f}",
                f"{row['half_width_r']:.3f}",
                f"{row['half_width_gap']:.3f}",
                f"{row['power']:.2f}",
            ]
            for row in found["sizes"]
        ],
    )
    if half_width is not None or power is not None:
        enough = f"{found['n']} base items are enough" if found["n"] else found["reason"]
        print(f"Wanted: half-width {half_width}, power {power}: {enough}.")


def _sizes(text: str) -> list[int]:
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise typer.BadParameter(f"--sizes is numbers joined by commas; got {text!r}") from None
    if sizes[0] < 2:
        raise typer.BadParameter("--sizes are at least 2")
    return sizes


def _from_pilot(pilot: Path) -> tuple[Any, list[str]]:
    from judgeprobe.profile.options import ProfileOptions
    from judgeprobe.profile.planning import pilot_sampler
    from judgeprobe.profile.sources import options_of, source_of_pairs, source_of_study
    from judgeprobe.records import Scale
    from judgeprobe.study import load_study
    from judgeprobe.taxonomy import load_taxonomy

    if pilot.is_dir():
        study = load_study(pilot)
        return pilot_sampler(source_of_study(study).table, options_of(study))
    taxonomy = load_taxonomy("claim-calibration")
    options = ProfileOptions(floor=taxonomy.constants.invariance_floor, scale=Scale())
    return pilot_sampler(source_of_pairs(pilot, taxonomy, options, "").table, options)
