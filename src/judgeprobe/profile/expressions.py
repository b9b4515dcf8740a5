"""What does an expression over profile.json say? Read, never run.

The language: numbers, text, true, false; names of fields joined by dots; `judges["haiku"]` (an
entry of a list, by its judge, slot, axis, domain or name) and `judges[0]`; + - * / and comparisons,
which chain; and, or, not; abs, min, max. Everything else is refused. Python's parser reads it and
this module walks the tree: nothing is evaluated by Python itself.

A field that is missing or null makes the whole expression unknown, which is neither true nor false.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from judgeprobe.errors import InputError

__all__ = ["UNKNOWN", "evaluate"]

UNKNOWN = None
_MAX_LENGTH = 500
_KEYS = ("judge", "slot", "axis", "domain", "name", "key")
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"abs": abs, "min": min, "max": max}


class _UnknownValueError(Exception):
    """A field is missing or null."""


def evaluate(expression: str, values: Mapping[str, Any]) -> Any:
    """The value of an expression.

    Args:
        expression: For example `gap.estimate < 0.10 or gap.permutation_p > 0.05`.
        values: The profile.

    Returns:
        A number, text or truth value; None where a field that it needs is missing or null.

    Raises:
        InputError: It is no expression of this language, or compares what cannot be compared.
    """
    if len(expression) > _MAX_LENGTH:
        raise InputError(f"an expression has at most {_MAX_LENGTH} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(f"`{expression}` is not an expression") from None
    try:
        return _value(tree.body, values)
    except _UnknownValueError:
        return UNKNOWN
    except ZeroDivisionError:
        return UNKNOWN
    except (TypeError, RecursionError) as error:
        raise InputError(f"`{expression}` cannot be worked out ({error})") from None


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as constant):
            return constant
        case ast.Name(id=name):
            return (
                {"true": True, "false": False}[name]
                if name in ("true", "false")
                else _field(values, name)
            )
        case ast.Attribute(value=inner, attr=name):
            return _field(_value(inner, values), name)
        case ast.Subscript(value=inner, slice=place):
            return _entry(_value(inner, values), _value(place, values))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, values)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _value(inner, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](_value(left, values), _value(right, values))
        case ast.BoolOp(op=op, values=parts):
            return _logic(isinstance(op, ast.And), parts, values)
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _compare(left, ops, others, values)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(argument, values) for argument in arguments))
    raise InputError(f"`{ast.unparse(node)}` is not part of an expression")


def _field(holder: Any, name: str) -> Any:
    if not isinstance(holder, Mapping) or holder.get(name) is None:
        raise _UnknownValueError
    return holder[name]


def _entry(holder: Any, place: Any) -> Any:
    if isinstance(holder, Mapping) and isinstance(place, str):
        return _field(holder, place)
    if not isinstance(holder, list):
        raise InputError("only a list has entries")
    if isinstance(place, int) and not isinstance(place, bool):
        if not -len(holder) <= place < len(holder):
            raise _UnknownValueError
        return holder[place]
    for row in holder:
        if isinstance(row, Mapping) and any(row.get(key) == place for key in _KEYS if key in row):
            return row
    raise _UnknownValueError


def _logic(both: bool, parts: list[ast.expr], values: Mapping[str, Any]) -> bool:  # noqa: FBT001
    """And, or; unknown unless the known parts decide."""
    unknown = False
    for part in parts:
        try:
            held = bool(_value(part, values))
        except _UnknownValueError:
            unknown = True
            continue
        if held != both:
            return held
    if unknown:
        raise _UnknownValueError
    return both


def _compare(
    left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr], values: Mapping[str, Any]
) -> bool:
    before = _value(left, values)
    for op, node in zip(ops, others, strict=True):
        if type(op) not in _COMPARISONS:
            raise InputError(f"`{type(op).__name__}` is not part of an expression")
        after = _value(node, values)
        if not _COMPARISONS[type(op)](before, after):
            return False
        before = after
    return True
