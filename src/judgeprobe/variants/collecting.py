"""What did the variants show? Everything on disk that belongs to the study as it stands now.

Reads the study, its variants' folders and nothing else; writes variants/variants.json. Variants
that were run on another day, or by another call of `vary`, are in it as long as their files were
made under the settings and edits in force; the others are listed with the reason.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.files import parquet_metadata, write_json
from judgeprobe.profile import options_of
from judgeprobe.profile.sources import source_of_study
from judgeprobe.records import SCHEMA_VERSION, Scale
from judgeprobe.study import Study
from judgeprobe.sweep.grades import grades_metadata
from judgeprobe.sweep.plan import load_plan
from judgeprobe.sweep.roster import make_judges
from judgeprobe.variants.comparing import Comparer, Side
from judgeprobe.variants.details import (
    day_rows,
    group_rows,
    model_groups,
    order_rows,
    prompt_rows,
)
from judgeprobe.variants.gradings import Graded, Waiting, graded_base, graded_variant
from judgeprobe.variants.granularity import space_rows
from judgeprobe.variants.plan import DRIFT, FOLDER, KINDS, Variant, day_folders, plan_variants
from judgeprobe.variants.running import pilot_rows
from judgeprobe.variants.splits import bar_splits, domain_splits

__all__ = ["collect", "require_swept"]

BASE = "the study"


def collect(study: Study) -> dict[str, Any]:
    """Compare every variant with the study, and write variants/variants.json.

    Raises:
        InputError: The study was not swept.
        JudgeprobeError: A file cannot be read.
    """
    require_swept(study)
    source = source_of_study(study)
    options = options_of(study)
    base = graded_base(study, source)
    found = [graded_variant(study, source, variant) for variant in _planned(study)]
    graded = [one for one in found if isinstance(one, Graded)]
    comparer = Comparer(source.table, options, study.settings.variants.margin)
    compared = _by_judge(
        study, [*_comparisons(base, graded, comparer), *_quantizations(base, comparer)]
    )
    bars = study.settings.variants.bars
    content = {
        "schema": SCHEMA_VERSION,
        "study": study.settings.study.name,
        "direction": source.direction,
        "direction_source": source.direction_source,
        "watermark": base.profile["watermark"],
        "floor": options.floor,
        "rule": options.rule,
        "level": options.level,
        "resamples": base.profile["resamples"],
        "seed": options.seed,
        "margin": study.settings.variants.margin,
        "axes": list(source.table.axes),
        "n_base": base.profile["n_base"],
        "n_interventions": base.profile["n_interventions"],
        "made_under": dict(base.profile["made_under"]),
        "base": _gradings_row(base),
        "variants": [_variant_row(study, one) for one in found],
        "comparisons": compared,
        "granularity": list(space_rows(base, graded, comparer)),
        "prompts": list(prompt_rows(compared)),
        "orders": [row for one in _of(graded, "paired") for row in order_rows(one)],
        "days": list(day_rows(base, _of(graded, DRIFT))),
        "groups": list(group_rows(base)),
        "bars": bar_splits(source, options, bar=study.bar, bars=bars),
        "domains": domain_splits(source.table, options),
    }
    write_json(study.folder / FOLDER / "variants.json", content)
    return content


def require_swept(study: Study) -> None:
    """Refuse a study without grades of its own as it stands, before anything is paid for.

    Raises:
        InputError: There is no grades.parquet.
        MixedArtifactsError: It was made on another scale, from other edits or with other prompts.
    """
    if not study.grades_path.is_file():
        raise InputError(
            "is not there",
            file=study.grades_path,
            remedy=f"variants are compared with the study; first: judgeprobe sweep {study.folder}",
        )
    found = parquet_metadata(study.grades_path)
    for what, expected in grades_metadata(study, load_plan(study), make_judges(study)).items():
        study.require_same(
            what,
            found.get(what, ""),
            expected,
            file=study.grades_path,
            remedy=f"make it again with: judgeprobe sweep {study.folder}",
        )


def _planned(study: Study) -> list[Variant]:
    """What would be run now, and every repeated run that lies there."""
    again = [kind for kind in KINDS if kind != DRIFT]
    days = [v for day in day_folders(study) for v in plan_variants(study, [DRIFT], day=day)]
    return [*plan_variants(study, again), *days]


def _variant_row(study: Study, one: Graded | Waiting) -> dict[str, Any]:
    variant = one.variant
    assert variant is not None
    row: dict[str, Any] = {
        "variant": variant.name,
        "kind": variant.kind,
        "change": variant.change,
        "left_out": [{"judge": judge, "reason": reason} for judge, reason in variant.left_out],
        "pilot": pilot_rows(study, variant),
    }
    if isinstance(one, Waiting):
        return {**row, "judges": [], "not_compared": one.reason}
    return {**row, **_gradings_row(one), "not_compared": None}


def _gradings_row(one: Graded) -> dict[str, Any]:
    scale = one.study.settings.elicitation.scale
    return {
        "scale": _scale_row(scale),
        "points": len(scale.grades),
        "grades": one.profile["made_under"]["grades"],
        "judges": [_judge_row(row) for row in one.profile["judges"]],
        "unasked": _unasked(one),
    }


def _unasked(one: Graded) -> dict[str, int]:
    """Pairs that were not put to a judge, by judge; none where the sweep is complete."""
    counts = (~one.table.asked).sum(axis=1)
    judges = {judge.name for judge in one.study.settings.judges}
    return {
        judge: int(n)
        for judge, n in zip(one.table.judges, counts, strict=True)
        if n and judge in judges
    }


def _judge_row(entry: dict[str, Any]) -> dict[str, Any]:
    """What stands beside a judge's S and R in every table."""
    names = (
        *("judge", "status", "reason", "elicitation", "n_graded", "n_ungraded"),
        *("distinct_grades", "usable_grades", "usable_points", "regrade", "regrade_n"),
        *("operating_point", "remedy"),
    )
    return {name: entry.get(name) for name in names}


def _scale_row(scale: Scale) -> dict[str, float]:
    return {"low": scale.low, "high": scale.high, "step": scale.step}


def _side(one: Graded, judge: str, told: str = "") -> Side:
    scale = one.study.settings.elicitation.scale
    name = told or (BASE if one.variant is None else one.variant.name)
    return Side(name, one.table, judge, (scale.low, scale.high, scale.step))


def _comparisons(
    base: Graded, graded: Sequence[Graded], comparer: Comparer
) -> Iterator[dict[str, Any]]:
    for one in graded:
        variant = one.variant
        assert variant is not None
        if variant.kind == "remedies":
            pairs = list(_remedies(base, one))
        else:
            known = [judge for judge in variant.judges if judge in base.table.judges]
            pairs = [
                (_side(base, judge), _side(one, judge))
                for judge in known
                if judge in one.table.judges
            ]
        for before, after in pairs:
            row = comparer.rows(before, after, remedy=variant.kind == "remedies")
            yield {"variant": variant.name, "kind": variant.kind, **row}


def _by_judge(study: Study, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The comparisons kind by kind, and of each judge together, in the study's order."""
    names = [judge.name for judge in study.settings.judges]
    kinds = [*KINDS, "quantization"]

    def place(row: dict[str, Any]) -> tuple[int, int]:
        # A remedy stands after what it is made of, not by the judge that it is set against.
        by_judge = row["kind"] != "remedies"
        return kinds.index(row["kind"]), names.index(row["judge"]) if by_judge else 0

    return sorted(rows, key=place)


def _of(graded: Sequence[Graded], kind: str) -> list[Graded]:
    return [one for one in graded if one.variant and one.variant.kind == kind]


def _quantizations(base: Graded, comparer: Comparer) -> Iterator[dict[str, Any]]:
    """The judges of each model group against the first of it; all lie in the study's own grades."""
    for group, (first, *others) in model_groups(base).items():
        for judge in others:
            row = comparer.rows(_side(base, first, first), _side(base, judge, judge))
            yield {"variant": group, "kind": "quantization", **row}


def _remedies(base: Graded, one: Graded) -> Iterator[tuple[Side, Side]]:
    """Each remedy against each judge that it is made of, asked once.

    Self-consistency is set against one call at its own temperature, which differs from it by the
    repetition alone, and against the study's own call.
    """
    for name, (kind, members) in one.table.remedies.items():
        for judge in members:
            if judge not in one.table.judges:
                continue
            after = _side(one, name, name)
            if kind.startswith("self-consistency"):
                yield _side(one, judge, "one call"), after
                if judge in base.table.judges:
                    yield _side(base, judge), after
            else:
                yield _side(one, judge, judge), after
