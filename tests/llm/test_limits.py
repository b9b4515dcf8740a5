"""Limits: fewer calls at once after a 429, more after good replies; budgets that are hard."""

import asyncio

import pytest

from judgeprobe.llm.limits import AdaptiveLimit, Budget


def test_no_more_calls_at_once_than_allowed():
    async def run():
        limit = AdaptiveLimit(5)
        peak = 0

        async def call():
            nonlocal peak
            await limit.acquire()
            peak = max(peak, limit.in_flight)
            await asyncio.sleep(0)
            limit.release(seconds=0.0, throttled=False, good=True)

        await asyncio.gather(*(call() for _ in range(50)))
        return peak, limit.in_flight

    assert asyncio.run(run()) == (5, 0)


def test_it_falls_on_429_and_recovers():
    async def run():
        limit = AdaptiveLimit(32)
        limit._mean_seconds = 0.0
        sizes = []
        for throttled in [True] * 4 + [False] * 600:
            await limit.acquire()
            limit.release(seconds=0.0, throttled=throttled, good=not throttled)
            sizes.append(limit.limit)
        return sizes

    sizes = asyncio.run(run())
    assert sizes[:4] == [16, 8, 4, 2]
    assert sizes[-1] == 32
    assert sizes == sizes[:4] + sorted(sizes[4:])


def test_one_wave_of_429_halves_it_once():
    async def run():
        limit = AdaptiveLimit(32)
        for _ in range(20):
            await limit.acquire()
        for _ in range(20):
            limit.release(seconds=0.01, throttled=True, good=False)
        return limit.limit

    assert asyncio.run(run()) == 16


def test_a_cancelled_waiter_gives_its_turn_to_the_next():
    async def run():
        limit = AdaptiveLimit(1)
        await limit.acquire()
        first = asyncio.create_task(limit.acquire())
        second = asyncio.create_task(limit.acquire())
        await asyncio.sleep(0)
        limit.release(seconds=0.0, throttled=False, good=True)
        first.cancel()
        await asyncio.wait_for(second, 1)
        return limit.in_flight

    assert asyncio.run(run()) == 1


def test_a_budget_of_calls():
    budget = Budget(max_calls=2)
    assert budget.stop() == ""
    budget.sent()
    budget.sent()
    assert "max_calls = 2" in budget.stop()


def test_a_budget_of_dollars_reckons_with_the_calls_on_their_way():
    budget = Budget(max_usd=1.0)
    for _ in range(3):
        budget.sent()
        budget.back(0.2)
    assert budget.stop() == ""
    budget.sent()
    assert budget.stop() == ""
    budget.sent()
    # 0.6 spent, two on their way and one more would make 1.2.
    assert "max_usd = 1" in budget.stop()
    assert "0.6000 spent" in budget.stop()


@pytest.mark.parametrize(
    "budget", [Budget(max_usd=0.0), Budget(max_calls=0), Budget(max_minutes=0)]
)
def test_a_budget_of_nothing_sends_nothing(budget):
    assert budget.stop()


def test_a_failed_call_that_bills_is_counted():
    budget = Budget(max_usd=0.1)
    budget.sent()
    budget.back(0.2)
    assert budget.stop()
