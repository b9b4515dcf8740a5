"""What biases this judge, and what would people have said in each segment?

Rows that the judge did not grade are left out; rows without a label count for the segments only;
rows that lack a covariate are left out of the regression. Each is counted.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from judgeprobe.audit.covariates import covariates
from judgeprobe.audit.error_columns import ErrorColumns, ErrorSettings
from judgeprobe.audit.errors_streamed import errors_way, refuse_nothing, streamed_errors
from judgeprobe.audit.grades_input import GradesSource, read_source
from judgeprobe.audit.grades_table import Table, codes, scores
from judgeprobe.errors import InputError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.stats.judge_error import Effect, ErrorRegression, error_regression
from judgeprobe.stats.segments import Corrected, SegmentReport, segment_means

__all__ = ["ErrorColumns", "ErrorSettings", "audit_errors"]

_MOST_SEGMENTS = 500


def audit_errors(
    source: GradesSource, columns: ErrorColumns, settings: ErrorSettings
) -> dict[str, Any]:
    """The audit as one JSON object.

    Raises:
        InputError: A file, a column or a cell cannot be used.
        StatisticsError: A covariate has no effect of its own, or rows are too few.
    """
    if not columns.covariates and columns.by is None:
        raise InputError("nothing is asked", remedy="give --covariate COL or --by SEGMENT")
    if (columns.baseline_judge is None) != (columns.baseline_gold is None):
        raise InputError("a comparison needs --baseline-judge and --baseline-gold together")
    if errors_way(source, columns, settings) == "stream":
        regression, n, counts = streamed_errors(source.path, columns, settings)
        return _result(source, columns, settings, regression, {}, n, counts, None)
    table = read_source(source, columns.others, columns.labels)
    judge, gold = scores(table, columns.judge), scores(table, columns.gold)
    if columns.baseline_judge is not None and columns.baseline_gold is not None:
        judge = judge - scores(table, columns.baseline_judge)
        gold = gold - scores(table, columns.baseline_gold)
    design = covariates(table, columns.covariates, columns.ready)
    clusters = _clusters(table, columns.cluster)
    graded = ~np.isnan(judge)
    if clusters is not None:
        graded &= clusters >= 0
    labelled = graded & ~np.isnan(gold)
    used = labelled & ~np.isnan(design.values).any(axis=1)
    refuse_nothing(source.path, columns, used=int(used.sum()), graded=int(graded.sum()))
    found = None
    # Without covariates the segments are asked for: they say themselves where labels are few.
    if columns.covariates or used.sum() > 1:
        found = error_regression(
            (judge - gold)[used],
            design.values[used],
            design.names,
            clusters=None if clusters is None else clusters[used],
            level=settings.level,
            correction=settings.correction,
        )
    segments = None
    if columns.by is not None:
        segments = _segments(table, columns, settings, judge, gold, graded, clusters)
    counts = {
        "rows": table.n,
        "not_graded": int(np.isnan(judge).sum()),
        "without_cluster": int((~graded).sum() - np.isnan(judge).sum()),
        "not_labelled": int((graded & np.isnan(gold)).sum()),
        "without_covariate": int((labelled & ~used).sum()),
    }
    n = int(used.sum())
    return _result(source, columns, settings, found, design.references, n, counts, segments)


def _result(
    source: GradesSource,
    columns: ErrorColumns,
    settings: ErrorSettings,
    found: ErrorRegression | None,
    references: dict[str, str],
    n: int,
    counts: dict[str, int],
    segments: SegmentReport | None,
) -> dict[str, Any]:
    return {
        **source.named(),
        "comparison": columns.baseline_judge is not None,
        **_regression(found, references, n, settings),
        "counts": counts,
        **_segment_fields(segments),
    }


def _clusters(table: Table, column: str | None) -> Ints | None:
    return None if column is None else codes(table, column)[0]


def _segments(
    table: Table,
    columns: ErrorColumns,
    settings: ErrorSettings,
    judge: Floats,
    gold: Floats,
    graded: Bools,
    clusters: Ints | None,
) -> SegmentReport:
    found, names = codes(table, str(columns.by))
    if len(names) > _MOST_SEGMENTS:
        raise InputError(
            f"`{columns.by}` has {len(names)} values; at most {_MOST_SEGMENTS} make segments",
            file=table.path,
            remedy="cut a number into classes, or give it as a --covariate",
        )
    if (found[graded] < 0).any():
        # Rows without a segment are shown as one, not dropped.
        names = [*names, "(none)"]
        found = np.where(found < 0, len(names) - 1, found)
    kept, again = np.unique(found[graded], return_inverse=True)
    null = settings.null
    if null is None and columns.baseline_judge is not None:
        null = 0.0
    return segment_means(
        judge[graded],
        gold[graded],
        again,
        [names[code] for code in kept],
        clusters=None if clusters is None else clusters[graded],
        null=null,
        level=settings.level,
        min_gold=settings.min_gold,
        correction=settings.correction,
    )


def _regression(
    found: ErrorRegression | None, references: dict[str, str], n: int, settings: ErrorSettings
) -> dict[str, Any]:
    plain = {"level": settings.level, "correction": settings.correction}
    if found is None:
        missing = ("mean_error", "mean_error_low", "mean_error_high", "intercept")
        return {
            "n": n,
            **dict.fromkeys(missing),
            "effects": [],
            "references": {},
            "covariance": None,
            "n_clusters": None,
            "reason": f"{n} labelled rows: no mean error",
            **plain,
        }
    return {
        "n": found.n,
        "mean_error": found.mean_error,
        "mean_error_low": found.low,
        "mean_error_high": found.high,
        "intercept": _effect(found.intercept),
        "effects": [_effect(effect) for effect in found.effects],
        "references": references,
        "covariance": found.covariance,
        "n_clusters": found.n_clusters,
        "reason": "",
        **plain,
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return asdict(effect)


def _segment_fields(found: SegmentReport | None) -> dict[str, Any]:
    if found is None:
        return {"segments": [], "global": None, "tested": None, "hidden_by_global": []}
    return {
        "segments": [_segment(each) for each in found.segments],
        "global": _segment(found.overall),
        "tested": found.tested,
        "hidden_by_global": list(found.hidden),
    }


def _segment(each: Corrected) -> dict[str, Any]:
    return asdict(each)
