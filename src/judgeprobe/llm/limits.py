"""How many calls may run at once, and when must a run stop?

`AdaptiveLimit` holds the calls in flight to one provider. It falls by half when the provider says
that there were too many (at most once in the time that a call takes, because the calls already on
their way say the same), and grows by one a round of good replies, up to what the user allows.

`Budget` is a hard stop in dollars, calls or minutes, each counted over one run. A call counts when
it is sent, a retry too; a dollar when the usage arrives, of a failed call too. Calls in flight are
reckoned at the mean cost so far, so that the last of them do not break the limit.
"""

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field

from judgeprobe.errors import RetryableCallError

__all__ = ["AdaptiveLimit", "Budget", "is_throttle"]


def is_throttle(error: RetryableCallError) -> bool:
    """Whether the provider said that there were too many calls."""
    return error.retry_after is not None or "429" in str(error)


class AdaptiveLimit:
    """Calls in flight to one provider.

    Args:
        most: Most calls at once that the user allows.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._quiet_until = 0.0
        self._mean_seconds = 0.1

    async def acquire(self) -> None:
        """Wait for a place."""
        while self.in_flight >= max(1, int(self.limit)):
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                if place in self._waiting:
                    self._waiting.remove(place)
                else:
                    self._admit()
                raise
        self.in_flight += 1

    def release(self, *, seconds: float, throttled: bool, good: bool) -> None:
        """Give the place back.

        Args:
            seconds: How long the call took.
            throttled: The provider said that there were too many calls.
            good: It answered.
        """
        self.in_flight -= 1
        now = time.monotonic()
        if throttled:
            if now >= self._quiet_until:
                self.limit = max(1.0, self.limit / 2)
                self._quiet_until = now + self._mean_seconds
        elif good:
            self._mean_seconds += 0.1 * (seconds - self._mean_seconds)
            self.limit = min(float(self.most), self.limit + 1.0 / self.limit)
        self._admit()

    def _admit(self) -> None:
        free = max(1, int(self.limit)) - self.in_flight
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1


@dataclass
class Budget:
    """Hard stops of one run; None is no stop.

    Attributes:
        max_usd: US dollars.
        max_calls: Calls, retries included.
        max_minutes: Minutes since the run began.
        usd: Spent so far, as far as prices are known.
        calls: Sent so far.
        in_flight: Sent and not yet answered.
    """

    max_usd: float | None = None
    max_calls: int | None = None
    max_minutes: float | None = None
    usd: float = 0.0
    calls: int = 0
    in_flight: int = 0
    began: float = field(default_factory=time.monotonic)
    _answered: int = 0

    def stop(self) -> str:
        """Why no further call may be sent, or ""."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            return f"max_calls = {self.max_calls} is reached"
        minutes = (time.monotonic() - self.began) / 60
        if self.max_minutes is not None and minutes >= self.max_minutes:
            return f"max_minutes = {self.max_minutes:g} is reached"
        if self.max_usd is not None:
            reckoned = self.usd + self.mean * (self.in_flight + 1)
            if reckoned > self.max_usd + 1e-9 or self.max_usd <= 0:
                return f"max_usd = {self.max_usd:g} is reached ({self.usd:.4f} spent)"
        return ""

    @property
    def mean(self) -> float:
        """US dollars that a call cost so far, in the mean of those whose cost is known."""
        return self.usd / self._answered if self._answered else 0.0

    def sent(self) -> None:
        """A call goes out."""
        self.calls += 1
        self.in_flight += 1

    def back(self, cost: float | None) -> None:
        """It came back, with its cost in US dollars where known."""
        self.in_flight -= 1
        if cost:
            self.usd += cost
            self._answered += 1
