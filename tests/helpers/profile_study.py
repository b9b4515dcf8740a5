"""A small study folder with interventions and grades, for tests of what reads them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from judgeprobe.files import write_jsonl, write_parquet
from judgeprobe.records import (
    CONTROLS,
    Direction,
    Grade,
    Intervention,
    content_hash,
    text_id,
)
from judgeprobe.study import Study, load_study
from judgeprobe.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy("claim-calibration")
EVIDENCE = "Twelve plots were watched for one season."
# Base item, slot, and the grades of the edit by judge; an original's grade is 4 throughout.
EDITS: tuple[tuple[str, str], ...] = (
    ("b1", "domain_extension"),
    ("b1", "hedging_removal"),
    ("b1", "format_shift"),
    ("b2", "population_widening"),
    ("b2", "condition_removal"),
    ("b2", "reordering"),
    ("b3", "quantifier_strengthening"),
    ("b3", "intensifier_addition"),
    ("b3", "register_shift"),
)


def interventions(
    edits: Sequence[tuple[str, str]] = EDITS, source: str = "construction"
) -> list[Intervention]:
    rows = []
    for base, slot_name in edits:
        slot = TAXONOMY.slot(slot_name)
        original = f"Blight {base} may have fallen in some plots."
        edited = f"Blight {base} fell ({slot_name}) in some plots."
        rows.append(
            Intervention(
                id=content_hash([base, slot_name])[:16],
                base_id=base,
                slot=slot_name,
                axis=slot.axis,
                arm=slot.arm,
                domain="earth science" if base == "b1" else "biomedicine",
                evidence=EVIDENCE,
                original=original,
                edited=edited,
                generator="rules",
                family="rules",
                length_change=(len(edited) - len(original)) / len(original),
                direction_source=source,
                made_under={"taxonomy": TAXONOMY.hash},
            )
        )
    return rows


def grades(
    rows: Sequence[Intervention], given: Mapping[str, Sequence[float | None]], repetition: int = 0
) -> list[Grade]:
    """Grades of every text by judge: the edits' as given (None: unparseable), originals 4."""
    found = []
    for judge, values in given.items():
        texts: dict[str, tuple[str, float | None]] = {}
        for row, value in zip(rows, values, strict=True):
            texts[text_id(row.evidence, row.original)] = (row.base_id, 4.0)
            texts[text_id(row.evidence, row.edited)] = (row.base_id, value)
        found += [
            Grade(
                judge=judge,
                text_id=text,
                base_id=base,
                repetition=repetition,
                value=value,
                status="unparseable" if value is None else "graded",
                elicitation="written",
            )
            for text, (base, value) in texts.items()
        ]
    return found


def write_study(
    folder: Path,
    rows: Sequence[Intervention],
    graded: Sequence[Grade],
    *,
    direction: str = "construction",
    settings: str = "",
    directions: Sequence[Direction] = (),
    agreement: Mapping[str, Any] | None = None,
    taxonomy_hash: str = TAXONOMY.hash,
) -> Study:
    folder.mkdir(parents=True, exist_ok=True)
    controls = {control.name for control in CONTROLS}
    judges = [n for n in dict.fromkeys(g.judge for g in graded) if n not in controls]
    listed = "".join(f'[[judges]]\nname = "{name}"\ncall = "m:f"\n' for name in judges)
    (folder / "study.toml").write_text(
        f'[study]\nname = "small"\nseed = 3\nbase_items = "shipped"\ndirection = "{direction}"\n'
        f"{listed}[profile]\nresamples = 200\npermutations = 200\nfloor = 0.9\n{settings}",
        encoding="utf-8",
    )
    write_jsonl(folder / "interventions.jsonl", rows)
    frame = pd.DataFrame([grade.model_dump() for grade in graded])
    write_parquet(folder / "grades.parquet", frame, {"taxonomy": taxonomy_hash})
    if directions:
        write_jsonl(folder / "directions.jsonl", directions)
    if agreement is not None:
        (folder / "annotation.json").write_text(json.dumps({"agreement": agreement}))
    return load_study(folder)
