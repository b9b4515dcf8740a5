"""What does the released set say to the six lines of a usable label set?

Section 6.1 of the construct-validity reference, filled in from the study's own files: "yes" with
the figure, "no" with what is missing, "not done" where the step was not run. Lines 2 to 4 are about
a label set as a test of judges; they need `judgeprobe audit labels`, whose labels.json the setting
[bundle] label_audit names.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from judgeprobe.records import Intervention

__all__ = ["checklist", "checklist_markdown"]

_NOT_DONE = "not done"
_RUN = "`judgeprobe audit labels` was not run on this set, or [bundle] label_audit does not name it"
ASKED = (
    "State how each label was obtained; if it is a function of a generative condition, say so.",
    "Report the best impoverished predictor's agreement, not only the judge's.",
    "Report a human ceiling with an interval, and validation power against it.",
    "Report a label-permutation null.",
    "Probe in both directions: construct edits and surface edits.",
    "If the label set is released, release the provenance field, so others can run 1 to 5.",
)


def checklist(
    edits: Sequence[Intervention],
    profile: Mapping[str, Any],
    annotation: Mapping[str, Any] | None,
    audit: Mapping[str, Any] | None,
    *,
    annotators: int,
    labels: int,
) -> list[dict[str, Any]]:
    """The six lines.

    Args:
        edits: The released interventions.
        profile: profile.json.
        annotation: annotation.json, or None where nobody labelled.
        audit: labels.json of `judgeprobe audit labels`, or None.
        annotators: Number of people whose labels are released.
        labels: Number of released labels.
    """
    audited = {line["line"]: line for line in (audit or {}).get("checklist", [])}
    answers = (
        _origin(edits, profile, annotators, labels),
        _audited(audited, 2, _length(profile)),
        _audited(audited, 3, _ceiling(annotation)),
        _audited(audited, 4, _axis_null(profile)),
        _both(edits, profile),
        _provenance(edits),
    )
    return [
        {"line": number, "asked": asked, "holds": holds, "fact": fact}
        for number, (asked, (holds, fact)) in enumerate(zip(ASKED, answers, strict=True), start=1)
    ]


def _origin(
    edits: Sequence[Intervention], profile: Mapping[str, Any], annotators: int, labels: int
) -> tuple[str, str]:
    told = _counted(edit.direction_source for edit in edits)
    made = _counted(edit.generator for edit in edits)
    if profile["direction"] == "construction":
        return "yes", (
            f"direction by construction: the label is a function of the slot that the generator "
            f"was asked for ({told}; made by {made}); no person has set it"
        )
    if labels:
        return "yes", (
            f"direction by the majority of {annotators} annotators, {labels} labels released one "
            f"by one; edits made by {made}"
        )
    source = profile.get("direction_source") or told
    return "yes", f"direction set by people elsewhere: {source}"


def _audited(audited: Mapping[int, Mapping[str, Any]], number: int, beside: str) -> tuple[str, str]:
    found = audited.get(number)
    if found is None:
        return _NOT_DONE, f"{_RUN}; {beside}" if beside else _RUN
    fact = str(found["fact"])
    return str(found["holds"]), f"{fact}; {beside}" if beside else fact


def _length(profile: Mapping[str, Any]) -> str:
    for row in profile.get("controls", ()):
        if row["judge"] == "length" and row.get("S") is not None:
            return (
                "on the judges' side, a control that reads only the number of words measures "
                f"S {row['S']:.3f}, R {row['R']:.3f}"
            )
    return ""


def _ceiling(annotation: Mapping[str, Any] | None) -> str:
    overall = ((annotation or {}).get("agreement") or {}).get("overall") or {}
    if overall.get("pairwise") is None:
        return "no two people labelled one edit"
    ends = (
        "no interval"
        if overall.get("low") is None
        else f"interval {overall['low']:.3f} to {overall['high']:.3f}"
    )
    return (
        f"two annotators agree on {overall['pairwise']:.3f} of the edits ({ends}, "
        f"{overall['n_units']} edits)"
    )


def _axis_null(profile: Mapping[str, Any]) -> str:
    gap = profile.get("gap") or {}
    if gap.get("permutation_p") is None:
        return ""
    return (
        f"for the contrast of the axes a permutation null was run: p {gap['permutation_p']:.4f}, "
        f"{gap['permutations']} permutations"
    )


def _both(edits: Sequence[Intervention], profile: Mapping[str, Any]) -> tuple[str, str]:
    arms = Counter(edit.arm for edit in edits)
    told = f"{arms['construct']} construct and {arms['invariance']} surface edits"
    rates = []
    for row in profile["judges"]:
        point = row.get("operating_point")
        if point is None:
            rates.append(f"{row['judge']} {row['status']}")
        else:
            rates.append(f"{row['judge']} S {point['S']:.3f}, R {point['R']:.3f}")
    holds = "yes" if arms["construct"] and arms["invariance"] else "no"
    return holds, "; ".join([told, *rates])


def _provenance(edits: Sequence[Intervention]) -> tuple[str, str]:
    makers = _counted(edit.generator for edit in edits)
    families = _counted(edit.family for edit in edits)
    return "yes", (
        "interventions.jsonl has slot, axis, arm, generator, family, direction_source and the "
        f"gates of every edit (generators: {makers}; families: {families})"
    )


def _counted(values: Any) -> str:
    counts = Counter(values)
    return ", ".join(f"{name or 'not stated'} {n}" for name, n in sorted(counts.items()))


def checklist_markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """CHECKLIST.md."""
    rows = [
        f"{line['line']}. **{line['asked']}** {line['holds'].capitalize()}: {line['fact']}."
        for line in lines
    ]
    return "\n".join(
        [
            "# Checklist",
            "",
            "The six lines of section 6.1 of the construct-validity reference, filled in by "
            "`judgeprobe bundle` from the files beside this one.",
            "",
            *rows,
            "",
        ]
    )
