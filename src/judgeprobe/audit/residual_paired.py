"""What does the designed branch find: contrasts, equivalence, transfer, the assignment probe?

The rows of a unit (--pairs-by) differ in format (--edit) and perhaps in construct (--construct).
The contrasts are the target; the slice stages do not enter. The outcome is a measured format
attenuation, or none established.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgeprobe.audit.residual import NOT_STATED, ResidualSettings
from judgeprobe.audit.residual_input import ResidualColumns, ResidualTable, read_scores, read_table
from judgeprobe.errors import InputError, StatisticsError
from judgeprobe.stats.folds import Folds, make_folds
from judgeprobe.stats.residual_assignment import assignment_probe
from judgeprobe.stats.residual_designed import (
    Contrast,
    designed_contrasts,
    equivalence,
    unit_effects,
)
from judgeprobe.stats.residual_operator import fitted_component, represent
from judgeprobe.stats.residual_sensitivity import LENGTH_FORMS, length_component

__all__ = ["DesignColumns", "audit_designed"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

CLAIM = (
    "Measured format attenuation: the named format effects are nearer zero after the adjustment, "
    "for these edits and this declared construct. Not removal, unless equivalence was shown, and "
    "not transfer to other edit styles."
)
NO_CLAIM = "None. No format effect was shown to come nearer zero."


@dataclass(frozen=True)
class DesignColumns:
    """Columns and choices of the designed branch.

    Attributes:
        unit: Problem or base item.
        edit: Format of a row.
        construct: Construct level of a row; None where the edits leave it alone.
        plain: The unedited format's value; the first in sorted order where None.
        good: The good construct level's value; the label's positive rows decide where None.
        margin: Equivalence margin in score units, declared beforehand; None claims nothing.
        assignment: Whether the assignment probe is run.
    """

    unit: str
    edit: str
    construct: str | None = None
    plain: str | None = None
    good: str | None = None
    margin: float | None = None
    assignment: bool = False


@dataclass(frozen=True)
class _Design:
    units: IntArray
    formats: IntArray
    constructs: IntArray
    format_names: tuple[str, ...]
    construct_names: tuple[str, ...]


def audit_designed(
    path: Path, columns: ResidualColumns, design: DesignColumns, settings: ResidualSettings
) -> dict[str, Any]:
    """Run the designed branch.

    Raises:
        InputError: A column is missing or a level is unknown.
        StatisticsError: Too few units hold both formats, or the score is constant.
    """
    extra = [design.unit, design.edit, *([design.construct] if design.construct else [])]
    # Folds keep a unit together, whatever --group says.
    grouped = ResidualColumns(**{**vars(columns), "group": design.unit})
    table = read_table(path, grouped, extra)
    coded = _coded(table, design)
    scores = represent(read_scores(path, columns.score, table), settings.representation)
    gates = settings.gates
    folds = make_folds(
        len(scores), coded.units, n_folds=gates.n_folds, seed=gates.fold_seed, shuffle_groups=True
    )
    adjusted = scores - fitted_component(scores, table.features, folds, alpha=gates.alpha)
    rng = np.random.default_rng(settings.seed)
    contrasts = _contrasts(scores, adjusted, coded, rng, settings)
    effects = [each for each in contrasts if each.kind == "format effect"]
    attenuated = any(each.attenuated for each in effects)
    claim = (CLAIM if settings.provenance.statement else NOT_STATED) if attenuated else NO_CLAIM
    return {
        "outcome": "measured format attenuation" if attenuated else "no attenuation established",
        "claim": claim,
        "branch": "designed",
        "provenance": {
            "statement": settings.provenance.statement or None,
            "shared_convention_risk": settings.provenance.shared_risk or None,
        },
        "contrasts": [_contrast(each) for each in contrasts],
        "equivalence": _equivalence(adjusted, coded, design, rng, settings),
        "transfer": _transfer(scores, table, coded, settings),
        "length_only": _length_only(scores, table, coded, folds, settings),
        "assignment": _assignment(scores, table, coded, design, settings),
        "units": int(coded.units.max()) + 1,
        "rows": len(scores),
        "formats": list(coded.format_names),
        "constructs": list(coded.construct_names),
        "features": {"dense": list(table.features.names)},
        "excluded": table.excluded,
        "constants": {**asdict(gates), "seed": settings.seed},
        "representation": settings.representation,
        "file": table.file,
    }


def _coded(table: ResidualTable, design: DesignColumns) -> _Design:
    formats, format_names = _levels(table.row_keys[design.edit], design.plain, design.edit, table)
    constructs: IntArray = np.zeros(len(formats), dtype=np.int64)
    construct_names: tuple[str, ...] = ("all",)
    if design.construct is not None:
        values = table.row_keys[design.construct]
        good = _good(values, design, table)
        constructs, construct_names = _levels(values, good, design.construct, table)
    if len(format_names) < 2:
        raise InputError(
            f"{design.edit!r} holds one value; an effect needs two formats", file=table.file
        )
    return _Design(table.groups, formats, constructs, format_names, construct_names)


def _good(values: tuple[str, ...], design: DesignColumns, table: ResidualTable) -> str:
    """The good construct level: as named, or else the one whose rows carry the positive label."""
    if design.good is not None:
        return design.good
    if not table.labels.any():
        raise InputError(
            f"which value of {design.construct!r} is the good one is not plain",
            file=table.file,
            remedy="say it with --good VALUE",
        )
    rate = {
        value: float(table.labels[[v == value for v in values]].mean())
        for value in sorted(set(values))
    }
    return max(rate, key=lambda value: rate[value])


def _levels(
    values: tuple[str, ...], first: str | None, column: str, table: ResidualTable
) -> tuple[IntArray, tuple[str, ...]]:
    names = sorted(set(values))
    if first is not None:
        if first not in names:
            raise InputError(f"{column!r} never holds {first!r}", file=table.file)
        names = [first, *(name for name in names if name != first)]
    code = {name: index for index, name in enumerate(names)}
    return np.array([code[value] for value in values], dtype=np.int64), tuple(names)


def _contrasts(
    scores: FloatArray,
    adjusted: FloatArray,
    coded: _Design,
    rng: np.random.Generator,
    settings: ResidualSettings,
) -> tuple[Contrast, ...]:
    return designed_contrasts(
        scores,
        adjusted,
        coded.units,
        coded.formats,
        coded.constructs,
        rng,
        format_names=coded.format_names,
        construct_names=coded.construct_names,
        resamples=settings.gates.resamples,
        level=settings.gates.level,
    )


def _contrast(found: Contrast) -> dict[str, Any]:
    def part(value: float, ends: Any) -> dict[str, float]:
        return {"value": value, "low": ends.low, "high": ends.high}

    return {
        "kind": found.kind,
        "name": found.name,
        "units": found.units,
        "raw": part(found.raw, found.raw_ends),
        "adjusted": part(found.adjusted, found.adjusted_ends),
        "change": part(found.change, found.change_ends),
        "attenuated": found.attenuated,
    }


def _equivalence(
    adjusted: FloatArray,
    coded: _Design,
    design: DesignColumns,
    rng: np.random.Generator,
    settings: ResidualSettings,
) -> list[dict[str, Any]] | None:
    """Two one-sided tests of every adjusted format effect; null without a declared margin."""
    if design.margin is None:
        return None
    told = []
    for edited in range(1, len(coded.format_names)):
        for construct, construct_name in enumerate(coded.construct_names):
            effects = unit_effects(
                adjusted,
                coded.units,
                coded.formats,
                coded.constructs,
                edited=edited,
                construct=construct,
            )
            if len(effects) < 2:
                continue
            name = f"{coded.format_names[edited]} given {construct_name}"
            found = equivalence(
                effects, name, design.margin, rng, resamples=settings.gates.resamples
            )
            told.append(asdict(found))
    return told


def _transfer(
    scores: FloatArray, table: ResidualTable, coded: _Design, settings: ResidualSettings
) -> list[dict[str, Any]] | None:
    """Operator fitted on plain rows and one edit, applied to units it has not seen of another.

    Null where there is one edit only.
    """
    edits = range(1, len(coded.format_names))
    if len(edits) < 2:
        return None
    gates = settings.gates
    folds = make_folds(
        len(scores), coded.units, n_folds=gates.n_folds, seed=gates.fold_seed, shuffle_groups=True
    )
    told = []
    for fitted_on in edits:
        seen = (coded.formats == 0) | (coded.formats == fitted_on)
        fitted = _fitted_on(scores, table, folds, seen, gates.alpha)
        for applied_to in edits:
            effect = [
                unit_effects(
                    values,
                    coded.units,
                    coded.formats,
                    0 * coded.constructs,
                    edited=applied_to,
                    construct=0,
                )
                for values in (scores, scores - fitted)
            ]
            if len(effect[0]) < 2:
                continue
            told.append(
                {
                    "fitted_on": coded.format_names[fitted_on],
                    "applied_to": coded.format_names[applied_to],
                    "raw": float(effect[0].mean()),
                    "adjusted": float(effect[1].mean()),
                }
            )
    return told


def _fitted_on(
    scores: FloatArray, table: ResidualTable, folds: Folds, seen: NDArray[np.bool_], alpha: float
) -> FloatArray:
    fitted = np.empty(len(scores))
    for train, held_out in folds:
        kept = train[seen[train]]
        # One split as folds: the seen training rows fit, the held-out rows are read.
        split = np.full(len(scores), -2)
        split[kept], split[held_out] = -1, 0
        rows = np.flatnonzero(split > -2)
        part = Folds("grouped", 1, split[rows])
        found = fitted_component(scores[rows], table.features.rows(rows), part, alpha=alpha)
        fitted[held_out] = found[np.searchsorted(rows, held_out)]
    return fitted


def _length_only(
    scores: FloatArray,
    table: ResidualTable,
    coded: _Design,
    folds: Folds,
    settings: ResidualSettings,
) -> list[dict[str, Any]] | None:
    """Format effects after corrections that read one length alone; null without a text."""
    if table.lengths is None or np.ptp(table.lengths) == 0:
        return None
    told = []
    for form in LENGTH_FORMS:
        adjusted = scores - length_component(form, scores, table.lengths, folds)
        found = _contrasts(scores, adjusted, coded, np.random.default_rng(settings.seed), settings)
        told += [
            {"form": form, **_contrast(each)} for each in found if each.kind == "format effect"
        ]
    return told


def _assignment(
    scores: FloatArray,
    table: ResidualTable,
    coded: _Design,
    design: DesignColumns,
    settings: ResidualSettings,
) -> list[dict[str, Any]] | None:
    if not design.assignment:
        return None
    if len(coded.construct_names) != 2:
        raise StatisticsError("the assignment probe needs --construct with two levels")
    points = assignment_probe(
        scores,
        table.features,
        coded.units,
        coded.formats,
        coded.constructs == 0,
        settings.gates,
        np.random.default_rng(settings.seed),
    )
    return [asdict(point) for point in points]
