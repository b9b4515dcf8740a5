"""`judgeprobe sweep STUDY`: grade every unique text by every judge."""

import contextlib
import io
import sys
from collections.abc import Iterator
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

__all__ = ["sweep"]


@verb
def sweep(
    folder: StudyArgument,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Make no call; print calls, tokens and cost.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where an earlier run gave up.")
    ] = False,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Make no call; read cached replies again.")
    ] = False,
    batch: Annotated[
        bool,
        typer.Option("--batch", help="Use the vendors' batch interfaces; run again to fetch."),
    ] = False,
    engine: Annotated[
        str,
        typer.Option("--engine", help="local: calls are made here; ray: by a Ray cluster."),
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            "--address", help="Ray cluster: auto or host:port; without it one is started here."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Ray workers; one a processor where not given."),
    ] = None,
    progress: Annotated[
        str, typer.Option("--progress", help="auto, live (a table), lines (JSON) or none.")
    ] = "auto",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Grade every unique text once by every judge; interrupted runs resume."""
    from judgeprobe.errors import InputError
    from judgeprobe.study import load_study
    from judgeprobe.sweep import stage

    if progress not in ("auto", "live", "lines", "none"):
        raise InputError(f"--progress {progress}", remedy="give auto, live, lines or none")
    if engine not in ("local", "ray"):
        raise InputError(f"--engine {engine}", remedy="give local or ray")
    if engine == "local" and (address or workers):
        raise InputError("--address and --workers go with --engine ray", remedy="add --engine ray")
    study = load_study(folder)
    if dry_run:
        _show_plan(stage.dry_run(study), as_json=as_json, quiet=quiet)
        return
    with _cluster(engine, address, workers, quiet=quiet) as cluster:
        result = stage.sweep(
            study,
            retry_failed=retry_failed,
            reparse=reparse,
            batch=batch,
            cluster=cluster,
            progress="none" if quiet else progress,  # type: ignore[arg-type]
        )
    if not quiet:
        for line in result.notes:
            note(f"note: {line}")
    for line in result.findings:
        note(f"finding: {line}")
    if as_json:
        print_json(as_dict(result, str(study.grades_path)))
    elif not quiet:
        _show(result)
    for judge in result.judges:
        if judge.stopped:
            note(f"judgeprobe: the judge `{judge.name}` was stopped: {judge.stopped}")
    if result.stopped:
        note(f"judgeprobe: stopped: {result.stopped}; run again to go on")
    finish(FOUND if result.findings else 0 if result.complete else 1)


@contextlib.contextmanager
def _cluster(
    engine: str, address: str | None, workers: int | None, *, quiet: bool
) -> Iterator[Any]:
    """The cluster that makes the calls, or None."""
    if engine == "local":
        yield None
        return
    from judgeprobe.sweep.cluster import Cluster

    # Ray prints what happens to its nodes on standard output, which is for the result alone.
    away = io.StringIO() if quiet else sys.stderr
    with contextlib.redirect_stdout(away):
        cluster = Cluster(address, workers=workers)
        try:
            yield cluster
        finally:
            cluster.close()


def as_dict(result: Any, path: str) -> dict[str, Any]:
    """A sweep's result as JSON."""
    return {
        "grades": path,
        "rows": result.rows,
        "complete": result.complete,
        "stopped": result.stopped,
        "calls": result.calls,
        "retries": result.retries,
        "usd": round(result.usd, 8),
        "judges": [judge.as_json() for judge in result.judges],
        "findings": list(result.findings),
        "notes": list(result.notes),
    }


def _show(result: Any) -> None:
    rows = []
    for judge in result.judges:
        other = sum(n for status, n in judge.statuses.items() if status not in ("graded", "failed"))
        rows.append(
            [
                judge.name,
                str(judge.statuses.get("graded", 0)),
                str(other),
                str(judge.statuses.get("failed", 0)),
                str(judge.unasked),
                str(judge.off_lattice),
                str(judge.distinct),
                str(judge.cached),
                str(judge.calls),
                "?" if judge.usd is None else f"{judge.usd:.4f}",
            ]
        )
    columns = [
        "judge",
        "graded",
        "ungraded",
        "failed",
        "unasked",
        "off-lattice",
        "distinct",
        "cached",
        "calls",
        "usd",
    ]
    print_table("Grades", columns, rows)


def _show_plan(plan: Any, *, as_json: bool, quiet: bool) -> None:
    if not quiet:
        for line in plan.notes:
            note(f"note: {line}")
    if as_json:
        print_json({"judges": list(plan.judges), "notes": list(plan.notes)})
        return
    columns = ["judge", "planned", "cached", "calls", "prompt_tokens", "reply_tokens", "usd"]
    rows = [
        ["?" if judge[name] is None else _cell(judge[name]) for name in columns]
        for judge in plan.judges
    ]
    print_table("A sweep would make", [name.replace("_", " ") for name in columns], rows)


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
