"""How far is the sweep, judge by judge?

A live table on a terminal; elsewhere one JSON object a line, for logs. Both show the same numbers
and both go to standard error.
"""

import asyncio
import json
import sys
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

__all__ = ["JudgeState", "Progress", "progress_for"]

_WINDOW = 20.0
Style = Literal["auto", "live", "lines", "none"]


@dataclass
class JudgeState:
    """Counts of one judge in one run.

    Attributes:
        planned: Texts times repetitions.
        cached: Answered before this run.
        done: Answered in this run.
        failed: Given up in this run, after retries; or in an earlier one and not tried again.
        ungraded: Replies of this run without a grade, by status.
        calls: Requests sent in this run, retries included.
        retries: Of these, the ones that repeated a call.
        usd: Spent in this run, as far as prices are known.
        unpriced: Calls whose price is not known.
        stopped: Why no further call is made, or "".
    """

    name: str
    planned: int = 0
    cached: int = 0
    done: int = 0
    failed: int = 0
    ungraded: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    in_flight: int = 0
    stopped: str = ""
    outcomes: deque[bool] = field(default_factory=lambda: deque(maxlen=40))
    _times: deque[float] = field(default_factory=lambda: deque(maxlen=2000))

    def answered(self) -> None:
        """A reply arrived."""
        self.done += 1
        self.outcomes.append(True)
        self._times.append(time.monotonic())

    @property
    def rate(self) -> float:
        """Replies a second over the last `_WINDOW` seconds."""
        now = time.monotonic()
        while self._times and self._times[0] < now - _WINDOW:
            self._times.popleft()
        if len(self._times) < 2:
            return 0.0
        return len(self._times) / max(now - self._times[0], 1e-6)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until every text is answered, at the present rate; None where unknown."""
        left = self.planned - self.cached - self.done - self.failed
        if left <= 0 or self.stopped:
            return 0.0
        return left / self.rate if self.rate else None

    def as_json(self) -> dict[str, Any]:
        """The counts as a log line has them."""
        left = self.seconds_left
        return {
            "judge": self.name,
            "planned": self.planned,
            "cached": self.cached,
            "done": self.done,
            "failed": self.failed,
            "ungraded": sum(self.ungraded.values()),
            "calls": self.calls,
            "retries": self.retries,
            "in_flight": self.in_flight,
            "per_second": round(self.rate, 2),
            "usd": round(self.usd, 6),
            "seconds_left": None if left is None else round(left, 1),
            "stopped": self.stopped,
        }


class Progress(Protocol):
    """Where the counts are shown."""

    def start(self, states: Sequence[JudgeState]) -> None:
        """Begin to show them."""

    async def tick(self) -> None:
        """Show them again and again until cancelled."""

    def finish(self) -> None:
        """Show them a last time."""


class Silent:
    """Nothing is shown."""

    def start(self, states: Sequence[JudgeState]) -> None:
        """Show nothing."""

    async def tick(self) -> None:
        """Wait until cancelled."""
        await asyncio.Event().wait()

    def finish(self) -> None:
        """Show nothing."""


class Lines:
    """One JSON object a judge and interval, on standard error."""

    def __init__(self, every: float = 10.0) -> None:
        self.every = every
        self._states: Sequence[JudgeState] = ()

    def start(self, states: Sequence[JudgeState]) -> None:
        """Remember what is shown."""
        self._states = states

    async def tick(self) -> None:
        """Print the counts every `every` seconds."""
        while True:
            await asyncio.sleep(self.every)
            self._print("progress")

    def finish(self) -> None:
        """Print the final counts."""
        self._print("finished")

    def _print(self, event: str) -> None:
        for state in self._states:
            line = json.dumps({"event": event, **state.as_json()}, ensure_ascii=False)
            print(line, file=sys.stderr, flush=True)


class Live:
    """A table that is redrawn, on a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive

        self._states: Sequence[JudgeState] = ()
        self._live = RichLive(
            console=Console(stderr=True), auto_refresh=False, transient=False, screen=False
        )

    def start(self, states: Sequence[JudgeState]) -> None:
        """Draw the table."""
        self._states = states
        self._live.start()
        self._draw()

    async def tick(self) -> None:
        """Draw it four times a second."""
        while True:
            self._draw()
            await asyncio.sleep(0.25)

    def finish(self) -> None:
        """Draw it a last time and leave it standing."""
        self._draw()
        self._live.stop()

    def _draw(self) -> None:
        from rich.table import Table
        from rich.text import Text as RichText

        table = Table(box=None, pad_edge=False)
        table.add_column("judge")
        for name in ("done", "cached", "failed", "ungraded", "rate/s", "flight", "spend", "left"):
            table.add_column(name, justify="right")
        for state in self._states:
            total = state.planned - state.cached
            note = f"  stopped: {state.stopped}" if state.stopped else ""
            table.add_row(
                RichText(state.name + note),
                f"{state.done}/{total}",
                f"{state.cached}",
                f"{state.failed}",
                f"{sum(state.ungraded.values())}",
                f"{state.rate:.1f}",
                f"{state.in_flight}",
                f"${state.usd:.4f}" + ("+?" if state.unpriced else ""),
                _clock(state.seconds_left),
            )
        self._live.update(table, refresh=True)


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def progress_for(style: Style) -> Progress:
    """Where the counts are shown: "auto" is a table on a terminal, else lines."""
    if style == "none":
        return Silent()
    if style == "live" or (style == "auto" and sys.stderr.isatty()):
        return Live()
    return Lines()
