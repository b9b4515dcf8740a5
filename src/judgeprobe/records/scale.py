"""Which grades may a judge give? A rating scale owns its values."""

from collections.abc import Iterable, Mapping

from pydantic import model_validator

from judgeprobe.records.base import Record

__all__ = ["Scale"]


class Scale(Record):
    """The fixed grading scale: low, low + step, ..., high. Higher is better supported.

    Attributes:
        low: Smallest grade.
        high: Largest grade.
        step: Distance between neighbouring grades, in grade units; divides high - low.
        words: Names of grades that a judge may write in place of a number: (name, grade).
    """

    low: float = 0.0
    high: float = 5.0
    step: float = 0.25
    words: tuple[tuple[str, float], ...] = ()

    def __init__(
        self,
        low: float = 0.0,
        high: float = 5.0,
        step: float = 0.25,
        words: Mapping[str, float] | Iterable[tuple[str, float]] = (),
    ) -> None:
        # A dict, so that a scale can be given by position too: Scale(0, 5, 0.25).
        pairs = words.items() if isinstance(words, Mapping) else words
        named = tuple((str(name), float(value)) for name, value in pairs)
        super().__init__(**{"low": low, "high": high, "step": step, "words": named})

    @model_validator(mode="after")
    def _check(self) -> "Scale":
        if not self.low < self.high:
            raise ValueError(f"`low` must be below `high`; got {self.low} and {self.high}")
        if self.step <= 0:
            raise ValueError(f"`step` must be above 0; got {self.step}")
        count = (self.high - self.low) / self.step
        if abs(count - round(count)) > 1e-9 or count > 100_000:
            raise ValueError(
                f"`step` must divide `high` - `low`; got {self.step} for {self.low} to {self.high}"
            )
        for name, value in self.words:
            if not self.low <= value <= self.high:
                raise ValueError(f"the word {name!r} stands for {value}, which is off the scale")
        return self

    @property
    def grades(self) -> tuple[float, ...]:
        """Every grade on the lattice, ascending."""
        count = round((self.high - self.low) / self.step)
        return tuple(round(self.low + i * self.step, 10) for i in range(count + 1))

    @property
    def midpoint(self) -> float:
        """The middle of the scale, in grade units."""
        return (self.low + self.high) / 2

    def __contains__(self, value: float) -> bool:
        """Whether a value lies between low and high, on the lattice or off it."""
        return self.low <= value <= self.high

    def on_lattice(self, value: float) -> bool:
        """Whether a value is one of `grades` (to 1e-6 of a step)."""
        position = (value - self.low) / self.step
        return value in self and abs(position - round(position)) <= 1e-6
