"""`judgeprobe run STUDY`: build, sweep, profile and report, one after the other."""

from pathlib import Path
from typing import Any

from judgeprobe.cli.common import (
    FOUND,
    JsonOption,
    QuietOption,
    StudyArgument,
    finish,
    note,
    print_json,
    verb,
)

__all__ = ["run", "run_stages"]


@verb
def run(folder: StudyArgument, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """Run build, sweep, profile and report of a study; what is done already is not done again.

    Exit status 1 where an edit could not be made or some text was not graded, 3 where a control
    judge missed its known profile or the sweep found what it watches for.
    """
    run_stages(folder, as_json=as_json, quiet=quiet)


def run_stages(folder: Path, *, as_json: bool, quiet: bool) -> None:
    """The four stages, the profile table and the path of the page.

    Raises:
        JudgeprobeError: A stage could not run.
        typer.Exit: The exit status is not 0.
    """
    from judgeprobe.build.run import run_build
    from judgeprobe.cli.profile import show_profile
    from judgeprobe.profile import profile_study
    from judgeprobe.report import make_report
    from judgeprobe.study import load_study
    from judgeprobe.sweep.stage import sweep

    say = (lambda _: None) if quiet else note
    study = load_study(folder)
    built = run_build(study)
    say(f"build: {built.generated} edits made, {built.accepted} accepted, {built.rejected} refused")
    if built.incomplete:
        note(
            f"judgeprobe: {built.incomplete} edits are missing because a call failed, and nothing "
            f"was swept; run it again to go on: judgeprobe run {folder}"
        )
        finish(1)
    swept = sweep(study, progress="none" if quiet else "auto")
    for line in (*swept.notes, *swept.findings):
        say(f"sweep: {line}")
    say(f"sweep: {swept.rows} grades, {swept.calls} model calls")
    found = profile_study(study)
    made = make_report(study)
    if as_json:
        print_json(_summary(study.settings.study.name, built, swept, found, made))
    else:
        show_profile(found)
        print(f"page: {made.page}")
        if made.missed is not None:
            print(f"edits that were not noticed: {made.missed}")
    if not swept.complete:
        stopped = [swept.stopped, *(judge.stopped for judge in swept.judges)]
        why = "; ".join(dict.fromkeys(filter(None, stopped)))
        note(
            f"judgeprobe: the sweep is not complete{f' ({why})' if why else ''}; run it again: "
            f"judgeprobe run {folder}"
        )
    broken = swept.findings or not found["controls_ok"]
    finish(FOUND if broken else 0 if swept.complete else 1)


def _summary(name: str, built: Any, swept: Any, found: dict[str, Any], made: Any) -> dict[str, Any]:
    return {
        "study": name,
        "build": built.as_dict(),
        "sweep": {
            "rows": swept.rows,
            "calls": swept.calls,
            "complete": swept.complete,
            "findings": list(swept.findings),
        },
        "profile": found,
        "page": str(made.page),
        "missed": None if made.missed is None else str(made.missed),
    }
