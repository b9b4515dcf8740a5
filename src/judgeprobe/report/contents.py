"""What did the judges measure, as tables? Built from the profile alone.

R never stands without the S it was measured at, rates never without their counts.
"""

from typing import Any

from judgeprobe.report.tabulate import Column, Table
from judgeprobe.report.view import AXIS_PREFIX, JudgeView, OperatingPoint, ProfileView

__all__ = ["control_rows", "result_tables"]

S_COLUMN = Column("S", "S", "rate", ("S_low", "S_high"))
R_COLUMN = Column("R", "R", "rate", ("R_low", "R_high"))


def result_tables(view: ProfileView, notice: str) -> tuple[Table, ...]:
    """Every table of the profile that has a row, in the order of the page."""
    tables = [
        _profiles(view, notice),
        _axes(view, notice),
        _gap(view, notice),
        _slots(view, notice),
        _slots_by_judge(view, notice),
        _domains(view, notice),
        _apart(view, notice),
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
        for judge in view.judges
    ]
    if view.mean is not None and len(view.judges) > 1:
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
            Column("flip", "1 − S", "rate"),
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
            Column("slot", "slot", "name"),
            Column("axis", "axis", "name"),
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


def _slots_by_judge(view: ProfileView, notice: str) -> Table:
    return Table(
        name="slots_by_judge",
        title="Share of verdicts changed per judge and slot",
        caption="Each judge at its operating point; S is the judge's over all control slots.",
        columns=(
            Column("judge", "judge"),
            Column("S", "S", "rate"),
            Column("slot", "slot", "name"),
            Column("axis", "axis", "name"),
            Column("n", "n", "count"),
            Column("rate", "changed", "rate", ("low", "high")),
        ),
        rows=tuple(
            {"judge": judge.judge, "S": judge.operating_point.S, **slot.model_dump()}
            for judge in view.judges
            if judge.operating_point is not None
            for slot in judge.slots
        ),
        direction=view.direction,
        notice=notice,
    )


def _domains(view: ProfileView, notice: str) -> Table:
    rows = []
    for judge in view.judges:
        for found in judge.by_domain if len(judge.by_domain) > 1 else ():
            s, r = found.S_interval or (None, None), found.R_interval or (None, None)
            rows.append(
                {
                    "judge": judge.judge,
                    "domain": found.domain,
                    "S": found.S,
                    "S_low": s[0],
                    "S_high": s[1],
                    "n_invariance": found.n_pairs.get("invariance"),
                    "R": found.R,
                    "R_low": r[0],
                    "R_high": r[1],
                    "n_construct": found.n_pairs.get("construct"),
                }
            )
    return Table(
        name="domains",
        title="The profile in each domain",
        caption="Each judge at the one operating point that it has over all domains.",
        columns=(
            Column("judge", "judge"),
            Column("domain", "domain"),
            S_COLUMN,
            Column("n_invariance", "invariance edits", "count"),
            R_COLUMN,
            Column("n_construct", "construct edits", "count"),
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
    )


def _apart(view: ProfileView, notice: str) -> Table:
    return Table(
        name="reported_apart",
        title="Pairs in neither arm",
        caption=(
            "Pairs that people labelled as neither a change of the construct in the wanted "
            "direction nor none at all; they enter neither S nor R."
        ),
        columns=(
            Column("judge", "judge"),
            Column("n", "graded pairs", "count"),
            Column("rate", "changed", "rate"),
            Column("S", "S", "rate"),
        ),
        rows=tuple(
            {
                "judge": judge.judge,
                "n": judge.reported_apart.n,
                "rate": judge.reported_apart.rate,
                "S": judge.operating_point.S,
            }
            for judge in view.judges
            if judge.operating_point is not None
            and judge.reported_apart is not None
            and judge.reported_apart.n
        ),
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


def _gap(view: ProfileView, notice: str) -> Table:
    gap = view.gap
    rows: list[dict[str, Any]] = []
    method = f" ({gap.method})" if gap is not None and gap.method else ""
    if gap is not None and gap.estimate is not None and len(view.axes) > 1:
        again = gap.reselected or {}
        rows.append(
            {
                "contrast": f"R {view.axes[0]} − R {view.axes[1]}",
                "S": (view.mean or {}).get("S"),
                "estimate": gap.estimate,
                "low": gap.low,
                "high": gap.high,
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
            "Mean over judges at the mean S beside it. The first interval holds the cuts"
            f"{method}; the next one chooses every cut anew in each resample. The p-value permutes "
            "the axis labels within the construct arm with the grades fixed."
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
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
    )
