"""`judgeprobe report`: tables, figures and one page from a profiled study."""

from pathlib import Path
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
    verb,
)

__all__ = ["report"]

CompareOption = Annotated[
    Path | None,
    typer.Option(
        "--compare",
        metavar="OTHER",
        help="Another profiled study of the same edits: compare.html sets the two side by side, "
        "STUDY minus OTHER, with paired intervals.",
    ),
]


@verb
def report(
    study: StudyArgument,
    compare: CompareOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write tables, figures and one self-contained page from a study's profile.

    Exit status 3 where a control judge missed its known profile.
    """
    from judgeprobe.report import make_comparison, make_report
    from judgeprobe.study import load_study

    reported = load_study(study)
    other = None if compare is None else load_study(compare)
    made = make_report(reported)
    told: dict[str, Any] = {
        "page": str(made.page),
        "missed": None if made.missed is None else str(made.missed),
        "tables": list(made.tables),
        "figures": list(made.figures),
        "notice": made.notice,
        "controls_missed": list(made.controls_missed),
    }
    pages = [made.page, *([] if made.missed is None else [made.missed])]
    if other is not None:
        both = make_comparison(reported, other)
        pages.append(both.page)
        told["compare"] = {
            "page": str(both.page),
            "tables": list(both.tables),
            "figures": list(both.figures),
            "edits_in_both": both.comparison.n_shared,
            "judges": [_judge(judge) for judge in both.comparison.judges],
        }
    if as_json:
        print_json(told)
    else:
        for page in pages:
            print(page)
    if made.controls_missed and not quiet:
        note(f"broken instrument: {', '.join(made.controls_missed)} missed its known profile")
    finish(FOUND if made.controls_missed else 0)


def _judge(judge: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "judge": judge.judge,
        "compared_with": judge.other,
        "changes": [asdict(change) for change in (*judge.rates, *judge.slots)],
    }
