"""Does a result survive another reading? Matched S, dominance, edit length, people's direction."""

from typing import Any

from judgeprobe.report.parts import PartGap
from judgeprobe.report.tabulate import Column, Table
from judgeprobe.report.view import ProfileView

__all__ = ["check_tables"]


def check_tables(view: ProfileView, notice: str) -> tuple[Table, ...]:
    """Every such table that has a row."""
    common = {"direction": view.direction, "notice": notice}
    tables = [
        _matched(view, common),
        _dominance(view, common),
        _gap_checks(view, common),
        _lengths(view, common),
        _length_grades(view, common),
        _direction(view, common),
        _bars(view, common),
    ]
    return tuple(table for table in tables if table.rows)


def _matched(view: ProfileView, common: dict[str, Any]) -> Table:
    rows: dict[str, dict[str, Any]] = {}
    for matched in view.matched:
        for found in matched.judges:
            row = rows.setdefault(found.judge, {"judge": found.judge})
            row |= {f"R_at_{matched.level:g}": found.R, f"S_at_{matched.level:g}": found.S}
    return Table(
        name="matched",
        title="R at matched S",
        caption=(
            "The best R that a judge attains at the S of the column or a stricter one, with the S "
            "it was attained at. – where no cut reaches that S."
        ),
        columns=(
            Column("judge", "judge"),
            *(
                Column(
                    f"R_at_{level.level:g}",
                    f"S ≥ {level.level:.2f}",
                    "rate",
                    at=f"S_at_{level.level:g}",
                )
                for level in view.matched
            ),
        ),
        rows=tuple(rows.values()) if len(rows) > 1 else (),
        **common,
    )


def _dominance(view: ProfileView, common: dict[str, Any]) -> Table:
    asked = {judge.judge for judge in view.judges}
    return Table(
        name="dominance",
        title="How the frontiers stand to each other",
        caption=(
            "Point estimates at every attained S: a dominated judge has the smaller R wherever "
            "the two differ. Sampling error is not in it."
        ),
        columns=(
            Column("judge", "judge"),
            Column("relation", "is"),
            Column("other", "against"),
            Column("judge_above", "larger R of the first at S"),
            Column("other_above", "larger R of the second at S"),
        ),
        rows=tuple(
            {
                "judge": row.judge,
                "relation": row.relation,
                "other": row.other,
                "judge_above": _ranges(row.judge_above),
                "other_above": _ranges(row.other_above),
            }
            for row in view.dominance
            if row.judge in asked and row.other in asked
        ),
        **common,
    )


def _ranges(found: tuple[tuple[float, float], ...]) -> str:
    return ", ".join(f"{low:.3f} to {high:.3f}" for low, high in found)


def _gap_checks(view: ProfileView, common: dict[str, Any]) -> Table:
    gap, lengths = view.gap, view.lengths
    readings: list[tuple[str, PartGap | None]] = []
    if gap is not None and gap.estimate is not None:
        readings = [("pairs on which every annotator agreed", gap.unanimous)]
        if lengths is not None:
            readings += [
                ("edits that lengthen", lengths.lengthened),
                ("edits that shorten", lengths.shortened),
                ("adjusted for the length change", lengths.adjusted),
            ]
    s = (view.mean or {}).get("S")
    return Table(
        name="gap_checks",
        title="The contrast of the axes under other readings",
        caption=(
            "At the same cuts as the contrast above. The adjusted one is a linear regression on "
            "axis, length change and its absolute value."
        ),
        columns=(
            Column("reading", "reading"),
            Column("S", "mean S", "rate"),
            Column("estimate", "gap", "signed", ("low", "high")),
            Column("n_pairs", "construct edits", "count"),
            Column("positive_judges", "judges with gap above 0", "count"),
            Column("n_judges", "of", "count"),
        ),
        rows=tuple(
            {"reading": name, "S": s, **found.model_dump()}
            for name, found in readings
            if found is not None and found.estimate is not None
        ),
        **common,
    )


def _lengths(view: ProfileView, common: dict[str, Any]) -> Table:
    lengths = view.lengths
    rows = (*lengths.axes, *lengths.slots) if lengths is not None else ()
    return Table(
        name="lengths",
        title="How much edits change the length",
        caption=(
            "Shares of the original's characters. What an edit does fixes its length change, so "
            "length cannot be varied apart from the slot."
        ),
        columns=(
            Column("name", "axis or slot", "name"),
            Column("n", "n", "count"),
            Column("median_absolute", "median |change|", "rate"),
            Column("median_signed", "median change", "signed"),
            Column("longer", "share longer", "rate"),
        ),
        rows=tuple({"name": row.slot or row.axis, **row.model_dump()} for row in rows),
        **common,
    )


def _length_grades(view: ProfileView, common: dict[str, Any]) -> Table:
    found = view.lengths.correlation if view.lengths is not None else ()
    return Table(
        name="length_grades",
        title="Does a judge grade by length?",
        caption="Correlation of a text's length with its grade, over all graded texts.",
        columns=(
            Column("judge", "judge"),
            Column("r", "r", "signed", ("low", "high")),
            Column("n", "texts", "count"),
        ),
        rows=tuple(row.model_dump() for row in found if row.r is not None),
        **common,
    )


def _direction(view: ProfileView, common: dict[str, Any]) -> Table:
    rows: list[dict[str, Any]] = []
    for judge in view.judges:
        point, way, agreed = judge.operating_point, judge.direction, judge.agreement
        if point is None or way is None:
            continue
        row: dict[str, Any] = {"judge": judge.judge, "S": point.S, "R": point.R}
        row |= {"share": way.share, "low": way.low, "high": way.high, "n": way.n_changed}
        if agreed is not None:
            kappa = agreed.weighted_kappa_interval or (None, None)
            row |= {"raw": agreed.raw, "kappa": agreed.weighted_kappa, "pairs": agreed.n}
            row |= {"kappa_low": kappa[0], "kappa_high": kappa[1]}
        rows.append(row)
    return Table(
        name="direction_of_change",
        title="Did the verdict change the right way?",
        caption=(
            "Of the construct edits whose verdict changed, the share in which the text that claims "
            "more got the worse verdict; and agreement on which member claims more (original, "
            "neither, edit), raw and as linearly weighted kappa."
        ),
        columns=(
            Column("judge", "judge"),
            Column("S", "S", "rate"),
            Column("R", "R", "rate"),
            Column("share", "the right way", "rate", ("low", "high")),
            Column("n", "changed", "count"),
            Column("raw", "raw agreement", "rate"),
            Column("kappa", "weighted kappa", "signed", ("kappa_low", "kappa_high")),
            Column("pairs", "pairs", "count"),
        ),
        rows=tuple(rows),
        **common,
    )


def _bars(view: ProfileView, common: dict[str, Any]) -> Table:
    rows = []
    for bar in view.bars:
        mean, gap = bar.mean or {}, bar.gap or PartGap()
        rows.append(
            {
                "bar": bar.bar,
                "registered": "fixed beforehand" if bar.registered else None,
                "n_slots": len(bar.slots),
                "n_pairs": bar.n_pairs,
                "n_judges": bar.n_judges,
                "S": mean.get("S"),
                "R": mean.get("R"),
                "estimate": gap.estimate,
                "low": gap.low,
                "high": gap.high,
            }
        )
    return Table(
        name="bars",
        title="The profile at other agreement bars",
        caption=(
            "Slots whose annotators agree at least so often; every judge is read anew at each bar. "
            "A contrast that grows as the bar falls is partly about which edits survive."
        ),
        columns=(
            Column("bar", "bar", "number"),
            Column("registered", "note"),
            Column("n_slots", "slots", "count"),
            Column("n_pairs", "pairs", "count"),
            Column("n_judges", "judges", "count"),
            Column("S", "mean S", "rate"),
            Column("R", "mean R", "rate"),
            Column("estimate", "gap", "signed", ("low", "high")),
        ),
        rows=tuple(rows),
        **common,
    )
