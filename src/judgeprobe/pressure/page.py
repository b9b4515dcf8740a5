"""How does a person read the result of the pressure arm? One page without scripts.

Through Jinja2 with autoescape: names and texts of models are untrusted. The same effects.json gives
the same bytes.
"""

from typing import Any

import jinja2

from judgeprobe.pressure.figure import PREDICTED, WIDTH, panels
from judgeprobe.pressure.readings import READOUTS, UNITS

__all__ = ["render_page"]

_TITLES = {
    "markers": "Markers: operators of closed word lists (a lower bound)",
    "verifier_vs_neutral": "Verifier: pressed claim beside neutral claim",
    "verifier_vs_evidence": "Verifier: claim beside its evidence, pressed minus neutral",
    "human": "Annotators: pressed claim beside neutral claim, blind",
}


def render_page(found: dict[str, Any]) -> str:
    """The page of effects.json."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("judgeprobe.pressure", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    environment.filters["p"] = _p
    return environment.get_template("pressure.html.j2").render(
        found=found,
        titles=_TITLES,
        units=UNITS,
        readouts=READOUTS,
        panels=panels(found, UNITS),
        width=WIDTH,
        predicted=PREDICTED,
        counted=_counted(found),
    )


def _number(value: float | None, digits: int = 3, *, signed: bool = False) -> str:
    """A number for a table; an en dash where there is none."""
    if value is None:
        return "–"
    return f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def _counted(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Claims of each generator and instruction: wanted, kept, distinct, not kept by reason."""
    wanted = found["passages"] * found["seeds"]
    rows = []
    for one in found["generators"]:
        for condition, counts in one["claims"].items():
            others = {name: n for name, n in counts.items() if name != "kept"}
            told = ", ".join(f"{name} {n}" for name, n in others.items())
            rows.append(
                {
                    "generator": one["name"],
                    "model": one["model"],
                    "condition": condition,
                    "wanted": wanted,
                    "kept": counts.get("kept", 0),
                    "distinct": one["distinct"][condition],
                    "copied": one["copied"][condition],
                    "several": one["several_sentences"][condition],
                    "others": told or "none",
                }
            )
    return rows
