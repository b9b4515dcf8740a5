"""What does a residualization audit find, as one result that can be printed, saved and reported?

A stage that was not reached is null, and `reasons` says why. The gain stands beside the
full-population change, the flagged subgroup and the ranking, or is not given.
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgeprobe.audit.residual_commit import check_commitment, commitment, write_commitment
from judgeprobe.audit.residual_input import ResidualColumns, ResidualTable, read_scores, read_table
from judgeprobe.errors import InputError
from judgeprobe.stats.residual_audit import eligibility_stage, residual_audit
from judgeprobe.stats.residual_operator import Representation, represent
from judgeprobe.stats.residual_types import (
    CLAIMS,
    AuditData,
    Decorrelation,
    DualReport,
    Eligibility,
    Gates,
    ResidualAudit,
)

__all__ = ["Finished", "Provenance", "ResidualSettings", "audit_residual", "result_of"]

NOT_STATED = (
    "Withheld: where the label comes from is not stated (--label-provenance), so nothing can be "
    "claimed about the construct."
)


@dataclass(frozen=True)
class Provenance:
    """What the user says of the label.

    Attributes:
        statement: Where the label comes from, and that it saw neither the score nor its pipeline.
        shared_risk: What conventions label and score's makers may share.
    """

    statement: str = ""
    shared_risk: str = ""


@dataclass(frozen=True)
class ResidualSettings:
    """How an audit is run; all of it is in the result.

    Attributes:
        gates: Every constant.
        representation: Of the score; declared, never searched.
        seed: Of the resamples.
        commit: A file: written before the score is read where it is not there, checked where it is.
        provenance: What is said of the label.
    """

    gates: Gates = field(default_factory=Gates)
    representation: Representation = "native"
    seed: int = 0
    commit: Path | None = None
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True)
class Finished:
    """A finished audit with what later steps (sensitivity, triage) need.

    Attributes:
        result: What is printed and saved.
        table: Everything but the score.
        data: The arrays of the audit.
        scores: In the declared representation.
        audit: The staged result.
    """

    result: dict[str, Any]
    table: ResidualTable
    data: AuditData
    scores: NDArray[np.float64]
    audit: ResidualAudit


def audit_residual(path: Path, columns: ResidualColumns, settings: ResidualSettings) -> Finished:
    """Run the observational branch.

    Raises:
        InputError: The file cannot be used as given.
        StatisticsError: One label class, too few groups, or a constant score.
    """
    table = read_table(path, columns)
    data = AuditData(table.labels, table.features, table.artifact, table.groups)
    rng = np.random.default_rng(settings.seed)
    found = eligibility_stage(data, settings.gates, rng)
    committed = _commit(table, columns, settings, found)
    scores = represent(read_scores(path, columns.score, table), settings.representation)
    audit = residual_audit(data, scores, settings.gates, found)
    result = result_of(audit, settings.provenance, settings.gates)
    result |= {
        "commitment": committed,
        "representation": settings.representation,
        "rows": len(table.labels),
        "groups": int(table.groups.max()) + 1,
        "features": {"dense": list(table.features.names), "terms": _terms(table)},
        "excluded": table.excluded,
        "constants": {**asdict(settings.gates), "seed": settings.seed},
        "file": table.file,
    }
    return Finished(result, table, data, scores, audit)


def _terms(table: ResidualTable) -> int:
    return 0 if table.features.block is None else int(table.features.block.shape[1])


def _commit(
    table: ResidualTable, columns: ResidualColumns, settings: ResidualSettings, found: Eligibility
) -> dict[str, Any] | None:
    if settings.commit is None:
        return None
    now = commitment(table, columns, settings.gates, settings.representation, settings.seed, found)
    if settings.commit.exists():
        return {"written": False, **check_commitment(settings.commit, now)}
    write_commitment(settings.commit, now)
    return {"written": True, "hash": now["hash"], "intact": True, "moved": []}


def commit_only(path: Path, columns: ResidualColumns, settings: ResidualSettings) -> dict[str, Any]:
    """The first stage alone: write the commitment and read no score.

    Raises:
        InputError: No commitment file is named, or it is there already.
    """
    if settings.commit is None or settings.commit.exists():
        raise InputError("is there already", file=settings.commit, remedy="choose another name")
    table = read_table(path, columns)
    data = AuditData(table.labels, table.features, table.artifact, table.groups)
    found = eligibility_stage(data, settings.gates, np.random.default_rng(settings.seed))
    committed = _commit(table, columns, settings, found)
    return {"eligibility": _eligibility(found), "commitment": committed, "file": table.file}


def result_of(audit: ResidualAudit, provenance: Provenance, gates: Gates) -> dict[str, Any]:
    """The result's stages, in the names of the format."""
    found = audit.eligibility
    stated = bool(provenance.statement)
    claim = CLAIMS[audit.outcome]
    if audit.outcome == "measured slice gain" and not stated:
        claim = NOT_STATED
    return {
        "outcome": audit.outcome,
        "claim": claim,
        "strict": {"outcome": audit.strict_outcome, "claim": CLAIMS[audit.strict_outcome]},
        "provenance": {
            "statement": provenance.statement or None,
            "shared_convention_risk": provenance.shared_risk or None,
        },
        "eligibility": _eligibility(found),
        "screen": _screen(audit),
        **_dual(audit.report),
        "decorrelation": _decorrelation(audit.decorrelation),
        "probe": None if audit.probe is None else asdict(audit.probe),
        "reasons": _reasons(audit, gates),
    }


def _eligibility(found: Eligibility) -> dict[str, Any]:
    return {
        "auc": found.auc,
        "low": found.low,
        "high": found.high,
        "passed": found.passed,
        "slice_n": int(found.slice_rows.sum()),
        "folds": {"kind": found.folds.kind, "n": found.folds.n},
        "not_converged": found.predictor.not_converged,
    }


def _screen(audit: ResidualAudit) -> dict[str, Any]:
    screen = audit.screen
    delta = screen.delta_ends
    return {
        "r2": screen.r2,
        "r2_low": screen.r2_ends.low,
        "r2_high": screen.r2_ends.high,
        "delta_slice": screen.delta_slice,
        "delta_low": None if delta is None else delta.low,
        "delta_high": None if delta is None else delta.high,
        "passed": screen.passed,
    }


def _dual(report: DualReport | None) -> dict[str, Any]:
    if report is None:
        return {"slice": None, "full": None, "flagged": None, "ranking": None}
    gain, gain_ends = report.slice_change
    change, change_ends = report.full_change
    before, after = report.ranking
    flagged = report.flagged_alignment
    return {
        "slice": {
            "n": report.n_slice,
            "raw": report.slice_alignment[0],
            "adjusted": report.slice_alignment[1],
            "gain": gain,
            "low": gain_ends.low,
            "high": gain_ends.high,
        },
        "full": {
            "raw": report.full_alignment[0],
            "adjusted": report.full_alignment[1],
            "change": change,
            "low": change_ends.low,
            "high": change_ends.high,
        },
        "flagged": None if flagged is None else {"raw": flagged[0], "adjusted": flagged[1]},
        "ranking": {
            "mrr_raw": before.mrr,
            "mrr_adjusted": after.mrr,
            "auc_raw": before.auc,
            "auc_adjusted": after.auc,
            "groups": before.groups,
        },
    }


def _decorrelation(found: Decorrelation | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "raw": found.raw,
        "adjusted": found.adjusted,
        "low": found.ends.low,
        "high": found.ends.high,
        "met": found.met,
        "met_strict": found.strict,
    }


def _reasons(audit: ResidualAudit, gates: Gates) -> dict[str, str]:
    """Why a stage is null, by its name."""
    later = ("slice", "full", "flagged", "ranking", "decorrelation", "probe")
    if audit.outcome == "no usable slice":
        why = audit.eligibility.reason or "there is no usable slice"
        loads = "loads" if audit.screen.r2 >= gates.loading else "does not load"
        diagnosis = (
            f"the score {loads} on the features (R2 {audit.screen.r2:.3f}); "
            "paired label-preserving edits would give a target (--pairs-by)"
        )
        return {"eligibility": why, "screen": diagnosis} | dict.fromkeys(
            later, f"not reached: {why}"
        )
    if audit.outcome == "screen refuses":
        why = "not reached: the screen refuses"
        return {"screen": _screen_reason(audit)} | dict.fromkeys(later, why)
    reasons = {}
    if audit.report is not None and audit.report.flagged_alignment is None:
        reasons["flagged"] = "the flagged rows hold one label class"
    if audit.report is not None and audit.report.ranking[0].groups == 0:
        reasons["ranking"] = "no group touches the slice and holds both label classes"
    if audit.probe is None:
        reasons["probe"] = "a fold lacks one of the surface decisions"
    return reasons


def _screen_reason(audit: ResidualAudit) -> str:
    delta = audit.screen.delta_slice
    return f"R2 {audit.screen.r2:.3f}, slice degradation {0.0 if delta is None else delta:.3f}"
