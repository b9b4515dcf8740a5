"""Which judges are run to test the instrument itself, and what must they measure?

They cost nothing and stand beside every real judge. `constant`, `flip` and `planted` answer from
the arm of the text they are shown, which no real judge sees, so their profile is known beforehand
(Propositions 1 and 2 of the construct-validity reference). Their verdict is read at the middle of
the scale. `length` reads nothing but the number of words: what a construct-blind instrument scores.
"""

from dataclasses import dataclass

__all__ = ["CONTROLS", "Control"]


@dataclass(frozen=True)
class Control:
    """A judge whose profile is known, or (`length`) whose blindness is.

    Attributes:
        name: As it stands in grades, tables and figures; no other judge may use it.
        S: The invariance it must measure, or None where nothing is expected.
        R: The sensitivity it must measure, or None.
        exact: Whether the measured profile must equal (S, R), or its interval cover it.
    """

    name: str
    S: float | None
    R: float | None
    exact: bool


CONTROLS = (
    Control("constant", 1.0, 0.0, exact=True),
    Control("flip", 0.0, 1.0, exact=True),
    Control("planted(0.9, 0.4)", 0.9, 0.4, exact=False),
    Control("length", None, None, exact=False),
)
