"""`judgeprobe check`: for CI. Exit status 3 when a judge has fallen short."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from judgeprobe.cli.common import FOUND, JsonOption, finish, print_json, verb

__all__ = ["check"]


@verb
def check(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", help="Study folder, or a profile.json.")
    ],
    min_r: Annotated[float, typer.Option("--min-r", min=0, max=1, help="Smallest R.")],
    min_s: Annotated[
        float | None,
        typer.Option("--min-s", min=0, max=1, help="Smallest S (the study's floor by default)."),
    ] = None,
    judge: Annotated[
        list[str] | None, typer.Option("--judge", help="Check this judge only; may be repeated.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML here.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check that every judge still notices enough at enough invariance.

    A judge passes when its largest R among the cuts with S >= MIN_S is at least MIN_R. Exit status
    3: one is short, or a control judge missed what it must measure.
    """
    from judgeprobe.files import write_text
    from judgeprobe.profile.check import check_profile, junit_xml, read_profile

    profile = read_profile(study)
    results = check_profile(profile, min_s=min_s, min_r=min_r, judges=judge or ())
    if junit is not None:
        write_text(junit, junit_xml(results, study=str(profile["study"])))
    passed = all(result.passed for result in results)
    if as_json:
        floor = profile["floor"] if min_s is None else min_s
        rows = [asdict(result) for result in results]
        print_json({"passed": passed, "min_s": floor, "min_r": min_r, "results": rows})
    else:
        for result in sorted(results, key=lambda r: r.passed):
            print(f"{'ok   ' if result.passed else 'SHORT'} {result.message}")
    finish(0 if passed else FOUND)
