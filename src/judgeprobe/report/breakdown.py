"""Where is a judge weak? Slot by slot, domain by domain, and the pairs in neither arm."""

from judgeprobe.report.contents import R_COLUMN, S_COLUMN
from judgeprobe.report.predicted import Predicted
from judgeprobe.report.tabulate import Column, Table
from judgeprobe.report.view import ProfileView

__all__ = ["breakdown_tables"]


def breakdown_tables(view: ProfileView, notice: str, predicted: Predicted) -> tuple[Table, ...]:
    """Every such table that has a row."""
    tables = [
        _slots(view, notice, predicted),
        _slots_by_judge(view, notice),
        _groupings(view, notice),
        _domains(view, notice),
        _apart(view, notice),
    ]
    return tuple(table for table in tables if table.rows)


def _slots(view: ProfileView, notice: str, predicted: Predicted) -> Table:
    s = (view.mean or {}).get("S")
    at = f" at mean S {s:.3f}" if isinstance(s, int | float) else ""
    order = {axis: i for i, axis in enumerate((*view.axes, "control"))}
    found = sorted(view.slots, key=lambda r: (order.get(r.axis, len(order)), r.slot))
    rows = [{**r.model_dump(), "rate": predicted.slots.get(r.slot, r.rate)} for r in found]
    known = {r.slot for r in found}
    rows += [
        {"slot": slot, "rate": rate} for slot, rate in predicted.slots.items() if slot not in known
    ]
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
        rows=tuple(rows),
        direction=view.direction,
        notice=notice,
        marked=frozenset(
            (n, "rate") for n, row in enumerate(rows) if row["slot"] in predicted.slots
        ),
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
            Column("domain", "domain", "name"),
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


def _groupings(view: ProfileView, notice: str) -> Table:
    found = [row for row in view.groupings if row.eta_squared is not None]
    return Table(
        name="groupings",
        title="How well groupings of the slots account for their rates",
        caption=(
            "Eta squared: the share of the variance between slot rates that lies between the "
            "groups. The registered grouping is the taxonomy's axes."
        ),
        columns=(
            Column("name", "grouping"),
            Column("n_groups", "groups", "count"),
            Column("n_slots", "slots", "count"),
            Column("eta_squared", "eta squared", "rate"),
        ),
        rows=tuple(row.model_dump() for row in found),
        direction=view.direction,
        notice=notice,
    )
