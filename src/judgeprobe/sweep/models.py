"""How is a judge asked that is a model?

Its settings and its prompt become a `Request`; the request's canonical content, the prompt's hash
and the repetition become the cache key. The name in study.toml, the key of the provider, the host
and the concurrency are in none of them. A reply from another provider or model than the pinned one
is kept and never used as a grade.
"""

from typing import Any, Literal

from judgeprobe.errors import PermanentCallError
from judgeprobe.llm.cache import reply_key
from judgeprobe.llm.canary import CLAIM, EVIDENCE, Signature, canary_request, signature_of
from judgeprobe.llm.expected import expected_grade
from judgeprobe.llm.fleet import Fleet
from judgeprobe.llm.local import LocalModel
from judgeprobe.llm.prices import token_prices
from judgeprobe.llm.request import Request
from judgeprobe.llm.sender import InProcess, Sender
from judgeprobe.llm.served import pinned_providers, wrong_server
from judgeprobe.llm.templates import load_template
from judgeprobe.records import Reply, Served
from judgeprobe.settings import JudgeSettings
from judgeprobe.study import Study
from judgeprobe.sweep.judges import Judge, Judgement, judgement
from judgeprobe.sweep.plan import Text

__all__ = ["COMPLETION_PROMPT", "PLACES", "ModelJudge", "elicitation_of", "prompt_of"]

_LOCAL = "local/"
COMPLETION_PROMPT = "judge_completion.v1"
# Log-probabilities wanted for the mean over grade tokens: as many as providers give.
_TOP = 20
PLACES = frozenset({"evidence", "claim", "question", "measures", "low", "high", "step"})
_CHARACTERS_A_TOKEN = 4
_REPLY_TOKENS = 60
# Enough for {"grade": x}, in which the grade's token is looked for.
_EXPECTED_TOKENS = 24


def elicitation_of(settings: JudgeSettings) -> Literal["written", "expected"]:
    """How the grade of a model is had: as study.toml says, or as its kind of model is asked."""
    is_local = settings.model is not None and settings.model.startswith(_LOCAL)
    return settings.elicitation or ("expected" if is_local else "written")


def prompt_of(settings: JudgeSettings, of_study: str) -> str:
    """The prompt of a model: its own, that of models without a chat format, or the study's."""
    if settings.prompt is not None:
        return settings.prompt
    model = settings.model or ""
    if model.startswith((_LOCAL, "text-completion-openai/")):
        return COMPLETION_PROMPT
    return of_study


class ModelJudge(Judge):
    """A judge that is a model, local or behind an API.

    Attributes:
        places: Places that its prompt may have.
        required: Places that it must have.

    Raises:
        InputError: Its prompt or its model file cannot be used.
    """

    places = PLACES
    required = frozenset({"claim"})

    def __init__(self, settings: JudgeSettings, study: Study, *, repetitions: int) -> None:
        assert settings.model is not None
        elicitation = study.settings.elicitation
        self.name = settings.name
        self.model = settings.model
        self.scale = elicitation.scale
        self.repetitions = repetitions
        self.reply_pattern = settings.reply_pattern
        self.is_local = self.model.startswith(_LOCAL)
        self.elicitation = elicitation_of(settings)
        self._settings = settings
        self._run_label = elicitation.run
        self._template = load_template(
            prompt_of(settings, elicitation.prompt), relative_to=study.root
        )
        self._template.check(self.places, self.required)
        self.prompt_hash = self._template.hash
        self._values = {
            "question": study.taxonomy.question,
            "measures": study.taxonomy.measures,
            "low": f"{self.scale.low:g}",
            "high": f"{self.scale.high:g}",
            "step": f"{self.scale.step:g}",
        }
        self._providers = pinned_providers(settings.provider)
        self._local: LocalModel | None = None
        if self.is_local:
            self._local = LocalModel(self.model)
            self.concurrency = self._local.engines
        self.transport = settings.transport
        self._sender: Sender = InProcess(
            self.transport, connections=study.settings.budget.concurrency
        )
        self._identity, self._served_name = self._identify()
        self._fleet = self._find_fleet()
        self.group = self._group()
        self._price = self._find_price()

    def _identify(self) -> tuple[str, str]:
        """What tells the model apart where its name does not, and the name it is served under."""
        if self._local is not None:
            return self._local.identity, self._local.weights.served_name
        identity = ""
        if self._settings.endpoint_selects_model and self._settings.base_url:
            identity = self._settings.base_url
        return identity, self._settings.served_model or self.model

    def _group(self) -> str:
        if self.is_local:
            return self.model
        urls = self._settings.base_urls or (self._settings.base_url,)
        if urls[0]:
            return " ".join(sorted(filter(None, urls)))
        router = self.model.split("/")[0]
        return " ".join([router, *self._providers])

    def _find_fleet(self) -> Fleet | None:
        urls = self._settings.base_urls
        if len(urls) < 2:
            return None
        return Fleet(
            urls,
            check=self._canary,
            wrong=self._wrong,
            name=self.name,
            tolerance=self._settings.canary_tolerance,
        )

    def _find_price(self) -> tuple[float, float] | None:
        price = self._settings.price
        if price is not None:
            return price.get("input", 0.0) / 1e6, price.get("output", 0.0) / 1e6
        return (0.0, 0.0) if self.is_local else token_prices(self.model)

    def prepare(self) -> None:
        """Load the local model, or see that a direct endpoint can be asked.

        Raises:
            InputError: The model file is damaged, the model's name tells no endpoint, or the
                parser cannot be loaded.
        """
        super().prepare()
        if self._local is not None:
            self._local.start()
        if self.transport == "direct":
            from judgeprobe.llm.wire import wire_of

            wire_of(self.request(Text("", "", "evidence", "claim")))

    def request(self, text: Text, *, base_url: str | None = None) -> Request:
        """What is sent for a text."""
        settings = self._settings
        values = {**self._values, **self.shown(text)}
        content: dict[str, Any] = (
            {"prompt": self._template.completion(values)}
            if self._template.is_completion
            else {"messages": self._template.messages(values)}
        )
        return Request(
            model=self.model,
            temperature=settings.temperature,
            max_tokens=self._max_tokens(),
            seed=settings.seed,
            reasoning_effort=settings.reasoning_effort,
            provider=settings.provider,
            top_logprobs=_TOP if self.elicitation == "expected" else None,
            extra_body=settings.extra_body,
            base_url=base_url or settings.base_url,
            identity=self._identity,
            timeout=settings.timeout,
            **content,
        )

    def shown(self, text: Text) -> dict[str, str]:
        """What fills the places of the prompt that differ from text to text."""
        return {"evidence": text.evidence, "claim": text.text}

    @property
    def is_completion(self) -> bool:
        """Whether its prompt is one text to continue."""
        return self._template.is_completion

    def key(self, text: Text, repetition: int) -> str:
        """Cache key of one call."""
        body = self.request(text).body()
        return reply_key(body, self.prompt_hash, repetition, run=self._run_label)

    def _max_tokens(self) -> int | None:
        # A completion prompt that ends where the grade stands needs the one token.
        if self._settings.max_tokens is None and self.elicitation == "expected":
            return 1 if self._template.is_completion else _EXPECTED_TOKENS
        return self._settings.max_tokens

    async def ask(self, text: Text, repetition: int) -> Reply:  # noqa: ARG002 - the key tells it
        """Make one call, without retrying.

        Raises:
            CallError: It gave no reply.
        """
        if self._local is not None:
            return await self._local.call(self.request(text))
        if self._fleet is None:
            return await self._sender.call(self.request(text))
        return await self._fleet.ask(
            lambda url: self._sender.call(self.request(text, base_url=url))
        )

    def send_through(self, sender: Sender) -> None:
        """Let calls be made by another sender; a local model's stay in this process."""
        self._sender = sender

    async def _canary(self, url: str) -> Signature:
        """How an endpoint answers the canary.

        Raises:
            CallError: It does not.
        """
        asked = self.request(Text("canary", "canary", EVIDENCE, CLAIM), base_url=url)
        try:
            reply = await self._sender.call(canary_request(asked))
        except PermanentCallError:
            # Perhaps it takes all but the log-probabilities.
            reply = await self._sender.call(canary_request(asked, logprobs=False))
        return signature_of(reply, await self._sender.disclosed(url, self.model))

    def _wrong(self, served: Served) -> str:
        return wrong_server(served, model=self._served_name, providers=self._providers)

    def findings(self) -> list[str]:
        """A line for each endpoint that was left out because it is another instrument."""
        return [] if self._fleet is None else self._fleet.findings

    def notes(self) -> list[str]:
        """A line for each endpoint that did not answer."""
        return [] if self._fleet is None else self._fleet.notes

    def read(self, reply: Reply) -> Judgement:
        """The grade of a reply, where the pinned provider and model gave it."""
        if wrong := self._wrong(reply.served):
            return Judgement("wrong_provider", None, wrong)
        if self.elicitation == "expected":
            return judgement(expected_grade(reply, self.scale))
        return super().read(reply)

    def estimate(self, text: Text) -> tuple[int, int]:
        """About how many prompt and reply tokens a call takes: four characters a token."""
        request = self.request(text)
        parts = [str(message["content"]) for message in request.messages]
        characters = sum(map(len, parts)) + len(request.prompt or "")
        limit = request.max_tokens or _REPLY_TOKENS
        return characters // _CHARACTERS_A_TOKEN + 1, min(limit, _REPLY_TOKENS)

    def price(self, prompt_tokens: float, reply_tokens: float) -> float | None:
        """US dollars for some tokens; None where no price is known."""
        if self._price is None:
            return None
        return prompt_tokens * self._price[0] + reply_tokens * self._price[1]

    async def close(self) -> None:
        """End the local model's process; close connections."""
        if self._fleet is not None:
            await self._fleet.close()
        await self._sender.close()
        if self._local is not None:
            self._local.stop()
