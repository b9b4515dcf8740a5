"""`judgeprobe blind`: single sentences labelled blind, and what the inherited labels hid."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from judgeprobe.cli.common import (
    FOUND,
    JsonOption,
    QuietOption,
    StudyArgument,
    finish,
    note,
    print_json,
    print_table,
    problem_notes,
    verb,
)

__all__ = ["app"]


class _StudyFirst(TyperGroup):
    """`judgeprobe blind STUDY` is `judgeprobe blind show STUDY`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            args = ["show", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_StudyFirst,
    help="Single sentences labelled blind in place of inherited labels, and Delta.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("export")
@verb
def export(
    study: StudyArgument,
    annotators: Annotated[
        str | None,
        typer.Option(help="Names on the sheets, comma-separated: a,b,c (study.toml: [blind])."),
    ] = None,
    units: Annotated[
        Path | None,
        typer.Option(
            "--units",
            metavar="FILE",
            help="Your own sentences: sentence, evidence, inherited, group.",
        ),
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(help="html, csv, xlsx or label-studio; may be repeated (all)."),
    ] = None,
    consent: Annotated[Path | None, typer.Option(help="Your own consent text (Markdown).")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Discard an earlier export that has no labels.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write one blind sheet an annotator, and the keys apart from them."""
    from judgeprobe.blind.export import export_set
    from judgeprobe.forms.names import chosen_forms
    from judgeprobe.study import load_study

    forms = chosen_forms(form)
    names = [name.strip() for name in annotators.split(",")] if annotators is not None else []
    made = export_set(
        load_study(study),
        annotators=names,
        units=units,
        forms=forms,
        consent=consent,
        replace=replace,
    )
    if not quiet:
        for reason, n in made.left_out.items():
            note(f"left out: {n} {reason}")
        if made.shared_evidence > 2:
            note(
                f"up to {made.shared_evidence} sentences share one evidence, from which an "
                "annotator may guess what belongs together; `per_base` in [blind] takes fewer"
            )
        note("the consent text has blanks in [brackets]: fill in a copy and give it with --consent")
        note("send each annotator their folder; keep blind/keys to yourself")
    folders = {name: path.relative_to(study).as_posix() for name, path in made.folders.items()}
    if as_json:
        told = {name: getattr(made, name) for name in ("units", "groups", "inherited", "left_out")}
        more = {"source": made.source, "shared_evidence": made.shared_evidence}
        print_json({**told, **more, "folders": folders})
        return
    rows = [[name, str(made.units), folder] for name, folder in folders.items()]
    print_table("Sheets", ["annotator", "sentences", "folder"], rows)
    inherits = [[name, str(n)] for name, n in made.inherited.items()]
    print_table("What the sentences inherit", ["class", "sentences"], inherits)


@app.command("import")
@verb
def import_(
    study: StudyArgument,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILES]...", help="Files that came back; none: count again."),
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
    """Import labels in any mix of forms; majority and agreement."""
    from dataclasses import asdict

    from judgeprobe.blind.run import import_set
    from judgeprobe.study import load_study

    found, report = import_set(load_study(study), files or [], replace=replace)
    if not quiet:
        problem_notes(found.problems)
    if as_json:
        print_json(
            {
                "files": [asdict(one) for one in found.files],
                "problems": [one.to_json() for one in found.problems],
                "labels": len(found.labels),
                "agreement": report,
            }
        )
    else:
        counts = ("rows", "imported", "unchanged", "unanswered", "refused")
        rows = [
            [one.file, one.form, one.annotator, *(str(getattr(one, name)) for name in counts)]
            for one in found.files
        ]
        print_table("Imported", ["file", "form", "annotator", *counts], rows)
        _print_agreement(report)
    if strict and any(one.effect == "refused" for one in found.problems):
        finish(FOUND)


@app.command("score")
@verb
def score(
    study: StudyArgument,
    verdicts: Annotated[
        Path | None,
        typer.Option(
            "--verdicts",
            metavar="FILE",
            help="Verdicts made elsewhere: unit_id, judge, and verdict or grade.",
        ),
    ] = None,
    cut: Annotated[
        list[str] | None,
        typer.Option(
            "--cut",
            metavar="[JUDGE=]GRADE",
            help="Grade from which on a sentence holds, for a judge or for all; repeatable.",
        ),
    ] = None,
    power: Annotated[
        bool,
        typer.Option("--power/--no-power", help="Validation power of both sets, the slow part."),
    ] = True,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Judges against the inherited and the blinded labels: Delta, rates, validation power."""
    from judgeprobe.blind.run import read_set
    from judgeprobe.blind.score import make_scores, write_scores
    from judgeprobe.blind.verdicts import from_file, from_grades
    from judgeprobe.errors import InputError
    from judgeprobe.report.blind_page import make_blind_page
    from judgeprobe.study import load_study

    loaded = load_study(study)
    found = read_set(loaded)
    if not found.labels:
        raise InputError(
            "holds no label yet",
            file=found.paths.labels,
            remedy="run: judgeprobe blind import, with the files that came back",
        )
    cuts, for_all = _cuts(cut or [])
    given = (
        from_grades(loaded, found.units, cuts, for_all)
        if verdicts is None
        else from_file(verdicts, found.units, found.settings, cuts, for_all)
    )
    if power and not quiet:
        note(
            f"validation power: refitting {found.settings.permutations} label vectors for each "
            "set; --no-power leaves it out"
        )
    scores = make_scores(loaded, found, given, power=power)
    scores["predictions"] = _predictions(loaded.folder, scores)
    write_scores(loaded, found, scores)
    page = make_blind_page(loaded)
    if as_json:
        print_json({**scores, "page": page.relative_to(study).as_posix()})
        return
    _print_scores(scores, quiet=quiet)
    print(page)


@app.command("show")
@verb
def show(study: StudyArgument, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """Who has labelled what, how far they agree, and the last score."""
    from judgeprobe.blind.run import read_set, report_of
    from judgeprobe.files import read_json
    from judgeprobe.report.blind_page import make_blind_page
    from judgeprobe.study import load_study

    loaded = load_study(study)
    found = read_set(loaded)
    report = report_of(loaded, found)
    scores = read_json(found.paths.scores) if found.paths.scores.exists() else None
    page = make_blind_page(loaded, _predictions(loaded.folder, {}))
    if as_json:
        print_json(
            {
                "agreement": report,
                "scores": scores,
                "page": page.relative_to(study).as_posix(),
            }
        )
        return
    _print_agreement(report)
    if scores is not None:
        _print_scores(scores, quiet=quiet)
    elif not quiet:
        note("no score yet: judgeprobe blind score")
    print(page)


def _cuts(written: list[str]) -> tuple[dict[str, float], float | None]:
    """Cuts by judge, and the cut of all others."""
    from judgeprobe.errors import InputError

    cuts: dict[str, float] = {}
    for_all: float | None = None
    for one in written:
        judge, _, text = one.rpartition("=")
        try:
            value = float(text)
        except ValueError:
            raise InputError(
                f"`--cut {one}` is no number", remedy="write JUDGE=2.5 or 2.5"
            ) from None
        if judge:
            cuts[judge] = value
        else:
            for_all = value
    return cuts, for_all


def _predictions(folder: Path, scores: dict[str, Any]) -> list[dict[str, Any]]:
    """Registered predictions that read the blinded set, with their state."""
    from judgeprobe.profile.register import REGISTER, evaluated, read_register

    path = folder / REGISTER
    if not path.is_file():
        return []
    mine = [
        one
        for one in read_register(path)
        if "blind." in f"{one.measured_by or ''} {one.refuted_if or ''}"
    ]
    return evaluated(mine, {"blind": scores}, file=path)


def _print_agreement(report: dict[str, Any]) -> None:
    rows = [
        [
            one["annotator"],
            f"{one['labels']} of {one['units']}",
            str(one["flagged"]),
            "–" if one["median_seconds"] is None else f"{one['median_seconds']:.0f}",
        ]
        for one in report["annotators"]
    ]
    print_table("Progress", ["annotator", "labelled", "flagged", "median s"], rows)
    status = [[name, str(n)] for name, n in report["status"].items()]
    print_table("Sentences", ["status", "sentences"], status)
    rows = [_agreement_row("all classes", report["overall"])]
    rows += [_agreement_row(one["class"], one) for one in report["classes"]]
    columns = ["class", "sentences", "pairwise", "low", "high", "specific", "kappa", "note"]
    print_table("Agreement", columns, rows)


def _agreement_row(name: str, one: dict[str, Any]) -> list[str]:
    flag = f"degenerate ({one['dominant']} {one['share']:.0%})" if one["degenerate"] else ""
    figures = (one["pairwise"], one["low"], one["high"], one.get("specific"), one["fleiss_kappa"])
    return [name, str(one["n"]), *map(_number, figures), flag or one["reason"] or ""]


def _print_scores(scores: dict[str, Any], *, quiet: bool) -> None:
    rows = []
    for one in scores["judges"]:
        found = one["sides"]
        if found is None:
            rows.append([one["judge"], "", "", "", "", "", "", one["reason"]])
            continue
        delta = found["delta"]
        cut = "" if one["cut"] is None else f"cut {one['cut']:g}: "
        rows.append(
            [
                one["judge"] + (" (control)" if one["control"] else ""),
                str(found["n"]),
                _number(found["accuracy_inherited"]["estimate"]),
                _number(found["accuracy_blinded"]["estimate"]),
                f"{delta['estimate']:+.3f}",
                f"{delta['low']:+.3f} to {delta['high']:+.3f}",
                f"{found['p']:.4f}",
                cut + one["how"],
            ]
        )
    columns = ["judge", "sentences", "inherited", "blinded", "Delta", "interval", "p", "read at"]
    print_table("Accuracy against both label sets", columns, rows)
    facts = scores["set"]
    print(
        f"{facts['labelled']} of {facts['units']} sentences have a majority; on "
        f"{facts['sides_differ']} of them the two sets differ."
    )
    if quiet:
        return
    for name in ("inherited", "blinded", "blinded_classes") if scores["power"] else ():
        found = scores["power"][name]
        if found["reason"]:
            note(f"validation power, {name.replace('_', ' ')}: {found['reason']}")
    if facts["no_majority"]:
        note(f"{facts['no_majority']} sentences carry no label: no class has a majority")
    for one in scores["judges"]:
        for reason, n in one["counts"]["no_verdict"].items():
            note(f"{one['judge']}: no verdict on {n} sentences ({reason})")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
