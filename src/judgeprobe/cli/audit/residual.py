"""`judgeprobe audit residual`: when may an adjusted score be believed, and as what?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from judgeprobe.cli.common import (
    FOUND,
    JsonOption,
    QuietOption,
    SeedOption,
    finish,
    note,
    print_json,
    print_table,
    verb,
)

__all__ = ["residual"]


def _column(name: str, text: str) -> Any:
    return typer.Option(name, metavar="COL", help=text)


@verb
def residual(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL or Parquet.")],
    score: Annotated[str, _column("--score", "The score under audit.")],
    features: Annotated[
        str,
        typer.Option(
            "--features",
            metavar="COL,COL",
            help="Surface features: columns, or @length @position @overlap @formatting @tfidf.",
        ),
    ],
    label: Annotated[
        str | None, _column("--label", "Provenance-separated label: 0 and 1, or see --positive.")
    ] = None,
    group: Annotated[
        str | None, _column("--group", "Query or problem; folds and resamples keep it together.")
    ] = None,
    text: Annotated[str | None, _column("--text", "Text for the @ features.")] = None,
    against: Annotated[str | None, _column("--against", "The other text, for @overlap.")] = None,
    artifact: Annotated[
        str | None,
        typer.Option(
            "--artifact", metavar="COL,COL", help="Features the surface predictor sees; else all."
        ),
    ] = None,
    positive: Annotated[
        str | None, typer.Option("--positive", metavar="VALUE", help="The label that means 1.")
    ] = None,
    second_label: Annotated[
        str | None, _column("--second-label", "A disjoint annotator's label, for --controls.")
    ] = None,
    representation: Annotated[
        str,
        typer.Option(
            "--representation", help="native, probability, rank_gauss or winsorised_z; declared."
        ),
    ] = "native",
    label_provenance: Annotated[
        str,
        typer.Option(
            "--label-provenance",
            metavar="WORDS",
            help="Where the label comes from; without it a claim is withheld.",
        ),
    ] = "",
    shared_risk: Annotated[
        str,
        typer.Option(
            "--shared-risk", metavar="WORDS", help="Conventions that label and score may share."
        ),
    ] = "",
    commit: Annotated[
        Path | None,
        typer.Option(
            "--commit",
            metavar="FILE",
            help="New: written before the score is read. There already: checked for what moved.",
        ),
    ] = None,
    commit_only: Annotated[
        bool, typer.Option("--commit-only", help="With --commit: stop there, read no score.")
    ] = False,
    sensitivity: Annotated[
        str | None,
        typer.Option("--sensitivity", metavar="NAME,NAME", help="Sweeps to run, or `all`."),
    ] = None,
    controls: Annotated[
        bool, typer.Option("--controls", help="Controls on the slice itself.")
    ] = False,
    triage: Annotated[
        Path | None,
        typer.Option("--triage", metavar="CSV", help="Write a ranking for re-annotation."),
    ] = None,
    pairs_by: Annotated[
        str | None, _column("--pairs-by", "Designed branch: problem or base item.")
    ] = None,
    edit: Annotated[str | None, _column("--edit", "Designed branch: format of a row.")] = None,
    construct: Annotated[
        str | None, _column("--construct", "Designed branch: construct level of a row.")
    ] = None,
    plain: Annotated[
        str | None, typer.Option("--plain", metavar="VALUE", help="The unedited format.")
    ] = None,
    good: Annotated[
        str | None, typer.Option("--good", metavar="VALUE", help="The good construct level.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option("--margin", help="Declared equivalence margin, in units of the score."),
    ] = None,
    assignment: Annotated[
        bool, typer.Option("--assignment", help="Designed branch: the assignment probe.")
    ] = False,
    resamples: Annotated[
        int, typer.Option("--resamples", min=100, help="Bootstrap draws of groups.")
    ] = 1000,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on", metavar="OUTCOME,...", help="Exit 3 on these outcomes (or on `moved`)."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write residual.json, .md and .html."),
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """When may a score adjusted for surface features be believed, and as what?"""
    from judgeprobe.audit.residual import (
        Provenance,
        ResidualSettings,
        audit_residual,
    )
    from judgeprobe.audit.residual import commit_only as run_commit_only
    from judgeprobe.audit.residual_extras import controls as run_controls
    from judgeprobe.audit.residual_extras import sensitivity as run_sensitivity
    from judgeprobe.audit.residual_extras import write_triage
    from judgeprobe.audit.residual_input import ResidualColumns
    from judgeprobe.audit.residual_paired import DesignColumns, audit_designed
    from judgeprobe.errors import InputError
    from judgeprobe.stats.residual_types import Gates

    watched = _watched(fail_on)
    columns = ResidualColumns(
        score=score,
        label=label,
        features=_names(features),
        group=group,
        artifact=None if artifact is None else _names(artifact),
        text=text,
        against=against,
        second_label=second_label,
        positive=positive,
    )
    settings = ResidualSettings(
        gates=Gates(resamples=resamples),
        representation=_representation(representation),
        seed=seed,
        commit=commit,
        provenance=Provenance(label_provenance, shared_risk),
    )
    if pairs_by is not None or edit is not None:
        if pairs_by is None or edit is None:
            raise InputError("the designed branch needs --pairs-by and --edit together")
        design = DesignColumns(pairs_by, edit, construct, plain, good, margin, assignment)
        result = audit_designed(file, columns, design, settings)
    elif label is None:
        raise InputError("no label is named", file=file, remedy="give --label COLUMN")
    elif commit_only:
        result = run_commit_only(file, columns, settings)
    else:
        finished = audit_residual(file, columns, settings)
        result = finished.result
        if sensitivity:
            result["sensitivity"] = run_sensitivity(finished, settings, _names(sensitivity))
        if controls:
            result["controls"] = run_controls(finished, settings)
        if triage is not None:
            result["triage"] = write_triage(triage, finished, settings)
    _deliver(result, out, as_json=as_json, quiet=quiet)
    moved = bool((result.get("commitment") or {}).get("moved"))
    if result.get("outcome") in watched or ("moved" in watched and moved):
        finish(FOUND)


def _names(written: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in written.split(",") if part.strip())


def _watched(written: str | None) -> tuple[str, ...]:
    from judgeprobe.errors import InputError
    from judgeprobe.stats.residual_types import OUTCOMES

    known = (*OUTCOMES, "measured format attenuation", "no attenuation established", "moved")
    names = () if written is None else _names(written)
    for name in names:
        if name not in known:
            raise InputError(f"there is no outcome {name!r}", remedy=f"use {', '.join(known)}")
    return names


def _representation(written: str) -> Any:
    from judgeprobe.errors import InputError
    from judgeprobe.stats.residual_operator import REPRESENTATIONS

    if written not in REPRESENTATIONS:
        raise InputError(
            f"there is no representation {written!r}", remedy=f"use {', '.join(REPRESENTATIONS)}"
        )
    return written


def _deliver(result: dict[str, Any], out: Path | None, *, as_json: bool, quiet: bool) -> None:
    from judgeprobe.audit.residual_report import residual_html, residual_markdown, residual_tables
    from judgeprobe.files import write_json, write_text

    if out is not None:
        write_json(out / "residual.json", result)
        write_text(out / "residual.md", residual_markdown(result))
        write_text(out / "residual.html", residual_html(result))
    if as_json:
        print_json(result)
        return
    for table in residual_tables(result):
        print_table(table.title, table.columns, table.rows)
    if "claim" in result:
        print(f"Outcome: {result['outcome']}. Claim: {result['claim']}")
    if not quiet:
        for reason, count in result.get("excluded", {}).items():
            note(f"left out: {count} ({reason})")
        committed = result.get("commitment")
        if committed:
            note(_committed(committed))


def _committed(found: dict[str, Any]) -> str:
    if found["written"]:
        return f"commitment {found['hash'][:12]} written before the score was read"
    if not found["intact"]:
        return "the commitment file was edited: its hash does not fit its content"
    if found["moved"]:
        return f"moved since the commitment: {', '.join(found['moved'])}"
    return f"nothing moved since commitment {found['hash'][:12]}"
