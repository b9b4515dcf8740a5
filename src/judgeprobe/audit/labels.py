"""What does the audit of a label set find, as one result that can be printed, saved and reported?

The result is plain data whose names are part of the format (`docs/audits/label-sets.md`). A number
that cannot be had is null beside a reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgeprobe.audit.label_checklist import checklist, pattern
from judgeprobe.audit.label_files import Located
from judgeprobe.audit.label_sets import LabelSet, LabelSource, Mode, prepare
from judgeprobe.errors import InputError, StatisticsError
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.label_permutation import permuted_labels
from judgeprobe.stats.label_transfer import TransferSet, transfer_matrix
from judgeprobe.stats.pair_length import length_facts
from judgeprobe.stats.provenance_recovery import ProvenanceRecovery, provenance_recovery
from judgeprobe.stats.validation_power import MemberScore, ValidationPower, validation_power

__all__ = ["LabelAuditSettings", "audit_labels"]

MIN_PART = 20


@dataclass(frozen=True)
class LabelAuditSettings:
    """How an audit is run; all of it is in the result.

    Attributes:
        mode: "item" or "paired".
        permutations: Label vectors in the null.
        resamples: Bootstrap draws of groups.
        seed: Of side order, permutations, resamples and shuffled folds.
        single_precision: Whether n-gram matrices are float32.
        by_part: Whether each axis, slot or subset that the set names is audited too.
    """

    mode: Mode
    permutations: int = 100
    resamples: int = 2000
    seed: int = 0
    single_precision: bool = False
    by_part: bool = False


def audit_labels(
    source: LabelSource,
    located: Located,
    settings: LabelAuditSettings,
    transfer: Sequence[LabelSource] = (),
) -> dict[str, Any]:
    """Audit one label set in one input mode.

    Args:
        source: The set.
        located: Where it came from.
        settings: How to run.
        transfer: Other sets, for the transfer matrix.

    Raises:
        InputError: The set cannot be audited in this mode.
        StatisticsError: It holds one class only, or fewer rows than folds.
    """
    rng = np.random.default_rng(settings.seed)
    prepared = prepare(source, settings.mode, rng)
    if not any(text.strip() for text in (*prepared.texts, *(prepared.texts_b or ()))):
        raise InputError("every text is empty", file=source.name, remedy="check --text")
    found = _power(prepared, settings, rng)
    result: dict[str, Any] = {
        "set": source.name,
        "mode": prepared.mode,
        "n": found.n,
        "classes": _class_counts(prepared),
        **_findings(found),
        **_length(prepared, rng),
        "provenance": _provenance(prepared, found, settings, rng),
        "by": _parts(prepared, settings, rng) if settings.by_part else None,
        "transfer": _transfer(prepared, transfer, settings),
    }
    result["pattern"] = pattern(result)
    result["checklist"] = checklist(result, source)
    result |= {
        "label_origin": source.origin or None,
        "excluded": prepared.excluded,
        "notes": [*prepared.notes, *_facts(prepared, found)],
        "settings": {
            "seed": settings.seed,
            "permutations": settings.permutations,
            "resamples": settings.resamples,
            "precision": "float32" if settings.single_precision else "float64",
        },
        "source": {"sha256": located.sha256, "revision": located.revision},
    }
    return result


def _power(
    prepared: LabelSet, settings: LabelAuditSettings, rng: np.random.Generator
) -> ValidationPower:
    try:
        return validation_power(
            prepared.texts,
            prepared.labels,
            rng,
            texts_b=prepared.texts_b,
            groups=prepared.groups,
            second=prepared.second,
            ordered=prepared.ordered,
            permutations=settings.permutations,
            resamples=settings.resamples,
            fold_seed=settings.seed,
            dtype=np.float32 if settings.single_precision else np.float64,
        )
    except StatisticsError as error:
        raise StatisticsError(f"{prepared.name}: {error}") from None


def _class_counts(prepared: LabelSet) -> dict[str, int]:
    counts = np.bincount(prepared.labels, minlength=len(prepared.classes))
    return {name: int(count) for name, count in zip(prepared.classes, counts, strict=True)}


def _ends(interval: Interval | None) -> dict[str, float] | None:
    if interval is None:
        return None
    return {"estimate": interval.estimate, "low": interval.low, "high": interval.high}


def _member(score: MemberScore) -> dict[str, Any]:
    return {
        "name": score.name,
        "kappa": score.kappa,
        "kappa_linear": score.kappa_linear,
        "accuracy": score.accuracy,
        "degenerate": score.degenerate,
        "null_mean": score.null_mean,
        "null_q05": score.null_quantile(0.05),
        "null_q95": score.null_quantile(0.95),
        "p": score.p,
        "features": score.features,
        "fits": score.fits,
        "not_converged": score.not_converged,
        "constant_fits": score.constant,
    }


def _findings(found: ValidationPower) -> dict[str, Any]:
    power = found.power
    reason = None
    if power.status == "no human ceiling":
        reason = "no item has a second annotator's label; power is at most 1 - a_imp"
    return {
        "folds": {"kind": found.folds.kind, "n": found.folds.n},
        "permutation": {"kind": found.scheme.kind, "movable": found.scheme.movable},
        "members": [_member(score) for score in found.members],
        "a_imp": found.a_imp.estimate,
        "a_imp_member": found.best,
        "a_imp_interval": {"low": found.a_imp.low, "high": found.a_imp.high},
        "a_imp_p": found.a_imp_p,
        "a_hum": _ends(found.a_hum),
        "a_hum_n": found.n_double,
        "power": {
            "estimate": power.estimate,
            "low": None if power.interval is None else power.interval.low,
            "high": None if power.interval is None else power.interval.high,
            "status": power.status,
            "reason": reason,
        },
    }


def _length(prepared: LabelSet, rng: np.random.Generator) -> dict[str, Any]:
    if prepared.texts_b is None:
        reason = "single texts have no shorter side"
        return {"shorter": None, "longer": None, "length_reason": reason}
    facts = length_facts(prepared.texts, prepared.texts_b, prepared.labels, prepared.groups, rng)
    if facts.preferred_shorter is None or facts.preferred_longer is None:
        reason = "both sides of every pair have the same number of characters"
        return {"shorter": None, "longer": None, "length_reason": reason}
    n = facts.n_pairs - facts.n_equal
    named = {"shorter": facts.preferred_shorter, "longer": facts.preferred_longer}
    told = {
        name: {"n": n, "rate": rate.estimate, "low": rate.low, "high": rate.high}
        for name, rate in named.items()
    }
    return {**told, "equal_length": facts.n_equal, "length_reason": None}


def _provenance(
    prepared: LabelSet,
    found: ValidationPower,
    settings: LabelAuditSettings,
    rng: np.random.Generator,
) -> dict[str, Any] | None:
    if prepared.conditions is None or (prepared.texts_b and prepared.conditions_b is None):
        return None
    drawn = permuted_labels(
        prepared.labels, prepared.groups, found.scheme, settings.permutations, rng
    )
    try:
        recovery = provenance_recovery(
            prepared.texts,
            prepared.labels,
            prepared.conditions,
            found.folds,
            drawn,
            texts_b=prepared.texts_b,
            conditions_b=prepared.conditions_b,
        )
    except StatisticsError as error:
        return {"name": "provenance_recoverable", "kappa": None, "reason": str(error)}
    return _recovery(recovery, found)


def _recovery(recovery: ProvenanceRecovery, found: ValidationPower) -> dict[str, Any]:
    return {
        "name": "provenance_recoverable",
        "kappa": recovery.label.value,
        "accuracy": recovery.label.accuracy,
        "null_mean": float(recovery.null.mean()),
        "null_q95": float(np.quantile(recovery.null, 0.95)),
        "p": recovery.p,
        "conditions": recovery.n_conditions,
        "label_is_function_of_condition": recovery.is_function,
        "condition_recovered_kappa": recovery.condition.value,
        "label_from_true_condition_kappa": recovery.label_given_condition.value,
        "a_imp_with_provenance": max(found.a_imp.estimate, recovery.label.value),
        "reason": None,
    }


def _parts(
    prepared: LabelSet, settings: LabelAuditSettings, rng: np.random.Generator
) -> list[dict[str, Any]]:
    if prepared.parts is None:
        raise InputError(
            "names no parts to audit",
            file=prepared.name,
            remedy="give --by COLUMN, or leave it out",
        )
    return [_part(prepared.part(name), settings, rng) for name in prepared.part_names()]


def _part(part: LabelSet, settings: LabelAuditSettings, rng: np.random.Generator) -> dict[str, Any]:
    head: dict[str, Any] = {"value": part.name, "n": len(part.labels)}
    if len(part.labels) < MIN_PART:
        return {**head, "a_imp": None, "reason": f"fewer than {MIN_PART} rows"}
    if len(part.classes) < 2:
        return {**head, "a_imp": None, "reason": "one class only"}
    found = _power(part, settings, rng)
    return {**head, **_findings(found), **_length(part, rng), "reason": None}


def _transfer(
    prepared: LabelSet, others: Sequence[LabelSource], settings: LabelAuditSettings
) -> list[dict[str, Any]] | None:
    if not others:
        return None
    sets = [prepared]
    sets += [prepare(o, settings.mode, np.random.default_rng(settings.seed)) for o in others]
    names = _unique_names([each.name for each in sets])
    cells = transfer_matrix(
        [
            TransferSet(
                name, each.texts, [each.classes[code] for code in each.labels], each.texts_b
            )
            for name, each in zip(names, sets, strict=True)
        ]
    )
    return [{**vars(cell), "classes": list(cell.classes)} for cell in cells]


def _unique_names(names: list[str]) -> list[str]:
    """Two files may share a name in different folders; the later one gets a number."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique


def _facts(prepared: LabelSet, found: ValidationPower) -> list[str]:
    """What a reader of the numbers should know of the texts and the fits."""
    every = [*prepared.texts, *(prepared.texts_b or ())]
    notes = []
    empty = sum(not text.strip() for text in every)
    if empty:
        notes.append(f"{empty} of {len(every)} texts are empty; they are kept.")
    if prepared.texts_b is not None:
        same = sum(a == b for a, b in zip(prepared.texts, prepared.texts_b, strict=True))
        if same:
            notes.append(f"Pairs with two identical sides: {same}; nothing can tell these apart.")
    if prepared.groups is None:
        notes.append("No group is known: folds do not keep prompts or documents together.")
    elif found.folds.kind == "shuffled":
        notes.append("Fewer than five groups: folds are shuffled rows and may share a group.")
    spread = _spread(prepared)
    if spread:
        notes.append(f"{spread} distinct texts occur in more than one group.")
    for score in found.members:
        if score.not_converged:
            notes.append(
                f"{score.name}: {score.not_converged} of {score.fits} fits did not converge."
            )
        if score.constant:
            notes.append(
                f"{score.name}: {score.constant} of {score.fits} fits saw one class in training."
            )
        if not score.features:
            notes.append(
                f"{score.name}: no n-gram occurs in three training texts; it sees nothing."
            )
        if score.degenerate:
            notes.append(f"{score.name}: kappa is 0 by rule (labels and predictions are constant).")
    return notes


def _spread(prepared: LabelSet) -> int:
    if prepared.groups is None:
        return 0
    groups: dict[str, set[int]] = {}
    for side in (prepared.texts, prepared.texts_b or ()):
        for text, group in zip(side, prepared.groups, strict=False):
            if text.strip():
                groups.setdefault(text, set()).add(int(group))
    return sum(len(found) > 1 for found in groups.values())
