"""`judgeprobe build STUDY`: base items or pairs in, interventions and the yield table out."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgeprobe.cli.calls import call_progress, note_calls
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

if TYPE_CHECKING:
    from judgeprobe.build.preview import Preview
    from judgeprobe.build.run import BuildResult

__all__ = ["build", "print_yields"]


@verb
def build(
    folder: StudyArgument,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace interventions of another taxonomy or prompt.")
    ] = False,
    preview: Annotated[
        int | None,
        typer.Option(
            "--preview",
            min=1,
            metavar="N",
            help="Send nothing: print N of the requests, the number of calls and their cost.",
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Make the interventions of a study, and say what each gate and the verifier refused.

    Exit status 1 where an edit is missing because a call failed; run it again to go on.
    """
    from judgeprobe.build.run import run_build
    from judgeprobe.study import load_study

    study = load_study(folder)
    if preview is not None:
        from judgeprobe.build.preview import preview as look

        _show_preview(look(study, preview), as_json=as_json)
        return
    with call_progress("base items", shown=not quiet) as watch:
        result = run_build(study, replace=replace, watch=watch)
    if as_json:
        print_json({"study": study.settings.study.name, **result.as_dict()})
    else:
        print_yields(result)
        _print_checks(result)
    if not quiet:
        _notes(result, study)
    finish(1 if result.incomplete else 0)


def _notes(result: "BuildResult", study: Any) -> None:
    for line in result.notes:
        note(f"note: {line}")
    if result.directions:
        counts = ", ".join(f"{count} {name}" for name, count in result.directions.items())
        note(
            f"direction set by {study.settings.study.direction_source or 'construction'}: {counts}"
        )
    if result.rows_left:
        note(f"{result.rows_left} rows past the study's limit were not read")
    note_calls(result.calls)
    if result.incomplete:
        note(
            f"judgeprobe: {result.incomplete} edits are missing because a call failed; run it "
            f"again to go on: judgeprobe build {study.folder}"
        )
    note(
        f"{result.accepted} interventions in {study.interventions_path}, "
        f"{result.rejected} refusals in {study.rejections_path}"
    )


def print_yields(result: "BuildResult") -> None:
    """The yield table: one row a slot, then one an axis."""

    def row(kind: str, entry: Any) -> list[str]:
        refused = ", ".join(f"{gate} {count}" for gate, count in entry.rejected.items())
        signed = "" if entry.length_signed is None else f"{entry.length_signed:+.1%}"
        absolute = "" if entry.length_absolute is None else f"{entry.length_absolute:.1%}"
        attempts = "" if entry.attempts is None else f"{entry.attempts:.2f}"
        rejected = entry.generated - entry.accepted
        counts = [entry.items, entry.generated, rejected, entry.accepted]
        lengths = [attempts, absolute, signed]
        return [kind, entry.name, entry.axis, *map(str, counts), *lengths, refused]

    print_table(
        f"yield: {result.generated} generated, {result.rejected} rejected, "
        f"{result.accepted} accepted",
        [
            "", "name", "axis", "items", "generated", "rejected", "accepted", "attempts",
            "median |length|", "median length", "rejected by",
        ],
        [
            *(row("slot", entry) for entry in result.slots),
            *(row("axis", entry) for entry in result.axes),
        ],
    )  # fmt: skip


def _print_checks(result: "BuildResult") -> None:
    """The balance of lengths between the axes, and what the verifier noticed."""
    if result.balance:
        print_table(
            "length changes, axis against axis",
            ["axes", "median |length|", "median length", "longer", "delta |length|", "balanced"],
            [
                [
                    " / ".join(row.axes),
                    " / ".join(f"{side.median_absolute:.1%}" for side in _sides(row)),
                    " / ".join(f"{side.median_signed:+.1%}" for side in _sides(row)),
                    " / ".join(f"{side.longer:.0%}" for side in _sides(row)),
                    f"{row.balance.delta_absolute:+.3f}",
                    "yes" if row.balance.balanced else "no",
                ]
                for row in result.balance
            ],
        )
    if result.noticing:
        print_table(
            "verifier, for the record: the edited text claims more",
            ["axis", "verified", "noticed", "share", "axis named", "axis agrees", "share "],
            [
                [
                    row.axis,
                    str(row.pairs),
                    str(row.noticed),
                    _share(row.share),
                    str(row.named),
                    str(row.agrees),
                    _share(row.agreement),
                ]
                for row in result.noticing
            ],
        )


def _sides(row: Any) -> tuple[Any, Any]:
    return row.balance.first, row.balance.second


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _show_preview(found: "Preview", *, as_json: bool) -> None:
    if as_json:
        print_json(found.as_dict())
        return
    for shown in found.shown:
        print(f"--- to the {shown.role} ({shown.model}): item {shown.base_id}, {shown.slot}")
        for message in shown.messages:
            print(f"[{message['role']}]\n{message['content']}\n")
    if not found.planned:
        print("The rules generator makes no call, and no verifier is named: this build is free.")
        return
    columns = ["role", "model", "calls", "cached", "tokens in", "tokens out", "usd"]
    print_table(
        f"a build of {found.base_items} base items and {found.slots} slots would make",
        [*columns, "most calls", "most usd"],
        [
            [
                row.role,
                row.model,
                str(row.calls),
                str(row.cached),
                str(row.prompt_tokens),
                str(row.reply_tokens),
                _usd(row.usd),
                str(row.most_calls),
                _usd(row.most_usd),
            ]
            for row in found.planned
        ],
    )


def _usd(value: float | None) -> str:
    return "price unknown" if value is None else f"{value:.4f}"
