"""What did the judges measure, as tables? Built from the profile alone.

R never stands without the S it was measured at, rates never without their counts.
"""

from typing import Any

from judgeprobe.report.parts import AXIS_PREFIX, Gap, OperatingPoint
from judgeprobe.report.predicted import Predicted
from judgeprobe.report.tabulate import Column, Table
from judgeprobe.report.view import JudgeView, ProfileView

__all__ = ["R_COLUMN", "S_COLUMN", "control_rows", "result_tables"]

S_COLUMN = Column("S", "S", "rate", ("S_low", "S_high"))
R_COLUMN = Column("R", "R", "rate", ("R_low", "R_high"))


def result_tables(view: ProfileView, notice: str, predicted: Predicted) -> tuple[Table, ...]:
    """Every table of the profile that has a row, in the order of the page."""
    tables = [
        _profiles(view, notice, predicted),
        _remedies(view, notice),
        _axes(view, notice),
        _gap(view, notice, predicted),
        _gap_by_judge(view, notice),
        _ungraded(view, notice),
        _controls(view, notice),
    ]
    return tuple(table for table in tables if table.rows)


def _axis_head(axis: str) -> str:
    return f"R, {axis.replace('_', ' ')}"


def _point(judge: JudgeView) -> dict[str, Any]:
    point = judge.operating_point
    if point is None:
        return {}
    s, r = point.S_interval or (None, None), point.R_interval or (None, None)
    return {
        "tau": point.tau,
        "S": point.S,
        "S_low": s[0],
        "S_high": s[1],
        "R": point.R,
        "R_low": r[0],
        "R_high": r[1],
        "flip": 1 - point.S,
        **_axis_rates(point),
    }


def _axis_rates(point: OperatingPoint) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for axis, value in point.axes.items():
        low, high = point.axis_intervals.get(axis) or (None, None)
        key = f"{AXIS_PREFIX}{axis}"
        found |= {key: value, f"{key}_low": low, f"{key}_high": high}
    return found


def _profiles(view: ProfileView, notice: str, predicted: Predicted) -> Table:
    rows: list[dict[str, Any]] = [
        {
            "judge": judge.judge,
            "status": judge.status.replace("_", " "),
            "n_invariance": judge.n_pairs.get("invariance"),
            "n_construct": judge.n_pairs.get("construct"),
            "n_graded": judge.n_graded,
            "n_ungraded": judge.n_ungraded,
            **_point(judge),
        }
        for judge in view.judges
    ]
    marked: frozenset[tuple[int, str]] = frozenset()
    if predicted.mean:
        rows.append({**_mean_row(view.mean or {}), **predicted.mean})
        marked = frozenset((len(rows) - 1, key) for key in predicted.mean)
    elif view.mean is not None and len(view.judges) > 1:
        rows.append(_mean_row(view.mean))
    return Table(
        name="profiles",
        title="Validity profiles",
        caption=(
            f"Each judge at its operating point: the cut τ with the largest R among those with S "
            f"at least {view.floor:.2f} (ties: larger S, then smaller τ). In brackets the "
            f"{view.level:.0%} interval from resampling the {view.n_base} base items. 1 − S is the "
            "share of invariance edits that changed the verdict; an R close to it is no "
            "sensitivity."
        ),
        columns=(
            Column("judge", "judge"),
            Column("status", "read off"),
            Column("tau", "τ", "number"),
            S_COLUMN,
            R_COLUMN,
            *(Column(f"{AXIS_PREFIX}{axis}", _axis_head(axis), "rate") for axis in view.axes),
            Column("flip", "1\u00a0−\u00a0S", "rate"),
            Column("n_invariance", "edits for S", "count"),
            Column("n_construct", "edits for R", "count"),
            Column("n_graded", "texts graded", "count"),
            Column("n_ungraded", "ungraded", "count"),
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
        marked=marked,
    )


def _remedies(view: ProfileView, notice: str) -> Table:
    asked = {judge.judge: judge.operating_point for judge in view.judges}
    rows = []
    for judge in view.remedies:
        remedy = judge.remedy or {}
        members = [str(name) for name in remedy.get("of", ())]
        points = [point for name in members if (point := asked.get(name)) is not None]
        row: dict[str, Any] = {
            "remedy": judge.judge,
            "kind": remedy.get("kind"),
            "of": ", ".join(members),
            "status": judge.status,
            **_point(judge),
        }
        if points and len(points) == len(members):
            row["members_S"] = sum(point.S for point in points) / len(points)
            row["members_R"] = sum(point.R for point in points) / len(points)
        rows.append(row)
    return Table(
        name="remedies",
        title="Remedies for unreliability: do they move R, or only S?",
        caption=(
            "Computed from cached grades, each at its own operating point; beside it the mean of "
            "its members at theirs. Remedies stand in no mean over judges."
        ),
        columns=(
            Column("remedy", "remedy"),
            Column("kind", "kind"),
            Column("of", "of"),
            Column("status", "read off"),
            S_COLUMN,
            Column("members_S", "S of members", "rate"),
            R_COLUMN,
            Column("members_R", "R of members", "rate"),
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
    )


def _mean_row(mean: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"judge": _mean_name(mean.get("n_judges"))}
    for key, value in mean.items():
        if key.endswith("_interval") and value is not None:
            name = key.removesuffix("_interval")
            row[f"{name}_low"], row[f"{name}_high"] = value
        elif isinstance(value, int | float):
            row[key] = value
    if isinstance(mean.get("S"), int | float):
        row["flip"] = 1 - mean["S"]
    return row


def _mean_name(n: object) -> str:
    return f"mean over {n} judges" if isinstance(n, int) else "mean over judges"


def _axes(view: ProfileView, notice: str) -> Table:
    rows = [
        {"judge": judge.judge, **_point(judge)}
        for judge in view.judges
        if judge.operating_point is not None
    ]
    return Table(
        name="axes",
        title="Sensitivity per axis",
        caption="Each judge at its operating point, with the interval over base items.",
        columns=(
            Column("judge", "judge"),
            Column("S", "S", "rate"),
            Column("flip", "1\u00a0−\u00a0S", "rate"),
            *(
                Column(
                    f"{AXIS_PREFIX}{axis}",
                    _axis_head(axis),
                    "rate",
                    (f"{AXIS_PREFIX}{axis}_low", f"{AXIS_PREFIX}{axis}_high"),
                )
                for axis in view.axes
            ),
        ),
        rows=tuple(rows) if view.axes else (),
        direction=view.direction,
        notice=notice,
    )


def control_rows(view: ProfileView) -> list[dict[str, Any]]:
    """Expected and measured profile of every control judge that was run, and whether it was met.

    `met` is True or False, or None where nothing is expected of the judge.
    """
    rows = []
    for judge in view.controls:
        s, r = judge.S_interval or (None, None), judge.R_interval or (None, None)
        expected = judge.expected or {}
        rows.append(
            {
                "judge": judge.judge,
                "expected_S": expected.get("S"),
                "expected_R": expected.get("R"),
                "S": judge.S,
                "S_low": s[0],
                "S_high": s[1],
                "R": judge.R,
                "R_low": r[0],
                "R_high": r[1],
                "met": judge.passed,
                "verdict": _VERDICTS[judge.passed],
            }
        )
    return rows


_VERDICTS = {True: "met", False: "MISSED", None: "nothing expected"}


def _controls(view: ProfileView, notice: str) -> Table:
    return Table(
        name="controls",
        title="Control judges: what they must measure, and what they measured",
        caption=(
            "Judges whose profile is known beforehand, run through the same steps. Where one "
            "misses, the instrument is broken and no other number here counts. The judge length "
            "reads only the number of words: what it scores, a judge blind to the construct "
            "scores."
        ),
        columns=(
            Column("judge", "control judge"),
            Column("expected_S", "S expected", "rate"),
            Column("S", "S measured", "rate", ("S_low", "S_high")),
            Column("expected_R", "R expected", "rate"),
            Column("R", "R measured", "rate", ("R_low", "R_high")),
            Column("verdict", "verdict"),
        ),
        rows=tuple(control_rows(view)),
        direction=view.direction,
        notice=notice,
    )


def _ungraded(view: ProfileView, notice: str) -> Table:
    rows = []
    for judge in view.judges:
        point, s, r = judge.operating_point, judge.bounds.get("S"), judge.bounds.get("R")
        if point is None or s is None or r is None or not s.n_ungraded + r.n_ungraded:
            continue
        rows.append(
            {
                "judge": judge.judge,
                "n_ungraded": s.n_ungraded + r.n_ungraded,
                "S": point.S,
                "S_low": s.low,
                "S_high": s.high,
                "R": point.R,
                "R_low": r.low,
                "R_high": r.high,
            }
        )
    return Table(
        name="ungraded",
        title="What the ungraded pairs could change",
        caption=(
            "Ungraded replies are never filled in. In brackets: the value if none of the ungraded "
            "pairs had changed its verdict, and if all had."
        ),
        columns=(
            Column("judge", "judge"),
            Column("n_ungraded", "ungraded pairs", "count"),
            Column("S", "S [bounds]", "rate", ("S_low", "S_high")),
            Column("R", "R [bounds]", "rate", ("R_low", "R_high")),
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
    )


def _gap(view: ProfileView, notice: str, predicted: Predicted) -> Table:
    gap = view.gap
    rows: list[dict[str, Any]] = []
    if gap is not None and gap.estimate is not None:
        again = gap.reselected or {}
        bca = gap.bca or {}
        rows.append(
            {
                "contrast": _contrast(view, gap),
                "S": (view.mean or {}).get("S"),
                **{k: getattr(gap, k) for k in ("estimate", "low", "high", "permutation_p")},
                "bca": gap.estimate if bca.get("low") is not None else None,
                "bca_low": bca.get("low"),
                "bca_high": bca.get("high"),
                "again": gap.estimate if again.get("low") is not None else None,
                "again_low": again.get("low"),
                "again_high": again.get("high"),
                "largest_null": gap.largest_null,
                "positive": _of(gap.positive_judges, gap.n_judges),
                "n_base": gap.n_base,
            }
        )
    if not rows and predicted.gap is not None:
        rows = [
            {
                "contrast": _contrast(view, gap or Gap()),
                "S": predicted.mean.get("S"),
                "estimate": predicted.gap,
            }
        ]
    places = {"estimate": predicted.gap, "S": predicted.mean.get("S")}
    marked = frozenset((0, key) for key, value in places.items() if rows and value is not None)
    method = f" ({gap.method})" if gap is not None and gap.method else ""
    return Table(
        name="gap",
        title="The contrast of the two axes, mean over judges",
        caption=(
            f"At the mean S beside it. The first interval holds the cuts{method}; BCa is the "
            "bias-corrected one; the last chooses every cut anew in each resample. The p-value "
            "permutes the axis labels with the grades fixed, the observed labelling counted."
        ),
        columns=(
            Column("contrast", "contrast"),
            Column("S", "mean S", "rate"),
            Column("estimate", "gap", "signed", ("low", "high")),
            Column("bca", "BCa", "signed", ("bca_low", "bca_high")),
            Column("again", "cuts chosen anew", "signed", ("again_low", "again_high")),
            Column("permutation_p", "permutation p", "p"),
            Column("largest_null", "largest null gap", "signed"),
            Column("positive", "judges with gap above 0"),
            Column("n_base", "base items", "count"),
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
        marked=marked,
    )


def _contrast(view: ProfileView, gap: Gap) -> str:
    names = gap.axes or view.axes
    return f"R {names[0]} − R {names[1]}".replace("_", " ") if len(names) > 1 else "R − R"


def _of(n: int | None, total: int | None) -> str | None:
    if n is None:
        return None
    return str(n) if total is None else f"{n} of {total}"


def _gap_by_judge(view: ProfileView, notice: str) -> Table:
    rows = [
        {
            "judge": judge.judge,
            "S": judge.operating_point.S,
            **judge.gap.model_dump(
                include={"estimate", "low", "high", "permutation_p", "adjusted_p"}
            ),
        }
        for judge in view.judges
        if judge.gap is not None
        and judge.gap.estimate is not None
        and judge.operating_point is not None
    ]
    return Table(
        name="gap_by_judge",
        title="The contrast of the two axes, per judge",
        caption=(
            "The adjusted p-values take account of there being several judges. Intervals hold the "
            "cuts."
        ),
        columns=(
            Column("judge", "judge"),
            Column("S", "S", "rate"),
            Column("estimate", "gap", "signed", ("low", "high")),
            Column("permutation_p", "permutation p", "p"),
            Column("adjusted_p", "adjusted p", "p"),
        ),
        rows=tuple(rows) if len(rows) > 1 else (),
        direction=view.direction,
        notice=notice,
    )
