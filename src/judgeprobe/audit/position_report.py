"""How does a person read an audit of position? One page made from the result alone."""

from typing import Any

from judgeprobe.audit.interval_chart import Bar, interval_chart
from judgeprobe.audit.page import Page, Table, number, p_value, sources

__all__ = ["position_page"]

_QUESTIONS = {
    "longer": "names the longer",
    "own": "names its own family's",
    "gold": "names what people prefer",
}


def position_page(result: dict[str, Any]) -> Page:
    """The audit as a page."""
    shares = _shares(result)
    rows = [
        [
            name,
            str(share["n"]),
            *(number(share[key], 4) for key in ("rate", "low", "high")),
            p_value(share["p"]),
        ]
        for name, share in shares
    ]
    columns = ["question", "comparisons", "rate", "low", "high", "p"]
    left_out = f"Comparisons without a winner in both orders, left out: {result['n_unread']}."
    return Page(
        title=f"Position audit of {result['file']}",
        lead=f"{result['n']} comparisons, each judged in both orders; exact binomial intervals at "
        f"{result['level']:.0%}.",
        headline=_headline(result),
        warn=_prefers(result["changed"]) or _prefers({**result, "rate": result["first_rate"]}),
        facts=tuple(
            f"{name}: {share['reason']}." for name, share in shares if share["reason"] != ""
        ),
        chart=interval_chart(
            "How often the judge names an answer",
            "share of verdicts",
            [Bar(name, share["rate"], share["low"], share["high"]) for name, share in shares],
            reference=0.5,
            legend="Dots: shares with their exact intervals. Dashed: no preference, one half.",
            span=(0.0, 1.0),
        ),
        tables=(Table("Preference", columns, rows),),
        notes=(left_out,) if result["n_unread"] else (),
        limits=(
            "That a preference for the longer, or for the judge's own family, is an error: the "
            "answer may be the better one.",
            "Over 2n verdicts the interval is too wide for a consistent judge and too narrow for "
            "an inconsistent one; the changed verdicts alone are counted once each.",
            "Anything about comparisons that were left out: a judge may tie more in one order.",
        ),
        source=sources(result),
    )


def _shares(result: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    first = {**result, "rate": result["first_rate"]}
    changed = ("changed verdicts: the first", result["changed"])
    probes = [(_QUESTIONS[probe["name"]], probe) for probe in result["probes"]]
    return [("names the first shown", first), changed, *probes]


def _prefers(share: dict[str, Any]) -> bool:
    return share["low"] is not None and not share["low"] <= 0.5 <= share["high"]


def _headline(result: dict[str, Any]) -> str:
    if result["reason"]:
        return f"Nothing can be said: {result['reason']}."
    told = (
        f"The judge names the first shown in {number(result['first_rate'])} of verdicts "
        f"({number(result['low'])} to {number(result['high'])}) and the same winner in both orders "
        f"in {number(result['consistent'])} of comparisons."
    )
    changed = result["changed"]
    if not _prefers(changed):
        return told
    place = "first" if changed["rate"] > 0.5 else "second"
    return f"{told} Where the order changes its verdict, it favours the {place} shown."
