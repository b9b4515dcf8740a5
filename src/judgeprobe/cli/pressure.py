"""`judgeprobe pressure STUDY`: claims written under pressure, read axis by axis."""

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
    from judgeprobe.pressure.preview import Preview
    from judgeprobe.pressure.run import PressureResult

__all__ = ["pressure"]


@verb
def pressure(
    folder: StudyArgument,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace effects of other prompts or taxonomy.")
    ] = False,
    preview: Annotated[
        int | None,
        typer.Option(
            "--preview",
            min=1,
            metavar="N",
            help="Send nothing: print the requests of N passages, the number of calls, their cost.",
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Ask for claims neutrally, accurately and briefly; measure what moves on each axis.

    People read the claims blind through `judgeprobe annotate` on STUDY/pressure/human/AXIS; run
    this again to take their labels in. Exit status 1 where a call failed; run it again to go on.
    """
    from judgeprobe.pressure.run import run_pressure
    from judgeprobe.study import load_study

    study = load_study(folder)
    if preview is not None:
        from judgeprobe.pressure.preview import preview as look

        _show_preview(look(study, preview), as_json=as_json)
        return
    with call_progress("replies", shown=not quiet) as watch:
        result = run_pressure(study, replace=replace, watch=watch)
    if as_json:
        print_json(result.as_dict())
    else:
        _print(result.content)
    if not quiet:
        _notes(result, study)
    finish(1 if result.incomplete else 0)


def _show_preview(found: "Preview", *, as_json: bool) -> None:
    if as_json:
        print_json(found.as_dict())
        return
    for role, model, text in found.shown:
        print(f"--- to the {role} ({model})\n{text}\n")
    print_table(
        f"a run on {found.passages} passages would make at most",
        ["role", "model", "calls", "cached", "tokens in", "tokens out", "usd"],
        [
            [
                row.role,
                row.model,
                *(str(n) for n in (row.calls, row.cached, row.prompt_tokens, row.reply_tokens)),
                "price unknown" if row.usd is None else f"{row.usd:.4f}",
            ]
            for row in found.planned
        ],
    )


def _print(found: dict[str, Any]) -> None:
    for readout in dict.fromkeys(row["readout"] for row in found["effects"]):
        rows = [row for row in found["effects"] if row["readout"] == readout]
        print_table(
            f"{readout}: {rows[0]['unit']}, pressed minus neutral",
            ["generator", "instruction", "axis", "effect", "low", "high", "n", "p (Holm)", "moved"],
            [_effect_row(row) for row in rows],
        )
    print_table(
        "Words a claim, minus neutral",
        ["generator", "instruction", "words", "low", "high"],
        [
            [row["generator"], row["condition"], *(_signed(row[n]) for n in _ENDS)]
            for row in found["words_difference"]
        ],
    )
    print_table(
        "Registered prediction: scope falls, strength rises (predicted, not measured: "
        + ", ".join(f"{p['axis']} {p['value']:+.2f}" for p in found["prediction"]["prediction"])
        + ")",
        ["generator", "readout", "state", "why"],
        [list(row.values()) for row in found["prediction"]["rows"]],
    )
    _print_judges(found["judges"])


_ENDS = ("estimate", "low", "high")


def _effect_row(row: dict[str, Any]) -> list[str]:
    names = [row["generator"], row["condition"], row["axis"]]
    p = "–" if row["p_holm"] is None else f"{row['p_holm']:.4f}"
    return [
        *names,
        *(_signed(row[n]) for n in _ENDS),
        str(row["n"]),
        p,
        row["moved"] or row["reason"],
    ]


def _print_judges(found: dict[str, Any]) -> None:
    if found["reason"]:
        note(f"judges beside generators: {found['reason']}")
    if not found["rows"]:
        return
    columns = ["generator", "readout", "judge", "R scope", "R strength", "effect scope"]
    print_table(
        "Judges beside generators",
        [*columns, "effect strength", "judge blinder to", "generator raises more"],
        [
            [
                row["generator"],
                row["readout"],
                row["judge"] + (" (same family)" if row["same_family"] else ""),
                f"{row['R_scope']:.3f}",
                f"{row['R_strength']:.3f}",
                _signed(row["effect_scope"]),
                _signed(row["effect_strength"]),
                row["judge_is_blinder_to"],
                row["generator_raises_more"],
            ]
            for row in found["rows"]
        ],
    )
    for one in found["correlations"]:
        if one["rho"] is None:
            print(f"{one['readout']}: {one['reason']}")
        else:
            print(
                f"{one['readout']}: rank correlation {one['rho']:+.3f} over {one['points']} "
                f"points, p {one['p']:.4f} ({one['method']} permutation)"
            )


def _seeds_are_one(one: dict[str, Any], found: dict[str, Any]) -> bool:
    """Whether further seeds of a generator told nothing further."""
    kept = sum(counts.get("kept", 0) for counts in one["claims"].values())
    distinct = sum(one["distinct"].values())
    return bool(found["seeds"] > 1 and kept > distinct and distinct <= kept / found["seeds"])


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"


def _notes(result: "PressureResult", study: Any) -> None:
    for line in result.notes:
        note(f"note: {line}")
    for one in result.content["generators"]:
        for condition, counts in one["claims"].items():
            others = ", ".join(f"{n} {name}" for name, n in counts.items() if name != "kept")
            if others:
                note(f"{one['name']}, {condition}: {counts.get('kept', 0)} claims kept; {others}")
        if _seeds_are_one(one, result.content):
            note(
                f"{one['name']}: every seed gave the same text; give it a temperature above 0, "
                "or seeds = 1"
            )
    note_calls(result.calls)
    if result.incomplete:
        note(
            f"judgeprobe: {result.incomplete} replies are missing because a call failed; run it "
            f"again to go on: judgeprobe pressure {study.folder}"
        )
    if not result.content["readouts"]["human"]["taken"]:
        for folder in result.folders:
            note(f"for people to read: judgeprobe annotate export {study.folder / folder}")
    note(f"the page: {study.pressure_dir / 'pressure.html'}")
