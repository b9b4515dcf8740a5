"""Which tables tell of items, days, orders, wordings and quantizations? It makes no number."""

from collections.abc import Iterator, Mapping
from typing import Any

from judgeprobe.report.tabulate import Column, Table

__all__ = ["more_tables"]


def more_tables(found: Mapping[str, Any], common: Mapping[str, Any]) -> Iterator[Table]:
    """The tables beside those of the comparisons; some may be without rows."""
    yield _ranges(found, common)
    yield _orders(found, common)
    yield _days(found, common)
    yield _groups(found, common)
    yield from _splits(found, "bars", common)
    yield from _splits(found, "domains", common)


def _ranges(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    return Table(
        name="variant_prompt_ranges",
        title="How far S and R range over the wordings",
        caption=(
            "Each judge at its own operating point under each wording of the prompt, the one with "
            "the claim first included. R and its S need not be from the same wording; the table of "
            "comparisons holds each pair."
        ),
        columns=(
            Column("judge", "judge"),
            Column("n_prompts", "wordings", "count"),
            *(
                Column(f"{rate}_{end}", f"{rate} {told}", "rate")
                for rate in ("S", "R")
                for end, told in (
                    ("study", "in the study"),
                    ("lowest", "lowest"),
                    ("highest", "highest"),
                )
            ),
            Column("moved", "moved", "count"),
        ),
        rows=tuple(found["prompts"]),
        **common,
    )


def _orders(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    return Table(
        name="variant_orders",
        title="Does the order of the two sentences matter?",
        caption=(
            "S and R in each order, at the cut of the grades' means. Agreement: share of pairs "
            "whose verdict changes in both orders or in none. The last column is the mean grade of "
            "the sentence shown first minus that of the one shown second: 0 without a liking for a "
            "place."
        ),
        columns=(
            Column("judge", "judge"),
            Column("n_pairs", "pairs", "count"),
            Column("R_original_first", "R, original first", "rate", at="S_original_first"),
            Column("R_edit_first", "R, edit first", "rate", at="S_edit_first"),
            Column("agreement", "agreement", "rate"),
            Column("first_minus_second", "first minus second", "signed"),
        ),
        rows=tuple(found["orders"]),
        **common,
    )


def _days(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    rows = [
        {
            **{k: row[k] for k in ("judge", "run", "tau", "S", "R", "n_texts", "agreement")},
            "low": (row["R_interval"] or [None, None])[0],
            "high": (row["R_interval"] or [None, None])[1],
            "changed": _changed(row),
            "fingerprint": ", ".join(row["served"]["served_fingerprint"]),
        }
        for row in found["days"]
    ]
    return Table(
        name="variant_days",
        title="The same calls on other days",
        caption=(
            "Each run at its own operating point. Agreement: share of texts with the same grade as "
            "in the study's own run. What answered is what the replies say of themselves."
        ),
        columns=(
            Column("judge", "judge"),
            Column("run", "run"),
            Column("tau", "τ", "number"),
            Column("S", "S", "rate"),
            Column("R", "R", "rate", ("low", "high")),
            Column("n_texts", "texts", "count"),
            Column("agreement", "agreement", "rate"),
            Column("fingerprint", "fingerprint"),
            Column("changed", "changed since"),
        ),
        rows=tuple(rows),
        **common,
    )


def _changed(row: Mapping[str, Any]) -> str:
    names = [name.removeprefix("served_") for name in row["changed"]]
    return ", ".join(names) if names else "nothing said"


def _groups(found: Mapping[str, Any], common: Mapping[str, Any]) -> Table:
    rows = [
        {
            **{k: row[k] for k in ("group", "judge", "model", "usable_points", "tau", "S", "R")},
            "served": ", ".join(row["served"]["served_model"]),
            "quantization": ", ".join(row["served"]["served_quantization"]),
        }
        for row in found["groups"]
    ]
    return Table(
        name="variant_groups",
        title="Judges that are one model",
        caption="What answered is what the replies say of themselves; a local file shows its hash.",
        columns=(
            Column("group", "model"),
            Column("judge", "judge"),
            Column("served", "answered"),
            Column("quantization", "quantization"),
            Column("usable_points", "points", "count"),
            Column("tau", "τ", "number"),
            Column("R", "R", "rate", at="S"),
        ),
        rows=tuple(rows),
        **common,
    )


def _splits(found: Mapping[str, Any], kind: str, common: Mapping[str, Any]) -> Iterator[Table]:
    split = found[kind]
    title = {
        "bars": "The profile at other agreement bars",
        "domains": "Each domain alone, and all but one",
    }[kind]
    whole = "the items at the study's own bar" if kind == "bars" else "all items"
    caption = (
        "Pairs: construct + invariance. Mean over the judges with an operating point on these "
        "items, every cut chosen anew on them; intervals over base items. Change: against "
        f"{whole}, over the judges read in both."
    )
    axes = found["axes"]
    gap = f"{axes[0]} − {axes[1]}" if len(axes) > 1 else "gap"
    yield Table(
        name=f"variant_{kind}",
        title=title,
        caption=caption,
        columns=(
            Column("subset", "items"),
            Column("pairs", "pairs"),
            *_rate_columns(gap),
        ),
        rows=tuple(_split_row(row, row["mean"], row["change"]) for row in split["rows"]),
        **common,
    )
    yield Table(
        name=f"variant_{kind}_by_judge",
        title=f"{title}, judge by judge",
        caption=caption,
        columns=(
            Column("judge", "judge"),
            Column("subset", "items"),
            *_rate_columns(gap),
            Column("reason", "why not read"),
        ),
        rows=tuple(
            {**_split_row(row, judge["rates"], judge["change"]), **_said(judge)}
            for row in split["rows"]
            for judge in row["judges"]
        ),
        **common,
    )


def _rate_columns(gap: str) -> tuple[Column, ...]:
    return (
        Column("S", "S", "rate", ("S_low", "S_high")),
        Column("R", "R", "rate", ("R_low", "R_high")),
        Column("R_change", "change of R", "signed", ("R_change_low", "R_change_high")),
        Column("gap", gap, "signed", ("gap_low", "gap_high")),
        Column("gap_change", "change of it", "signed", ("gap_change_low", "gap_change_high")),
    )


def _said(judge: Mapping[str, Any]) -> dict[str, Any]:
    return {"judge": judge["judge"], "reason": judge["reason"]}


def _split_row(
    row: Mapping[str, Any], rates: Mapping[str, Any] | None, change: Mapping[str, Any] | None
) -> dict[str, Any]:
    told = f"{row['subset']} (the study's)" if row.get("registered") else row["subset"]
    flat: dict[str, Any] = {
        "subset": told,
        "pairs": f"{row['n_construct']} + {row['n_invariance']}",
    }
    for suffix, values in (("", rates), ("_change", change)):
        for name in ("S", "R", "gap"):
            if values is not None and name in values:
                flat[f"{name}{suffix}"] = values[name]["estimate"]
                flat[f"{name}{suffix}_low"] = values[name]["low"]
                flat[f"{name}{suffix}_high"] = values[name]["high"]
    return flat
