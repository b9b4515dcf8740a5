"""`judgeprobe build STUDY`: base items or pairs in, interventions and the yield table out."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgeprobe.cli.common import JsonOption, QuietOption, StudyArgument, note, print_json, verb

if TYPE_CHECKING:
    from judgeprobe.build.run import BuildResult

__all__ = ["build", "print_yields"]


@verb
def build(
    folder: StudyArgument,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace interventions of another taxonomy.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Make the interventions of a study, and say what each gate refused."""
    from judgeprobe.build.run import run_build
    from judgeprobe.study import load_study

    study = load_study(folder)
    result = run_build(study, replace=replace)
    if as_json:
        print_json({"study": study.settings.study.name, **result.as_dict()})
        return
    print_yields(result)
    if quiet:
        return
    if result.directions:
        counts = ", ".join(f"{count} {name}" for name, count in result.directions.items())
        note(
            f"direction set by {study.settings.study.direction_source or 'construction'}: {counts}"
        )
    if result.rows_left:
        note(f"{result.rows_left} rows past the study's limit were not read")
    note(
        f"{result.accepted} interventions in {study.interventions_path}, "
        f"{result.rejected} refusals in {study.rejections_path}"
    )


def print_yields(result: "BuildResult") -> None:
    """The yield table: one row a slot, then one an axis."""
    from judgeprobe.cli.common import print_table

    def row(kind: str, entry: Any) -> list[str]:
        refused = ", ".join(f"{gate} {count}" for gate, count in entry.rejected.items())
        length = "" if entry.length_signed is None else f"{entry.length_signed:+.1%}"
        rejected = entry.generated - entry.accepted
        counts = [entry.items, entry.generated, rejected, entry.accepted]
        return [kind, entry.name, entry.axis, *map(str, counts), length, refused]

    print_table(
        f"yield: {result.generated} generated, {result.rejected} rejected, "
        f"{result.accepted} accepted",
        [
            "", "name", "axis", "items", "generated", "rejected", "accepted", "median length",
            "rejected by gate",
        ],
        [
            *(row("slot", entry) for entry in result.slots),
            *(row("axis", entry) for entry in result.axes),
        ],
    )  # fmt: skip
