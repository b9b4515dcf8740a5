"""`judgeprobe audit labels`: could agreement with this label set be evidence of anything?"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from judgeprobe.cli.common import (
    JsonOption,
    QuietOption,
    SeedOption,
    note,
    print_json,
    print_table,
    verb,
)

__all__ = ["labels"]


class Mode(StrEnum):
    """Input modes."""

    item = "item"
    paired = "paired"


class Reader(StrEnum):
    """Published sets."""

    rewardbench = "rewardbench"
    rewardbench2 = "rewardbench2"
    rm_bench = "rm-bench"
    helpsteer2 = "helpsteer2"
    mt_bench = "mt-bench"
    chatbot_arena = "chatbot-arena"
    judgebench = "judgebench"
    interventions = "interventions"


def _column(name: str, text: str) -> Any:
    return typer.Option(name, metavar="COL", help=text)


@verb
def labels(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="CSV, TSV, JSONL or Parquet, or hf:OWNER/NAME[@REVISION][:SPLIT]."
        ),
    ],
    mode: Annotated[Mode, typer.Option("--mode", help="One text at a time, or pairs.")] = Mode.item,
    text: Annotated[str | None, _column("--text", "Text, or first side of a pair.")] = None,
    text_b: Annotated[str | None, _column("--text-b", "Second side of a pair.")] = None,
    label: Annotated[
        str | None,
        _column("--label", "Label; for pairs the preferred side. Left out: the first is."),
    ] = None,
    group: Annotated[
        str | None, _column("--group", "Source document or prompt; folds keep it together.")
    ] = None,
    second_label: Annotated[
        str | None, _column("--second-label", "A second annotator's label, for the human ceiling.")
    ] = None,
    provenance: Annotated[
        str | None, _column("--provenance", "How the (first) text was made: model, variant, role.")
    ] = None,
    provenance_b: Annotated[
        str | None, _column("--provenance-b", "How the second text was made.")
    ] = None,
    by: Annotated[
        str | None, _column("--by", "Axis, slot or subset; each is audited by itself too.")
    ] = None,
    by_part: Annotated[
        bool, typer.Option("--by-part", help="With --reader: audit each part the set names too.")
    ] = False,
    order: Annotated[
        str | None,
        typer.Option("--order", help="Labels lowest to highest, comma-separated, or `numeric`."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="VALUE", help="Leave out rows with this label; repeatable."),
    ] = None,
    reader: Annotated[
        Reader | None, typer.Option("--reader", help="A published set, as its publisher ships it.")
    ] = None,
    label_origin: Annotated[
        str, typer.Option("--label-origin", metavar="WORDS", help="How labels were obtained.")
    ] = "",
    transfer: Annotated[
        list[str] | None,
        typer.Option(
            "--transfer",
            metavar="[READER:]FILE",
            help="Another set, read in the same way unless a reader is named; repeatable.",
        ),
    ] = None,
    permutations: Annotated[
        int, typer.Option("--permutations", min=19, help="Label vectors in the null.")
    ] = 100,
    resamples: Annotated[
        int, typer.Option("--resamples", min=100, help="Bootstrap draws for the intervals.")
    ] = 2000,
    float32: Annotated[
        bool, typer.Option("--float32", help="N-gram matrices in single precision: faster.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write labels.json, labels.md and labels.html."),
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Could agreement with this label set be evidence of anything?"""
    from judgeprobe.audit.label_columns import Columns
    from judgeprobe.audit.label_files import load_source
    from judgeprobe.audit.labels import LabelAuditSettings, audit_labels

    columns = None
    if text is not None:
        columns = Columns(
            text=text,
            text_b=text_b,
            label=label,
            group=group,
            second=second_label,
            provenance=provenance,
            provenance_b=provenance_b,
            by=by,
            order=None if order is None else tuple(part.strip() for part in order.split(",")),
            drop=tuple(drop or ()),
        )
    name = None if reader is None else reader.value
    source, located = load_source(file, name, columns, origin=label_origin)
    others = [
        load_source(place, named or name, None if named else columns)[0]
        for named, place in map(_reader_and_place, transfer or [])
    ]
    settings = LabelAuditSettings(
        mode=mode.value,
        permutations=permutations,
        resamples=resamples,
        seed=seed,
        single_precision=float32,
        by_part=by_part or by is not None,
    )
    result = audit_labels(source, located, settings, others)
    if out is not None:
        _write(out, result)
    if as_json:
        print_json(result)
    else:
        _print(result, quiet=quiet)


def _reader_and_place(written: str) -> tuple[str | None, str]:
    reader, colon, place = written.partition(":")
    if colon and reader in {each.value for each in Reader}:
        return reader, place
    return None, written


def _write(out: Path, result: dict[str, Any]) -> None:
    from judgeprobe.audit.label_report import labels_html, labels_markdown
    from judgeprobe.files import write_json, write_text

    write_json(out / "labels.json", result)
    write_text(out / "labels.md", labels_markdown(result))
    write_text(out / "labels.html", labels_html(result))


def _print(result: dict[str, Any], *, quiet: bool) -> None:
    from judgeprobe.audit.label_report import headline
    from judgeprobe.audit.page import number

    members = [*result["members"]]
    if result["provenance"] and result["provenance"]["kappa"] is not None:
        members.append(result["provenance"])
    rows = [
        [
            m["name"],
            number(m["kappa"]),
            number(m["accuracy"]),
            number(m["null_mean"]),
            number(m["null_q95"]),
            number(m["p"]),
        ]
        for m in members
    ]
    title = f"{result['set']}: {result['mode']} mode, n = {result['n']}"
    print_table(title, ["member", "kappa", "accuracy", "null mean", "null 95%", "p"], rows)
    if result["shorter"]:
        rules = [
            [
                f"prefer the {name}",
                str(r["n"]),
                number(r["rate"]),
                number(r["low"]),
                number(r["high"]),
            ]
            for name in ("shorter", "longer")
            for r in [result[name]]
        ]
        print_table("Length", ["rule", "pairs", "accuracy", "low", "high"], rules)
    if result["by"]:
        parts = [
            [p["value"], str(p["n"]), number(p["a_imp"]), p["reason"] or p["a_imp_member"]]
            for p in result["by"]
        ]
        print_table("Parts", ["part", "n", "best kappa", "member or reason"], parts)
    if result["transfer"]:
        cells = [
            [t["train"], t["test"], t["member"], number(t["kappa"]), t["status"]]
            for t in result["transfer"]
        ]
        print_table("Transfer", ["fitted on", "evaluated on", "member", "kappa", "status"], cells)
    six = [[str(c["line"]), c["asked"], c["holds"], c["fact"]] for c in result["checklist"]]
    print_table("The six lines", ["line", "asked", "holds", "fact"], six)
    print(headline(result))
    print(f"{result['pattern']['finding']} {result['pattern']['repair']}")
    if not quiet:
        for reason, count in result["excluded"].items():
            note(f"left out: {count} ({reason})")
        for sentence in result["notes"]:
            note(sentence)
