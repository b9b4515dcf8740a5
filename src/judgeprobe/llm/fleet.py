"""Which of several endpoints answers a call, and are they one instrument?

A judge behind several endpoints is one judge only if they serve the same model, quantization and
template. Before the first call each is asked the canary (`judgeprobe.llm.canary`). The largest
group that agrees is used (of two equal ones that of the first endpoint); the others are named and
left out for the run. A reply that names another model than the one asked for is thrown away, its
endpoint left out, and the call made again elsewhere.

A call goes to the endpoint with the fewest in flight. One that fails twice in a row is left alone
for a second, then for twice as long each time, up to a minute; before it gets a text again it must
answer the canary as before, because a server that was restarted may serve something else.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from judgeprobe.errors import CallError, PermanentCallError, RetryableCallError
from judgeprobe.llm.canary import Signature, difference
from judgeprobe.llm.limits import is_throttle
from judgeprobe.llm.secrets import one_line
from judgeprobe.records import Reply, Served
from judgeprobe.records.calls import NOT_DISCLOSED

__all__ = ["Fleet"]

FAILURES = 2
FIRST_REST = 1.0
LONGEST_REST = 60.0


@dataclass
class _Endpoint:
    """One endpoint.

    Attributes:
        state: "new" (not asked yet), "in", "resting" (until `rests_until`), "out" (for the run).
        known: What it has said served it, while it answered the canary as it must.
        unsure: What it has said since; known once it answers the canary again as it must.
    """

    url: str
    state: Literal["new", "in", "resting", "out"] = "new"
    in_flight: int = 0
    sent: int = 0
    failures: int = 0
    rest: float = FIRST_REST
    rests_until: float = 0.0
    known: set[Served] = field(default_factory=set)
    unsure: set[Served] = field(default_factory=set)
    checking: "asyncio.Task[None] | None" = None


class Fleet:
    """The endpoints of one judge; used inside one event loop at a time.

    Args:
        urls: Their addresses, at least one.
        check: Asks one the canary.
        wrong: Why a served model is not the one asked for; "" where it is.
        name: The judge, as messages name it.
        tolerance: Of the canary's log-probabilities.

    Attributes:
        findings: A line for each endpoint that is another instrument.
        notes: A line for each endpoint that did not answer, once.
    """

    def __init__(
        self,
        urls: Sequence[str],
        *,
        check: Callable[[str], Awaitable[Signature]],
        wrong: Callable[[Served], str],
        name: str,
        tolerance: float,
    ) -> None:
        self.findings: list[str] = []
        self.notes: list[str] = []
        self._endpoints = [_Endpoint(url) for url in urls]
        self._check = check
        self._wrong = wrong
        self._name = name
        self._tolerance = tolerance
        self._reference: Signature | None = None
        self._starting: asyncio.Task[None] | None = None

    async def ask(self, send: Callable[[str], Awaitable[Reply]]) -> Reply:
        """Make one call at the endpoint that has the fewest in flight.

        Args:
            send: Makes the call at an address.

        Raises:
            RetryableCallError: It gave no reply, or another model's; the next try may go elsewhere.
            PermanentCallError: No endpoint is left that is the judge.
            CallError: This text cannot be answered.
        """
        endpoint = await self._choose()
        endpoint.in_flight += 1
        endpoint.sent += 1
        try:
            reply = await send(endpoint.url)
        except RetryableCallError as error:
            if not is_throttle(error):
                self._failed(endpoint, error)
            raise
        except PermanentCallError as error:
            if len(self._ready()) < 2:
                raise
            self._leave_out(endpoint, f"refuses calls ({error})")
            raise RetryableCallError(f"{error}; it is asked elsewhere") from None
        finally:
            endpoint.in_flight -= 1
        self._verify(endpoint, reply)
        endpoint.failures = 0
        endpoint.rest = FIRST_REST
        return reply

    async def close(self) -> None:
        """Stop every check that is on its way."""
        tasks = [self._starting, *(endpoint.checking for endpoint in self._endpoints)]
        self._starting = None
        for endpoint in self._endpoints:
            endpoint.checking = None
        for task in tasks:
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, CallError):
                    await task

    # --- choosing ---

    async def _choose(self) -> _Endpoint:
        if self._reference is None:
            await self._start()
        now = time.monotonic()
        for endpoint in self._endpoints:
            if endpoint.state == "resting" and now >= endpoint.rests_until:
                self._check_again(endpoint)
        ready = self._ready()
        if not ready:
            await self._wait_for_one()
            ready = self._ready()
        return min(ready, key=lambda endpoint: (endpoint.in_flight, endpoint.sent))

    def _ready(self) -> list[_Endpoint]:
        return [endpoint for endpoint in self._endpoints if endpoint.state == "in"]

    async def _wait_for_one(self) -> None:
        """Wait for the check of the endpoint that comes back first.

        Raises:
            RetryableCallError: It still does not answer.
            PermanentCallError: None will come back.
        """
        resting = [endpoint for endpoint in self._endpoints if endpoint.state == "resting"]
        if not resting:
            raise PermanentCallError(
                f"none of the {len(self._endpoints)} endpoints is usable: {self._reasons()}"
            )
        first = min(resting, key=lambda endpoint: endpoint.rests_until)
        await asyncio.sleep(max(0.0, first.rests_until - time.monotonic()))
        if first.state == "resting":
            await asyncio.shield(self._check_again(first))
        if not self._ready():
            raise RetryableCallError(
                f"none of the {len(self._endpoints)} endpoints of `{self._name}` answers"
            )

    def _reasons(self) -> str:
        return "; ".join([*self.findings, *self.notes])

    # --- checking ---

    async def _start(self) -> None:
        if self._starting is None:
            self._starting = asyncio.create_task(self._check_all())
        task = self._starting
        try:
            # The first caller's end is not the check's.
            await asyncio.shield(task)
        finally:
            if task.done() and self._starting is task and self._reference is None:
                self._starting = None

    async def _check_all(self) -> None:
        candidates = [endpoint for endpoint in self._endpoints if endpoint.state != "out"]
        found = await asyncio.gather(*(self._signature(endpoint) for endpoint in candidates))
        signed = [
            (endpoint, signature)
            for endpoint, signature in zip(candidates, found, strict=True)
            if signature is not None
        ]
        if not signed:
            kind = RetryableCallError if self._rested() else PermanentCallError
            raise kind(f"none of the {len(self._endpoints)} endpoints answers: {self._reasons()}")
        _, self._reference = max(signed, key=lambda pair: self._agreeing(pair[1], signed))
        for endpoint, signature in signed:
            self._admit(endpoint, signature)

    def _rested(self) -> bool:
        return any(endpoint.state != "out" for endpoint in self._endpoints)

    def _agreeing(self, reference: Signature, signed: Sequence[tuple[_Endpoint, Signature]]) -> int:
        return sum(
            not difference(signature, reference, tolerance=self._tolerance)
            for _, signature in signed
        )

    def _check_again(self, endpoint: _Endpoint) -> "asyncio.Task[None]":
        if endpoint.checking is None or endpoint.checking.done():
            endpoint.checking = asyncio.create_task(self._recheck(endpoint))
        return endpoint.checking

    async def _recheck(self, endpoint: _Endpoint) -> None:
        signature = await self._signature(endpoint)
        if signature is not None:
            self._admit(endpoint, signature)

    async def _signature(self, endpoint: _Endpoint) -> Signature | None:
        """Its answer to the canary; None where it gives none or is no endpoint of this model."""
        try:
            signature = await self._check(endpoint.url)
        except RetryableCallError as error:
            self._rest(endpoint, str(error))
            return None
        except CallError as error:
            self._leave_out(endpoint, f"refuses the canary ({error})")
            return None
        if wrong := self._wrong(signature.served):
            self._leave_out(endpoint, f"is {wrong}")
            return None
        listed = signature.disclosed.models
        if listed and all(self._wrong(Served(model=model)) for model in listed):
            self._leave_out(endpoint, f"lists only the models {', '.join(listed[:5])}")
            return None
        return signature

    def _admit(self, endpoint: _Endpoint, signature: Signature) -> None:
        assert self._reference is not None
        other = difference(signature, self._reference, tolerance=self._tolerance)
        if other:
            self._leave_out(endpoint, other)
            return
        endpoint.known |= {signature.served, *endpoint.unsure}
        endpoint.unsure.clear()
        endpoint.state = "in"
        endpoint.failures = 0

    # --- judging replies ---

    def _verify(self, endpoint: _Endpoint, reply: Reply) -> None:
        """See that the reply is from the instrument that was checked.

        Raises:
            RetryableCallError: It is not; the call may be made elsewhere.
        """
        served = reply.served
        if served in endpoint.known:
            return
        if wrong := self._wrong(served) or self._other_quantization(served):
            self._leave_out(endpoint, f"gave a reply {wrong}")
            said = f"{endpoint.url} gave a reply {wrong}"
        else:
            # A new version or fingerprint: the canary tells whether it is the same instrument.
            if endpoint.state == "in":
                endpoint.state = "resting"
                endpoint.rests_until = 0.0
            endpoint.unsure.add(served)
            said = f"{endpoint.url} says that another server answered than before"
        error = RetryableCallError(f"{self._name}: {one_line(said)}; it is asked elsewhere")
        # What the thrown-away reply cost was spent all the same.
        error.cost = reply.cost  # type: ignore[attr-defined]
        raise error

    def _other_quantization(self, served: Served) -> str:
        assert self._reference is not None
        found, wanted = served.quantization, self._reference.served.quantization
        if found == wanted or NOT_DISCLOSED in (found, wanted):
            return ""
        return f"served at the quantization {found!r} where the others serve {wanted!r}"

    def _failed(self, endpoint: _Endpoint, error: RetryableCallError) -> None:
        endpoint.failures += 1
        if endpoint.state == "in" and endpoint.failures >= FAILURES:
            self._rest(endpoint, str(error))

    def _rest(self, endpoint: _Endpoint, why: str) -> None:
        self._say(
            self.notes,
            endpoint,
            f"did not answer ({why}) and was left out until it answered the canary again",
        )
        endpoint.state = "resting"
        endpoint.rests_until = time.monotonic() + endpoint.rest
        endpoint.rest = min(2 * endpoint.rest, LONGEST_REST)

    def _leave_out(self, endpoint: _Endpoint, why: str) -> None:
        if endpoint.state != "out":
            endpoint.state = "out"
            self._say(self.findings, endpoint, f"{why}; it was left out")

    def _say(self, lines: list[str], endpoint: _Endpoint, what: str) -> None:
        start = f"the endpoint {one_line(endpoint.url)} of the judge `{self._name}` "
        if not any(line.startswith(start) for line in lines):
            lines.append(f"{start}{one_line(what)}")
