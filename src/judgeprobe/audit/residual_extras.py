"""What can be asked beside a residualization audit: sweeps, controls, triage, controlled models."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from judgeprobe.audit.residual import Finished, Provenance, ResidualSettings, result_of
from judgeprobe.errors import InputError, StatisticsError
from judgeprobe.files import write_csv
from judgeprobe.stats import residual_sensitivity as sweeps
from judgeprobe.stats.auc import auc
from judgeprobe.stats.residual_audit import eligibility_stage, residual_audit
from judgeprobe.stats.residual_controls import (
    Control,
    disjoint_label,
    nested_split_half,
    placebo,
    sub_blocks,
)
from judgeprobe.stats.residual_models import ControlledModel, decision
from judgeprobe.stats.residual_operator import Features, fitted_component
from judgeprobe.stats.residual_probe import recoverability
from judgeprobe.stats.residual_triage import triage
from judgeprobe.stats.residual_types import AuditData

__all__ = ["SWEEPS", "audit_model", "controls", "sensitivity", "write_triage"]

SWEEPS = (
    "gates",
    "alpha",
    "fold-seeds",
    "row-folds",
    "representations",
    "residualizers",
    "label-noise",
    "length-only",
)


def sensitivity(
    finished: Finished, settings: ResidualSettings, wanted: Sequence[str]
) -> dict[str, Any]:
    """The sweeps asked for; each is a list of variants, or null with a reason.

    Raises:
        InputError: A sweep is unknown.
    """
    unknown = sorted(set(wanted) - set(SWEEPS) - {"all"})
    if unknown:
        raise InputError(
            f"there is no sweep {unknown[0]!r}", remedy=f"use {', '.join(SWEEPS)}, all"
        )
    names = SWEEPS if "all" in wanted else tuple(name for name in SWEEPS if name in wanted)
    return {name: _sweep(name, finished, settings) for name in names}


def _sweep(name: str, finished: Finished, settings: ResidualSettings) -> Any:
    data, scores, gates = finished.data, finished.scores, settings.gates
    found = finished.audit.eligibility
    rng = np.random.default_rng(settings.seed)
    if name == "gates":
        return sweeps.gate_sweep(data, scores, gates, found)
    if name == "length-only":
        if finished.table.lengths is None:
            return {"reason": "no text is named (--text)"}
        return [asdict(v) for v in sweeps.length_only(data, scores, found, finished.table.lengths)]
    if name == "residualizers" and found.slice_rows.size * data.features.width > 2e7:
        return {"reason": "too many features for OLS, lasso and a forest; use fewer"}
    variants: dict[str, Callable[[], list[sweeps.Variant]]] = {
        "alpha": lambda: sweeps.alpha_sweep(data, scores, found),
        "fold-seeds": lambda: sweeps.fold_seeds(data, scores, gates),
        "row-folds": lambda: sweeps.row_level_folds(data, scores, gates, found),
        "representations": lambda: sweeps.representations(data, scores, gates, found),
        "residualizers": lambda: sweeps.residualizers(data, scores, found),
        "label-noise": lambda: sweeps.label_noise(data, scores, gates, rng),
    }
    return [asdict(variant) for variant in variants[name]()]


def controls(finished: Finished, settings: ResidualSettings) -> list[dict[str, Any]]:
    """The controls on the slice itself; each names its gain beside its full change."""
    data, scores, gates = finished.data, finished.scores, settings.gates
    found = finished.audit.eligibility
    rng = np.random.default_rng(settings.seed)
    fitted = fitted_component(scores, data.features, found.folds, alpha=gates.alpha)
    adjusted = scores - fitted
    told: list[Control | dict[str, Any]] = []
    attempts: list[Callable[[], list[Control]]] = [
        lambda: [nested_split_half(data, scores, gates, found, rng)],
        lambda: [placebo(data, scores, adjusted, gates, found, rng)],
        lambda: sub_blocks(data, scores, adjusted, gates, found, _blocks(data.features)),
    ]
    if finished.table.second is not None:
        second = finished.table.second
        attempts.append(lambda: [disjoint_label(data, scores, adjusted, gates, found, second)])
    for attempt in attempts:
        try:
            told += attempt()
        except StatisticsError as error:
            told.append({"name": "control", "gain": None, "remark": str(error)})
    return [asdict(each) if isinstance(each, Control) else each for each in told]


def _blocks(features: Features) -> list[tuple[str, Features]]:
    """Proper parts: each dense column alone, and the sparse block."""
    parts = [(name, features.only((name,))) for name in features.names]
    if features.block is not None:
        empty = features.dense[:, :0]
        parts.append(("@tfidf", Features(empty, (), features.block)))
    return parts if len(parts) > 1 else []


def write_triage(path: Path, finished: Finished, settings: ResidualSettings) -> dict[str, Any]:
    """Rank rows for re-annotation; the file holds row numbers, risks and the unchanged scores.

    Raises:
        StatisticsError: The slice is empty or everything.
    """
    data, scores = finished.data, finished.scores
    fitted = fitted_component(
        scores, data.features, finished.audit.eligibility.folds, alpha=settings.gates.alpha
    )
    ranked = triage(scores, fitted, finished.audit.eligibility)
    rows = [
        [place, int(finished.table.kept[row]) + 1, float(ranked.risk[row]), float(scores[row])]
        for place, row in enumerate(ranked.order.tolist(), start=1)
    ]
    write_csv(path, ["rank", "row", "risk", "score"], rows)
    return {
        "rows": len(rows),
        "auc": ranked.auc,
        "slice_in_first_tenth": ranked.caught,
        "not_converged": ranked.not_converged,
    }


def audit_model(model: ControlledModel, settings: ResidualSettings) -> dict[str, Any]:
    """The committed procedure on a draw whose truth is known, beside what truth says."""
    features = Features(
        model.features, tuple(f"phi_{index}" for index in range(model.features.shape[1]))
    )
    groups = np.arange(len(model.labels))
    data = AuditData(model.labels, features, features, groups)
    rng = np.random.default_rng(settings.seed)
    found = eligibility_stage(data, settings.gates, rng)
    audit = residual_audit(data, model.scores, settings.gates, found)
    adjusted = model.scores - fitted_component(
        model.scores, features, found.folds, alpha=settings.gates.alpha
    )
    declared = model.declared_slice
    labels = model.labels
    result = result_of(audit, Provenance("construct known by the model", "none"), settings.gates)
    result["truth"] = {
        "full": {"raw": auc(labels, model.scores), "adjusted": auc(labels, adjusted)},
        "declared_slice": {
            "n": int(declared.sum()),
            "raw": auc(labels[declared], model.scores[declared]),
            "adjusted": auc(labels[declared], adjusted[declared]),
        },
        "channels": [_channel(artifact, adjusted, features, found) for artifact in model.artifacts],
    }
    return result


def _channel(artifact: Any, adjusted: Any, features: Features, found: Any) -> dict[str, Any]:
    """Can the artifact's decision be read linearly from the features, and still from the score?"""
    marked = decision(artifact).astype(np.int64)
    linear = fitted_component(marked.astype(np.float64), features, found.folds)
    linear_floor = auc(marked, adjusted)
    return {
        "recoverable_from_features": auc(marked, linear),
        "linear_floor": max(linear_floor, 1 - linear_floor),
        "forest_floor": recoverability(adjusted[:, None], marked, found.folds),
    }
