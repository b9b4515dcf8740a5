"""What did the blinded set show? One page from blind/agreement.json and blind/scores.json."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from judgeprobe.files import read_json, write_csv, write_text
from judgeprobe.report.blind_chart import delta_picture
from judgeprobe.report.blind_tables import (
    DIRECTION,
    POWER_NAMES,
    agreement_tables,
    delta_table,
    score_tables,
    standing_delta,
)
from judgeprobe.report.make import draw
from judgeprobe.report.page import Box, Drawn, Page, Section, render
from judgeprobe.report.predicted import PREDICTED, predictions_table
from judgeprobe.report.tabulate import Table
from judgeprobe.study import Study

__all__ = ["make_blind_page"]

LIMITS = (
    "Delta is no error rate of a judge: it says how much of an accuracy came from the label set.",
    "A slip of an annotator lowers the blinded accuracy of every judge, so part of a Delta may be "
    "annotators' noise; the table of unanimous sentences shows how much is left without it.",
    "It is measured on these sentences. A sentence on which the two sets agree cannot move it.",
)
BY_CONSTRUCTION = "inherited labels by construction"
SOURCE = "docs/methods/inflation.md"


def make_blind_page(study: Study, predictions: Sequence[Mapping[str, Any]] = ()) -> Path:
    """Write blind/blind.html and blind/tables/*.csv from what there is; where the page lies.

    Args:
        study: Its folder `blind`.
        predictions: Registered predictions, where there is no score that holds them.

    Raises:
        InputError: A file cannot be read.
        StorageError: The folder cannot be written.
    """
    folder = study.blind_dir
    agreement = _read(folder / "agreement.json")
    scores = _read(folder / "scores.json")
    if scores is not None:
        predictions = scores["predictions"]
    predicted = standing_delta(predictions)
    tables = {table.name: table for table in _tables(agreement, scores, predictions, predicted)}
    for table in tables.values():
        write_csv(folder / "tables" / f"{table.name}.csv", table.csv_columns(), table.csv_rows())
    pictures = {}
    if scores is not None:
        mark = BY_CONSTRUCTION if scores["by_construction"] else ""
        picture = delta_picture(scores["judges"], mark)
        pictures = draw([picture] if picture else [], folder / "figures")
    page = Page(
        name=study.settings.study.name,
        lead=_lead(scores),
        boxes=tuple(_boxes(scores, predicted)),
        sections=tuple(one for one in _sections(scores, tables, pictures) if not one.is_empty),
        kind="Blinded labels",
    )
    path = folder / "blind.html"
    write_text(path, render(page))
    return path


def _read(path: Path) -> dict[str, Any] | None:
    return dict(read_json(path)) if path.exists() else None


def _tables(
    agreement: Mapping[str, Any] | None,
    scores: Mapping[str, Any] | None,
    predictions: Sequence[Mapping[str, Any]],
    predicted: float | None,
) -> Iterable[Table]:
    if scores is not None:
        yield from score_tables(scores, predicted)
    elif predicted is not None:
        common = {"direction": DIRECTION, "notice": PREDICTED}
        yield delta_table([], predicted, common)
    if agreement is not None:
        yield from agreement_tables(agreement)
    if predictions:
        notice = "" if scores is None else scores["notice"]
        yield predictions_table(
            predictions, direction=DIRECTION, notice=notice, name="blind_predictions"
        )


def _lead(scores: Mapping[str, Any] | None) -> str:
    asked = "How much better does a judge look against labels that come from the making of a text?"
    if scores is None:
        return f"{asked} Nothing is scored yet."
    judges = [one for one in scores["judges"] if one["sides"] and not one["control"]]
    facts = scores["set"]
    differ = (
        f"The two label sets differ on {facts['sides_differ']} of {facts['labelled']} sentences."
    )
    if not judges:
        return f"{asked} {differ} No judge but the control judges has a verdict."
    told = []
    for one in judges[:3]:
        delta = one["sides"]["delta"]
        told.append(
            f"{one['judge']} {_signed(delta['estimate'])} "
            f"[{_signed(delta['low'])}, {_signed(delta['high'])}]"
        )
    more = f" and {len(judges) - 3} more judges below" if len(judges) > 3 else ""
    return f"{asked} Delta: {'; '.join(told)}{more}. {differ}"


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def _boxes(scores: Mapping[str, Any] | None, predicted: float | None) -> Iterable[Box]:
    if scores is not None:
        yield Box(
            "Where the labels come from.",
            (
                f"{scores['notice'][:1].upper()}{scores['notice'][1:]}. The blinded labels are the "
                "majority of annotators who saw single sentences and no origin.",
            ),
        )
        facts = scores["set"]
        open_ = facts["incomplete"] + facts["not_labelled"]
        if open_:
            yield Box("Labelling is not finished.", (f"{open_} sentences have no result yet.",))
    if predicted is not None:
        yield Box(
            "Predicted values.",
            (f"What bears a dagger is {PREDICTED}; the register is below.",),
        )


def _sections(
    scores: Mapping[str, Any] | None,
    tables: Mapping[str, Table],
    pictures: Mapping[str, Drawn],
) -> Iterable[Section]:
    def tabled(*names: str) -> tuple[Table, ...]:
        return tuple(tables[name] for name in names if name in tables and tables[name].rows)

    yield Section(
        "delta",
        "Accuracy, and what of it the labels gave",
        paragraphs=_unread(scores),
        tables=tabled("blind_delta", "blind_kappa", "blind_unanimous"),
        folded=tabled("blind_cuts"),
        figures=tuple(pictures.values()),
    )
    yield Section("rates", "Which classes are found", folded=tabled("blind_rates"))
    yield Section(
        "sets",
        "The two label sets",
        paragraphs=_power_words(scores),
        tables=tabled("blind_confusion", "blind_power"),
    )
    yield Section(
        "people",
        "The annotators",
        tables=tabled("blind_agreement", "blind_status", "blind_progress"),
    )
    yield Section("predictions", "Predicted values", tables=tabled("blind_predictions"))
    if scores is None:
        return
    yield Section("facts", "What was scored", facts=tuple(_facts(scores)))
    yield Section("limits", "What this does not show", methods=tuple((t, SOURCE) for t in LIMITS))
    yield Section("hashes", "Made under", hashes=tuple(scores["made_under"].items()))


def _unread(scores: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Why a judge has no row."""
    if scores is None:
        return ()
    return tuple(
        f"{one['judge']} is not scored: {one['reason']}."
        for one in scores["judges"]
        if one["sides"] is None
    )


def _power_words(scores: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Why a set has no validation power."""
    if scores is None:
        return ()
    if scores["power"] is None:
        return ("Validation power was not asked for (--no-power).",)
    return tuple(
        f"Validation power, {told}: {scores['power'][name]['reason']}."
        for name, told in POWER_NAMES.items()
        if scores["power"][name]["reason"]
    )


def _facts(scores: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    facts, settings = scores["set"], scores["settings"]
    yield "Sentences", f"{facts['units']} from {facts['source']}, in {facts['groups']} groups"
    for reason, n in facts["left_out"].items():
        yield "Left out", f"{n} {reason}"
    yield "Annotators", str(facts["annotators"])
    yield "Without a majority", str(facts["no_majority"])
    yield "Classes that hold", ", ".join(scores["holds"])
    others = [name for name in scores["classes"] if name not in scores["holds"]]
    yield "Classes that overreach", ", ".join(others)
    for one in scores["judges"]:
        for reason, n in one["counts"]["no_verdict"].items():
            yield f"Without a verdict of {one['judge']}", f"{n} ({reason})"
    yield "Intervals", f"{settings['level']:.0%}, {settings['resamples']} draws of groups"
    yield "Seed", str(settings["seed"])
