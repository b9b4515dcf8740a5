"""How does a person read a residualization audit? Tables, a Markdown page and an HTML page.

All are made from the result alone. The slice gain is in one table with the full-population change.
"""

from collections.abc import Sequence
from typing import Any

from judgeprobe.audit.page import Table, escape_markdown, markdown_table, number, render

__all__ = ["residual_html", "residual_markdown", "residual_tables"]


def residual_tables(result: dict[str, Any]) -> list[Table]:
    """Every table of a result, in reading order."""
    if result.get("branch") == "designed":
        return _designed(result)
    tables = [_stages(result)]
    if result.get("full"):
        tables.append(_dual(result))
    for name, variants in (result.get("sensitivity") or {}).items():
        tables.append(_sweep(name, variants))
    if result.get("controls"):
        tables.append(_controls(result["controls"]))
    return tables


def _between(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _passed(value: bool | None) -> str:  # noqa: FBT001 - it names a finding, switches nothing
    return {True: "passed", False: "not passed", None: "not reached"}[value]


def _stages(result: dict[str, Any]) -> Table:
    eligible = result["eligibility"]
    rows = [
        [
            "slice eligibility",
            f"A(a_hat) {number(eligible['auc'])}",
            _between(eligible["low"], eligible["high"]),
            _passed(eligible["passed"]),
        ]
    ]
    screen = result.get("screen")
    if screen is not None:
        rows.append(
            [
                "screen: loading",
                f"R2 {number(screen['r2'])}",
                _between(screen["r2_low"], screen["r2_high"]),
                _passed(screen["passed"]),
            ]
        )
        rows.append(
            [
                "screen: slice degradation",
                number(screen["delta_slice"]),
                _between(screen["delta_low"], screen["delta_high"]),
                _passed(screen["passed"]),
            ]
        )
    found = result.get("decorrelation")
    if found is not None:
        rows.append(
            [
                "index decorrelation (apart)",
                f"{number(found['raw'])} → {number(found['adjusted'])}",
                _between(found["low"], found["high"]),
                "met" if found["met"] else "not met",
            ]
        )
    probe = result.get("probe")
    if probe is not None:
        rows.append(
            [
                "nonlinear probe (apart)",
                f"{number(probe['raw'])} → {number(probe['adjusted'])}",
                "–",
                "relocated" if probe["relocated"] else "not relocated",
            ]
        )
    return Table("Stages", ["stage", "value", "95% interval", "reading"], rows)


def _dual(result: dict[str, Any]) -> Table:
    sliced, full = result["slice"], result["full"]
    rows = [
        [
            f"declared slice (n = {sliced['n']})",
            number(sliced["raw"]),
            number(sliced["adjusted"]),
            number(sliced["gain"]),
            _between(sliced["low"], sliced["high"]),
        ],
        [
            "all rows",
            number(full["raw"]),
            number(full["adjusted"]),
            number(full["change"]),
            _between(full["low"], full["high"]),
        ],
    ]
    flagged = result["flagged"]
    if flagged is not None:
        change = flagged["adjusted"] - flagged["raw"]
        rows.append(
            [
                "flagged rows (observable)",
                number(flagged["raw"]),
                number(flagged["adjusted"]),
                number(change),
                "–",
            ]
        )
    ranking = result["ranking"]
    for name, label in (("mrr", "MRR inside groups"), ("auc", "AUC inside groups")):
        before, after = ranking[f"{name}_raw"], ranking[f"{name}_adjusted"]
        if before is not None:
            rows.append([label, number(before), number(after), number(after - before), "–"])
    columns = ["population", "raw", "adjusted", "change", "95% interval"]
    return Table("What changed, on the slice and everywhere else", columns, rows)


def _sweep(name: str, variants: Any) -> Table:
    title = f"Sensitivity: {name}"
    if isinstance(variants, dict):
        return Table(title, ["remark"], [[variants["reason"]]])
    if name == "gates":
        rows = [[v["gate"], f"{v['value']:g}", v["outcome"]] for v in variants]
        return Table(title, ["gate", "value", "outcome"], rows)
    rows = [
        [
            v["name"],
            number(v["gain"]),
            number(v["full_change"]),
            number(v["decorrelation"]),
            number(v["r2"]),
            v["remark"],
        ]
        for v in variants
    ]
    columns = ["variant", "slice gain", "full change", "|corr|", "R2", "remark"]
    return Table(title, columns, rows)


def _controls(found: Sequence[dict[str, Any]]) -> Table:
    rows = [
        [
            control["name"],
            str(control.get("n_slice", "–")),
            number(control["gain"]),
            _between(*_ends(control.get("ends"))),
            number(control.get("full_change")),
            control["remark"],
        ]
        for control in found
    ]
    columns = ["control", "slice rows", "slice gain", "95% interval", "full change", "remark"]
    return Table("Controls on the slice", columns, rows)


def _ends(ends: dict[str, Any] | None) -> tuple[float | None, float | None]:
    return (None, None) if ends is None else (ends["low"], ends["high"])


def _designed(result: dict[str, Any]) -> list[Table]:
    rows = [
        [
            found["kind"],
            found["name"],
            str(found["units"]),
            *(
                f"{number(part['value'])} [{_between(part['low'], part['high'])}]"
                for part in (found["raw"], found["adjusted"], found["change"])
            ),
        ]
        for found in result["contrasts"]
    ]
    tables = [
        Table(
            "Paired contrasts",
            ["kind", "contrast", "units", "raw", "adjusted", "change"],
            rows,
        )
    ]
    if result["equivalence"]:
        rows = [
            [
                each["name"],
                number(each["margin"]),
                _between(each["low"], each["high"]),
                "equivalent" if each["equivalent"] else "not shown",
            ]
            for each in result["equivalence"]
        ]
        tables.append(
            Table("Equivalence to zero", ["effect", "margin", "90% interval", "reading"], rows)
        )
    if result["transfer"]:
        rows = [
            [each["fitted_on"], each["applied_to"], number(each["raw"]), number(each["adjusted"])]
            for each in result["transfer"]
        ]
        tables.append(
            Table("Transfer across edits", ["fitted on", "applied to", "raw", "adjusted"], rows)
        )
    if result["assignment"]:
        rows = [
            [
                number(each["p"], 2),
                number(each["rho"]),
                number(each["win_raw"]),
                number(each["win_adjusted"]),
                number(each["eligibility"]),
                number(each["loading"]),
                each["outcome"],
            ]
            for each in result["assignment"]
        ]
        columns = ["p", "rho", "win raw", "win adjusted", "A(a_hat)", "R2", "outcome"]
        tables.append(Table("Assignment probe", columns, rows))
    return tables


def residual_markdown(result: dict[str, Any]) -> str:
    """One Markdown page."""
    lines = [f"# Residualization audit of {escape_markdown(result['file'])}", ""]
    if "outcome" in result:
        lines += [f"**Outcome: {result['outcome']}.** {escape_markdown(result['claim'])}", ""]
        lines += [f"- {escape_markdown(fact)}" for fact in _facts(result)]
        lines.append("")
    for table in residual_tables(result):
        lines += markdown_table(table)
    return "\n".join(lines)


def residual_html(result: dict[str, Any]) -> str:
    """One self-contained HTML page."""
    return render(
        "residual.html.j2",
        title=f"Residualization audit of {result['file']}",
        r=result,
        outcome=result.get("outcome"),
        claim=result.get("claim"),
        facts=_facts(result) if "outcome" in result else [],
        tables=residual_tables(result),
    )


def _facts(result: dict[str, Any]) -> list[str]:
    provenance = result["provenance"]
    facts = [
        f"Label provenance: {provenance['statement'] or 'not stated'}",
        f"Shared-convention risk: {provenance['shared_convention_risk'] or 'not stated'}",
    ]
    if "strict" in result:
        facts.append(f"With whole intervals at every gate: {result['strict']['outcome']}")
    facts += [f"{stage}: {reason}" for stage, reason in result.get("reasons", {}).items()]
    facts.append(
        "No stage detects that construct and artifact are entangled: a heavily loaded score passes "
        "every gate there."
    )
    facts += [f"left out: {count} ({why})" for why, count in result["excluded"].items()]
    return facts
