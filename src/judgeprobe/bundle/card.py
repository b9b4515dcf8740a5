"""What must somebody know who finds the bundle? DATA_CARD.md, from the study's own files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from judgeprobe.bundle.settings import public_model
from judgeprobe.records import BaseItem, Intervention, Rejection
from judgeprobe.study import Study

__all__ = ["NOT_STATED", "data_card", "licence_of"]

NOT_STATED = "not stated"

_FILES = {
    "study.toml": "the settings, without what is local",
    "base_items.jsonl": "claims with their evidence, before any edit",
    "interventions.jsonl": "accepted edits, every gate's verdict (provenance: slot, axis, arm, "
    "generator, family, direction_source)",
    "rejections.jsonl": "refused edits with the reason",
    "item_labels.jsonl": "labels, one row an annotator and edit; annotators are pseudonyms",
    "directions.jsonl": "what the majority says of each edit",
    "annotation.json": "agreement and exclusions",
    "grades.parquet": "one row a judge, text and repetition",
    "profile.json": "S, R, frontiers, intervals, nulls",
    "predictions.toml": "values predicted before they were measured",
    "provenance.json": "what each stage made, under which hashes",
    "replies.jsonl.gz": "the judges' raw replies; `judgeprobe cache import` takes them in",
    "croissant.json": "Croissant 1.0 metadata",
    "DATA_CARD.md": "this page",
    "CHECKLIST.md": "the six lines of a usable label set",
    "checklist.json": "the same, for machines",
    "bundle.json": "every file with its SHA-256",
}


def licence_of(items: Sequence[BaseItem], stated: str) -> str:
    """The licence of the items: what they say themselves, or else what the settings say."""
    found = Counter(item.licence.strip() for item in items)
    told = sorted(name for name in found if name)
    if not told:
        return stated or NOT_STATED
    if found[""]:
        told.append(stated or f"{found['']} items {NOT_STATED}")
    return " AND ".join(told) if len(told) > 1 else told[0]


def data_card(
    study: Study,
    files: Sequence[str],
    *,
    items: Sequence[BaseItem],
    edits: Sequence[Intervention],
    refused: Sequence[Rejection],
    profile: Mapping[str, Any],
    licence: str,
    annotators: int,
    labels: int,
    dropped: Sequence[str],
) -> str:
    """The card.

    Args:
        study: Its settings.
        files: Names of the bundle's files.
        items: Base items; none where the study starts from pairs.
        edits: Released interventions.
        refused: Released rejections.
        profile: profile.json.
        licence: Of the items.
        annotators: Number of people whose labels are released.
        labels: Number of labels.
        dropped: What was left out, in words.
    """
    settings = study.settings
    scale = settings.elicitation.scale
    lines = [
        f"# Data card: {_line(settings.study.name)}",
        "",
        _line(settings.bundle.description) or _WHAT,
        "",
        f"Construct: {_line(study.taxonomy.measures)} (taxonomy {study.taxonomy.name}, "
        f"SHA-256 {study.taxonomy.hash[:16]}). Version {settings.bundle.version}.",
        "",
        "## What is in it",
        "",
        *_table(("file", "what"), [(f"`{n}`", _what(n)) for n in sorted(files)]),
        "",
        "## How it came about",
        "",
        *_facts(
            {
                "base items": _items(items, edits),
                "source of the items": _counts(item.source for item in items) or NOT_STATED,
                "edits": _counts(edit.arm for edit in edits),
                "edits by": _counts(edit.generator for edit in edits),
                "refused edits": str(len(refused)),
                "direction": _direction(profile),
                "annotators": f"{annotators}, {labels} labels" if labels else "none in this study",
                "grades": f"{scale.low:g} to {scale.high:g} in steps of {scale.step:g}",
                "judges": ", ".join(
                    f"{_line(judge.name)} ({_line(public_model(judge.model or judge.call or ''))})"
                    for judge in settings.judges
                ),
            }
        ),
        "",
        *_slots(edits),
        "",
        "## What it does not show",
        "",
        *_limits(profile, labels),
        "",
        "## What was left out",
        "",
        *([f"- {line}." for line in dropped] or ["- Nothing."]),
        "",
        "## Licence",
        "",
        f"Items and their edits: {_line(licence)}.",
        "",
        "## Use",
        "",
        "    judgeprobe bundle BUNDLE --check        every hash, and whether it loads",
        "    judgeprobe profile BUNDLE               the profile again, byte for byte",
        "    pandas.read_json('interventions.jsonl', lines=True)",
        "    pandas.read_parquet('grades.parquet')",
        "    datasets.load_dataset('json', data_files='interventions.jsonl')",
        "",
    ]
    return "\n".join(lines)


_WHAT = (
    "An intervention set for the validity of LLM judges, with the grades and the profile that were "
    "made from it."
)


def _what(name: str) -> str:
    if name in _FILES:
        return _FILES[name]
    return (
        "edit taxonomy and its word lists"
        if name.startswith("taxonomy/")
        else "a prompt, with its places"
    )


def _direction(profile: Mapping[str, Any]) -> str:
    source = _line(profile["direction_source"] or "")
    if profile["direction"] == "construction":
        return "by construction: what the generator was asked for"
    source = source.removeprefix("human: ")
    return f"set by people: {source}" if source else str(profile["direction"])


def _items(items: Sequence[BaseItem], edits: Sequence[Intervention]) -> str:
    if not items:
        return f"{len({edit.base_id for edit in edits})}, from a table of pairs"
    return f"{len(items)}; by domain: {_counts(item.domain for item in items)}"


def _slots(edits: Sequence[Intervention]) -> list[str]:
    rows: dict[str, list[str]] = {}
    counts = Counter(edit.slot for edit in edits)
    for edit in edits:
        rows.setdefault(edit.slot, [edit.slot, edit.axis, edit.arm, str(counts[edit.slot])])
    return _table(("slot", "axis", "arm", "edits"), [rows[name] for name in sorted(rows)])


def _limits(profile: Mapping[str, Any], labels: int) -> list[str]:
    lines = []
    if profile["direction"] == "construction":
        lines.append(
            "- Direction is by construction: no person has said which edits change the construct. "
            "Every figure made from this set carries that."
        )
    if not profile.get("controls_ok", True):
        lines.append("- A control judge missed its known profile; no number here counts.")
    lines.append(
        "- R is a lower bound and S an upper one (section 6.2 of the construct-validity "
        "reference); both hold for the items in this set and no other."
    )
    if labels:
        lines.append(
            "- Labels are without the annotators' names, times, quotations and free words; the "
            "order of the pseudonyms follows from the answers alone."
        )
    return lines


def _facts(values: Mapping[str, str]) -> list[str]:
    return _table(("", ""), [(name, value) for name, value in values.items() if value])


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(heads)} |",
        f"|{'---|' * len(heads)}",
        *(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows),
    ]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _line(text: str) -> str:
    return " ".join(text.split())


def _counts(values: Any) -> str:
    found = Counter(str(value) for value in values)
    if set(found) == {""}:
        return ""
    return ", ".join(
        f"{name or NOT_STATED} {n}"
        for name, n in sorted(found.items(), key=lambda p: (-p[1], p[0]))
    )
