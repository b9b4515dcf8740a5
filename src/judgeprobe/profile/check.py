"""Is every judge still good enough? For CI, and for a team's own tests.

A judge passes when some cut of its frontier has S >= min_s, and the largest R among those cuts is
at least min_r: the rule of the operating point, with the caller's floor. A broken instrument (a
control judge that missed) fails whatever the judges do.
"""

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, read_json
from judgeprobe.records import SCHEMA_VERSION
from judgeprobe.stats.frontier import operating_cut

__all__ = ["CheckResult", "check_profile", "junit_xml", "read_profile"]


@dataclass(frozen=True)
class CheckResult:
    """One judge, or the controls, against what is wanted.

    Attributes:
        judge: Name; "controls" for the instrument itself.
        passed: Whether it is good enough.
        tau: The cut that it was read at, None where there is none.
        S: Invariance there.
        R: Sensitivity there.
        message: One line for people.
    """

    judge: str
    passed: bool
    tau: float | None
    S: float | None
    R: float | None
    message: str


def read_profile(path: Path) -> dict[str, Any]:
    """profile.json of a study folder, or the file itself.

    Raises:
        InputError: It is missing, is not a profile, or is older than the study's grades.
    """
    file = path / "profile.json" if path.is_dir() else path
    if not file.is_file():
        raise InputError("is not there", file=file, remedy=f"make it: judgeprobe profile {path}")
    content = read_json(file)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA_VERSION:
        raise InputError(
            f"is no profile of schema {SCHEMA_VERSION}", file=file, remedy="make it again"
        )
    grades = file.parent / "grades.parquet"
    made = content.get("made_under", {}).get("grades")
    if made is not None and grades.is_file() and file_hash(grades) != made:
        raise InputError(
            "was made from other grades than the study now has",
            file=file,
            remedy=f"make it again: judgeprobe profile {file.parent}",
        )
    return content


def check_profile(
    profile: Mapping[str, Any],
    *,
    min_s: float | None,
    min_r: float,
    judges: Sequence[str] = (),
) -> list[CheckResult]:
    """Check the controls and every judge, or the judges named.

    Args:
        profile: profile.json.
        min_s: Smallest S; the profile's floor where None.
        min_r: Smallest R at that S.
        judges: Judges to check; all where empty.

    Raises:
        InputError: A judge named is not in the profile, or there is none to check.
    """
    by_name = {row["judge"]: row for row in profile["judges"]}
    absent = [name for name in judges if name not in by_name]
    if absent or not by_name:
        known = ", ".join(by_name) or "none"
        what = f"has no judge `{absent[0]}`" if absent else "has no judge to check"
        raise InputError(f"the profile {what}", remedy=f"it has: {known}")
    floor = float(profile["floor"]) if min_s is None else min_s
    results = [_controls(profile)] if profile["controls"] else []
    for name in judges or by_name:
        results.append(_judge(by_name[name], floor, min_r))
    return results


def _controls(profile: Mapping[str, Any]) -> CheckResult:
    missed = [row["judge"] for row in profile["controls"] if row["passed"] is False]
    if missed:
        told = f"broken instrument: {', '.join(missed)} did not measure what it must"
        return _without_point("controls", told)
    told = "the controls measure what they must"
    return replace(_without_point("controls", told), passed=True)


def _without_point(name: str, message: str) -> CheckResult:
    return CheckResult(judge=name, passed=False, tau=None, S=None, R=None, message=message)


def _judge(row: Mapping[str, Any], floor: float, min_r: float) -> CheckResult:
    name = str(row["judge"])
    cuts = row["frontier"]
    point = row["operating_point"]
    if not cuts and point is not None:
        # A judge without any cut: its verdict never changes.
        cuts = [{"tau": point["tau"], "S": point["S"], "R": point["R"]}]
    chosen = operating_cut([c["S"] for c in cuts], [c["R"] for c in cuts], floor) if cuts else None
    if chosen is None:
        why = row["reason"] or f"no cut reaches S {floor:g}"
        return _without_point(name, f"{name}: {row['status']}: {why}")
    tau, s, r = cuts[chosen]["tau"], cuts[chosen]["S"], cuts[chosen]["R"]
    where = "without a cut" if tau is None else f"at cut {tau:g}"
    passed = bool(r >= min_r - 1e-9)
    wanted = f"R >= {min_r:g} at S >= {floor:g} wanted"
    told = f"{name}: R {r:.3f} at S {s:.3f} ({where}); {wanted}"
    return CheckResult(name, passed, tau, s, r, told)


def junit_xml(results: Sequence[CheckResult], *, study: str) -> str:
    """The results as JUnit XML, one test case a judge."""
    failures = sum(not result.passed for result in results)
    suite = ET.Element(
        "testsuite",
        name=_xml_text(f"judgeprobe check {study}"),
        tests=str(len(results)),
        failures=str(failures),
        errors="0",
        skipped="0",
    )
    for result in results:
        case = ET.SubElement(
            suite, "testcase", classname="judgeprobe.check", name=_xml_text(result.judge)
        )
        message = _xml_text(result.message)
        if result.passed:
            ET.SubElement(case, "system-out").text = message
        else:
            ET.SubElement(case, "failure", message=message, type="short").text = message
    ET.indent(suite)
    body = ET.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _xml_text(text: str) -> str:
    """Text without the characters that XML 1.0 cannot hold."""
    return "".join(
        c if c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff"
        else "\ufffd"
        for c in text
    )  # fmt: skip
