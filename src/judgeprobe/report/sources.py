"""What stands behind the numbers, as tables: instruments, yields, exclusions, edits missed."""

from collections.abc import Sequence
from typing import Any

from judgeprobe.report.evidence import Evidence
from judgeprobe.report.missed import MissedBy
from judgeprobe.report.tabulate import Column, Table
from judgeprobe.report.view import ProfileView

__all__ = ["source_tables"]


def source_tables(
    view: ProfileView, evidence: Evidence, missed: Sequence[MissedBy], notice: str
) -> tuple[Table, ...]:
    """Every such table that has a row, in the order of the page."""
    tables = [
        _instrument(view, evidence, notice),
        _yields(view, evidence, notice),
        _human_direction(view, evidence, notice),
        _excluded(view, evidence, notice),
        _missed(view, missed, notice),
    ]
    return tuple(table for table in tables if table.rows)


def _instrument(view: ProfileView, evidence: Evidence, notice: str) -> Table:
    served = {row.judge: row for row in evidence.served}
    rows = []
    for judge in view.judges:
        by = served.get(judge.judge)
        rows.append(
            {
                "judge": judge.judge,
                "distinct_grades": judge.distinct_grades,
                "usable_points": judge.usable_points,
                "regrade": judge.regrade,
                "elicitation": None if by is None else by.elicitation,
                "served_model": None if by is None else by.model,
                "served_provider": None if by is None else by.provider,
                "served_quantization": None if by is None else by.quantization,
                "ungraded": None if by is None else _ungraded(by.statuses),
            }
        )
    return Table(
        name="instrument",
        title="Instrument quality and what answered",
        caption=(
            "Distinct grades given; usable cuts once rarely given grades are set aside; share of "
            "texts graded alike when graded again (– where none was). Model, provider and "
            "quantisation are what the replies say of themselves."
        ),
        columns=(
            Column("judge", "judge"),
            Column("distinct_grades", "distinct grades", "count"),
            Column("usable_points", "usable cuts", "count"),
            Column("regrade", "regrade", "rate"),
            Column("elicitation", "grade read as"),
            Column("served_model", "served model"),
            Column("served_provider", "provider"),
            Column("served_quantization", "quantisation"),
            Column("ungraded", "ungraded, by reason"),
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
    )


def _ungraded(statuses: dict[str, int]) -> str:
    told = [f"{name.replace('_', ' ')} {n}" for name, n in statuses.items() if name != "graded"]
    return ", ".join(told) if told else "none"


def _yields(view: ProfileView, evidence: Evidence, notice: str) -> Table:
    gates = list(dict.fromkeys(gate for row in evidence.yields for gate in row.rejected))
    gates.sort(key=lambda gate: (-sum(r.rejected.get(gate, 0) for r in evidence.yields), gate))
    return Table(
        name="yields",
        title="From edits made to edits measured, per slot",
        caption=(
            "Every attempt counted; each refused edit under the gate that refused it first. A slot "
            "with a low yield passed a stricter filter than the others. Length change: median over "
            "the accepted edits, as a share of the original's characters."
        ),
        columns=(
            Column("slot", "slot", "name"),
            Column("axis", "axis", "name"),
            Column("items", "base items", "count"),
            Column("generated", "made", "count"),
            *(Column(f"rejected_{gate}", gate.replace("_", " "), "count") for gate in gates),
            Column("accepted", "accepted", "count"),
            Column("share", "share", "rate"),
            Column("length_signed", "length change", "signed"),
        ),
        rows=tuple(
            {
                "slot": row.name,
                "axis": row.axis or None,
                "items": row.items,
                "generated": row.generated,
                **{f"rejected_{gate}": row.rejected.get(gate, 0) for gate in gates},
                "accepted": row.accepted,
                "share": row.accepted / row.generated if row.generated else None,
                "length_signed": row.length_signed,
            }
            for row in evidence.yields
        ),
        direction=view.direction,
        notice=notice,
    )


def _human_direction(view: ProfileView, evidence: Evidence, notice: str) -> Table:
    found = evidence.annotation.slots if evidence.annotation is not None else ()
    return Table(
        name="human_direction",
        title="What people said of the edits, per slot",
        caption=(
            "Agreement is mean raw agreement between two annotators; a slot below the bar is not "
            "measurable and enters nothing, whatever its yield. As intended: the majority saw the "
            "direction that the edit was made for."
        ),
        columns=(
            Column("slot", "slot", "name"),
            Column("axis", "axis", "name"),
            Column("n", "annotated", "count"),
            Column("pairwise", "agreement", "rate"),
            Column("matches_intent", "as intended", "count"),
            Column("rate", "share", "rate"),
            Column("bar", "bar"),
            Column("enters", "enter", "count"),
        ),
        rows=tuple({**row.model_dump(), "bar": _BAR[row.measurable]} for row in found if row.n),
        direction=view.direction,
        notice=notice,
    )


_BAR = {True: "reached", False: "below: not measurable", None: None}


def _excluded(view: ProfileView, evidence: Evidence, notice: str) -> Table:
    rows: list[dict[str, Any]] = [row.model_dump() for row in view.excluded]
    if evidence.annotation is not None:
        rows += [
            {"what": f"pair of {row.slot.replace('_', ' ')}", "reason": row.reason, "n": row.n}
            for row in evidence.annotation.excluded
        ]
    return Table(
        name="excluded",
        title="What was left out, and why",
        caption="Refused edits are counted in the yield table; here is what was left out later.",
        columns=(
            Column("what", "what"),
            Column("judge", "judge"),
            Column("reason", "reason"),
            Column("n", "n", "count"),
        ),
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
    )


def _missed(view: ProfileView, missed: Sequence[MissedBy], notice: str) -> Table:
    return Table(
        name="missed",
        title="Construct edits that a judge did not notice",
        caption=(
            "The most confident misses, at most ten a judge: those whose edited text was graded "
            "highest. missed_all.csv has every one."
        ),
        columns=(
            Column("judge", "judge"),
            Column("slot", "slot", "name"),
            Column("axis", "axis", "name"),
            Column("base_id", "base item"),
            Column("original", "original"),
            Column("edited", "edited"),
            Column("before", "grade of original", "number"),
            Column("after", "grade of edit", "number"),
            Column("noticed_by", "other judges that noticed", "count"),
        ),
        rows=tuple(
            {
                "judge": by.judge,
                "slot": one.edit.slot,
                "axis": one.edit.axis,
                "base_id": one.edit.base_id,
                "original": one.edit.original,
                "edited": one.edit.edited,
                "before": one.before,
                "after": one.after,
                "noticed_by": one.noticed_by,
            }
            for by in missed
            for one in by.shown
        ),
        direction=view.direction,
        notice=notice,
    )
