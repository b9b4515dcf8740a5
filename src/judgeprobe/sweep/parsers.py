"""How is a reply read by a parser of the user's own?

`parser = "module:function"` names a function of the reply's answer (a text, without reasoning) that
gives the grade: a number, one of the scale's words, or None where there is none. What it gives is
checked against the scale like any grade; what it raises is the reason why there is none.
"""

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

from judgeprobe.llm.fields import whole_value
from judgeprobe.llm.visible import visible
from judgeprobe.records import Reply, Scale
from judgeprobe.sweep.judges import Judgement

__all__ = ["parsed"]

_CALLED = "the parser"


def parsed(reply: Reply, parser: Callable[[str], Any], scale: Scale) -> Judgement:
    """What a user's parser reads in a reply."""
    answer = visible(reply.message or reply.text)
    if answer.error and not answer.text.strip():
        return Judgement("failed", None, f"the reply carries an error: {answer.error[:200]}")
    if answer.refused:
        return Judgement("refused", None, "marked as refused by the provider or the model")
    try:
        value = parser(answer.text)
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return Judgement("unparseable", None, f"{_CALLED} raised {said}")
    if value is None:
        status: Any = "truncated" if answer.cut else "unparseable"
        return Judgement(status, None, f"{_CALLED} found no grade")
    return _grade(value, scale)


def _grade(value: Any, scale: Scale) -> Judgement:
    if isinstance(value, str):
        number, why = whole_value(value, scale)
        if number is None:
            return Judgement("unparseable", None, f"{_CALLED} gave {value[:60]!r}: {why}")
        value = number
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        kind = f"{value!r}"[:60]
        return Judgement(
            "unparseable", None, f"{_CALLED} gave {kind}, which is no number and no word"
        )
    number = float(value)
    if number not in scale:
        return Judgement("off_scale", None, f"outside {scale.low:g} to {scale.high:g}: {number:g}")
    return Judgement("graded", number, "" if scale.on_lattice(number) else "off lattice")
