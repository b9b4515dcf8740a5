"""How are variants piloted, swept and profiled, and what would that cost?

One budget holds over all of them. Replies lie in the study's own cache, so a run that was stopped
goes on where it was and a second run makes no call. A judge that gives no grade at all in the pilot
of an elicitation is not swept under it, and the reason is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judgeprobe.files import read_json
from judgeprobe.llm.limits import Budget
from judgeprobe.profile import profile_study
from judgeprobe.study import Study
from judgeprobe.sweep.paired import PairedResult, paired_dry_run, paired_sweep
from judgeprobe.sweep.pilot import pilot, pilot_extra
from judgeprobe.sweep.progress import Style
from judgeprobe.sweep.stage import SweepResult, budget_of, dry_run, sweep
from judgeprobe.variants.folders import write_folder
from judgeprobe.variants.plan import Variant

__all__ = ["VariantRun", "as_piloted", "estimate", "pilot_rows", "run_variants"]

PILOT = "pilot.json"


@dataclass
class VariantRun:
    """What was done for one variant.

    Attributes:
        variant: The variant, without the judges that its pilot ruled out.
        calls: Model calls of this run, retries included.
        usd: Spent in this run, as far as prices are known.
        complete: Whether every text was put to every judge.
        stopped: Why no further call was made, or "".
        findings: What the sweep watches for and found.
        notes: Warnings.
    """

    variant: Variant
    calls: int = 0
    usd: float = 0.0
    complete: bool = True
    stopped: str = ""
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def estimate(study: Study, variants: Sequence[Variant]) -> list[dict[str, Any]]:
    """Planned, cached and missing calls of every variant and judge; no call, and no file written.

    Raises:
        JudgeprobeError: A variant cannot be swept.
    """
    rows = []
    for variant in variants:
        mine = variant.study(study)
        plan = paired_dry_run(mine) if variant.kind == "paired" else dry_run(mine).judges
        sample = study.settings.variants.pilot
        extra = pilot_extra(mine, sample=sample) if variant.has_pilot and plan else {}
        for row in plan:
            more = extra.get(row["judge"], 0)
            rows.append({"variant": variant.name, **row, "pilot_calls": more})
        for judge, reason in variant.left_out:
            rows.append({"variant": variant.name, "judge": judge, "reason": reason})
    return rows


def run_variants(
    study: Study,
    variants: Sequence[Variant],
    *,
    progress: Style = "none",
    say: Callable[[str], None] = lambda _: None,
) -> list[VariantRun]:
    """Pilot, sweep and profile each variant, until the study's budget is spent.

    Args:
        study: The study that they are variants of.
        variants: From `plan_variants`.
        progress: How the counts of a sweep are shown.
        say: Told one line before each variant.

    Raises:
        JudgeprobeError: A variant cannot be swept or profiled, or the disk refused.
    """
    spent = budget_of(study)
    runs: list[VariantRun] = []
    for variant in variants:
        if not variant.judges:
            runs.append(VariantRun(variant))
            continue
        say(f"{variant.name}: {variant.change}")
        before = (spent.calls, spent.usd)
        run = _run(study, variant, spent, progress)
        run.calls, run.usd = spent.calls - before[0], spent.usd - before[1]
        runs.append(run)
        if run.stopped:
            break
    return runs


def _run(study: Study, variant: Variant, spent: Budget, progress: Style) -> VariantRun:
    folder = write_folder(study, variant)
    run = VariantRun(variant)
    if variant.has_pilot:
        sample = study.settings.variants.pilot
        _, notes, stopped = pilot(folder, sample=sample, progress=progress, spent=spent)
        run.notes += notes
        if stopped:
            run.complete, run.stopped = False, stopped
            return run
        run.variant = as_piloted(study, variant)
        run.complete = not _unanswered(read_json(folder.folder / PILOT), run.variant)
        if not run.variant.judges:
            return run
        folder = write_folder(study, run.variant)
    result: PairedResult | SweepResult
    if variant.kind == "paired":
        result = paired_sweep(folder, spent=spent, progress=progress)
    else:
        result = sweep(folder, progress=progress, spent=spent)
    run.notes += [line for line in result.notes if line not in run.notes]
    run.findings += result.findings
    run.complete = run.complete and result.complete
    run.stopped = result.stopped
    if variant.kind != "paired":
        profile_study(folder)
    return run


def as_piloted(study: Study, variant: Variant) -> Variant:
    """The variant without the judges that gave no grade in its pilot; as it is without a pilot."""
    rows = pilot_rows(study, variant)
    silent = [
        (row["judge"], _why_silent(row))
        for row in rows
        if row["graded"] == 0 and row["judge"] in variant.judges
    ]
    return variant.without(silent)


def pilot_rows(study: Study, variant: Variant) -> list[dict[str, Any]]:
    """What a variant's pilot said of each judge; empty where it has none."""
    path: Path = variant.study(study).folder / PILOT
    if not (variant.has_pilot and path.is_file()):
        return []
    rows: list[dict[str, Any]] = read_json(path)["judges"]
    return rows


def _unanswered(found: Mapping[str, Any], variant: Variant) -> bool:
    """Whether a judge was ruled out because its calls failed, and not by what it answered.

    A provider that refuses to give token probabilities does so by an error.
    """
    return variant.name != "expected" and any(
        row["judge"] not in variant.judges and set(row["failures"]) <= {"failed", "not asked"}
        for row in found["judges"]
    )


def _why_silent(row: Mapping[str, Any]) -> str:
    told = ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in row["failures"].items())
    why = f": {row['why']}" if row["why"] else ""
    return f"it gave no grade in the pilot ({told}{why})"
