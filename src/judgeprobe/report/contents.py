"""What did the judges measure, as tables? Built from the profile alone.

R never stands without the S it was measured at, rates never without their counts.
"""

from typing import Any

from judgeprobe.records import CONTROLS
from judgeprobe.report.tabulate import Column, Table
from judgeprobe.report.view import AXIS_PREFIX, JudgeView, ProfileView

__all__ = ["control_rows", "result_tables"]

S_COLUMN = Column("S", "S", "rate", ("S_low", "S_high"))
R_COLUMN = Column("R", "R", "rate", ("R_low", "R_high"))


def result_tables(view: ProfileView, notice: str) -> tuple[Table, ...]:
    """Every table of the profile that has a row, in the order of the page."""
    tables = [
        _profiles(view, notice),
        _controls(view, notice),
        _slots(view, notice),
        _gap(view, notice),
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
        **{f"{AXIS_PREFIX}{axis}": value for axis, value in point.axes.items()},
    }


def _profiles(view: ProfileView, notice: str) -> Table:
    rows: list[dict[str, Any]] = [
        {
            "judge": judge.judge,
            "status": judge.status.replace("_", " "),
            "n_base": view.n_base,
            "n_graded": judge.n_graded,
            "n_ungraded": judge.n_ungraded,
            **_point(judge),
        }
        for judge in view.measured
    ]
    if view.mean is not None and len(view.measured) > 1:
        told = {k: v for k, v in view.mean.items() if isinstance(v, int | float)}
        rows.append({"judge": "mean over judges", **told})
    return Table(
        name="profiles",
        title="Validity profiles",
        caption=(
            f"Each judge at its operating point: the cut τ with the largest R among those with S "
            f"at least {view.floor:.2f} (ties: larger S, then smaller τ). In brackets the interval "
            "from resampling base items. 1 − S is the share of invariance edits that changed the "
            "verdict; an R close to it is no sensitivity."
        ),
        columns=(
            Column("judge", "judge"),
            Column("status", "read off"),
            Column("tau", "τ", "number"),
            S_COLUMN,
            R_COLUMN,
            *(Column(f"{AXIS_PREFIX}{axis}", _axis_head(axis), "rate") for axis in view.axes),
            Column("flip", "1 − S", "rate"),
            Column("n_base", "base items", "count"),
            Column("n_graded", "graded", "count"),
            Column("n_ungraded", "ungraded", "count"),
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
    )


def control_rows(view: ProfileView) -> list[dict[str, Any]]:
    """Expected and measured profile of every control judge, and whether it was met.

    `met` is True, False, or None where nothing is expected of the judge or it was not run.
    """
    verdicts = _control_verdicts(view)
    measured = {judge.judge: judge for judge in view.control_judges}
    rows = []
    for control in CONTROLS:
        judge = measured.get(control.name)
        point = _point(judge) if judge is not None else {}
        rows.append(
            {
                "judge": control.name,
                "expected_S": control.S,
                "expected_R": control.R,
                **{k: point.get(k) for k in ("S", "S_low", "S_high", "R", "R_low", "R_high")},
                "met": verdicts.get(control.name),
                "verdict": _verdict(verdicts.get(control.name), run=judge is not None),
            }
        )
    return rows


def _control_verdicts(view: ProfileView) -> dict[str, bool | None]:
    found = view.controls if isinstance(view.controls, list) else []
    return {
        str(row["judge"]): row.get("passed")
        for row in found
        if isinstance(row, dict) and "judge" in row
    }


def _verdict(met: bool | None, *, run: bool) -> str:  # noqa: FBT001
    if not run:
        return "not run"
    if met is None:
        return "nothing expected"
    return "met" if met else "MISSED"


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
        rows=tuple(row for row in control_rows(view) if row["verdict"] != "not run"),
        direction=view.direction,
        notice=notice,
    )


def _slots(view: ProfileView, notice: str) -> Table:
    s = (view.mean or {}).get("S")
    at = f" at mean S {s:.3f}" if isinstance(s, int | float) else ""
    order = {axis: i for i, axis in enumerate((*view.axes, "control"))}
    rows = sorted(view.slots, key=lambda r: (order.get(r.axis, len(order)), r.slot))
    return Table(
        name="slots",
        title="Share of verdicts changed per slot",
        caption=(
            f"Mean over judges at their operating points{at}, with the interval. In a slot of a "
            "construct axis the share is sensitivity; in a control slot it is the false-alarm "
            "rate. n counts edits."
        ),
        columns=(
            Column("slot", "slot"),
            Column("axis", "axis"),
            Column("n", "n", "count"),
            Column("rate", "changed", "rate", ("low", "high")),
        ),
        rows=tuple(
            {
                "slot": r.slot,
                "axis": r.axis,
                "n": r.n,
                "rate": r.rate,
                "low": r.low,
                "high": r.high,
            }
            for r in rows
        ),
        direction=view.direction,
        notice=notice,
    )


def _gap(view: ProfileView, notice: str) -> Table:
    gap = view.gap
    rows: list[dict[str, Any]] = []
    if gap is not None and gap.estimate is not None and len(view.axes) > 1:
        again = gap.reselected or {}
        rows.append(
            {
                "contrast": f"R {view.axes[0]} − R {view.axes[1]}",
                "S": (view.mean or {}).get("S"),
                "estimate": gap.estimate,
                "low": gap.low,
                "high": gap.high,
                "method": gap.method,
                "reselected": f"{again['low']:+.3f} to {again['high']:+.3f}".replace("-", "−")
                if isinstance(again.get("low"), int | float)
                and isinstance(again.get("high"), int | float)
                else None,
                "n_base": gap.n_base,
                "positive_judges": gap.positive_judges,
                "permutation_p": gap.permutation_p,
                "largest_null": gap.largest_null,
            }
        )
    return Table(
        name="gap",
        title="The contrast of the two axes",
        caption=(
            "Mean over judges at the mean S beside it. The interval resamples base items, with "
            "the cuts held; the next one chooses every cut anew in each resample. The p-value "
            "permutes the axis labels within the construct arm with the grades fixed."
        ),
        columns=(
            Column("contrast", "contrast"),
            Column("S", "mean S", "rate"),
            Column("estimate", "gap", "signed", ("low", "high")),
            Column("reselected", "cuts chosen anew"),
            Column("permutation_p", "permutation p", "number"),
            Column("largest_null", "largest null gap", "signed"),
            Column("positive_judges", "judges with gap > 0", "count"),
            Column("n_base", "base items", "count"),
            Column("method", "interval"),
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
    )
