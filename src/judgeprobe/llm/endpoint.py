"""How is a model of study.toml reached, whatever it is asked?

Its settings become a `Request`, which holds what can change the answer; the host and the key are in
none. A model behind an API and a GGUF file on this machine look the same here.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from judgeprobe.errors import PermanentCallError
from judgeprobe.llm.prices import supports_schema, token_prices
from judgeprobe.llm.request import Message, Request
from judgeprobe.llm.served import pinned_providers, wrong_server
from judgeprobe.records import Reply
from judgeprobe.settings import ModelSettings

__all__ = ["CHARACTERS_A_TOKEN", "Endpoint"]

_LOCAL = "local/"
# English prose; for estimates alone.
CHARACTERS_A_TOKEN = 4
_SCHEMA_REFUSED = re.compile(r"response_format|json_schema|structured", re.IGNORECASE)


class Endpoint:
    """One model that is asked.

    Args:
        settings: How it is reached.
        role: What it does, as messages name it: "generator", "verifier".

    Attributes:
        group: Calls of one group share one limit on how many run at once.
        concurrency: Most calls at once, or None for the study's number.
        price: US dollars of a prompt token and of a reply token; None where not known.

    Raises:
        InputError: It is a local model whose file is missing.
    """

    def __init__(self, settings: ModelSettings, role: str) -> None:
        self.role = role
        self.model = settings.model
        self._settings = settings
        self._providers = pinned_providers(settings.provider)
        self._local: Any = None
        self._direct: Any = None
        self._identity = ""
        self.concurrency: int | None = None
        if self.model.startswith(_LOCAL):
            from judgeprobe.llm.local import LocalModel

            self._local = LocalModel(self.model)
            self._identity = self._local.identity
            self.concurrency = self._local.engines
        self.group = self._group()
        self.price = self._price()

    def _group(self) -> str:
        if self._local is not None:
            return self.model
        if self._settings.base_url:
            return self._settings.base_url
        return " ".join([self.model.split("/")[0], *self._providers])

    def _price(self) -> tuple[float, float] | None:
        price = self._settings.price
        if price is not None:
            return price.get("input", 0.0) / 1e6, price.get("output", 0.0) / 1e6
        return (0.0, 0.0) if self._local is not None else token_prices(self.model)

    @property
    def structured(self) -> bool:
        """Whether a reply's schema is requested through the provider's structured output."""
        chosen = self._settings.structured
        return supports_schema(self.model) if chosen is None else chosen

    def request(
        self, messages: Sequence[Message], response_format: Mapping[str, Any] | None = None
    ) -> Request:
        """What is sent for some messages; the format only where the model takes one."""
        return self._request(response_format, messages=tuple(messages))

    def completion(self, prompt: str) -> Request:
        """What is sent for a text to continue."""
        return self._request(None, prompt=prompt)

    def _request(self, response_format: Mapping[str, Any] | None, **content: Any) -> Request:
        settings = self._settings
        return Request(
            model=self.model,
            **content,
            temperature=settings.temperature,
            max_tokens=settings.max_tokens,
            seed=settings.seed,
            reasoning_effort=settings.reasoning_effort,
            provider=settings.provider,
            response_format=response_format if self.structured else None,
            extra_body=settings.extra_body,
            base_url=settings.base_url,
            identity=self._identity,
            timeout=settings.timeout,
        )

    async def call(self, request: Request) -> Reply:
        """Make one call, without retrying.

        Raises:
            CallError: It gave no reply.
        """
        try:
            return await self._call(request)
        except PermanentCallError as error:
            if request.response_format is None or not _SCHEMA_REFUSED.search(str(error)):
                raise
            raise PermanentCallError(
                f"{error}; where the provider takes no schema, give [{self.role}] "
                "structured = false"
            ) from None

    async def _call(self, request: Request) -> Reply:
        if self._local is not None:
            found: Reply = await self._local.call(request)
            return found
        if self._settings.transport == "direct":
            return await self._ask_directly(request)
        from judgeprobe.llm.client import call

        return await call(request)

    async def _ask_directly(self, request: Request) -> Reply:
        if self._direct is None:
            from judgeprobe.llm.direct import DirectClient

            # The pool alone says how many calls run at once.
            self._direct = DirectClient(connections=0)
        found: Reply = await self._direct.call(request)
        return found

    def wrong(self, reply: Reply) -> str:
        """Why a reply does not come from the model that was asked; "" where it does."""
        if self._local is not None:
            return ""
        model = self._settings.served_model or self.model
        return wrong_server(reply.served, model=model, providers=self._providers)

    def cost(self, reply: Reply) -> float | None:
        """US dollars that a reply cost; None where no price is known."""
        if self._settings.price is None and reply.cost is not None:
            return reply.cost
        usage = reply.usage
        return self.usd(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0))

    def usd(self, prompt_tokens: float, reply_tokens: float) -> float | None:
        """US dollars for some tokens; None where no price is known."""
        if self.price is None:
            return None
        return prompt_tokens * self.price[0] + reply_tokens * self.price[1]

    async def close(self) -> None:
        """Let go of connections and of a local model; in the loop that the calls were made in."""
        direct, self._direct = self._direct, None
        if direct is not None:
            await direct.close()
        if self._local is not None:
            self._local.stop()
