"""How do publishers ship their label sets? One reader a set, for rows as the publisher names them.

Each reader takes rows (mappings) and gives a `LabelSource`: pairs or single texts, the group that
folds must keep together (the prompt), the condition of each text where the publisher tells it, and
where the label comes from. The prompt itself is used as a group only, never as text to read.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judgeprobe.audit.label_columns import label_text
from judgeprobe.audit.label_sets import ItemRow, LabelSource, PairRow
from judgeprobe.errors import InputError

__all__ = ["READERS", "read_public"]

Row = Mapping[str, Any]
HELPSTEER_SCALE = ("0", "1", "2", "3", "4")


def read_public(reader: str, name: str, rows: Sequence[Row]) -> LabelSource:
    """A published set.

    Args:
        reader: A name in `READERS`.
        name: File or set name, for messages and results.
        rows: As the publisher ships them.

    Raises:
        InputError: The reader is unknown, there are no rows, or a row lacks one of its fields.
    """
    if reader not in READERS:
        raise InputError(
            f"no reader is called {reader!r}", remedy=f"use one of {', '.join(READERS)}"
        )
    if not rows:
        raise InputError("holds no rows", file=name)
    return READERS[reader](name, rows)


def _field(row: Row, key: str, kind: type | tuple[type, ...], name: str, number: int) -> Any:
    value = row.get(key)
    if not isinstance(value, kind):
        found = "no" if value is None else f"a {type(value).__name__} in"
        raise InputError(
            f"has {found} field {key!r}",
            file=name,
            row=number,
            remedy="this reader takes the rows as their publisher ships them",
        )
    return value


def _parts(row: Row, key: str) -> tuple[str, ...]:
    part = label_text(row.get(key))
    return () if part is None else (part,)


def _rewardbench(name: str, rows: Sequence[Row]) -> LabelSource:
    """RewardBench: prompt, chosen, rejected, chosen_model, rejected_model, subset."""
    pairs = [
        PairRow(
            a=_field(row, "chosen", str, name, number),
            b=_field(row, "rejected", str, name, number),
            label="a",
            group=_field(row, "prompt", str, name, number),
            condition_a=label_text(row.get("chosen_model")),
            condition_b=label_text(row.get("rejected_model")),
            parts=_parts(row, "subset"),
        )
        for number, row in enumerate(rows, start=1)
    ]
    return LabelSource(name, pairs=tuple(pairs), origin="pair role (chosen and rejected)")


def _rewardbench2(name: str, rows: Sequence[Row]) -> LabelSource:
    """RewardBench 2: prompt, lists of chosen and of rejected texts, subset.

    Items are every text once. Pairs are one a rejected text, with the chosen texts taken in turn.
    """
    items: list[ItemRow] = []
    pairs: list[PairRow] = []
    for number, row in enumerate(rows, start=1):
        chosen = _texts(row, "chosen", name, number)
        rejected = _texts(row, "rejected", name, number)
        prompt = _field(row, "prompt", str, name, number)
        parts = _parts(row, "subset")
        for text in chosen:
            items.append(ItemRow(text, "preferred", group=prompt, parts=parts))
        for index, text in enumerate(rejected):
            items.append(ItemRow(text, "other", group=prompt, parts=parts))
            better = chosen[index % len(chosen)]
            pairs.append(PairRow(better, text, "a", group=prompt, parts=parts))
    note = "Pairs are one a rejected text; a prompt's chosen texts are taken in turn."
    return LabelSource(
        name,
        items=tuple(items),
        pairs=tuple(pairs),
        origin="pair role (chosen and rejected)",
        notes=(note,),
    )


def _texts(row: Row, key: str, name: str, number: int) -> list[str]:
    found = [text for text in _field(row, key, list, name, number) if isinstance(text, str)]
    if not found:
        raise InputError(f"{key!r} holds no text", file=name, row=number)
    return found


def _rm_bench(name: str, rows: Sequence[Row]) -> LabelSource:
    """RM-Bench: prompt, three chosen and three rejected texts of the same three styles, domain."""
    pairs = []
    for number, row in enumerate(rows, start=1):
        chosen = _texts(row, "chosen", name, number)
        rejected = _texts(row, "rejected", name, number)
        if len(chosen) != len(rejected):
            raise InputError(
                f"has {len(chosen)} chosen and {len(rejected)} rejected texts",
                file=name,
                row=number,
            )
        for style, (better, worse) in enumerate(zip(chosen, rejected, strict=True)):
            pairs.append(
                PairRow(
                    better,
                    worse,
                    "a",
                    group=_field(row, "prompt", str, name, number),
                    condition_a=f"style {style}",
                    condition_b=f"style {style}",
                    parts=_parts(row, "domain"),
                )
            )
    note = "A chosen text is paired with the rejected text of its own style."
    return LabelSource(
        name, pairs=tuple(pairs), origin="pair role (chosen and rejected)", notes=(note,)
    )


def _helpsteer2(name: str, rows: Sequence[Row]) -> LabelSource:
    """HelpSteer2: prompt, response, helpfulness and four other ratings from 0 to 4."""
    items = []
    for number, row in enumerate(rows, start=1):
        rating = label_text(_field(row, "helpfulness", (int, float, str), name, number))
        items.append(
            ItemRow(
                _field(row, "response", str, name, number),
                rating or "",
                group=_field(row, "prompt", str, name, number),
            )
        )
    note = "The label is `helpfulness`; other ratings need --label with the plain reader."
    return LabelSource(
        name, items=tuple(items), order=HELPSTEER_SCALE, origin="human rating", notes=(note,)
    )


def _mt_bench(name: str, rows: Sequence[Row]) -> LabelSource:
    """MT-Bench human judgments: question_id, models, winner, judge, conversations, turn.

    Every vote is a row. The second label of a vote is the next vote by another judge on the same
    question, turn and pair of models, in whichever order that vote shows them.
    """
    return _conversations(name, rows, origin="human vote")


def _chatbot_arena(name: str, rows: Sequence[Row]) -> LabelSource:
    """Chatbot Arena: conversations and winner, or the 55k release's response and winner columns."""
    if "conversation_a" in rows[0]:
        return _conversations(name, rows, origin="user vote")
    pairs = []
    excluded: Counter[str] = Counter()
    for number, row in enumerate(rows, start=1):
        votes = [
            _field(row, f"winner_{side}", (int, float, str), name, number)
            for side in ("model_a", "model_b", "tie")
        ]
        marks = [str(vote).strip() in ("1", "1.0", "True") for vote in votes]
        if sum(marks) != 1:
            excluded["no single winner"] += 1
            continue
        pairs.append(
            PairRow(
                _turns(_field(row, "response_a", (str, list), name, number)),
                _turns(_field(row, "response_b", (str, list), name, number)),
                ("a", "b", "tie")[marks.index(True)],
                group=_turns(_field(row, "prompt", (str, list), name, number)),
                condition_a=label_text(row.get("model_a")),
                condition_b=label_text(row.get("model_b")),
            )
        )
    return LabelSource(name, pairs=tuple(pairs), origin="user vote", excluded=dict(excluded))


def _turns(value: str | list[Any]) -> str:
    """The text of one side; the 55k release ships turns as a JSON list in a cell."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except json.JSONDecodeError:
            return value
        if not isinstance(parsed, list):
            return value
        value = parsed
    return "\n\n".join(str(turn) for turn in value if turn is not None)


def _conversations(name: str, rows: Sequence[Row], *, origin: str) -> LabelSource:
    winners = {"model_a": "a", "model_b": "b"}
    pairs: list[PairRow] = []
    comparisons: dict[tuple[Any, ...], list[int]] = {}
    judges: list[str] = []
    for number, row in enumerate(rows, start=1):
        sides = [_reply(row, f"conversation_{side}", name, number) for side in "ab"]
        winner = _field(row, "winner", str, name, number)
        if winner not in winners and not winner.startswith("tie"):
            raise InputError(f"the winner is {winner!r}", file=name, row=number)
        models = [label_text(row.get(f"model_{side}")) or "" for side in "ab"]
        question = label_text(row.get("question_id")) or ""
        key = (question, label_text(row.get("turn")), *sorted(zip(models, sides, strict=True)))
        comparisons.setdefault(key, []).append(len(pairs))
        judges.append(label_text(row.get("judge")) or "")
        pairs.append(
            PairRow(
                sides[0],
                sides[1],
                winners.get(winner, "tie"),
                group=question,
                condition_a=models[0],
                condition_b=models[1],
            )
        )
    pairs = _with_second_votes(pairs, judges, comparisons)
    return LabelSource(name, pairs=tuple(pairs), origin=origin)


def _with_second_votes(
    pairs: list[PairRow], judges: list[str], comparisons: Mapping[Any, list[int]]
) -> list[PairRow]:
    voted = list(pairs)
    for rows in comparisons.values():
        for place, row in enumerate(rows):
            others = [*rows[place + 1 :], *rows[:place]]
            other = next((o for o in others if judges[o] != judges[row]), None)
            if other is None:
                continue
            label = pairs[other].label
            same_order = (pairs[other].condition_a, pairs[other].a) == (
                pairs[row].condition_a,
                pairs[row].a,
            )
            if label != "tie" and not same_order:
                label = "b" if label == "a" else "a"
            voted[row] = PairRow(**{**vars(pairs[row]), "second": label})
    return voted


def _reply(row: Row, key: str, name: str, number: int) -> str:
    """The assistant's turns of one conversation, as one text."""
    turns = row.get(key)
    if not isinstance(turns, list):
        raise InputError(
            f"has no {key!r}: this file holds votes without the texts they are about",
            file=name,
            row=number,
            remedy="give the publisher's file with its conversations",
        )
    said = [turn.get("content") for turn in turns if turn.get("role") == "assistant"]
    return "\n\n".join(str(text) for text in said if text is not None)


def _judgebench(name: str, rows: Sequence[Row]) -> LabelSource:
    """JudgeBench: question, response_A, response_B, label (A>B or B>A), source."""
    labels = {"A>B": "a", "B>A": "b"}
    pairs = []
    for number, row in enumerate(rows, start=1):
        label = _field(row, "label", str, name, number)
        if label not in labels:
            raise InputError(f"the label is {label!r}", file=name, row=number)
        pairs.append(
            PairRow(
                _field(row, "response_A", str, name, number),
                _field(row, "response_B", str, name, number),
                labels[label],
                group=_field(row, "question", str, name, number),
                parts=_parts(row, "source"),
            )
        )
    return LabelSource(name, pairs=tuple(pairs), origin="answer key (one response is correct)")


def _interventions(name: str, rows: Sequence[Row]) -> LabelSource:
    """Our own interventions.jsonl: the construct arm, whose original is the better member.

    A pair's parts are its axis and its slot. The condition of a text is its role: the label of such
    a set is a function of it, which is what the audit is to show.
    """
    pairs = []
    excluded: Counter[str] = Counter()
    arms = {row.get("arm") for row in rows}
    for number, row in enumerate(rows, start=1):
        arm = _field(row, "arm", str, name, number)
        if arm != "construct":
            excluded[f"arm {arm}: neither member is preferred"] += 1
            continue
        pairs.append(
            PairRow(
                _field(row, "original", str, name, number),
                _field(row, "edited", str, name, number),
                "a",
                group=label_text(row.get("document")) or _field(row, "base_id", str, name, number),
                condition_a="original",
                condition_b="edited",
                parts=(
                    _field(row, "axis", str, name, number),
                    _field(row, "slot", str, name, number),
                ),
            )
        )
    return LabelSource(
        name,
        pairs=tuple(pairs),
        origin="pair role (original and edited)",
        excluded=dict(excluded),
        both_directions={"construct", "invariance"} <= arms,
    )


READERS: dict[str, Callable[[str, Sequence[Row]], LabelSource]] = {
    "rewardbench": _rewardbench,
    "rewardbench2": _rewardbench2,
    "rm-bench": _rm_bench,
    "helpsteer2": _helpsteer2,
    "mt-bench": _mt_bench,
    "chatbot-arena": _chatbot_arena,
    "judgebench": _judgebench,
    "interventions": _interventions,
}
