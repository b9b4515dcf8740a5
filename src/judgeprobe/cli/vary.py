"""`judgeprobe vary STUDY`: does the profile hold when one thing about the asking is changed?"""

from typing import Annotated, Any

import typer

from judgeprobe.cli.common import (
    FOUND,
    JsonOption,
    QuietOption,
    StudyArgument,
    finish,
    note,
    print_json,
    print_table,
    verb,
)

__all__ = ["vary"]

# What `--only` may name, in the order of the page.
_KINDS = (
    *("granularity", "remedies", "prompts", "order", "paired", "drift"),
    *("bars", "domains", "quantization"),
)


@verb
def vary(
    folder: StudyArgument,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="KIND", help=f"{', '.join(_KINDS)}; give it several times."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Make no call; print the calls of each variant.")
    ] = False,
    day: Annotated[
        str,
        typer.Option("--day", help="Label of a repeated run (drift); today's date by default."),
    ] = "",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run the study again under one change at a time, and compare each run with the study.

    Without --only everything but drift is run. The study must be swept.
    """
    from judgeprobe.errors import InputError
    from judgeprobe.study import load_study
    from judgeprobe.variants.collecting import collect, require_swept
    from judgeprobe.variants.page import make_page
    from judgeprobe.variants.plan import KINDS, plan_variants
    from judgeprobe.variants.running import estimate, run_variants

    for kind in only or ():
        if kind not in _KINDS:
            raise InputError(f"--only {kind}", remedy=f"give one of {', '.join(_KINDS)}")
    study = load_study(folder)
    kinds = [kind for kind in KINDS if (kind in only if only else kind != "drift" or day)]
    planned = plan_variants(study, kinds, day=day or _today())
    if dry_run:
        _show_plan(estimate(study, planned), as_json=as_json)
        return
    require_swept(study)
    runs = run_variants(
        study,
        planned,
        progress="none" if quiet else "auto",
        say=(lambda _: None) if quiet else note,
    )
    found = collect(study)
    made = make_page(study, found)
    _tell(runs, quiet=quiet)
    if as_json:
        print_json({"runs": [_run_row(run) for run in runs], "page": str(made), **found})
    elif not quiet:
        _show(found)
        print(f"page: {made}")
    stopped = next((run.stopped for run in runs if run.stopped), "")
    if stopped:
        note(f"judgeprobe: stopped: {stopped}; run again to go on")
    broken = any(run.findings for run in runs)
    finish(FOUND if broken else 0 if all(run.complete for run in runs) else 1)


def _today() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).date().isoformat()


def _tell(runs: list[Any], *, quiet: bool) -> None:
    """Findings always; notes unless they are not wanted, each once."""
    lines = [line for run in runs for line in run.notes]
    for line in dict.fromkeys(lines):
        if not quiet:
            note(f"note: {line}")
    for run in runs:
        for line in run.findings:
            note(f"finding: {run.variant.name}: {line}")
        if not run.complete and not run.stopped:
            note(f"judgeprobe: {run.variant.name} is not complete; run again to go on")


def _run_row(run: Any) -> dict[str, Any]:
    return {
        "variant": run.variant.name,
        "judges": list(run.variant.judges),
        "calls": run.calls,
        "usd": round(run.usd, 8),
        "complete": run.complete,
        "stopped": run.stopped,
        "findings": run.findings,
    }


def _show(found: dict[str, Any]) -> None:
    columns = ["variant", "judge", "against", "S before", "S", "R before", "R", "status"]
    rows = []
    for row in found["comparisons"]:
        at = row["operating"]
        points = ["–"] * 4
        if at is not None:
            pairs = [(at["before"][name], at["after"][name]) for name in ("S", "R")]
            points = [f"{value:.3f}" for two in pairs for value in two]
        rows.append([row["variant"], row["after_judge"], row["before"], *points, row["status"]])
    print_table("Each variant against the study", columns, rows)
    for row in found["variants"]:
        if row["not_compared"]:
            note(f"note: {row['variant']}: {row['not_compared']}")


def _show_plan(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print_json({"variants": rows, "calls": _calls(rows)})
        return
    columns = ["variant", "judge", "planned", "cached", "calls", "pilot calls", "usd"]
    shown = [
        [row["variant"], row["judge"], *(_cell(row.get(name)) for name in _COUNTS)]
        if "reason" not in row
        else [row["variant"], row["judge"], "–", "–", "–", "–", "–"]
        for row in rows
    ]
    print_table("The variants would make", columns, shown)
    for row in rows:
        if "reason" in row:
            note(f"note: {row['variant']}: {row['judge']} is left out: {row['reason']}")
    print(f"calls in all: {_calls(rows)}")


_COUNTS = ("planned", "cached", "calls", "pilot_calls", "usd")


def _calls(rows: list[dict[str, Any]]) -> int:
    return sum(row.get("calls", 0) + row.get("pilot_calls", 0) for row in rows)


def _cell(value: Any) -> str:
    if value is None:
        return "?"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
