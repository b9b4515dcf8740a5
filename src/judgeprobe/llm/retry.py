"""Which failed calls are made again, when, and until when?

Only those that a repetition can mend. The wait is exponential with full jitter, never shorter than
the provider asked for, and the whole stays under one deadline.
"""

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import tenacity

from judgeprobe.errors import RetryableCallError

__all__ = ["retrying"]

T = TypeVar("T")


async def retrying(
    attempt: Callable[[], Awaitable[T]],
    *,
    attempts: int = 8,
    deadline: float = 300.0,
    first_wait: float = 0.5,
    longest_wait: float = 60.0,
    rng: random.Random | None = None,
) -> T:
    """The result of the first attempt that succeeds.

    Args:
        attempt: Makes the call once.
        attempts: Most attempts.
        deadline: Seconds for all attempts and waits; no wait begins that would end after it.
        first_wait: Upper bound of the first wait, in seconds; it doubles each time.
        longest_wait: Upper bound of every wait of our own choice, in seconds.
        rng: Source of the jitter.

    Raises:
        RetryableCallError: The last attempt's error, when attempts or time are used up.
        CallError: An error that a repetition cannot mend, at once.
    """
    jitter = rng or random.Random()

    def wait(state: tenacity.RetryCallState) -> float:
        bound = min(longest_wait, first_wait * 2 ** (state.attempt_number - 1))
        asked = _retry_after(state)
        # Callers that were told the same moment must not all come back at it.
        return asked + jitter.uniform(0, first_wait) if asked else jitter.uniform(0, bound)

    retrier = tenacity.AsyncRetrying(
        retry=tenacity.retry_if_exception_type(RetryableCallError),
        wait=wait,
        stop=tenacity.stop_after_attempt(attempts) | tenacity.stop_before_delay(deadline),
        reraise=True,
    )
    async for trial in retrier:
        with trial:
            return await attempt()
    raise AssertionError("unreachable: the last attempt returns or raises")


def _retry_after(state: tenacity.RetryCallState) -> float | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error.retry_after if isinstance(error, RetryableCallError) else None
