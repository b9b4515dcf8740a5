"""What do the control judges answer?

`constant`, `flip` and `planted(s, r)` answer from the arm of an edit, which no real judge sees.
For each edit they hold one requirement: its verdict equals the base text's, or differs from it.

- `constant`: equal, for every edit.
- `flip`: different, for every edit.
- `planted(s, r)`: different for a share 1 - s of the invariance edits and a share r of the
  construct edits, equal for the rest and for edits that are reported apart. The shares are of the
  weights of equation 6 (base items equal, a base item's edits equal). Which edits differ is a
  systematic sample over the weights in a seeded order, slot by slot: an edit is taken whenever the
  running sum falls behind its target. The share is then met to within half of one edit's weight in
  every slot, where independent draws would miss by chance.

A text may stand in several edits, as an original or as an edited text. Requirements are then taken
in a fixed order; one that contradicts those before it cannot be met, and is counted.

`length` reads nothing but the number of words: low + (high - low) * w / (w + 20).
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from judgeprobe.records import CONTROLS, Control, Intervention, Scale, text_id

__all__ = ["ControlGrades", "control_grades"]

_HALF_LENGTH = 20


@dataclass(frozen=True)
class ControlGrades:
    """One control judge's grades.

    Attributes:
        grades: Grade of every text, by text id, in scale units.
        conflicts: Edits whose requirement contradicted others.
    """

    name: str
    grades: dict[str, float]
    conflicts: int = 0


def control_grades(
    interventions: Sequence[Intervention], scale: Scale, *, seed: int
) -> tuple[ControlGrades, ...]:
    """The grades of every control judge, in the order of `records.CONTROLS`."""
    edits = sorted(interventions, key=lambda edit: (edit.base_id, edit.slot, edit.id))
    return tuple(_grades(control, edits, scale, seed) for control in CONTROLS)


def _grades(
    control: Control, edits: Sequence[Intervention], scale: Scale, seed: int
) -> ControlGrades:
    if control.S is None or control.R is None:
        return ControlGrades(control.name, _by_length(edits, scale))
    shares = {"invariance": 1.0 - control.S, "construct": control.R, "reported_apart": 0.0}
    if control.S == 0.0 and control.R == 1.0:
        shares["reported_apart"] = 1.0
    changed: set[str] = set()
    for arm, share in shares.items():
        changed |= _systematic([edit for edit in edits if edit.arm == arm], share, seed)
    return _meet(control.name, edits, changed, scale)


def _by_length(edits: Sequence[Intervention], scale: Scale) -> dict[str, float]:
    grades = {}
    for edit in edits:
        for text in (edit.original, edit.edited):
            words = len(text.split())
            share = words / (words + _HALF_LENGTH)
            grades[text_id(edit.evidence, text)] = scale.low + (scale.high - scale.low) * share
    return grades


def _systematic(edits: Sequence[Intervention], share: float, seed: int) -> set[str]:
    """Ids of edits that make up `share` of the weights of equation 6."""
    if share <= 0.0:
        return set()
    per_base = Counter(edit.base_id for edit in edits)
    rng = random.Random(seed)
    # Slots and equal weights stay together: each slot meets the share, and a heavy edit is taken as
    # often as a light one.
    places = sorted(
        (edit.slot, per_base[edit.base_id], rng.random(), edit.id)
        for edit in sorted(edits, key=lambda edit: (edit.slot, edit.id))
    )
    chosen: set[str] = set()
    target = reached = 0.0
    for _, siblings, _, name in places:
        weight = 1.0 / siblings
        target += share * weight
        if reached + weight / 2 <= target + 1e-12:
            reached += weight
            chosen.add(name)
    return chosen


def _meet(
    name: str, edits: Sequence[Intervention], changed: set[str], scale: Scale
) -> ControlGrades:
    """High or low for every text, so that edits in `changed` differ and all others agree."""
    # Union-find with parity: `parent` leads to the root, `odd` tells whether it differs from it.
    parent: dict[str, str] = {}
    odd: dict[str, bool] = {}

    def root(text: str) -> tuple[str, bool]:
        differs = False
        while parent[text] != text:
            differs ^= odd[text]
            text = parent[text]
        return text, differs

    conflicts = 0
    for edit in edits:
        before = text_id(edit.evidence, edit.original)
        after = text_id(edit.evidence, edit.edited)
        for text in (before, after):
            parent.setdefault(text, text)
            odd.setdefault(text, False)
        (one, one_odd), (two, two_odd) = root(before), root(after)
        wanted = edit.id in changed
        if one == two:
            conflicts += (one_odd != two_odd) != wanted
            continue
        # The original's root stays, so that an unedited text keeps the high grade where it can.
        parent[two] = one
        odd[two] = wanted ^ one_odd ^ two_odd
    grades = {text: scale.low if root(text)[1] else scale.high for text in parent}
    return ControlGrades(name, grades, conflicts)
