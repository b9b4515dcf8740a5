"""Which object does almost-JSON write, if it leaves no doubt?

Models that are asked for JSON write Python's quotes and constants, typographic quotes, trailing
commas, unquoted keys and comments. These are read; a text that breaks off is not, and nothing is
closed or filled in on its behalf. A quotation mark ends a string only where JSON's own punctuation
follows it, so an apostrophe inside single quotes stays an apostrophe.
"""

import re
from collections.abc import Sequence
from typing import Any

__all__ = ["BrokenJSONError", "Pairs", "sloppy_object"]

_CLOSERS = {
    '"': '"',
    "\u201c": '"\u201d\u201c',
    "\u201d": '"\u201d\u201c',
    "\u201e": '"\u201d\u201c',
    "'": "'",
    "\u2018": "'\u2019\u2018",
    "\u2019": "'\u2019\u2018",
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_BEGINS_ANEW = re.compile(r"\{\s*[\"'\u201c\u2018][\w -]{1,40}[\"'\u201d\u2019]\s*:")
_DEEPEST = 20


class BrokenJSONError(ValueError):
    """The text is no object, or breaks off inside one."""


class Pairs(tuple[tuple[str, Any], ...]):
    """The keys and values of an object in their order; a key may stand twice."""

    __slots__ = ()


def sloppy_object(text: str, start: int) -> tuple[Pairs, int]:
    """The object that begins at a brace, and where it ends.

    Raises:
        BrokenJSONError: It is not one, even read with tolerance.
    """
    return _Scanner(text).object(start, 0)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text

    def _blank(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        return match.end() if match else at

    def _peek(self, at: int) -> str:
        return self.text[at : at + 1]

    def object(self, at: int, depth: int) -> tuple[Pairs, int]:
        if depth > _DEEPEST:
            raise BrokenJSONError("is nested too deeply")
        pairs: list[tuple[str, Any]] = []
        at = self._blank(at + 1)
        while self._peek(at) != "}":
            key, at = self._key(at)
            at = self._blank(at)
            if self._peek(at) != ":":
                raise BrokenJSONError("misses a colon")
            value, at = self._value(self._blank(at + 1), depth)
            pairs.append((key, value))
            at = self._next(at, "}")
        return Pairs(pairs), at + 1

    def _next(self, at: int, closer: str) -> int:
        """Past a comma, trailing or not; at the closing bracket where there is none."""
        at = self._blank(at)
        if self._peek(at) == ",":
            return self._blank(at + 1)
        if self._peek(at) != closer:
            raise BrokenJSONError("breaks off" if at >= len(self.text) else "misses a comma")
        return at

    def _key(self, at: int) -> tuple[str, int]:
        if self._peek(at) in _CLOSERS and self._peek(at):
            return self._string(at, ":")
        match = _WORD.match(self.text, at)
        if match is None:
            raise BrokenJSONError("breaks off" if at >= len(self.text) else "misses a key")
        return match[0], match.end()

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        first = self._peek(at)
        if first == "{":
            return self.object(at, depth + 1)
        if first == "[":
            return self._array(at, depth + 1)
        if first and first in _CLOSERS:
            return self._string(at, ",}]")
        if match := _NUMBER.match(self.text, at):
            number = match[0]
            return (int(number) if number.lstrip("-").isdigit() else float(number)), match.end()
        match = _WORD.match(self.text, at)
        if match is None or match[0].lower() not in _CONSTANTS:
            raise BrokenJSONError("breaks off" if at >= len(self.text) else "misses a value")
        return _CONSTANTS[match[0].lower()], match.end()

    def _array(self, at: int, depth: int) -> tuple[list[Any], int]:
        if depth > _DEEPEST:
            raise BrokenJSONError("is nested too deeply")
        values: list[Any] = []
        at = self._blank(at + 1)
        while self._peek(at) != "]":
            value, at = self._value(at, depth)
            values.append(value)
            at = self._next(at, "]")
        return values, at + 1

    def _string(self, at: int, followers: Sequence[str]) -> tuple[str, int]:
        closers = _CLOSERS[self.text[at]]
        parts: list[str] = []
        at += 1
        while at < len(self.text):
            char = self.text[at]
            if char == "\\":
                written, at = self._escape(at + 1)
                parts.append(written)
                continue
            if char == "{" and _BEGINS_ANEW.match(self.text, at):
                raise BrokenJSONError("breaks off inside a string and begins anew")
            after = self._peek(self._blank(at + 1))
            if char in closers and after and after in followers:
                return "".join(parts), at + 1
            parts.append(char)
            at += 1
        raise BrokenJSONError("breaks off inside a string")

    def _escape(self, at: int) -> tuple[str, int]:
        char = self._peek(at)
        if char == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", self.text[at + 1 : at + 5]):
            return chr(int(self.text[at + 1 : at + 5], 16)), at + 5
        return _ESCAPES.get(char, char), at + 1
