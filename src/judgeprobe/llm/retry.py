"""When is a failed call made again, and when is it given up?

Only what a retry can mend (`RetryableCallError`) is tried again, after a jittered, exponentially
growing wait, or after the time that the provider asked for, and never beyond a total deadline.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_any
from tenacity.stop import stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from judgeprobe.errors import RetryableCallError

__all__ = ["retrying"]

T = TypeVar("T")


async def retrying(
    attempt: Callable[[], Awaitable[T]],
    *,
    deadline: float = 300.0,
    tries: int = 8,
    first_wait: float = 0.5,
    longest_wait: float = 60.0,
) -> T:
    """The result of `attempt`, made again while a retry can help.

    Args:
        attempt: One call.
        deadline: Seconds from the first failure after which no further attempt begins.
        tries: Most attempts.
        first_wait: Seconds of the first wait, before jitter; it doubles each time.
        longest_wait: Most seconds of one wait, where the provider asks for none.

    Raises:
        CallError: The last attempt's error.
    """
    try:
        # Nearly every call succeeds, and tenacity's bookkeeping costs a tenth of a millisecond.
        return await attempt()
    except RetryableCallError as error:
        failed: RetryableCallError | None = error

    async def again() -> T:
        nonlocal failed
        if failed is not None:
            error, failed = failed, None
            raise error
        return await attempt()

    backoff = wait_random_exponential(multiplier=first_wait, max=longest_wait)

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, RetryableCallError) else None
        return backoff(state) if asked is None else asked + min(0.1 * backoff(state), 1.0)

    retrier = AsyncRetrying(
        retry=retry_if_exception_type(RetryableCallError),
        wait=wait,
        stop=stop_any(stop_after_attempt(tries), stop_before_delay(deadline)),
        reraise=True,
    )
    return await retrier(again)
