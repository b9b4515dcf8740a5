"""How are two studies shown side by side? Tables, a figure and one page, `compare.html`."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe.files import write_text
from judgeprobe.report.compare import (
    Change,
    Comparison,
    JudgeChange,
    compare_studies,
    load_for_comparison,
)
from judgeprobe.report.make import draw, notice_of, require_one_making, write_table
from judgeprobe.report.page import Box, Page, Section, render
from judgeprobe.report.shift import moves
from judgeprobe.report.tabulate import Column, Table
from judgeprobe.study import Study

__all__ = ["ComparisonReport", "make_comparison"]


@dataclass(frozen=True)
class ComparisonReport:
    """What was made: the page, names of tables and figures, and the comparison itself."""

    page: Path
    tables: tuple[str, ...]
    figures: tuple[str, ...]
    comparison: Comparison


def make_comparison(study: Study, other: Study) -> ComparisonReport:
    """Write `compare.html` and its tables and figure into the reported study's folder.

    Args:
        study: The reported study; differences are its rates minus the other's.
        other: The study it is compared with.

    Raises:
        InputError: A file is missing, or the two cannot be compared.
        MixedArtifactsError: They were made under different taxonomies.
        StorageError: The folder cannot be written.
    """
    names = [one.settings.study.name for one in (study, other)]
    if names[0] == names[1]:
        names = [f"{names[0]} ({one.folder.resolve().name})" for one in (study, other)]
    after, before = load_for_comparison(study, names[0]), load_for_comparison(other, names[1])
    comparison = compare_studies(after, before)
    for side in (after, before):
        require_one_making(side.study, side.view, side.evidence)
    notice = notice_of(after.view) or notice_of(before.view)
    tables = [t for t in _tables(comparison, notice) if t.rows]
    picture = moves(comparison, notice)
    drawn = draw([picture] if picture else [], study.figures_dir)
    for table in tables:
        write_table(table, study.tables_dir)
    page = Page(
        name=f"{after.name} against {before.name}",
        lead=_lead(comparison),
        boxes=tuple(_boxes(comparison, notice)),
        sections=(
            Section(
                "changes",
                "What changed",
                paragraphs=tuple(_unread(comparison)),
                tables=tuple(t for t in tables if t.name == "compare"),
                figures=tuple(drawn.values()),
            ),
            *_optional(tables),
            Section("shared", "What was compared", facts=_facts(comparison)),
        ),
        kind="Two studies side by side",
    )
    path = study.folder / "compare.html"
    write_text(path, render(page))
    return ComparisonReport(
        page=path,
        tables=tuple(t.name for t in tables),
        figures=tuple(drawn),
        comparison=comparison,
    )


def _optional(tables: Iterable[Table]) -> Iterable[Section]:
    titles = {
        "compare_slots": "Which edits are noticed more or less",
        "compare_settings": "What differs in the settings",
    }
    for table in tables:
        if table.name in titles:
            yield Section(table.name.removeprefix("compare_"), titles[table.name], tables=(table,))


def _lead(comparison: Comparison) -> str:
    clear = [
        f"{judge.judge} {'S' if change.what == 'S' else 'R'} {_signed(change.difference)}"
        for judge in comparison.judges
        for change in judge.rates[:2]
        if _is_clear(change)
    ]
    read = [judge for judge in comparison.judges if judge.rates]
    if not read:
        return "No judge has an operating point in both studies."
    if not clear:
        return (
            f"Of {len(read)} compared, no judge moved in S or R by more than chance among base "
            "items allows for: every interval of a difference holds zero."
        )
    return f"Intervals of the difference exclude zero for: {', '.join(clear)}."


def _is_clear(change: Change) -> bool:
    return (
        change.low is not None and change.high is not None and (change.low > 0 or change.high < 0)
    )


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def _boxes(comparison: Comparison, notice: str) -> Iterable[Box]:
    for side in (comparison.after, comparison.before):
        missed = [c.judge for c in side.view.controls if c.passed is False]
        if missed:
            yield Box(
                f"Broken instrument: in {side.name} a control judge missed its known "
                "profile. No number on this page counts.",
                (", ".join(missed),),
                broken=True,
            )
    if notice:
        yield Box(f"{notice[:1].upper()}{notice[1:]}.", ("Every table and figure says so.",))


def _unread(comparison: Comparison) -> Iterable[str]:
    for judge in comparison.judges:
        if judge.rates:
            continue
        sides = zip((comparison.before, comparison.after), judge.points, strict=True)
        told = [
            f"{'no operating point' if point is None else f'S {point.S:.3f}, R {point.R:.3f}'} in "
            f"{side.name}"
            for side, point in sides
        ]
        yield f"{judge.judge} cannot be compared: {', '.join(told)}."
    if comparison.alone:
        told = [f"{judge} ({study})" for study, judge in comparison.alone]
        yield f"In one study only: {', '.join(told)}."


def _facts(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    after, before = comparison.after, comparison.before
    return (
        ("Reported study", after.name),
        ("Compared with", before.name),
        ("Edits in both", str(comparison.n_shared)),
        (
            "In one only",
            f"{comparison.n_only[1]} in {after.name}, {comparison.n_only[0]} in {before.name}",
        ),
        ("Read at", f"S ≥ {after.view.floor:.2f}, each study at its own cut"),
        ("Intervals", comparison.method),
        ("Taxonomy", after.study.taxonomy.hash),
        ("Profile of the reported study", after.view.made_under.get("grades", "–")),
        ("Profile of the other", before.view.made_under.get("grades", "–")),
    )


def _tables(comparison: Comparison, notice: str) -> Iterable[Table]:
    human = comparison.after.view.direction == comparison.before.view.direction == "human"
    common: dict[str, Any] = {
        "direction": "human" if human else "construction",
        "notice": notice,
    }
    ours, theirs = comparison.after.name, comparison.before.name
    yield Table(
        name="compare",
        title="S and R in both studies, on the edits that both hold",
        caption=(
            f"Difference: {ours} minus {theirs}, with the paired interval. n counts pairs that "
            "both studies graded."
        ),
        columns=_columns("measure", ours, theirs),
        rows=tuple(_row(j, c) for j in comparison.judges for c in j.rates),
        **common,
    )
    yield Table(
        name="compare_slots",
        title="Share of verdicts changed per slot in both studies",
        caption=(
            "In a control slot a change is a false alarm. With many rows some intervals exclude "
            "zero by chance."
        ),
        columns=_columns("slot", ours, theirs),
        rows=tuple(_row(j, c) for j in comparison.judges for c in j.slots),
        **common,
    )
    yield Table(
        name="compare_settings",
        title="Settings that differ",
        caption="From the two study.toml files; what is not listed is alike.",
        columns=(Column("setting", "setting"), Column("before", theirs), Column("after", ours)),
        rows=tuple(
            {"setting": name, "before": before, "after": after}
            for name, before, after in comparison.settings
        ),
        **common,
    )


def _columns(what: str, ours: str, theirs: str) -> tuple[Column, ...]:
    return (
        Column("judge", "judge"),
        Column("what", what, "name"),
        Column("before", theirs, "rate"),
        Column("after", ours, "rate"),
        Column("difference", "difference", "signed", ("low", "high")),
        Column("n", "n", "count"),
        Column("n_base", "base items", "count"),
    )


def _row(judge: JudgeChange, change: Change) -> dict[str, Any]:
    name = judge.judge if judge.judge == judge.other else f"{judge.judge} (was {judge.other})"
    return {
        "judge": name,
        "what": change.what,
        "before": change.before,
        "after": change.after,
        "difference": change.difference,
        "low": change.low,
        "high": change.high,
        "n": change.n,
        "n_base": change.n_base,
    }
