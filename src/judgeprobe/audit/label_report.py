"""How does a person read the audit of a label set? As a Markdown and as an HTML page.

Both are made from the result alone, so a saved result can be reported again.
"""

import math
from typing import Any

from judgeprobe.audit.page import escape_markdown, number, render

__all__ = ["headline", "labels_html", "labels_markdown"]

LABEL_WIDTH = 130
PLOT_WIDTH = 560
BAR_HEIGHT = 34


def headline(result: dict[str, Any]) -> str:
    """The finding in one sentence."""
    power = result["power"]
    best = f"{result['a_imp_member']} recovers the labels with kappa {result['a_imp']:.3f}"
    if result["pattern"]["member"] is None:
        best += ", which no member's null excludes"
    if power["estimate"] is None:
        most = number(1 - result["a_imp"])
        return f"{best}; without a second annotator, validation power is at most {most}."
    told = f"{power['estimate']:.3f} [{power['low']:.3f}, {power['high']:.3f}]"
    endings = {
        "resolved": f"validation power is {told}.",
        "not resolvable": f"validation power ({told}) is not resolvable: the intervals overlap.",
        "ceiling exceeded": f"that is above the human ceiling (power {told}).",
    }
    return f"{best}; {endings[power['status']]}"


def labels_html(result: dict[str, Any]) -> str:
    """One self-contained HTML page."""
    return render(
        "labels.html.j2",
        title=f"Validation power of {result['set']}",
        r=result,
        headline=headline(result),
        ordered=any(member["kappa_linear"] is not None for member in result["members"]),
        chart=_chart(result),
    )


def _chart(result: dict[str, Any]) -> dict[str, Any]:
    members = result["members"]
    lowest = min([0.0, *(min(m["kappa"], m["null_q05"]) for m in members)])
    low = -0.2 * math.ceil(-lowest / 0.2)

    def place(value: float) -> float:
        return float(round(LABEL_WIDTH + (value - low) / (1 - low) * PLOT_WIDTH, 1))

    bars = []
    for index, member in enumerate(members):
        zero, end = place(0.0), place(member["kappa"])
        null_low, null_high = place(member["null_q05"]), place(member["null_q95"])
        bars.append(
            {
                "name": member["name"],
                "kappa": member["kappa"],
                "y": 28 + index * BAR_HEIGHT,
                "x": min(zero, end),
                "width": round(abs(end - zero), 1),
                "null_x": null_low,
                "null_width": round(null_high - null_low, 1),
                "text_x": max(zero, end, null_high) + 6,
            }
        )
    steps = round((1 - low) / 0.2)
    ticks = [low + 0.2 * step for step in range(steps + 1)]
    ceiling = None
    if result["a_hum"] is not None:
        left, right = place(max(low, result["a_hum"]["low"])), place(result["a_hum"]["high"])
        ceiling = {"x": left, "width": max(2.0, round(right - left, 1)), "text_x": right}
    return {
        "width": LABEL_WIDTH + PLOT_WIDTH + 50,
        "height": 28 + BAR_HEIGHT * len(members) + 28,
        "bars": bars,
        "ticks": [{"x": place(tick), "label": f"{tick:.1f}"} for tick in ticks],
        "ceiling": ceiling,
    }


def _table(columns: list[str], rows: list[list[str]]) -> list[str]:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def labels_markdown(result: dict[str, Any]) -> str:
    """One Markdown page with the same content."""
    unit = "pairs" if result["mode"] == "paired" else "texts"
    lines = [
        f"# Validation power of {escape_markdown(result['set'])}",
        "",
        f"{result['mode']} mode, {result['n']} {unit}, {result['folds']['n']} "
        f"{result['folds']['kind']} folds; label null: {result['permutation']['kind']}.",
        "",
        f"**{headline(result)}**",
        "",
        f"{result['pattern']['finding']} {result['pattern']['repair']}",
        "",
        "## Members",
        "",
        *_members(result),
    ]
    if result["shorter"]:
        lines += ["## Length and side", "", *_rules(result)]
    rows = [
        [str(line["line"]), line["asked"], line["holds"], escape_markdown(line["fact"])]
        for line in result["checklist"]
    ]
    lines += ["## The six lines", "", *_table(["line", "asked", "holds", "fact"], rows)]
    if result["by"]:
        lines += ["## By axis, slot or subset", "", *_by(result)]
    if result["transfer"]:
        lines += ["## Transfer", "", *_transfer(result)]
    lines += ["## Left out, and to know", ""]
    lines += [
        f"- left out: {count} ({escape_markdown(reason)})"
        for reason, count in result["excluded"].items()
    ]
    lines += [f"- {escape_markdown(note)}" for note in result["notes"]]
    lines += ["- A weak predictor's failure is no proof that nothing leaks."]
    return "\n".join(lines) + "\n"


def _members(result: dict[str, Any]) -> list[str]:
    columns = ["member", "kappa", "linear", "accuracy", "null mean", "null 95%", "p"]
    rows = [
        [
            member["name"],
            number(member["kappa"]),
            number(member["kappa_linear"]),
            number(member["accuracy"]),
            number(member["null_mean"]),
            number(member["null_q95"]),
            number(member["p"]),
        ]
        for member in result["members"]
    ]
    provenance = result["provenance"]
    if provenance and provenance["kappa"] is not None:
        rows.append(
            [
                "provenance_recoverable (beside the family)",
                number(provenance["kappa"]),
                number(None),
                number(provenance["accuracy"]),
                number(provenance["null_mean"]),
                number(provenance["null_q95"]),
                number(provenance["p"]),
            ]
        )
    return _table(columns, rows)


def _rules(result: dict[str, Any]) -> list[str]:
    rows = [
        [
            f"prefer the {name}",
            str(result[name]["n"]),
            number(result[name]["rate"]),
            f"{number(result[name]['low'])} to {number(result[name]['high'])}",
        ]
        for name in ("shorter", "longer")
    ]
    return _table(["rule", "pairs", "accuracy", "95% interval"], rows)


def _by(result: dict[str, Any]) -> list[str]:
    rows = [
        [
            escape_markdown(part["value"]),
            str(part["n"]),
            number(part["a_imp"]),
            part.get("a_imp_member", "–"),
            number(part.get("a_imp_p")),
            part["reason"] or "",
        ]
        for part in result["by"]
    ]
    return _table(["part", "n", "best kappa", "member", "p", "remark"], rows)


def _transfer(result: dict[str, Any]) -> list[str]:
    rows = [
        [
            escape_markdown(cell["train"]),
            escape_markdown(cell["test"]),
            cell["member"],
            str(cell["n_test"]),
            number(cell["kappa"]) if cell["status"] == "defined" else cell["status"],
            number(cell["accuracy"]),
        ]
        for cell in result["transfer"]
    ]
    return _table(["fitted on", "evaluated on", "member", "n", "kappa", "accuracy"], rows)
