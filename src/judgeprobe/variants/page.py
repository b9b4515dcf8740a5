"""What does the page of the variants say? `variants/variants.html` and its tables and figures."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from judgeprobe.files import file_hash, write_text
from judgeprobe.report.make import draw, write_table
from judgeprobe.report.page import Box, Drawn, Page, Section, render
from judgeprobe.report.tabulate import Table
from judgeprobe.study import Study
from judgeprobe.variants.figures import pictures
from judgeprobe.variants.outputs import is_fresh, keep_only
from judgeprobe.variants.plan import FOLDER
from judgeprobe.variants.tables import TITLES, variant_tables

__all__ = ["make_page"]

# Tables that stand before those of a kind's comparisons.
_BESIDE = {
    "prompts": ("variant_prompt_ranges",),
    "paired": ("variant_orders",),
    "drift": ("variant_days",),
    "quantization": ("variant_groups",),
}
_ITEMS = {"bars": "Other agreement bars", "domains": "One domain, and all but one"}


def make_page(study: Study, found: Mapping[str, Any]) -> Path:
    """Write the page, tables and figures of a study's variants, where they are not there yet.

    Args:
        study: The study.
        found: As variants.json holds it.

    Raises:
        StorageError: The folder cannot be written.
    """
    folder = study.folder / FOLDER
    path = folder / "variants.html"
    made_of = file_hash(folder / "variants.json")
    if is_fresh(folder, made_of):
        return path
    tables = variant_tables(found)
    drawn = draw(pictures(found), folder / "figures")
    for table in tables.values():
        write_table(table, folder / "tables")
    page = Page(
        name=found["study"],
        lead=_lead(found),
        boxes=tuple(_boxes(found)),
        sections=tuple(s for s in _sections(found, tables, drawn) if not s.is_empty),
        kind="The study under one change at a time",
    )
    write_text(path, render(page))
    files = [folder / "tables" / f"{name}.{end}" for name in tables for end in ("csv", "md", "tex")]
    files += [folder / "figures" / f"{name}.{end}" for name in drawn for end in ("svg", "png")]
    keep_only(folder, made_of, [path, *files])
    return path


def _lead(found: Mapping[str, Any]) -> str:
    read = [row for row in found["comparisons"] if row["operating"] is not None]
    if not read:
        return "No variant could be compared with the study yet; why is said below."
    counts: dict[str, int] = defaultdict(int)
    for row in read:
        counts[row["status"]] += 1
    names = ("holds", "as predicted", "moved", "contradicted", "not decided")
    told = ", ".join(f"{counts[name]} {name}" for name in names if counts[name])
    return (
        f"Does the profile hang on how the judges were asked? Of {len(read)} comparisons with the "
        f"study: {told}. A variant holds where the whole intervals of S and R lie within "
        f"±{found['margin']:g}."
    )


def _boxes(found: Mapping[str, Any]) -> Iterator[Box]:
    if found["direction"] == "construction":
        yield Box(
            "Direction by construction.",
            (
                "No person has said which edits change the construct: the direction of every edit "
                "is what its generator intended. Every table and figure says so.",
            ),
        )
    elif found["direction"] == "human":
        source = found["direction_source"].removeprefix("human: ")
        yield Box("Direction set by people.", (f"Set by: {source}.",))
    cut = [row["variant"] for row in found["variants"] if row.get("unasked")]
    if cut:
        yield Box("Not complete.", (f"Not every pair was asked in {', '.join(cut)}.",))
    open_ = [row for row in found["variants"] if row["not_compared"]]
    if open_:
        by_reason: dict[str, list[str]] = defaultdict(list)
        for row in open_:
            by_reason[row["not_compared"]].append(row["variant"])
        lines = tuple(f"{', '.join(names)}: {why}." for why, names in by_reason.items())
        yield Box("Not on this page.", lines)


def _sections(
    found: Mapping[str, Any], tables: Mapping[str, Table], drawn: Mapping[str, Drawn]
) -> Iterator[Section]:
    def tabled(*names: str) -> tuple[Table, ...]:
        return tuple(tables[name] for name in names if name in tables)

    def pictured(*names: str) -> tuple[Drawn, ...]:
        return tuple(drawn[name] for name in names if name in drawn)

    yield Section(
        "granularity",
        "A finer verdict space",
        paragraphs=_left_out(found, "granularity"),
        tables=tabled("variant_granularity"),
        folded=tabled("variant_pilots"),
        figures=pictured("variant_granularity"),
    )
    yield Section(
        "remedies",
        "Reliability remedies",
        paragraphs=_left_out(found, "remedies"),
        tables=tabled("variant_remedies", "variant_remedies_one_cut"),
        figures=pictured("variant_remedies"),
    )
    for kind, title in TITLES.items():
        yield Section(
            kind,
            title,
            paragraphs=_left_out(found, kind),
            tables=tabled(*_BESIDE.get(kind, ()), f"variant_{kind}"),
            figures=pictured(f"variant_{kind}"),
        )
    for kind, title in _ITEMS.items():
        reason = found[kind]["reason"]
        yield Section(
            kind,
            title,
            paragraphs=(f"Does not apply: {reason}.",) if reason else (),
            tables=tabled(f"variant_{kind}"),
            folded=tabled(f"variant_{kind}_by_judge"),
        )
    yield Section("matched", "At the same S", folded=tabled("variant_matched"))
    yield Section("runs", "What was run", tables=tabled("variant_runs"), facts=_facts(found))
    yield Section(
        "hashes",
        "Made under",
        hashes=(
            *sorted(found["made_under"].items()),
            *((row["variant"], row["grades"]) for row in found["variants"] if "grades" in row),
        ),
    )


def _left_out(found: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    """Judges to which a change could not be made; judges with one reason in one sentence."""
    variants: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in found["variants"]:
        if row["kind"] == kind:
            for one in row["left_out"]:
                variants[one["reason"], one["judge"]].append(row["variant"])
    judges: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (reason, judge), names in variants.items():
        judges[reason, ", ".join(names)].append(judge)
    return tuple(
        f"Not in {names}: {', '.join(told)} ({reason})." for (reason, names), told in judges.items()
    )


def _facts(found: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    pairs = found["n_interventions"]
    return (
        ("Read at", f"S ≥ {found['floor']:.2f}"),
        ("Base items", str(found["n_base"])),
        ("Pairs", f"{pairs['construct']} construct, {pairs['invariance']} invariance"),
        (
            "Intervals",
            f"percentile bootstrap over base items, {found['resamples']} resamples, the same for "
            f"every comparison, {found['level']:.0%}",
        ),
        ("Margin", f"{found['margin']:g}"),
        ("Seed", str(found["seed"])),
    )
