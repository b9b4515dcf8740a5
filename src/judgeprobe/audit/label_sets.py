"""What is a label set, and how does it look in each input mode?

A source holds single texts with labels, pairs with a preferred side, or both ways of seeing the
same rows. `prepare` turns it into what one input mode shows: in item mode a pair becomes two items,
labelled "preferred" and "other"; in paired mode the order of each pair's sides is drawn at random,
so that a publisher's habit of putting the preferred side first cannot be read.

Source: judge-construct-validity, definition 6.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import InputError

__all__ = ["ItemRow", "LabelSet", "LabelSource", "Mode", "PairRow", "prepare"]

Mode = Literal["item", "paired"]
MAX_CLASSES = 20


@dataclass(frozen=True)
class ItemRow:
    """One text with its label.

    Attributes:
        text: What the instrument reads; never the evidence.
        label: As text.
        second: Another annotator's label, or None.
        group: Source document or prompt, or None.
        condition: How the text was made (model, prompt variant), or None.
        parts: Axis, slot or subset it belongs to; it may be in several.
    """

    text: str
    label: str
    second: str | None = None
    group: str | None = None
    condition: str | None = None
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class PairRow:
    """Two texts for one prompt and which is preferred.

    Attributes:
        a: First text as published.
        b: Second text.
        label: "a", "b" or "tie" (ties take no part in paired mode).
        second: Another annotator's label, or None.
        group: Source document or prompt, or None.
        condition_a: How the first text was made, or None.
        condition_b: How the second was made, or None.
        parts: Axis, slot or subset; it may be in several.
    """

    a: str
    b: str
    label: str
    second: str | None = None
    group: str | None = None
    condition_a: str | None = None
    condition_b: str | None = None
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelSource:
    """A label set as read.

    Attributes:
        name: File or set name.
        items: Single texts, where the set has them.
        pairs: Pairs, where the set has them.
        order: Labels from lowest to highest where they are in order, else None.
        origin: How labels were obtained, in the publisher's or the user's words; "" if unknown.
        excluded: Rows left out, by reason.
        notes: What the reader decided, in sentences.
        both_directions: Whether the set holds construct edits and surface edits; None if it is
            no set of edits.
    """

    name: str
    items: tuple[ItemRow, ...] = ()
    pairs: tuple[PairRow, ...] = ()
    order: tuple[str, ...] | None = None
    origin: str = ""
    excluded: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    both_directions: bool | None = None


@dataclass(frozen=True)
class LabelSet:
    """A label set in one input mode, all sequences of one length.

    Attributes:
        name: Of its source.
        mode: "item" or "paired".
        texts: Texts, or first sides.
        texts_b: Second sides, or None in item mode.
        classes: Label classes; their position is their code.
        labels: Class codes.
        second: Second annotator's codes, -1 where missing; None where nobody labelled twice.
        groups: Group codes, or None where no group is known.
        conditions: Condition codes of the texts, or None.
        conditions_b: Condition codes of the second sides, or None.
        parts: Parts of each row, or None where the set names none.
        ordered: Whether the classes are in order.
        excluded: Rows left out, by reason.
        notes: What was decided, in sentences.
    """

    name: str
    mode: Mode
    texts: tuple[str, ...]
    texts_b: tuple[str, ...] | None
    classes: tuple[str, ...]
    labels: NDArray[np.int64]
    second: NDArray[np.int64] | None
    groups: NDArray[np.int64] | None
    conditions: NDArray[np.int64] | None
    conditions_b: NDArray[np.int64] | None
    parts: tuple[tuple[str, ...], ...] | None
    ordered: bool
    excluded: dict[str, int]
    notes: tuple[str, ...]

    def part_names(self) -> list[str]:
        """Names of the parts in order of first appearance."""
        return list(dict.fromkeys(name for parts in self.parts or () for name in parts))

    def part(self, name: str) -> "LabelSet":
        """The rows of one part; classes are those of the whole set that occur in it."""
        if self.parts is None:
            raise InputError("the set names no parts", file=self.name)
        rows = np.flatnonzero([name in parts for parts in self.parts])
        present = np.unique(self.labels[rows])
        recode = np.full(len(self.classes), -1)
        recode[present] = np.arange(len(present))
        second = None if self.second is None else self.second[rows]
        if second is not None:
            second = np.where(second >= 0, recode[second], -1)
        return LabelSet(
            name=name,
            mode=self.mode,
            texts=tuple(self.texts[row] for row in rows),
            texts_b=None if self.texts_b is None else tuple(self.texts_b[row] for row in rows),
            classes=tuple(self.classes[code] for code in present),
            labels=recode[self.labels[rows]],
            second=second,
            groups=_recoded(self.groups, rows),
            conditions=None,
            conditions_b=None,
            parts=None,
            ordered=self.ordered,
            excluded={},
            notes=(),
        )


def _recoded(codes: NDArray[np.int64] | None, rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    if codes is None:
        return None
    recoded: NDArray[np.int64] = np.unique(codes[rows], return_inverse=True)[1]
    return recoded


def prepare(source: LabelSource, mode: Mode, rng: np.random.Generator) -> LabelSet:
    """The set as one input mode shows it.

    Args:
        source: As read.
        mode: "item" or "paired".
        rng: Draws the side order in paired mode.

    Raises:
        InputError: The mode needs rows that the source does not have, no row is left, or a label
            has too many values to be a class.
    """
    excluded = Counter(source.excluded)
    if mode == "paired":
        if not source.pairs:
            raise InputError(
                "has no pairs", file=source.name, remedy="use --mode item, or give --text-b"
            )
        return _paired(source, excluded, rng)
    items = source.items or _items_of_pairs(source.pairs)
    if not items:
        raise InputError("has no rows to audit", file=source.name)
    classes = _classes(source, items)
    code = {label: index for index, label in enumerate(classes)}
    foreign = sum(row.second is not None and row.second not in code for row in items)
    if foreign:
        excluded["second label of no known class"] += foreign
    return LabelSet(
        name=source.name,
        mode="item",
        texts=tuple(row.text for row in items),
        texts_b=None,
        classes=classes,
        labels=np.array([code[row.label] for row in items], dtype=np.int64),
        second=_second([row.second for row in items], code),
        groups=_codes([row.group for row in items]),
        conditions=_codes([row.condition for row in items]),
        conditions_b=None,
        parts=_parts([row.parts for row in items]),
        ordered=source.order is not None,
        excluded=dict(excluded),
        notes=source.notes,
    )


def _items_of_pairs(pairs: Sequence[PairRow]) -> tuple[ItemRow, ...]:
    items = []
    for index, pair in enumerate(pairs):
        group = pair.group if pair.group is not None else f"pair {index}"
        sides = (("a", pair.a, pair.condition_a), ("b", pair.b, pair.condition_b))
        for side, text, condition in sides:
            second = None if pair.second is None else _role(pair.second, side)
            items.append(
                ItemRow(text, _role(pair.label, side), second, group, condition, pair.parts)
            )
    return tuple(items)


def _role(label: str, side: str) -> str:
    if label == "tie":
        return "tie"
    return "preferred" if label == side else "other"


def _paired(source: LabelSource, excluded: Counter[str], rng: np.random.Generator) -> LabelSet:
    pairs = [pair for pair in source.pairs if pair.label != "tie"]
    ties = len(source.pairs) - len(pairs)
    if ties:
        excluded["tie"] += ties
    second_ties = sum(pair.second == "tie" for pair in pairs)
    if second_ties:
        excluded["second label is a tie"] += second_ties
    if not pairs:
        raise InputError("has no pair with a preferred side", file=source.name)
    swapped = rng.integers(0, 2, size=len(pairs)) == 1
    sides = [
        (pair.b, pair.a, pair.condition_b, pair.condition_a)
        if swap
        else (pair.a, pair.b, pair.condition_a, pair.condition_b)
        for pair, swap in zip(pairs, swapped, strict=True)
    ]
    first_a = np.array([pair.label == "a" for pair in pairs])
    second = _second([pair.second for pair in pairs], {"a": 0, "b": 1})
    if second is not None:
        second = np.where((second >= 0) & swapped, 1 - second, second)
    conditions = _codes([c for side in sides for c in side[2:]])
    return LabelSet(
        name=source.name,
        mode="paired",
        texts=tuple(side[0] for side in sides),
        texts_b=tuple(side[1] for side in sides),
        classes=("a", "b"),
        labels=(first_a == swapped).astype(np.int64),
        second=second,
        groups=_codes([pair.group for pair in pairs]),
        conditions=None if conditions is None else conditions[0::2],
        conditions_b=None if conditions is None else conditions[1::2],
        parts=_parts([pair.parts for pair in pairs]),
        ordered=False,
        excluded=dict(excluded),
        notes=source.notes,
    )


def _classes(source: LabelSource, items: Sequence[ItemRow]) -> tuple[str, ...]:
    found = sorted({row.label for row in items})
    if len(found) > MAX_CLASSES:
        raise InputError(
            f"the labels have {len(found)} values (such as {found[0]} and {found[-1]}), "
            f"more than the {MAX_CLASSES} that can be classes",
            file=source.name,
            remedy="group them into a few classes first",
        )
    if source.order is None:
        return tuple(found)
    unknown = sorted(set(found) - set(source.order))
    if unknown:
        raise InputError(f"the label {unknown[0]!r} is not in the order given", file=source.name)
    return tuple(label for label in source.order if label in set(found))


def _second(values: Sequence[str | None], code: dict[str, int]) -> NDArray[np.int64] | None:
    codes = np.array([code.get(value, -1) if value is not None else -1 for value in values])
    return codes if (codes >= 0).any() else None


def _codes(values: Sequence[str | None]) -> NDArray[np.int64] | None:
    """Codes in order of first appearance; None where no row has a value."""
    if all(value is None for value in values):
        return None
    seen: dict[str | None, int] = {}
    return np.array([seen.setdefault(value, len(seen)) for value in values], dtype=np.int64)


def _parts(values: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...] | None:
    return tuple(values) if any(values) else None
