"""Which of the six lines of a usable label set does this one satisfy, and what would repair it?

Source: judge-construct-validity, section 6.1 (the six lines) and appendix E, "Why these three"
(what each member's success implies).
"""

from typing import Any

from judgeprobe.audit.label_sets import LabelSource

__all__ = ["checklist", "pattern"]

# A member suffices when it reaches this share of the best member's kappa.
SUFFICIENT_SHARE = 0.9
ALPHA = 0.05

REPAIRS = {
    "length_only": (
        "Length alone recovers the labels.",
        "Match the lengths of the classes (or of a pair's sides) and audit again; "
        "constraining one direction only turns the rule round.",
    ),
    "numeric_surface": (
        "Formatting or numeric density recovers the labels.",
        "The conditions rendered their evidence differently (digits, brackets, line ends, case): "
        "put both through one renderer.",
    ),
    "surface_ngram": (
        "Only wording recovers the labels: a condition left an idiom behind, or the construct lies "
        "in the wording itself.",
        "Separable by style, a weaker claim than by length. If the construct does not lie in the "
        "wording, find the n-grams and vary the generator's wording, or have one writer make both.",
    ),
}


def pattern(result: dict[str, Any]) -> dict[str, Any]:
    """Which member locates the leak, and the repair it implies.

    The first member, in order of how much surface it sees, that beats its null (p at most 0.05)
    and reaches nine tenths of the best kappa. None where no member beats its null.
    """
    for member in result["members"]:
        beats = member["p"] <= ALPHA and member["kappa"] > 0
        if beats and member["kappa"] >= SUFFICIENT_SHARE * result["a_imp"]:
            finding, repair = REPAIRS[member["name"]]
            return {"member": member["name"], "finding": finding, "repair": repair}
    return {
        "member": None,
        "finding": "No member of the family beats its null.",
        "repair": "None is implied; a family this weak cannot show that no leak exists.",
    }


def checklist(result: dict[str, Any], source: LabelSource) -> list[dict[str, Any]]:
    """The six lines: what is asked, whether it holds ("yes", "no"), and the number or fact."""
    return [
        _origin(source, result),
        _impoverished(result),
        _ceiling(result),
        _null(result),
        _directions(source),
        _provenance(result),
    ]


def _line(number: int, asked: str, fact: str, *, holds: bool) -> dict[str, Any]:
    return {"line": number, "asked": asked, "holds": "yes" if holds else "no", "fact": fact}


def _origin(source: LabelSource, result: dict[str, Any]) -> dict[str, Any]:
    fact = source.origin or "not stated (say it with --label-origin)"
    provenance = result["provenance"]
    if provenance and provenance["kappa"] is not None:
        function = "is" if provenance["label_is_function_of_condition"] else "is not"
        fact += f"; the label {function} a function of the recorded condition"
    asked = "How each label was obtained is stated."
    return _line(1, asked, fact, holds=bool(source.origin))


def _impoverished(result: dict[str, Any]) -> dict[str, Any]:
    fact = f"{result['a_imp_member']} reaches kappa {result['a_imp']:.3f}"
    asked = "The best impoverished predictor's agreement is reported."
    return _line(2, asked, fact, holds=True)


def _ceiling(result: dict[str, Any]) -> dict[str, Any]:
    asked = "A human ceiling with an interval, and validation power against it, are reported."
    ceiling, power = result["a_hum"], result["power"]
    if ceiling is None:
        return _line(3, asked, "no second annotator's labels", holds=False)
    fact = (
        f"ceiling {ceiling['estimate']:.3f} [{ceiling['low']:.3f}, {ceiling['high']:.3f}] on "
        f"{result['a_hum_n']} items; power {power['estimate']:.3f} "
        f"[{power['low']:.3f}, {power['high']:.3f}], {power['status']}"
    )
    return _line(3, asked, fact, holds=True)


def _null(result: dict[str, Any]) -> dict[str, Any]:
    fact = f"null: {result['permutation']['kind']}; p of the best member {result['a_imp_p']:.3f}"
    return _line(4, "A label-permutation null is reported.", fact, holds=True)


def _directions(source: LabelSource) -> dict[str, Any]:
    asked = "Both directions are probed: construct edits and surface edits."
    facts = {
        None: "the set is not one of edits",
        True: "the set holds construct edits and surface edits",
        False: "the set holds edits of one kind only",
    }
    return _line(5, asked, facts[source.both_directions], holds=source.both_directions is True)


def _provenance(result: dict[str, Any]) -> dict[str, Any]:
    asked = "The provenance field is released."
    provenance = result["provenance"]
    if provenance is None:
        return _line(6, asked, "no condition of the texts is given", holds=False)
    if provenance["kappa"] is None:
        return _line(6, asked, provenance["reason"], holds=True)
    fact = (
        f"{provenance['conditions']} conditions, recovered from the text with kappa "
        f"{provenance['condition_recovered_kappa']:.3f}; the label through them "
        f"{provenance['kappa']:.3f}"
    )
    return _line(6, asked, fact, holds=True)
