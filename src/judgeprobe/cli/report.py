"""`judgeprobe report`: tables, figures and one page from a profiled study."""

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


@verb
def report(study: StudyArgument, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """Write tables, figures and one self-contained page from a study's profile.

    Exit status 3 where a control judge missed its known profile.
    """
    from judgeprobe.report import make_report
    from judgeprobe.study import load_study

    made = make_report(load_study(study))
    if as_json:
        print_json(
            {
                "page": str(made.page),
                "tables": list(made.tables),
                "figures": list(made.figures),
                "notice": made.notice,
                "controls_missed": list(made.controls_missed),
            }
        )
    else:
        print(made.page)
    if made.controls_missed and not quiet:
        note(f"broken instrument: {', '.join(made.controls_missed)} missed its known profile")
    finish(FOUND if made.controls_missed else 0)
