"""What did people elsewhere say of two texts, and into which arm does that put the pair?

A study may start from a table of pairs whose direction people have set, in place of build and
annotate. `[study].labels` says what each value of the direction column means:

    "construct:AXIS"    the edited text claims more than the original along that axis
    "construct"         the same, with the axis of the row's `axis` or of its `slot` in the taxonomy
    "invariance"        both claim the same
    "reported_apart"    in neither arm (axis "none")

Pairs pass no gate: other people made and judged them. What cannot be a pair (no difference between
the texts, a pair that is there twice, a pair on which the table disagrees with itself) is refused
with a reason and counted.
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from judgeprobe.build.rows import CLAIM_LIMIT, EVIDENCE_LIMIT, ID_LIMIT, Row, mapped_rows
from judgeprobe.errors import InputError, StudyError
from judgeprobe.records import ARMS, Arm, Intervention, Rejection, content_hash
from judgeprobe.study import Study
from judgeprobe.taxonomy import Taxonomy

__all__ = ["NO_AXIS", "Pairs", "pairs_file", "read_pairs"]

NO_AXIS = "none"
_REQUIRED = ("base_id", "evidence", "original", "edited", "direction")
_OPTIONAL = ("domain", "document", "slot", "axis")


@dataclass(frozen=True)
class Pairs:
    """A table of pairs, read.

    Attributes:
        accepted: Pairs that entered, in the order of the table. A pair without a slot has its
            direction's value as its slot.
        refused: Pairs that could not, with the reason.
        directions: Rows of the table by direction's value, refused ones included.
        rows_read: Rows read.
        rows_left: Rows past `[study].limit`, not read.
    """

    accepted: tuple[Intervention, ...]
    refused: tuple[Rejection, ...]
    directions: dict[str, int]
    rows_read: int
    rows_left: int


@dataclass(frozen=True)
class _Pair:
    row: Row
    base_id: str
    evidence: str
    original: str
    edited: str
    direction: str

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.base_id, self.original, self.edited)


def pairs_file(study: Study) -> Path:
    """The table that a study's pairs are read from."""
    name = study.settings.study.pairs
    if name is None:
        raise InputError("names no table of pairs", file=study.folder / "study.toml")
    return study.input_path(name)


def read_pairs(study: Study) -> Pairs:
    """The pairs of `[study].pairs`.

    Raises:
        StudyError: `labels` is missing or names an arm or an axis that is not there.
        InputError: Names the first row with an empty field, unreadable text, or a direction that
            `labels` does not explain.
    """
    settings = study.settings.study
    path = pairs_file(study)
    targets = _targets(study)
    rows = mapped_rows(path, settings.columns, required=_REQUIRED, optional=_OPTIONAL)
    kept = rows[: settings.limit]
    pairs = [_pair(row) for row in kept]
    directions: dict[str, int] = dict.fromkeys(targets, 0)
    for pair in pairs:
        if pair.direction not in targets:
            raise pair.row.error(
                f"the direction {pair.direction!r} is not explained",
                remedy="add it to `labels` in study.toml; there are " + ", ".join(targets),
            )
        directions[pair.direction] += 1
    accepted, refused = _sort(pairs, targets, study)
    return Pairs(tuple(accepted), tuple(refused), directions, len(kept), len(rows) - len(kept))


def _pair(row: Row) -> _Pair:
    return _Pair(
        row=row,
        base_id=row.text("base_id", limit=ID_LIMIT),
        evidence=row.text("evidence", limit=EVIDENCE_LIMIT),
        original=row.text("original", limit=CLAIM_LIMIT),
        edited=row.text("edited", limit=CLAIM_LIMIT),
        direction=row.text("direction", limit=ID_LIMIT),
    )


def _targets(study: Study) -> dict[str, tuple[Arm, str]]:
    file = study.folder / "study.toml"
    labels = study.settings.study.labels
    if not labels:
        raise StudyError(
            "`study.labels` is missing: what does each value of the direction column mean?",
            file=file,
            remedy='for example labels = { more = "construct:strength", same = "invariance" }',
        )
    axes = study.taxonomy.construct_axes
    found: dict[str, tuple[Arm, str]] = {}
    for value, target in labels.items():
        name, _, axis = target.partition(":")
        arm = next((arm for arm in ARMS if arm == name), None)
        if arm is None:
            raise StudyError(
                f"`study.labels.{value}` names the arm `{name}`",
                file=file,
                remedy="use one of " + ", ".join(ARMS),
            )
        if axis and (arm != "construct" or axis not in axes):
            raise StudyError(
                f"`study.labels.{value}` names the axis `{axis}`",
                file=file,
                remedy="use construct:AXIS with AXIS one of " + ", ".join(axes),
            )
        found[value] = (arm, axis)
    return found


def _sort(
    pairs: list[_Pair], targets: dict[str, tuple[Arm, str]], study: Study
) -> tuple[list[Intervention], list[Rejection]]:
    said: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for pair in pairs:
        said[pair.key].add(pair.direction)
    accepted: list[Intervention] = []
    refused: list[Rejection] = []
    first: dict[tuple[str, str, str], int] = {}
    for pair in pairs:
        arm, axis = targets[pair.direction]
        slot = pair.row.text("slot", limit=ID_LIMIT, required=False) or pair.direction
        problem = None
        if pair.original == pair.edited:
            problem = ("noop", "the two texts are the same")
        elif len(said[pair.key]) > 1:
            both = " and ".join(sorted(said[pair.key]))
            problem = ("disagreement", f"the table gives this pair the directions {both}")
        elif pair.key in first:
            problem = ("duplicate", f"the pair is there already (row {first[pair.key]})")
        elif _contradicts(arm, slot, study.taxonomy):
            problem = ("direction", f"people set `{pair.direction}` on the slot `{slot}`")
        first.setdefault(pair.key, pair.row.number)
        if problem is None:
            axis = axis or _axis(pair, arm, slot, study.taxonomy)
            accepted.append(_intervention(pair, slot, axis, arm, study))
        else:
            refused.append(_rejection(pair, slot, *problem))
    return accepted, refused


def _axis(pair: _Pair, arm: Arm, slot: str, taxonomy: Taxonomy) -> str:
    if arm == "invariance":
        return "control"
    if arm == "reported_apart":
        return NO_AXIS
    axis = pair.row.text("axis", limit=ID_LIMIT, required=False)
    if not axis:
        axis = next((known.axis for known in taxonomy.slots if known.name == slot), "")
    if axis not in taxonomy.construct_axes:
        raise pair.row.error(
            f"the axis {axis!r} is not in the taxonomy" if axis else "no axis is named",
            remedy="give an `axis` column, or labels such as construct:"
            + taxonomy.construct_axes[0],
        )
    return axis


def _contradicts(arm: Arm, slot: str, taxonomy: Taxonomy) -> bool:
    if arm == "reported_apart":
        return False
    return any(known.name == slot and known.arm != arm for known in taxonomy.slots)


def _intervention(pair: _Pair, slot: str, axis: str, arm: Arm, study: Study) -> Intervention:
    settings = study.settings.study
    source = "construction" if settings.direction == "construction" else "human"
    if source == "human":
        source = f"human: {settings.direction_source}"
    return Intervention(
        id=content_hash([pair.base_id, slot, pair.original, pair.edited])[:16],
        base_id=pair.base_id,
        slot=slot,
        axis=axis,
        arm=arm,
        domain=pair.row.text("domain", limit=ID_LIMIT, required=False),
        document=pair.row.text("document", limit=ID_LIMIT, required=False) or pair.base_id,
        evidence=pair.evidence,
        original=pair.original,
        edited=pair.edited,
        generator="pairs",
        family="people",
        length_change=(len(pair.edited) - len(pair.original)) / len(pair.original),
        direction_source=source,
        made_under={"taxonomy": study.taxonomy.hash},
    )


def _rejection(pair: _Pair, slot: str, gate: str, reason: str) -> Rejection:
    return Rejection(
        base_id=pair.base_id,
        slot=slot,
        stage="pairs",
        gate=gate,
        reason=f"row {pair.row.number}: {reason}",
        text=pair.edited,
    )
