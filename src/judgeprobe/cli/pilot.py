"""`judgeprobe pilot STUDY`: which judges will give a frontier, before the sweep is paid for."""

from typing import Annotated

import typer

from judgeprobe.cli.common import (
    JsonOption,
    QuietOption,
    StudyArgument,
    finish,
    note,
    print_json,
    print_table,
    verb,
)

__all__ = ["pilot"]


@verb
def pilot(
    folder: StudyArgument,
    sample: Annotated[int, typer.Option("--sample", min=1, help="Fewest texts to ask about.")] = 60,
    repetitions: Annotated[
        int, typer.Option("--repetitions", min=2, help="How often each text is graded.")
    ] = 2,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Try every judge on a sample; its first repetition is used by the sweep."""
    from judgeprobe.study import load_study
    from judgeprobe.sweep.pilot import pilot as run

    study = load_study(folder)
    rows, notes, stopped = run(
        study, sample=sample, repetitions=repetitions, progress="none" if quiet else "auto"
    )
    if not quiet:
        for line in notes:
            note(f"note: {line}")
    if as_json:
        print_json({"judges": [row.as_json() for row in rows], "notes": notes, "stopped": stopped})
    else:
        columns = ["judge", "verdict", "texts", "graded", "distinct", "usable", "points"]
        columns += ["regrade", "usd", "usd of the sweep"]
        print_table(
            "Pilot",
            columns,
            [
                [
                    row.judge,
                    row.verdict,
                    *(
                        str(n)
                        for n in (row.texts, row.graded, row.distinct, row.usable, row.points)
                    ),
                    "?" if row.agreement is None else f"{row.agreement:.3f}",
                    "?" if row.usd is None else f"{row.usd:.4f}",
                    "?" if row.usd_sweep is None else f"{row.usd_sweep:.2f}",
                ]
                for row in rows
            ],
        )
    if not quiet:
        for row in rows:
            for line in row.warnings:
                note(f"note: the judge `{row.judge}`: {line}")
    if stopped:
        note(f"judgeprobe: stopped: {stopped}; run again to go on")
    finish(1 if stopped else 0)
