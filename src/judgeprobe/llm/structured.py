"""Which record does a reply hold, if it holds exactly one?

A record is asked for as JSON and described by a pydantic model. The reader is tolerant about dress
(fences, prose around the object, reasoning before it, Python's or typographic quotes, trailing
commas, booleans as words, keys in capitals or beyond those asked for) and strict about content: a
missing key, two different objects, a reply that ended at its token limit or breaks off, and a
refusal give no record but a reason. Nothing is filled in.
"""

import json
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from judgeprobe.llm.sloppy import BrokenJSONError, Pairs, sloppy_object
from judgeprobe.llm.visible import visible
from judgeprobe.records import Reply

__all__ = ["Problem", "Structured", "plain_key", "read_structured", "refuses", "response_format"]

T = TypeVar("T", bound=BaseModel)

Problem = Literal["", "empty", "refused", "truncated", "unreadable", "keys", "ambiguous", "failed"]

_REFUSAL = re.compile(
    r"\b(?:I|we)\b[^.\n]{0,40}?\b(?:can(?:'t|not|\s+not)|won't|will\s+not|unable\s+to|not\s+able\s+to"
    r"|decline|refuse|not\s+comfortable)\b"
    r"|\A\W*(?:I(?:'m|\s+am)\s+)?sorry\b"
    r"|\bas\s+an\s+AI\b",
    re.IGNORECASE,
)
# What an object begins with; a brace before anything else ("{name}") is prose.
_STARTS = re.compile(r"\{\s*(?:[\"'\u201c\u201d\u201e\u2018\u2019]|[A-Za-z_][\w-]*\s*:|\})")
_TRUE = {"true", "yes", "y", "1"}
_FALSE = {"false", "no", "n", "0"}


@dataclass(frozen=True, slots=True)
class Structured(Generic[T]):
    """What was read from one reply.

    Attributes:
        value: The record; None unless `problem` is "".
        problem: "", or what is wrong: "empty", "refused", "truncated" (it ended at its token
            limit), "unreadable" (no object, or a broken one), "keys" (one is missing or has
            another kind of value), "ambiguous" (two different objects), "failed" (the reply carries
            an error in place of an answer).
        detail: One line on it; of a record, what was read with tolerance.
    """

    value: T | None
    problem: Problem = ""
    detail: str = ""


def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """Structured output of a schema, as OpenAI names it."""
    described = schema.model_json_schema()
    described["additionalProperties"] = False
    # Strict output knows no optional key and no default: an optional value is null.
    described["required"] = list(described["properties"])
    for field in described["properties"].values():
        field.pop("default", None)
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.__name__, "strict": True, "schema": described},
    }


def read_structured(reply: Reply | str | Mapping[str, Any], schema: type[T]) -> Structured[T]:
    """The record that a reply gives.

    Args:
        reply: A cached reply; or its text, message, choice or whole response.
        schema: Its fields are what is looked for. Text, numbers, booleans, lists of text and
            optional ones of these are read with tolerance; other kinds as they are.
    """
    answer = visible((reply.message or reply.text) if isinstance(reply, Reply) else reply)
    text = answer.text.strip()
    if answer.error and not text:
        return Structured(None, "failed", f"the reply carries an error: {answer.error[:200]}")
    if answer.refused:
        return Structured(None, "refused", "marked as refused by the provider or the model")
    if answer.cut:
        return Structured(None, "truncated", "the reply ended at its token limit")
    if answer.structured is not None:
        text = json.dumps(answer.structured, ensure_ascii=False)
    if not text:
        where = "nothing outside the reasoning" if answer.hidden else "the reply is empty"
        return Structured(None, "empty", where)
    try:
        objects = list(_objects(text))
    except BrokenJSONError as error:
        return Structured(None, "unreadable", f"the JSON {error}")
    return _one(objects, schema, text)


def refuses(text: str) -> bool:
    """Whether a text, at its beginning, declines to do what was asked."""
    return _REFUSAL.search(text[:300].replace("\u2019", "'")) is not None


def plain_key(text: str) -> str:
    """A name in the one form that names are compared in: small letters, digits, underscores."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text.strip())
    return re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")


def _objects(text: str) -> Iterator[Pairs]:
    """Every outermost object of a text.

    Raises:
        BrokenJSONError: Something that begins as an object is none. What is whole inside it or
            after it is not taken in its stead.
    """
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=Pairs)
    position = 0
    while match := _STARTS.search(text, position):
        try:
            value, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            value, position = sloppy_object(text, match.start())
        yield value


def _one(objects: list[Pairs], schema: type[T], text: str) -> Structured[T]:
    wanted = {plain_key(name): name for name in schema.model_fields}
    found = [inner for outer in objects for inner in _with_keys(outer, set(wanted))]
    if not found:
        if not objects and refuses(text):
            return Structured(None, "refused", f"the model declines: {_short(text)}")
        missing = "no JSON object" if not objects else "no object with the keys asked for"
        return Structured(
            None, "unreadable" if not objects else "keys", f"{missing}: {_short(text)}"
        )
    if len({repr(pairs) for pairs in found}) > 1:
        return Structured(None, "ambiguous", f"{len(found)} different objects")
    values: dict[str, Any] = {}
    extra: list[str] = []
    for key, value in found[0]:
        name = wanted.get(plain_key(key))
        if name is None:
            extra.append(key)
        elif name in values and values[name] != value:
            return Structured(None, "ambiguous", f"`{name}` stands twice with different values")
        else:
            values[name] = value
    return _validated(values, schema, extra)


def _with_keys(pairs: Pairs, wanted: set[str]) -> Iterator[Pairs]:
    """The object itself where it holds a key asked for, else those inside it that do."""
    if any(plain_key(key) in wanted for key, _ in pairs):
        yield pairs
        return
    for _, value in pairs:
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, Pairs):
                yield from _with_keys(inner, wanted)


def _validated(values: dict[str, Any], schema: type[T], extra: list[str]) -> Structured[T]:
    for name, field in schema.model_fields.items():
        if name not in values:
            if field.is_required():
                return Structured(None, "keys", f"the key `{name}` is missing")
            continue
        values[name] = _coerced(values[name], field.annotation)
        if _has_surrogate(values[name]):
            return Structured(None, "unreadable", f"`{name}` holds half of a surrogate pair")
    try:
        record = schema.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        given = _short(repr(first.get("input")))
        return Structured(None, "keys", f"`{place}`: {first['msg'].lower()} (given: {given})")
    note = f"beside the keys asked for: {', '.join(sorted(extra))}" if extra else ""
    return Structured(record, "", _short(note))


def _coerced(value: Any, kind: Any) -> Any:
    """A value with what is mere dress taken off, for the kind of its field."""
    options = _kinds(kind)
    if isinstance(value, str):
        word = value.strip().lower()
        if type(None) in options and word in ("null", "none"):
            return None
        if bool in options and word in _TRUE | _FALSE:
            return word in _TRUE
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and bool in options
        and value in (0, 1)
    ):
        return bool(value)
    return value


def _kinds(kind: Any) -> set[Any]:
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return set(typing.get_args(kind))
    return {kind}


def _has_surrogate(value: Any) -> bool:
    return isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value)


def _short(text: str) -> str:
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    return line if len(line) <= 120 else f"{line[:119]}\u2026"
