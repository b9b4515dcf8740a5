"""How fast are graded calls collected, beside what people use now?

    python benchmarks/sweep.py [--smoke] [--calls 2000] [--json]

One loopback server in its own process answers every chat completion after a fixed 50 ms; each
contender asks 2,000 distinct prompts of about 300 tokens with 64 in flight, in a process of its
own, one after the other in one run, so that the ratios share the machine and its load:

- bare: an aiohttp client that parses the reply and does nothing else (the ceiling here);
- acompletion: litellm.acompletion, one task a call under a semaphore;
- batch_completion: litellm's own threads;
- inspect-ai: its model interface, where it is installed;
- judgeprobe (litellm) and judgeprobe (direct): the sweep's runner, with retry, limits, the claim
  on each call and every reply written to the cache.

Targets: judgeprobe (litellm) at least 1.3 x acompletion and 0.2 x bare; judgeprobe (direct) at
least 0.7 x bare. `--smoke` runs all of them on 64 calls and checks no speed.
"""

import argparse
import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

TOP = Path(__file__).resolve().parents[1]
IN_FLIGHT = 64
LATENCY = 0.05
WORDS = 230
CONTENDERS = (
    "bare",
    "acompletion",
    "batch_completion",
    "inspect-ai",
    "judgeprobe (litellm)",
    "judgeprobe (direct)",
)


Spent = tuple[float, float]


class Clock:
    """Seconds on the wall and of this process's processor time."""

    def __init__(self) -> None:
        self.wall, self.processor = time.perf_counter(), time.process_time()

    def stop(self) -> Spent:
        return time.perf_counter() - self.wall, time.process_time() - self.processor


def evidence(number: int) -> str:
    """About 250 tokens that no other number has."""
    vocabulary = "ice on three lakes broke up earlier in most years of the long record".split()  # noqa: SIM905
    return " ".join(
        f"{vocabulary[(number + i) % len(vocabulary)]}{number if i % 40 == 0 else ''}"
        for i in range(WORDS)
    )


def prompts(count: int) -> list[list[dict[str, str]]]:
    return [
        [{"role": "user", "content": f"Evidence: {evidence(n)}\nClaim: {n} holds.\nGrade 0 to 5."}]
        for n in range(count)
    ]


async def in_flight(count: int, one: Callable[[int], Awaitable[None]]) -> None:
    """One task a call under a semaphore: the plain loop that people write."""
    slots = asyncio.Semaphore(IN_FLIGHT)

    async def limited(number: int) -> None:
        async with slots:
            await one(number)

    await asyncio.gather(*(limited(number) for number in range(count)))


def bare(url: str, count: int) -> Spent:
    import aiohttp

    asked = prompts(count)

    async def run() -> Spent:
        connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
        async with aiohttp.ClientSession(connector=connector) as session:
            numbers = iter(range(count))

            async def work() -> None:
                for number in numbers:
                    body = {"model": "m", "messages": asked[number], "temperature": 0.0}
                    async with session.post(f"{url}/chat/completions", json=body) as reply:
                        content = await reply.json()
                        assert content["choices"][0]["message"]["content"]

            started = Clock()
            await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))
            return started.stop()

    return asyncio.run(run())


def acompletion(url: str, count: int) -> Spent:
    import litellm

    litellm.suppress_debug_info = True
    asked = prompts(count)

    async def run() -> Spent:
        async def one(number: int) -> None:
            reply = await litellm.acompletion(
                model="openai/m",
                messages=asked[number],
                api_base=url,
                api_key="k",
                temperature=0.0,
                max_retries=0,
            )
            assert reply.choices[0].message.content

        await one(0)
        started = Clock()
        await in_flight(count, one)
        return started.stop()

    return asyncio.run(run())


def batch_completion(url: str, count: int) -> Spent:
    import litellm

    litellm.suppress_debug_info = True
    asked = prompts(count)
    settings: dict[str, Any] = {"api_base": url, "api_key": "k", "temperature": 0.0}
    litellm.batch_completion(model="openai/m", messages=asked[:1], **settings)
    started = Clock()
    replies = litellm.batch_completion(
        model="openai/m", messages=asked, max_workers=IN_FLIGHT, **settings
    )
    spent = started.stop()
    assert all(reply.choices[0].message.content for reply in replies)
    return spent


def inspect_ai(url: str, count: int) -> Spent | None:
    if importlib.util.find_spec("inspect_ai") is None:
        return None
    from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model

    asked = prompts(count)
    config = GenerateConfig(temperature=0.0, max_connections=IN_FLIGHT)
    model = get_model("openai-api/loopback/m", base_url=url, api_key="k", config=config)

    async def run() -> Spent:
        async def one(number: int) -> None:
            message = ChatMessageUser(content=asked[number][0]["content"])
            assert (await model.generate([message])).completion

        await one(0)
        started = Clock()
        await in_flight(count, one)
        return started.stop()

    return asyncio.run(run())


async def first_call(judge: Any, text: Any) -> None:
    assert (await judge.ask(text, 0)).text
    await judge.close()


def judgeprobe(url: str, count: int, transport: str) -> Spent:
    from judgeprobe.llm.cache import ReplyCache
    from judgeprobe.llm.limits import Budget
    from judgeprobe.study import load_study
    from judgeprobe.sweep.claims import Claims
    from judgeprobe.sweep.plan import Text
    from judgeprobe.sweep.progress import progress_for
    from judgeprobe.sweep.roster import make_judges
    from judgeprobe.sweep.run import Runner, interruptible, pending_calls

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.toml").write_text(
            '[study]\nname = "speed"\nbase_items = "shipped"\ndirection = "construction"\n'
            f'[[judges]]\nname = "m"\nmodel = "openai/m"\nbase_url = "{url}"\nfamily = "none"\n'
            f'transport = "{transport}"\n[budget]\nconcurrency = {IN_FLIGHT}\n',
            encoding="utf-8",
        )
        study = load_study(folder)
        judges = make_judges(study)
        # One call before the clock, as for the others: litellm imports much at its first one.
        asyncio.run(first_call(judges[0], Text("", "", evidence(count), "first")))
        texts = [Text(f"t{n}", f"b{n}", evidence(n), f"{n} holds.") for n in range(count)]
        with ReplyCache(study.cache_dir) as cache, Claims(study.cache_dir) as claims:
            calls, outcome = pending_calls(judges, texts, cache, failed={})
            budget = Budget(None, None, None)
            runner = Runner(calls, outcome, cache, claims, budget, concurrency=IN_FLIGHT)
            started = Clock()
            asyncio.run(interruptible(runner, progress_for("none")))
            cache.flush()
            spent = started.stop()
            assert len(set(cache.keys())) == count, outcome
    return spent


def measure(contender: str, url: str, count: int) -> dict[str, Any]:
    runs: dict[str, Callable[[], Spent | None]] = {
        "bare": lambda: bare(url, count),
        "acompletion": lambda: acompletion(url, count),
        "batch_completion": lambda: batch_completion(url, count),
        "inspect-ai": lambda: inspect_ai(url, count),
        "judgeprobe (litellm)": lambda: judgeprobe(url, count, "litellm"),
        "judgeprobe (direct)": lambda: judgeprobe(url, count, "direct"),
    }
    return {"contender": contender, "spent": runs[contender]()}


@contextmanager
def server() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, TOP / "tests/helpers/loopback.py", "--latency", str(LATENCY)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def in_own_process(contender: str, url: str, count: int) -> Spent | None:
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONWARNINGS": "ignore"}
    env["PYTHONPATH"] = os.pathsep.join([str(TOP / "src"), env.get("PYTHONPATH", "")])
    command = [sys.executable, __file__, "--contender", contender, "--url", url]
    done = subprocess.run(
        [*command, "--calls", str(count)], env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{contender}: {done.stderr[-2000:]}")
    found = json.loads(done.stdout.strip().splitlines()[-1])["spent"]
    return None if found is None else (float(found[0]), float(found[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="64 calls, no speed checked")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=1, help="medians of so many rounds")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", nargs="*", default=CONTENDERS, choices=CONTENDERS)
    parser.add_argument("--contender", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    count = 64 if options.smoke else options.calls
    if options.contender:
        print(json.dumps(measure(options.contender, options.url, count)))
        return
    rounds: dict[str, list[Spent]] = {name: [] for name in options.only}
    with server() as url:
        for _ in range(options.rounds):
            for contender in options.only:
                spent = in_own_process(contender, url, count)
                if spent is not None:
                    rounds[contender].append(spent)
    report(rounds, count, as_json=options.json)


def report(rounds: dict[str, list[Spent]], count: int, *, as_json: bool) -> None:
    """Medians over the rounds; processor time tells the same on a busy machine."""
    rates: dict[str, float | None] = {}
    work: dict[str, float | None] = {}
    for name, spent in rounds.items():
        rates[name] = median([count / wall for wall, _ in spent]) if spent else None
        work[name] = median([1000 * cpu / count for _, cpu in spent]) if spent else None
    if as_json:
        print(
            json.dumps(
                {
                    "calls": count,
                    "in_flight": IN_FLIGHT,
                    "calls_per_second": rates,
                    "processor_ms_per_call": work,
                }
            )
        )
        return
    print(f"{count} calls, {IN_FLIGHT} in flight, {LATENCY * 1000:.0f} ms latency")
    print(f"{'':24}{'calls/s':>9}{'x bare':>9}{'x acompletion':>15}{'processor ms/call':>19}")
    for name, rate in rates.items():
        if rate is None:
            print(f"{name:24}{'not installed':>24}")
            continue
        ratios = [ratio(rate, rates.get(other)) for other in ("bare", "acompletion")]
        print(f"{name:24}{rate:9.0f}{ratios[0]:>9}{ratios[1]:>15}{work[name]:19.2f}")


def ratio(rate: float, other: float | None) -> str:
    return f"{rate / other:.2f}" if other else "-"


if __name__ == "__main__":
    main()
