"""Where in an answer does a grade stand, and is it one?

Every place that can hold a grade gives a candidate: a JSON field, a labelled line, a tag, a box, a
sentence that assigns a grade, or a number that is the whole answer. The caller demands that all
candidates agree. A place whose number is not one plain grade (a range, a percentage, a date) gives
an ambiguous candidate, so that nothing else is read in its stead.
"""

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from judgeprobe.llm.numerals import NUMBER, number, plain_text
from judgeprobe.llm.patterns import (
    ANY_NUMBER,
    ASSIGNED,
    BAD_AFTER,
    BOX,
    FENCE,
    FIELD,
    LABELS,
    LEAD,
    OTHER_THINGS,
    QUOTED_FIELD,
    STARTS_JSON,
    TAG,
    WHOLE_GRADE,
)
from judgeprobe.records import Scale

__all__ = ["AMBIGUOUS", "Candidate", "json_candidates", "text_candidates", "whole_value"]

AMBIGUOUS = "ambiguous"
_NOT_A_NUMBER = "the grade is not a number"

_WHOLE = {"final", "overall", "my", "the", "a", "an", "this", "your", "numeric", "numerical"}
_MAXIMA = {"max", "outof", "maxscore", "maxgrade", "maximum", "scalemax", "maxrating"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One place that may hold the grade.

    Attributes:
        value: The number, or None.
        why: "" for a plain grade; else why it is none, or why it is on another scale.
        start: Where the text read begins in the answer.
        end: Where it ends.
        tier: 0 for the grade itself, 1 for a part of it ("scope score").
        closed: Whether the format shows that the number is complete (JSON, a tag, a box).
    """

    value: float | None
    why: str
    start: int
    end: int
    tier: int = 0
    closed: bool = False


def whole_value(text: str, scale: Scale) -> tuple[float | None, str]:
    """The grade that a text is, with nothing beside it but dress; or (None, reason)."""
    core = plain_text(text).strip().strip("*_`\"'$ \t\n")
    while len(core) > 1 and core[0] + core[-1] in ("()", "[]", "{}", '""', "''"):
        core = core[1:-1].strip()
    named = _named(core, scale)
    if named is not None:
        return named, ""
    match = WHOLE_GRADE.fullmatch(core)
    if not match:
        ambiguous = re.match(rf"(?:{NUMBER})", core)
        return None, AMBIGUOUS if ambiguous else _NOT_A_NUMBER
    return _judged(match, scale)


def _named(text: str, scale: Scale) -> float | None:
    wanted = " ".join(text.lower().rstrip(".!").split())
    for name, value in scale.words:
        if wanted == name.lower():
            return value
    return None


def _judged(match: re.Match[str], scale: Scale) -> tuple[float | None, str]:
    value = number(match["num"])
    if value is None:
        return None, AMBIGUOUS
    if match["over"]:
        top = number(match["max"])
        if top is None:
            return None, AMBIGUOUS
        if abs(top - scale.high) > 1e-9:
            return value, f"given out of {top:g}"
    return value, ""


def _of_match(
    match: re.Match[str], text: str, scale: Scale, tier: int = 0, shift: int = 0
) -> Candidate:
    end = match.end("max") if match["over"] else match.end("num")
    value, why = _judged(match, scale)
    if BAD_AFTER.match(text, end):
        value, why = None, AMBIGUOUS
    blank = len(match[0]) - len(match[0].lstrip())
    return Candidate(value, why, shift + match.start() + blank, shift + end, tier)


# --- JSON ----------------------------------------------------------------------------------------


def json_candidates(text: str, scale: Scale) -> tuple[list[Candidate], str]:
    """Candidates from the JSON objects in an answer, fenced or not, whole or broken.

    Returns:
        The candidates, and the answer with every whole object blanked (places stay where they are).
    """
    found: list[Candidate] = []
    rest = text
    for value, start, end in _objects(text):
        for candidate in _from_object(value, scale):
            found.append(replace(candidate, start=start, end=end))
        rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
    broken = STARTS_JSON.search(rest)
    if broken:
        plain = plain_text(rest)
        for match in QUOTED_FIELD.finditer(plain, broken.start()):
            tier = _field_tier(match["label"])
            if tier is not None:
                found.append(_of_match(match, plain, scale, tier))
    return found, rest


def _objects(text: str) -> list[tuple[Any, int, int]]:
    decoder = json.JSONDecoder(strict=False, parse_constant=_NotANumber)
    found: list[tuple[Any, int, int]] = []
    position = text.find("{")
    while position >= 0:
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            position = text.find("{", position + 1)
            continue
        found.append((value, position, end))
        position = text.find("{", end)
    return found


class _NotANumber(str):
    """NaN, Infinity or -Infinity, which are no grades."""


def _from_object(value: Any, scale: Scale) -> Iterator[Candidate]:
    if isinstance(value, list):
        for item in value:
            yield from _from_object(item, scale)
    if not isinstance(value, dict):
        return
    top = next((number_of for number_of in _maxima(value)), None)
    for key, item in value.items():
        tier = _field_tier(key)
        if tier is None or isinstance(item, (dict, list)):
            yield from _from_object(item, scale)
            continue
        grade, why = _json_value(item, scale)
        if grade is not None and not why and top is not None and abs(top - scale.high) > 1e-9:
            why = f"given out of {top:g}"
        yield Candidate(grade, why, 0, 0, tier, closed=True)


def _maxima(value: dict[str, Any]) -> Iterator[float]:
    for key, item in value.items():
        name = re.sub(r"[^a-z]", "", key.lower())
        if name in _MAXIMA and isinstance(item, (int, float)) and not isinstance(item, bool):
            yield float(item)


def _json_value(item: Any, scale: Scale) -> tuple[float | None, str]:
    if isinstance(item, bool) or item is None or isinstance(item, _NotANumber):
        return None, _NOT_A_NUMBER
    if isinstance(item, (int, float)):
        return float(item), ""
    return whole_value(item, scale)


@functools.lru_cache(maxsize=4096)
def _field_tier(key: str) -> int | None:
    """0 for the grade's own field, 1 for a part of it, None for any other field."""
    words = (
        re.sub(r"([a-z])([A-Z])", r"\1 \2", key).lower().replace("_", " ").replace("-", " ").split()
    )
    if not words or set(words) & set(OTHER_THINGS.split("|")):
        return None
    if words in (["value"], ["result"], ["overall"], ["final"], ["output"], ["points"]):
        return 0
    if not re.fullmatch(LABELS, words[-1]):
        return None
    return 0 if set(words[:-1]) <= _WHOLE else 1


# --- Text ----------------------------------------------------------------------------------------


def text_candidates(text: str, scale: Scale, *, beside_json: bool = False) -> list[Candidate]:
    """Candidates from the text of an answer, its JSON objects blanked."""
    broken = STARTS_JSON.search(text)
    # Inside broken JSON only its fields are read: words in its reason field are no verdict.
    text = plain_text(text[: broken.start()] if broken else text)
    if beside_json:
        # The fences around the object are not part of any sentence.
        text = text.replace("```", "   ")
    elif text.lstrip()[:3] in ("```", "~~~"):
        text = FENCE.sub(lambda fence: " " * len(fence[0]), text)
    core = text.strip()
    if not core or (not ANY_NUMBER.search(core) and not scale.words):
        return []
    start = text.index(core)
    value, why = whole_value(core, scale)
    if value is not None:
        return [Candidate(value, why, start, start + len(core))]
    found = [*_labelled(text, scale), *_boxed(text, scale)]
    found.extend(_of_match(match, text, scale) for match in ASSIGNED.finditer(text))
    return [*found, *_bare_lines(text, scale)]


def _labelled(text: str, scale: Scale) -> Iterator[Candidate]:
    for match in FIELD.finditer(text):
        before = re.search(r"([\w'-]+)[ \t*_]+\Z", text[max(0, match.start() - 40) : match.start()])
        word = before[1].lower() if before else ""
        if not re.fullmatch(OTHER_THINGS, word):
            yield _of_match(match, text, scale, 0 if not word or word in _WHOLE else 1)
    if scale.words:
        names = "|".join(re.escape(name) for name, _ in sorted(scale.words, key=_longest_first))
        field = rf"(?<![\w-])(?:{LABELS})[*_]*[ ]?[:=][ *_`\"']*(?P<name>{names})(?![\w-])"
        for match in re.finditer(field, text, re.IGNORECASE):
            yield Candidate(_named(match["name"], scale), "", match.start(), match.end())


def _longest_first(item: tuple[str, float]) -> int:
    return -len(item[0])


def _boxed(text: str, scale: Scale) -> Iterator[Candidate]:
    for pattern in (TAG, BOX):
        for match in pattern.finditer(text):
            value, why = whole_value(match["inner"], scale)
            yield Candidate(value, why, match.start(), match.end(), closed=True)


def _bare_lines(text: str, scale: Scale) -> Iterator[Candidate]:
    """A number that is the first or the last line, or that leads the answer ("4 - because")."""
    lines = list(re.finditer(r"[^\n]*\S[^\n]*", text))
    for line in dict.fromkeys((lines[0], lines[-1])):
        value, why = whole_value(line[0], scale)
        listed = line is not lines[-1] and re.match(r"[ \t]*\d+[.)][ \t]*\Z", line[0])
        if value is not None and not listed:
            yield Candidate(value, why, line.start(), line.end())
    if LEAD.match(lines[0][0]):
        for line in lines:
            if match := LEAD.match(line[0]):
                yield _of_match(match, line[0], scale, shift=line.start())
