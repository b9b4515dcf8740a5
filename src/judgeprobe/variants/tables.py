"""Which tables tell what the variants showed? From variants.json to rows; it makes no number."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from judgeprobe.report.tabulate import Column, Table
from judgeprobe.variants.comparing import matched_at
from judgeprobe.variants.more_tables import more_tables

__all__ = ["TITLES", "variant_tables"]

# Kinds that compare a variant with the study, judge by judge, in the order of the page.
TITLES = {
    "prompts": "The shipped prompt in other words",
    "order": "The claim before the evidence",
    "paired": "Both sentences shown at once",
    "drift": "Runs on other days",
    "quantization": "Quantizations of one model",
}

_AT_POINTS = (
    "Each reading at its own operating point, on the pairs graded in both. The intervals resample "
    "base items, the same ones on both sides, and choose both cuts anew in every resample."
)


def variant_tables(found: Mapping[str, Any]) -> dict[str, Table]:
    """Every table of the page, by name; those without rows are left out."""
    common = {"direction": _direction(found), "notice": found["watermark"] or ""}
    tables = [
        _runs(found, common),
        _pilots(found, common),
        _spaces(found, common),
        _remedies(found, common),
        _remedies_one_cut(found, common),
        *(_compared(found, kind, common) for kind in TITLES),
        _matched(found, common),
        *more_tables(found, common),
    ]
    return {table.name: table for table in tables if table.rows}


def _direction(found: Mapping[str, Any]) -> str:
    return "human" if found["direction"] == "human" else "construction"


def _runs(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    return Table(
        name="variant_runs",
        title="What was changed",
        caption="One thing in each variant; edits, labels and everything else are the study's.",
        columns=(
            Column("variant", "variant"),
            Column("change", "change"),
            Column("judges", "judges asked"),
            Column("state", "state"),
        ),
        rows=tuple(
            {
                "variant": row["variant"],
                "change": row["change"],
                "judges": ", ".join(judge["judge"] for judge in row["judges"]),
                "state": row["not_compared"] or _complete(row),
            }
            for row in found["variants"]
        ),
        **common,
    )


def _complete(row: Mapping[str, Any]) -> str:
    told = ", ".join(f"{n} pairs of {judge}" for judge, n in row["unasked"].items())
    return f"compared, but not complete: {told} not asked" if told else "compared"


def _pilots(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    rows = [
        {
            "judge": pilot["judge"],
            "variant": row["variant"],
            **{name: pilot[name] for name in ("texts", "graded", "usable", "points", "agreement")},
            "failures": _counted(pilot["failures"]),
            "verdict": pilot["verdict"],
        }
        for row in found["variants"]
        for pilot in row["pilot"]
    ]
    return Table(
        name="variant_pilots",
        title="The pilot of each elicitation",
        caption=(
            "A sample graded twice before the sweep. Usable grades make up at least the taxonomy's "
            "usable share; points are the cuts between them. Regrade: share of texts given the "
            "same grade again."
        ),
        columns=(
            Column("judge", "judge"),
            Column("variant", "elicitation"),
            Column("texts", "texts", "count"),
            Column("graded", "graded", "count"),
            Column("failures", "not graded"),
            Column("usable", "usable grades", "count"),
            Column("points", "points", "count"),
            Column("agreement", "regrade", "rate"),
            Column("verdict", "verdict"),
        ),
        rows=tuple(rows),
        **common,
    )


def _counted(failures: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in failures.items())


def _spaces(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    return Table(
        name="variant_granularity",
        title=f"R in each verdict space, all at S ≥ {found['floor']:.2f}",
        caption=(
            "Difference and surviving share are against the judge's coarsest space, on the pairs "
            "graded in both. Surviving: of the construct edits missed there, the share that is "
            "still missed here, (1 − R here) / (1 − R there). Without a τ no cut reaches the S, "
            "and the verdict is constant."
        ),
        columns=(
            Column("judge", "judge"),
            Column("space", "space"),
            Column("points", "points of the scale", "count"),
            Column("usable_grades", "usable grades", "count"),
            Column("n_ungraded", "not graded", "count"),
            Column("tau", "τ", "number"),
            Column("R", "R", "rate", at="S"),
            Column("difference", "difference of R", "signed", ("low", "high")),
            Column("surviving", "misses surviving", "rate", ("surviving_low", "surviving_high")),
            Column("reason", "why constant"),
        ),
        rows=tuple(_space(row) for row in found["granularity"]),
        **common,
    )


def _space(row: Mapping[str, Any]) -> dict[str, Any]:
    flat = {k: v for k, v in row.items() if not isinstance(v, dict | list)}
    if row["space"] == row["coarsest"] or "R_difference" not in row:
        return flat
    moved, kept = row["R_difference"], row["surviving"]
    return {
        **flat,
        "difference": moved["difference"],
        "low": moved["low"],
        "high": moved["high"],
        "surviving": kept["share"],
        "surviving_low": kept["low"],
        "surviving_high": kept["high"],
    }


def _remedies(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    return Table(
        name="variant_remedies",
        title="Reliability remedies at their own operating points",
        caption=(
            f"Predicted from the independence of S and R: S may rise, R need not. As predicted: "
            f"the whole interval of R within ±{found['margin']:g} and S not lower. Contradicted: R "
            f"moves, or S falls. One call: of the same judge, at the same temperature. {_AT_POINTS}"
        ),
        columns=_columns(("after_judge", "remedy"), ("before", "against")),
        rows=tuple(_change(row) for row in _of_kind(found, "remedies")),
        **common,
    )


def _remedies_one_cut(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    rows = [
        {**_change(row, "same_cut"), **{name: row["same_cut"][name] for name in ("status", "why")}}
        for row in _of_kind(found, "remedies")
        if row.get("same_cut") is not None
    ]
    return Table(
        name="variant_remedies_one_cut",
        title="The same remedies at the cut of the judge without them",
        caption=(
            "The verdicts that a user gets who adds the remedy and leaves the cut. Noise changes "
            "verdicts in both arms, so less of it raises S and takes from R what was noise. The "
            "cut is held in every resample."
        ),
        columns=_columns(("after_judge", "remedy"), ("before", "against")),
        rows=tuple(rows),
        **common,
    )


def _compared(found: Mapping[str, Any], kind: str, common: Mapping[str, Any]) -> Table:
    rows = [_change(row) for row in _of_kind(found, kind)]
    names = (("judge", "judge"), ("variant", "variant"))
    if kind == "quantization":
        names = (("after_judge", "judge"), ("before", "against"))
    return Table(
        name=f"variant_{kind}",
        title=TITLES[kind],
        caption=(
            f"Holds: both intervals within ±{found['margin']:g}. Moved: one excludes zero. With "
            f"many rows some exclude it by chance. {_AT_POINTS}"
        ),
        columns=_columns(*names),
        rows=tuple(rows),
        **common,
    )


def _of_kind(found: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    return (row for row in found["comparisons"] if row["kind"] == kind)


def _columns(*names: tuple[str, str]) -> tuple[Column, ...]:
    return (
        *(Column(key, head) for key, head in names),
        Column("S", "S", "rate"),
        Column("S_difference", "difference of S", "signed", ("S_low", "S_high")),
        Column("R", "R", "rate"),
        Column("R_difference", "difference of R", "signed", ("R_low", "R_high")),
        Column("n", "pairs", "count"),
        Column("status", "status"),
        Column("why", "why"),
    )


def _change(row: Mapping[str, Any], where: str = "operating") -> dict[str, Any]:
    """One row: where it is now, and how far that is from where it was."""
    names = ("variant", "judge", "before", "after", "after_judge", "status", "why")
    flat: dict[str, Any] = {name: row[name] for name in names}
    at = row[where]
    if at is None:
        return flat
    flat["n"] = row["n_construct"] + row["n_invariance"]
    for rate in ("S", "R"):
        flat[rate] = at["after"][rate]
        flat[f"{rate}_difference"] = at[rate]["difference"]
        flat[f"{rate}_low"], flat[f"{rate}_high"] = at[rate]["low"], at[rate]["high"]
    return flat


def _matched(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    levels = [at["level"] for row in found["comparisons"][:1] for at in row.get("matched", [])]
    return Table(
        name="variant_matched",
        title="R at the same S, study and variant",
        caption=(
            "At each level the best R of both at that S or stricter. Without a cut there the "
            "verdict is constant: S 1, R 0."
        ),
        columns=(
            Column("variant", "variant"),
            Column("judge", "judge"),
            Column("before", "against"),
            Column("level", "S at least", "rate"),
            Column("R_before", "R there", "rate", at="S_before"),
            Column("R_after", "R here", "rate", at="S_after"),
            Column("difference", "difference of R", "signed", ("low", "high")),
        ),
        rows=tuple(_matched_rows(found["comparisons"], levels)),
        **common,
    )


def _matched_rows(
    rows: Iterable[Mapping[str, Any]], levels: Iterable[float]
) -> Iterator[dict[str, Any]]:
    wanted = list(levels)
    for row in rows:
        for level in wanted:
            at = matched_at(row, level)
            if at is not None:
                yield {
                    "variant": row["variant"],
                    "judge": row["after_judge"],
                    "before": row["before"],
                    "level": level,
                    "S_before": at["before"]["S"],
                    "R_before": at["before"]["R"],
                    "S_after": at["after"]["S"],
                    "R_after": at["after"]["R"],
                    **{name: at["R"][name] for name in ("difference", "low", "high")},
                }
