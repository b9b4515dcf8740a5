"""`judgeprobe annotate`: blind batches out, labels in, agreement."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgeprobe.cli.common import (
    FOUND,
    JsonOption,
    QuietOption,
    SeedOption,
    StudyArgument,
    finish,
    note,
    print_json,
    print_table,
    problem_notes,
    verb,
)

if TYPE_CHECKING:
    from judgeprobe.annotate.export import Exported

__all__ = ["app"]

app = typer.Typer(
    help="Blind direction labels by people: batches out, labels in, agreement.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("export")
@verb
def export(
    study: StudyArgument,
    annotators: Annotated[
        int | None, typer.Option(min=1, help="People who label each pair (study.toml: 3).")
    ] = None,
    size: Annotated[
        int | None, typer.Option("--batch-size", min=1, help="Most pairs in a batch.")
    ] = None,
    training: Annotated[
        int | None, typer.Option(min=0, help="Items of the training round, discarded after it.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=0, help="Pairs of each batch that each annotator sees twice.")
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(help="html, csv, xlsx or label-studio; may be repeated (all)."),
    ] = None,
    codebook: Annotated[
        Path | None, typer.Option(help="Your own codebook (Markdown) in place of the shipped one.")
    ] = None,
    consent: Annotated[Path | None, typer.Option(help="Your own consent text (Markdown).")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Discard earlier batches and their keys.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write blind batches for annotators, and the keys apart from them."""
    from judgeprobe.annotate.export import export as run
    from judgeprobe.forms.names import chosen_forms
    from judgeprobe.study import load_study

    forms = chosen_forms(form)
    loaded = load_study(study)
    settings = loaded.settings.annotation
    made = run(
        loaded,
        annotators=settings.annotators if annotators is None else annotators,
        size=settings.batch_size if size is None else size,
        training=settings.training if training is None else training,
        repeats=settings.repeats if repeats is None else repeats,
        forms=forms,
        codebook=codebook,
        consent=consent,
        replace=replace,
    )
    if not quiet:
        _export_notes(made, shipped_consent=consent is None)
    if as_json:
        print_json({"batches": [_exported(one, study) for one in made]})
        return
    rows = [
        [
            one.batch,
            "training" if one.training else "main",
            str(one.units),
            str(one.repeats),
            str(one.folder),
        ]
        for one in made
    ]
    print_table("Batches", ["batch", "round", "pairs", "repeats", "folder"], rows)


@app.command("import")
@verb
def import_(
    study: StudyArgument,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILES]...", help="Files that came back; none: aggregate again."),
    ] = None,
    batch: Annotated[
        str | None, typer.Option(help="Take labels of this batch alone, such as batch-002.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="New answers replace those imported before.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 3 if any row was refused.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Import labels in any mix of forms, and set directions by majority."""
    from dataclasses import asdict

    from judgeprobe.annotate.run import import_labels
    from judgeprobe.study import load_study

    found, report = import_labels(load_study(study), files or [], batch=batch, replace=replace)
    if not quiet:
        problem_notes(found.problems)
    if as_json:
        print_json(
            {
                "files": [asdict(one) for one in found.files],
                "problems": [one.to_json() for one in found.problems],
                "labels": len(found.labels),
                "annotation": report.content,
            }
        )
    else:
        rows = [
            [
                one.file,
                one.form,
                one.batch,
                one.annotator,
                *(
                    str(n)
                    for n in (one.rows, one.imported, one.unchanged, one.unanswered, one.refused)
                ),
            ]
            for one in found.files
        ]
        columns = ["file", "form", "batch", "annotator", "rows", "imported", "unchanged"]
        print_table("Imported", [*columns, "unanswered", "refused"], rows)
        _print_outcome(report.content)
    if strict and any(one.effect == "refused" for one in found.problems):
        finish(FOUND)


@app.command("status")
@verb
def status(study: StudyArgument, as_json: JsonOption = False) -> None:
    """Who has done what, agreement so far, and which slots can no longer reach the bar."""
    from judgeprobe.annotate.run import study_status
    from judgeprobe.study import load_study

    found = study_status(load_study(study))
    if as_json:
        print_json(found)
        return
    rows = [
        [
            one["batch"],
            one["role"],
            one["annotator"],
            f"{one['labels']} of {one['units']}",
            str(one["flagged"]),
            "–" if one["median_seconds"] is None else f"{one['median_seconds']:.0f}",
        ]
        for one in found["progress"]
    ]
    columns = ["batch", "round", "annotator", "labelled", "flagged", "median s"]
    print_table("Progress", columns, rows)
    _print_outcome(found)
    lost = {one["slot"]: one["best"] for one in found["reachable"] if one["lost"]}
    for slot, best in lost.items():
        note(f"{slot} can no longer reach {found['bar']}: at best {best:.3f}")


@app.command("agreement")
@verb
def agreement(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Table: unit_id, slot, axis, annotator, direction."),
    ],
    bar: Annotated[
        float, typer.Option(min=0, max=1, help="Smallest raw pairwise agreement of a slot or axis.")
    ] = 0.75,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap draws.")] = 10_000,
    level: Annotated[
        float, typer.Option(min=0.5, max=0.999, help="Coverage of the intervals.")
    ] = 0.95,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Agreement in a plain table of labels made elsewhere."""
    from judgeprobe.annotate.agreement import agreement_report, read_label_table

    rows, has_base = read_label_table(file)
    found = agreement_report(
        rows,
        bar=bar,
        resamples=resamples,
        level=level,
        seed=seed,
        unit="base item" if has_base else "unit",
    )
    if as_json:
        print_json(found)
        return
    _print_agreement(found)


def _exported(one: "Exported", study: Path) -> dict[str, Any]:
    return {
        "batch": one.batch,
        "training": one.training,
        "units": one.units,
        "repeats": one.repeats,
        "shared_base": one.shared_base,
        "folder": one.folder.relative_to(study).as_posix(),
    }


def _export_notes(made: "list[Exported]", *, shipped_consent: bool) -> None:
    for one in made:
        if one.shared_base > 1:
            note(
                f"{one.batch}: up to {one.shared_base} of its pairs share one base item, whose "
                "original an annotator may recognise; a smaller --batch-size spreads them"
            )
    if shipped_consent:
        note(
            "the consent text has blanks in [brackets]: fill in a copy of annotation/consent.md "
            "and give it with --consent"
        )
    note("send each annotator their folder; keep annotation/keys to yourself")


def _print_outcome(content: dict[str, Any]) -> None:
    _print_agreement(content["agreement"])
    rows = [
        [
            one["slot"],
            one["axis"],
            str(one["n"]),
            str(one["matches_intent"]),
            str(one["enters"]),
            "" if one["measurable"] or not one["n"] else "not measurable",
        ]
        for one in content["yield"]
    ]
    print_table("Yield", ["slot", "axis", "annotated", "as intended", "enters", "note"], rows)
    excluded: dict[str, int] = {}
    for one in content["excluded"]:
        excluded[one["reason"]] = excluded.get(one["reason"], 0) + one["n"]
    stopped = [[reason, str(n)] for reason, n in excluded.items()]
    print_table("Pairs that do not enter", ["reason", "pairs"], stopped)
    columns = ["what", "rate", "low", "high", "of"]
    print_table("Rates", columns, [_rate_row(*one) for one in _rates(content)])


def _rates(content: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    found = [("labels that cannot tell", content["cannot_tell"])]
    found += [
        (f"{one['annotator']} agrees with themselves on repeats", one)
        for one in content["self_consistency"]
    ]
    found.append(("verifier differs from the majority", content["verifier"]))
    found += [
        (f"verifier differs from the majority, {one['axis']}", one)
        for one in content["verifier"]["axes"]
    ]
    for name in ("three_way_splits", "facts_differ"):
        found.append((name.replace("_", " "), {"count": content[name]}))
    unanimous = content["unanimous"]
    return [*found, ("unanimous", {"count": unanimous["n"], "n": unanimous["of"]})]


def _rate_row(what: str, one: dict[str, Any]) -> list[str]:
    """A rate with its interval, or a bare count where no rate is reported."""
    if "count" in one:
        return [what, str(one["count"]), "", "", str(one.get("n", ""))]
    return [what, *(_number(one[name]) for name in ("rate", "low", "high")), str(one["n"])]


def _print_agreement(found: dict[str, Any]) -> None:
    rows = [_agreement_row("overall", "", found["overall"], None)]
    rows += [
        _agreement_row(one["slot"], one["axis"], one, one["measurable"]) for one in found["slots"]
    ]
    rows += [_agreement_row(one["axis"], "", one, one["measurable"]) for one in found["axes"]]
    columns = ["what", "axis", "units", "pairwise", "low", "high", "kappa", "alpha", "AC1", "note"]
    print_table("Agreement", columns, rows)
    pairs = [
        [
            f"{one['a']}, {one['b']}",
            str(one["n"]),
            _number(one["agreement"]),
            _number(one["cohen_kappa"]),
        ]
        for one in found["annotator_pairs"]
    ]
    print_table("Pairs of annotators", ["pair", "units", "agreement", "kappa"], pairs)
    first = found["first_position"]
    row = [_number(first[name]) for name in ("rate", "low", "high")]
    told = first.get("reason", "0.5 is no preference")
    print_table(
        "Preference for the sentence shown first",
        ["rate", "low", "high", "labels", "note"],
        [[*row, str(first["n"]), told]],
    )


def _agreement_row(what: str, axis: str, one: dict[str, Any], measurable: bool | None) -> list[str]:
    notes = []
    if measurable is False:
        notes.append("not measurable" if one["n_units"] else "no labels")
    if one["degenerate"]:
        notes.append(f"degenerate ({one['dominant']} {one['dominant_share']:.0%})")
    numbers = ("pairwise", "low", "high", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
    return [what, axis, str(one["n_units"]), *(_number(one[n]) for n in numbers), "; ".join(notes)]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
