"""How was each number made, and where is that written? One line a method."""

from judgeprobe.report.view import ProfileView

__all__ = ["method_lines"]

REFERENCE = "“A Judge Should Know What Changed: Construct Validity for LLM-as-a-Judge Evaluation”"


def method_lines(view: ProfileView) -> list[tuple[str, str]]:
    """Pairs (what was done, source) for the statistics that this profile holds."""
    verdict = (
        "A pair counts as changed when its grade moves by at least τ (rule shift)."
        if view.rule == "shift"
        else "The verdict at a cut τ is whether the grade is at least τ; the cuts are the "
        "midpoints between neighbouring grades that the judge gave (rule cut)."
    )
    lines = [
        (verdict, f"{REFERENCE}, Remark 1."),
        (
            "S is the share of invariance edits whose verdict held, R the share of construct "
            "edits whose verdict changed. Base items weigh equally and, within one, its edits.",
            "Same, equation 6.",
        ),
        (
            "The frontier is, at each S, the largest R attained at that S or a stricter one; "
            "every vertex is an attained cut.",
            "Same, section 2.3.",
        ),
        (
            f"The operating point is the cut with the largest R subject to S ≥ {view.floor:.2f}. A "
            "judge with no such cut is uninterpretable, one with fewer than two usable grades a "
            "single point; neither gets a number in place of the one that is missing.",
            "Same, section 2.3 and Proposition 3.",
        ),
        (
            f"Intervals have level {view.level:.0%} unless a table says otherwise; they resample "
            "whole base items with replacement, never single edits.",
            "Same, appendix A; Efron and Tibshirani 1993, chapter 13.",
        ),
    ]
    gap = view.gap
    if gap is not None and gap.permutation_p is not None:
        lines.append(
            (
                "The axis contrast is tested by permuting the axis labels within the construct "
                "arm with every grade fixed; p counts the observed labelling too.",
                "Same, section 5.2; Phipson and Smyth 2010.",
            )
        )
    if any(judge.regrade is not None for judge in view.judges):
        lines.append(
            (
                "Regrade agreement is the share of texts, graded twice, that got the same grade.",
                "Same, appendix D.",
            )
        )
    lines.append(
        (
            "Ungraded replies are counted and never filled in. No single number stands for the "
            "pair (S, R): any symmetric one gives a judge that never moves and one that always "
            "moves the same mark.",
            "Same, Proposition 2 and Corollary 1.",
        )
    )
    return lines
