"""How does a person read an audit of judge errors? One page made from the result alone."""

from typing import Any

from judgeprobe.audit.interval_chart import Bar, Chart, interval_chart
from judgeprobe.audit.page import Page, Table, listed, number, p_value, sources

__all__ = ["errors_page"]

_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "not adjusted"}

_COUNTED = {
    "not_graded": "Rows without the judge's grade, left out",
    "without_cluster": "Rows without a cluster, left out",
    "not_labelled": "Rows without people's label, which count for segments only",
    "without_covariate": "Rows that lack a covariate, left out of the regression",
}


def errors_page(result: dict[str, Any]) -> Page:
    """The audit as a page."""
    tables = []
    if result["effects"]:
        tables.append(_effects(result))
    if result["segments"]:
        tables.append(_segments(result))
    what = "the difference of two systems" if result["comparison"] else "the judge's error"
    found = [e["name"] for e in result["effects"] if e["p_adjusted"] <= 1 - result["level"]]
    return Page(
        title=f"Judge-error audit of {result['file']}",
        lead=f"{result['counts']['rows']} rows, {result['n']} with both grades; {what}, judge "
        f"minus people; intervals at {result['level']:.0%}.",
        headline=_headline(result, found),
        warn=bool(found or result["hidden_by_global"]),
        facts=tuple(_facts(result)),
        chart=_segment_chart(result) if result["segments"] else _effect_chart(result),
        tables=tuple(tables),
        notes=tuple(
            f"{what}: {result['counts'][reason]}."
            for reason, what in _COUNTED.items()
            if result["counts"][reason]
        ),
        limits=(
            "That a covariate causes the error: what goes with it may be the cause.",
            "Anything about rows without labels, unless the labelled ones are a random part.",
            "That the judge is without bias where no effect is found: read the interval.",
        ),
        source=sources(result),
    )


def _headline(result: dict[str, Any], found: list[str]) -> str:
    if result["reason"]:
        return f"No error is measured: {result['reason']}."
    mean, low, high = (number(result[f"mean_error{end}"], 4) for end in ("", "_low", "_high"))
    told = f"Mean error {mean} ({low} to {high}) over {result['n']} rows with both grades."
    if found:
        return f"{told} It goes with {listed(found)}."
    if result["effects"]:
        return f"{told} No covariate's effect is told from zero after adjustment."
    return told


def _facts(result: dict[str, Any]) -> list[str]:
    told = []
    if hidden := result["hidden_by_global"]:
        told.append(
            f"One correction for all rows misstates {listed(hidden)}: it lies outside the "
            "segment's own interval."
        )
    told += [
        f"{column}: each level against {level}." for column, level in result["references"].items()
    ]
    if result["covariance"] is not None:
        clusters = result["n_clusters"]
        ending = "" if clusters is None else f" over {clusters} clusters"
        told.append(
            f"Standard errors: {result['covariance']}{ending}; "
            f"adjustment: {_CORRECTIONS[result['correction']]}."
        )
    return told


def _effects(result: dict[str, Any]) -> Table:
    shown = ("effect", "std_error", "low", "high")
    adjustment = _CORRECTIONS[result["correction"]]
    return Table(
        f"Effects on judge minus people ({result['covariance']}, {adjustment})",
        ["covariate", "effect", "std error", "low", "high", "p", "p adjusted"],
        [
            [
                each["name"],
                *(_fine(each[key]) for key in shown),
                p_value(each["p"]),
                p_value(each["p_adjusted"]),
            ]
            for each in result["effects"]
        ],
    )


def _fine(value: float | None) -> str:
    """Four decimals, or four digits where an effect for one unit is smaller than that."""
    if value is None or value == 0 or abs(value) >= 0.001:
        return number(value, 4)
    return f"{value:.3g}"


def _segments(result: dict[str, Any]) -> Table:
    return Table(
        f"Segments: p tests that the {result['tested']} ({_CORRECTIONS[result['correction']]})",
        ["segment", "n", "labels", "judge", "corrected", "low", "high", "by global", "p adjusted",
         "status"],
        [_segment(each) for each in _with_all(result)],
    )  # fmt: skip


def _with_all(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [*result["segments"], {**result["global"], "segment": "(all rows)"}]


def _segment(each: dict[str, Any]) -> list[str]:
    shown = ("judge", "corrected", "low", "high", "by_global")
    status = each["status"] if not each["reason"] else f"{each['status']}: {each['reason']}"
    return [
        each["segment"],
        str(each["n"]),
        str(each["n_gold"]),
        *(number(each[key], 4) for key in shown),
        p_value(each["p_adjusted"]),
        status,
    ]


def _segment_chart(result: dict[str, Any]) -> Chart | None:
    bars = [
        Bar(each["segment"], each["corrected"], each["low"], each["high"], each["judge"])
        for each in _with_all(result)
    ]
    return interval_chart(
        "Judge's mean and corrected mean of each segment",
        "difference of the two systems" if result["comparison"] else "mean grade",
        bars,
        reference=0.0 if result["comparison"] else None,
        legend="Hollow: the judge's own mean. Dots: corrected by people's labels, with the "
        "interval; a segment without a dot is not corrected.",
    )


def _effect_chart(result: dict[str, Any]) -> Chart | None:
    # Covariates have different units: an effect over its standard error has none.
    bars = [
        Bar(
            each["name"],
            each["effect"] / each["std_error"],
            each["low"] / each["std_error"],
            each["high"] / each["std_error"],
        )
        for each in result["effects"]
        if each["std_error"] > 0
    ]
    return interval_chart(
        "Effects on the judge's error",
        "effect in its own standard errors",
        bars,
        reference=0.0,
        legend="Dots: effects with their intervals, not adjusted. Dashed: no effect.",
    )
