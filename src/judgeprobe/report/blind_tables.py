"""What do the files of a blinded set say, as tables?"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judgeprobe.report.tabulate import Column, Table

__all__ = [
    "DIRECTION",
    "POWER_NAMES",
    "agreement_tables",
    "delta_table",
    "score_tables",
    "standing_delta",
]

# Where the registered prediction of Delta is read from scores.json.
MEAN_DELTA = "blind.mean.delta.estimate"
DIRECTION = "blinded majority"
POWER_NAMES = {
    "inherited": "inherited, two values",
    "blinded": "blinded, two values",
    "blinded_classes": "blinded, all classes",
}


def agreement_tables(report: Mapping[str, Any]) -> Iterable[Table]:
    """Progress and agreement."""
    rows = [{"class": "all classes", **report["overall"]}, *report["classes"]]
    yield Table(
        name="blind_agreement",
        title="Agreement of the annotators",
        caption=(
            "Pairwise: share of pairs of labels that are equal, a class against all others in its "
            "own row. Specific: where one annotator gave the class, how often another did. Kappa "
            "says little where one answer holds 90 percent of the labels; such rows are named."
        ),
        columns=(
            Column("class", "class"),
            Column("n", "sentences", "count"),
            Column("pairwise", "pairwise", "rate", ("low", "high")),
            Column("specific", "specific", "rate"),
            Column("fleiss_kappa", "Fleiss' kappa", "rate"),
            Column("note", "note"),
        ),
        rows=tuple({**row, "note": _degenerate(row)} for row in rows),
        direction=DIRECTION,
    )
    yield Table(
        name="blind_progress",
        title="Labels by annotator",
        caption="Flagged: imported, with something to be looked at.",
        columns=(
            Column("annotator", "annotator"),
            Column("labels", "labels", "count"),
            Column("units", "sentences", "count"),
            Column("flagged", "flagged", "count"),
        ),
        rows=tuple(report["annotators"]),
        direction=DIRECTION,
    )
    yield Table(
        name="blind_status",
        title="What the labels come to",
        caption="Without a majority a sentence carries no label: there is no tie-break.",
        columns=(Column("status", "status"), Column("n", "sentences", "count")),
        rows=tuple({"status": name, "n": n} for name, n in report["status"].items()),
        direction=DIRECTION,
    )


def _degenerate(row: Mapping[str, Any]) -> str:
    if row["degenerate"]:
        return f"degenerate: {row['dominant']} holds {row['share']:.0%}"
    return row["reason"] or ""


def score_tables(scores: Mapping[str, Any], predicted: float | None) -> Iterable[Table]:
    """Judges against both sets, what the sets are, and what they can show.

    Args:
        scores: scores.json.
        predicted: A standing prediction of the mean Delta, where nothing is measured.
    """
    common: dict[str, Any] = {"direction": DIRECTION, "notice": scores["notice"]}
    read = [one for one in scores["judges"] if one["sides"] is not None]
    rows = [_delta_row(one) for one in read]
    yield delta_table([*rows, *_mean_rows(scores["mean"])], predicted, common)
    yield Table(
        name="blind_kappa",
        title="The same beyond chance",
        caption="Cohen's kappa of the verdicts with each set; the difference is paired.",
        columns=(
            Column("judge", "judge"),
            Column("kappa_inherited", "inherited", "rate"),
            Column("kappa_blinded", "blinded", "rate"),
            Column("kappa_delta", "difference", "signed", ("kappa_delta_low", "kappa_delta_high")),
        ),
        rows=tuple(rows),
        **common,
    )
    yield Table(
        name="blind_cuts",
        title="How each judge was read",
        caption="A grade at or above the cut says that the sentence holds.",
        columns=(
            Column("judge", "judge"),
            Column("cut", "cut", "number"),
            Column("how", "where it comes from"),
        ),
        rows=tuple({**one, "how": one["how"] or one["reason"]} for one in scores["judges"]),
        **common,
    )
    unanimous = tuple(_unanimous_rows(scores["judges"]))
    note = (Column("reason", "note"),) if any(row["reason"] for row in unanimous) else ()
    yield Table(
        name="blind_unanimous",
        title="Delta where all annotators agree",
        caption=(
            "Annotators' slips lower accuracy against the blinded labels too. On sentences that "
            "all of them put into one class that share is smallest."
        ),
        columns=(
            Column("judge", "judge"),
            Column("n", "sentences", "count"),
            Column("delta", "Delta", "signed", ("delta_low", "delta_high")),
            Column("p", "p", "p"),
            *note,
        ),
        rows=unanimous,
        **common,
    )
    yield Table(
        name="blind_rates",
        title="Precision and recall against both sets",
        caption=(
            "Recall: of the units of the row, the share that got its verdict. Precision: of the "
            "verdicts, the share that is right. A verdict that may mean several classes has no "
            "precision for one of them."
        ),
        columns=(
            Column("judge", "judge"),
            Column("labels", "labels"),
            Column("name", "verdict or class"),
            Column("kind", "kind"),
            Column("n", "units", "count"),
            Column("named", "named", "count"),
            Column("recall", "recall", "rate", ("recall_low", "recall_high")),
            Column("precision", "precision", "rate", ("precision_low", "precision_high")),
            Column("reason", "note"),
        ),
        rows=tuple(_rate_rows(scores["judges"])),
        **common,
    )
    yield Table(
        name="blind_confusion",
        title="Inherited class against blinded class",
        caption="Rows: inherited. Columns: the annotators' majority. Sentences with a majority.",
        columns=(
            Column("inherited", "inherited"),
            *(Column(name, name, "count") for name in scores["classes"]),
        ),
        rows=tuple(_confusion_rows(scores)),
        **common,
    )
    if scores["power"] is None:
        return
    yield Table(
        name="blind_power",
        title="Validation power of both sets, one text at a time",
        caption=(
            "a_imp: kappa that the best predictor denied the construct reaches. a_hum: kappa of "
            "two annotators. Power is the difference. Kappas of two values and of all classes are "
            "not comparable."
        ),
        columns=(
            Column("labels", "labels"),
            Column("n", "sentences", "count"),
            Column("a_imp", "a_imp", "rate", ("a_imp_low", "a_imp_high")),
            Column("member", "member", "name"),
            Column("p", "p", "p"),
            Column("a_hum", "a_hum", "rate", ("a_hum_low", "a_hum_high")),
            Column("power", "power", "rate", ("power_low", "power_high")),
            Column("status", "status"),
        ),
        rows=tuple(_power_row(told, scores["power"][name]) for name, told in POWER_NAMES.items()),
        **common,
    )


def delta_table(
    rows: Sequence[Mapping[str, Any]], predicted: float | None, common: Mapping[str, Any]
) -> Table:
    """Accuracy against both sets and Delta, a judge a row; a predicted row where asked for."""
    shown = [*rows]
    marked: frozenset[tuple[int, str]] = frozenset()
    if predicted is not None:
        marked = frozenset({(len(shown), "delta")})
        shown.append({"judge": "mean over judges", "delta": predicted})
    return Table(
        name="blind_delta",
        title="Accuracy against inherited and blinded labels, and Delta",
        caption=(
            "Delta is accuracy against the inherited labels minus accuracy against the blinded "
            "labels, on the same sentences: above zero, validating on the inherited set flatters "
            "the judge. A control judge answers from the making of a text, or from its length; its "
            "row tests the machinery."
        ),
        columns=(
            Column("judge", "judge"),
            Column("n", "sentences", "count"),
            Column("inherited", "inherited", "rate", ("inherited_low", "inherited_high")),
            Column("blinded", "blinded", "rate", ("blinded_low", "blinded_high")),
            Column("delta", "Delta", "signed", ("delta_low", "delta_high")),
            Column("p", "p", "p"),
        ),
        rows=tuple(shown),
        direction=common["direction"],
        notice=common["notice"],
        marked=marked,
    )


def standing_delta(predictions: Iterable[Mapping[str, Any]]) -> float | None:
    """The predicted mean Delta, where it stands and nothing is measured."""
    for one in predictions:
        if one["state"] == "standing" and (one["measured_by"] or "").strip() == MEAN_DELTA:
            return float(one["value"])
    return None


def _spread(row: dict[str, Any], name: str, ends: Mapping[str, float] | None) -> None:
    keys = (name, f"{name}_low", f"{name}_high")
    for key, part in zip(keys, ("estimate", "low", "high"), strict=True):
        row[key] = None if ends is None else ends[part]


def _delta_row(one: Mapping[str, Any]) -> dict[str, Any]:
    name = one["judge"] + (" (control)" if one["control"] else "")
    found = one["sides"]
    row: dict[str, Any] = {"judge": name, "n": found["n"], "p": found["p"]}
    _spread(row, "inherited", found["accuracy_inherited"])
    _spread(row, "blinded", found["accuracy_blinded"])
    _spread(row, "delta", found["delta"])
    _spread(row, "kappa_delta", found["kappa_delta"])
    for key in ("kappa_inherited", "kappa_blinded"):
        row[key] = found[key]["value"]
    return row


def _confusion_rows(scores: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    cells = {(one["inherited"], one["blinded"]): one["n"] for one in scores["set"]["confusion"]}
    for name in scores["classes"]:
        row = {other: cells.get((name, other), 0) for other in scores["classes"]}
        if any(row.values()):
            yield {"inherited": name, **row}


def _mean_rows(mean: Mapping[str, Any] | None) -> Iterable[dict[str, Any]]:
    if mean is not None and mean["delta"] is not None and len(mean["judges"]) > 1:
        name = f"mean over {len(mean['judges'])} judges"
        row: dict[str, Any] = {"judge": name, "n": mean["n"], "p": mean["p"]}
        _spread(row, "delta", mean["delta"])
        yield row


def _unanimous_rows(judges: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    for one in judges:
        if one["sides"] is None:
            continue
        found = one["unanimous"]
        row: dict[str, Any] = {"judge": one["judge"], "reason": one["unanimous_reason"]}
        if found is not None:
            row |= {"n": found["n"], "p": found["p"]}
            _spread(row, "delta", found["delta"])
        yield row


def _rate_rows(judges: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    for one in judges:
        for rate in one["rates"]:
            row = {"judge": one["judge"], **rate, "reason": "; ".join(rate["reasons"].values())}
            _spread(row, "recall", rate["recall"])
            _spread(row, "precision", rate["precision"])
            yield row


def _power_row(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"labels": name, "n": found["n"], "reason": found["reason"]}
    if found["a_imp"] is None:
        return row
    row |= {
        "member": found["a_imp_member"],
        "p": found["a_imp_p"],
        "status": found["status"],
    }
    for key in ("a_imp", "a_hum", "power"):
        _spread(row, key, found[key])
    return row
