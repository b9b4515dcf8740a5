"""`judgeprobe profile`: where does each judge stand in the (S, R) plane, and how surely?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from judgeprobe.cli.common import (
    FOUND,
    JsonOption,
    QuietOption,
    finish,
    note,
    print_json,
    print_table,
    verb,
)

__all__ = ["profile", "show_profile"]

_STREAMED = (
    "the table has more than 5 million rows (reckoned from its bytes where it is text) and is read "
    "in parts; --no-stream holds every row in memory"
)


@verb
def profile(
    study: Annotated[
        Path | None,
        typer.Argument(
            metavar="[STUDY]", help="Study folder (it holds study.toml), or a bundle (zip, folder)."
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs",
            metavar="FILE",
            help="Profile pairs graded elsewhere: CSV, TSV, JSONL or Parquet (or a folder of them) "
            "with the columns judge, base_id, slot, grade_original, grade_edited.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Pairs: write the profile here.")
    ] = None,
    direction_source: Annotated[
        str, typer.Option("--direction-source", help="Pairs: who set the edits' direction.")
    ] = "",
    taxonomy: Annotated[
        str, typer.Option("--taxonomy", help="Pairs: a shipped taxonomy, or a .toml file.")
    ] = "claim-calibration",
    scale: Annotated[
        str, typer.Option("--scale", metavar="LOW:HIGH:STEP", help="Pairs: the grading scale.")
    ] = "0:5:0.25",
    floor: Annotated[
        float | None, typer.Option("--floor", min=0, max=1, help="Pairs: smallest S.")
    ] = None,
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            help="Pairs: cut (the verdict is grade >= tau) or shift (the verdict changes when the "
            "grade moves by tau).",
        ),
    ] = "cut",
    resamples: Annotated[
        int | None,
        typer.Option(
            "--resamples",
            min=100,
            help="Pairs: bootstrap resamples; 10,000, or 1,000 above 50,000 base items.",
        ),
    ] = None,
    permutations: Annotated[
        int | None,
        typer.Option(
            "--permutations",
            min=100,
            help="Pairs: permutations; 10,000, or 999 above 50,000 base items.",
        ),
    ] = None,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.9999, help="Pairs: nominal coverage.")
    ] = 0.95,
    adjust: Annotated[
        str, typer.Option("--adjust", help="Pairs: bh or holm, where there are many p-values.")
    ] = "bh",
    seed: Annotated[int, typer.Option("--seed", help="Pairs: seed of every draw.")] = 0,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Pairs: read the table in parts, whatever its size, without what needs all rows "
            "at once (permutations, length controls); or hold every row in memory. By default "
            "tables above 5 million rows are read in parts.",
        ),
    ] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Turn grades into validity profiles: S, R by axis and slot, frontiers, intervals, nulls.

    Of a study it writes profile.json; its settings are the study's own ([profile] in study.toml).
    The options marked "Pairs" go with --pairs. Of a bundle the profile is made again, the bundle
    is not written to, and a difference from the released profile is named. Exit status 3: a control
    judge missed what it must measure, so the instrument is broken, or a bundle's profile differs.
    """
    if (study is None) == (pairs is None):
        raise typer.BadParameter("give either STUDY or --pairs FILE")
    from judgeprobe.bundle import is_bundle

    same = True
    if study is not None and is_bundle(study):
        from judgeprobe.cli.bundle import profile_of_bundle

        found, same = profile_of_bundle(study, out)
        if not quiet:
            note("profile.json: " + ("the released bytes" if same else "NOT the released bytes"))
    elif study is not None:
        from judgeprobe.profile import profile_study
        from judgeprobe.study import load_study

        found = profile_study(load_study(study))
    else:
        from judgeprobe.profile import ProfileOptions, profile_pairs
        from judgeprobe.tables import way_of
        from judgeprobe.taxonomy import load_taxonomy

        slots = load_taxonomy(taxonomy)
        options = ProfileOptions(
            floor=slots.constants.invariance_floor if floor is None else floor,
            scale=_scale(scale),
            rule="shift" if _one_of("--rule", rule, ("cut", "shift")) == "shift" else "cut",
            usable_share=slots.constants.usable_share,
            level=level,
            resamples=resamples,
            permutations=permutations,
            seed=seed,
            adjust=_one_of("--adjust", adjust, ("bh", "holm")),
        )
        assert pairs is not None
        asked: Any = {None: "auto", True: "stream", False: "memory"}[stream]
        way = way_of(pairs, asked)
        if way == "stream" and stream is None and not quiet:
            note(_STREAMED)
        found = profile_pairs(pairs, slots, options, direction_source=direction_source, way=way)
        if out is not None:
            from judgeprobe.files import write_json

            write_json(out, found)
    if not quiet:
        _notes(found)
    if as_json:
        print_json(found)
    else:
        show_profile(found)
    finish(0 if found["controls_ok"] and same else FOUND)


def _one_of(option: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise typer.BadParameter(f"{option} is {' or '.join(known)}; got {value!r}")
    return value


def _scale(text: str) -> Any:
    from pydantic import ValidationError

    from judgeprobe.records import Scale

    try:
        low, high, step = (float(part) for part in text.split(":"))
        return Scale(low, high, step)
    except (ValueError, ValidationError):
        raise typer.BadParameter(
            f"--scale is LOW:HIGH:STEP, for example 0:5:0.25; got {text!r}"
        ) from None


def _notes(found: dict[str, Any]) -> None:
    for row in found["excluded"]:
        rows = row["rows"]
        more = "" if row["n"] <= len(rows) else " and more"
        where = f" (row {', '.join(map(str, rows))}{more})" if rows else ""
        whose = f"{row['judge']}: " if row["judge"] else ""
        note(f"{whose}{row['n']} x {row['what']}: {row['reason']}{where}")
    for row in found["needs_rows"]:
        note(f"{row['field']}: {row['reason']}")


def show_profile(found: dict[str, Any]) -> None:
    """Print the profile: what is broken first, then the judges, then the controls."""
    missed = [row["judge"] for row in found["controls"] if row["passed"] is False]
    if missed:
        print(f"BROKEN INSTRUMENT: {', '.join(missed)} did not measure what it must.")
    if found["watermark"]:
        print(f"Note: {found['watermark']}.")
    axes = found["axes"]
    columns = ["judge", "status", "tau", "S", "R", *(f"R {axis}" for axis in axes)]
    columns += ["usable points", "regrade", "pairs (change, hold)"]
    print_table(
        f"{found['study']}: validity profiles at S >= {found['floor']:g} (rule: {found['rule']}), "
        f"{found['n_base']} base items",
        columns,
        [_judge_row(row, axes) for row in found["judges"]],
    )
    if found["controls"]:
        print_table(
            "Control judges",
            ["judge", "tau", "S", "R", "must measure", "verdict"],
            [_control_row(row) for row in found["controls"]],
        )
    for row in found["judges"]:
        if row["reason"]:
            print(f"{row['judge']}: {row['status']}: {row['reason']}.")
    gap = found["gap"]
    if gap["estimate"] is not None:
        a, b = gap["axes"]
        print(
            f"R {a} - R {b}: {gap['estimate']:+.3f} at mean S {found['mean']['S']:.3f} "
            f"({found['level']:.0%} interval {_signed(gap['low'])} to {_signed(gap['high'])}; cuts "
            f"chosen anew {_signed(gap['reselected']['low'])} to "
            f"{_signed(gap['reselected']['high'])}); positive on {gap['positive_judges']} of "
            f"{gap['n_judges']} judges; permutation p {_p(found)}."
        )
    for row in found["predictions"]:
        measured = "" if row["measured"] is None else f", measured {row['measured']:g}"
        print(f"Prediction {row['key']} = {row['value']:g}: {row['state']}{measured}.")


def _judge_row(row: dict[str, Any], axes: list[str]) -> list[str]:
    point = row["operating_point"] or {}
    n = row["n_pairs"]
    return [
        row["judge"],
        row["status"],
        "" if point.get("tau") is None else f"{point['tau']:g}",
        _rate(point, "S"),
        _rate(point, "R"),
        *("" if point.get(f"R_{axis}") is None else f"{point[f'R_{axis}']:.3f}" for axis in axes),
        str(row["usable_points"]),
        "" if row["regrade"] is None else f"{row['regrade']:.2f}",
        f"{n['construct']}, {n['invariance']}",
    ]


def _control_row(row: dict[str, Any]) -> list[str]:
    expected = row["expected"]
    verdict = {True: "as it must", False: "MISSED", None: ""}[row["passed"]]
    return [
        row["judge"],
        "" if row["tau"] is None else f"{row['tau']:g}",
        _rate(row, "S"),
        _rate(row, "R"),
        "" if expected is None else f"S {expected['S']:g}, R {expected['R']:g}",
        verdict,
    ]


def _rate(point: dict[str, Any], name: str) -> str:
    if point.get(name) is None:
        return ""
    ends = point.get(f"{name}_interval")
    told = f"{point[name]:.3f}"
    return told if ends is None else f"{told} [{ends[0]:.3f}, {ends[1]:.3f}]"


def _signed(value: float | None) -> str:
    return "?" if value is None else f"{value:+.3f}"


def _p(found: dict[str, Any]) -> str:
    if any(row["field"] == "gap.permutation_p" for row in found["needs_rows"]):
        return "needs rows"
    value = found["gap"]["permutation_p"]
    return "none" if value is None else f"{value:.4f}"
