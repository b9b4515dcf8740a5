"""Does the sweep on Ray keep its word when things die, and what does it gain?

    python benchmarks/sweep_ray.py [--smoke] [--texts 5000] [--kills 10] [--rounds 3] [--json]

Two parts, on a Ray cluster of two nodes at loopback addresses and one scripted server:

- kills: a study of 5,000 texts is swept by one process; then, ten times with an empty cache, on
  Ray, with a worker, a node or the driver killed at a random moment. Told for each time: whether
  grades.parquet has the same bytes, texts asked again whose reply had been written (must be 0),
  texts asked again in all, and the most calls that the server had open at once (never above the
  study's `concurrency`). One more run has `max_usd` and a killed worker; the server counts what was
  spent.
- speed: one process through litellm, Ray through litellm, and both again through the direct
  transport, one after the other against the same server: calls a second, processor time of the
  sweep's processes (driver, workers, Ray's own) for 1,000 calls, and the ratios. Target: Ray at
  least 1.3 times one process through litellm, on two processors.

`--smoke` runs small sizes and checks no speed. Where Ray is not installed it says so and ends.
"""

import argparse
import asyncio
import contextlib
import importlib.util
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

TOP = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOP), str(TOP / "src")]

from tests.helpers.loopback import Loopback  # noqa: E402
from tests.helpers.ray_cluster import TwoNodes, descendants, processor_seconds  # noqa: E402

CONCURRENCY = 64
LATENCY = 0.05
DOLLARS = 0.30
PROMPT = "=== user\n{{evidence}}\nClaim: {{claim}}\nGrade {{low}} to {{high}}.\n"
CONTENDERS = ("one (litellm)", "ray (litellm)", "one (direct)", "ray (direct)")


def answer(body: dict[str, Any]) -> str:
    return f"Score: {len(asked(body)) % 6}"


def asked(body: dict[str, Any]) -> str:
    """The claim that a request is about."""
    return str(body["messages"][-1]["content"]).split("Claim: ")[-1].split("\n")[0]


def make_study(folder: Path, url: str, texts: int, *, transport: str, budget: str = "") -> Path:
    """A study with about so many unique texts."""
    from tests.sweep.conftest import make_interventions

    from judgeprobe.files import write_jsonl
    from judgeprobe.sweep.plan import plan_texts

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    edits = make_interventions(max(4, texts // 4), seed=1)
    while (excess := len(plan_texts(edits, seed=0)) - texts) > 0:
        # An edit brings two texts at most.
        del edits[-((excess + 1) // 2) :]
    write_jsonl(folder / "interventions.jsonl", edits)
    (folder / "mine.txt").write_text(PROMPT)
    (folder / "study.toml").write_text(
        '[study]\nname = "speed"\nbase_items = "shipped"\ndirection = "construction"\n'
        f'[[judges]]\nname = "m"\nmodel = "openai/m"\nbase_url = "{url}"\nfamily = "none"\n'
        f'prompt = "mine.txt"\ntransport = "{transport}"\nprice = {{ input = 1000.0 }}\n'
        f"[budget]\nconcurrency = {CONCURRENCY}\n{budget}\n",
        encoding="utf-8",
    )
    return folder


def sweep(folder: Path, address: str | None) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "judgeprobe", "sweep", str(folder), "--json", "--quiet"]
    if address is not None:
        command += ["--engine", "ray", "--address", address, "--workers", "2"]
    env = {**os.environ, "PYTHONPATH": str(TOP / "src"), "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(process: "subprocess.Popen[str]", *statuses: int) -> dict[str, Any]:
    out, err = process.communicate()
    if process.returncode not in statuses:
        raise SystemExit(f"a sweep ended with {process.returncode}: {(err or out)[-2000:]}")
    return dict(json.loads(out))


def claims_by_key(folder: Path) -> dict[str, str]:
    """The claim that each key of the plan is about."""
    from judgeprobe.study import load_study
    from judgeprobe.sweep.plan import load_plan
    from judgeprobe.sweep.roster import make_judges

    study = load_study(folder)
    judge = make_judges(study)[0]
    return {judge.key(text, 0): text.text for text in load_plan(study).texts}


def written(folder: Path, claims: Mapping[str, str]) -> set[str]:
    """The claims whose replies are on the disk; the sweep need not wait for this."""
    path = folder / "cache" / "cache.db"
    with contextlib.closing(sqlite3.connect(path, timeout=10.0)) as connection:
        return {claims[key] for (key,) in connection.execute("SELECT key FROM Cache")}


# --- kills ---


def kills(cluster: TwoNodes, folder: Path, texts: int, rounds: int) -> dict[str, Any]:
    rng = random.Random(11)
    with Loopback(answer, latency=LATENCY) as server:
        study = make_study(folder, server.url, texts, transport="direct")
        ended(sweep(study, None), 0)
        wanted = (study / "grades.parquet").read_bytes()
        total = server.requests
        claims = claims_by_key(study)
        rows = []
        for number in range(rounds):
            victim = ("worker", "node", "driver")[number % 3]
            rows.append(one_kill(cluster, server, study, wanted, claims, victim, rng))
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return {"texts": total, "concurrency": CONCURRENCY, "runs": rows}


def one_kill(
    cluster: TwoNodes,
    server: Loopback,
    study: Path,
    wanted: bytes,
    claims: Mapping[str, str],
    victim: str,
    rng: random.Random,
) -> dict[str, Any]:
    shutil.rmtree(study / "cache")
    (study / "grades.parquet").unlink()
    total = len(claims)
    server.peak, before, began = 0, server.requests, time.monotonic()
    process = sweep(study, cluster.address)
    moment = before + rng.randint(total // 20, 9 * total // 10)
    while server.requests < moment and process.poll() is None:
        time.sleep(0.001)
    # Nothing that is on the disk by now may be asked again.
    at = server.requests - before
    kept, seen = written(study, claims), len(server.bodies)
    if victim == "worker":
        cluster.kill_worker(rng)
    elif victim == "node":
        cluster.kill_node()
    else:
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept, seen = written(study, claims), len(server.bodies)
        process = sweep(study, cluster.address)
    found = ended(process, 0)
    again = Counter(asked(json.loads(body)) for body in server.bodies[seen:])
    return {
        "killed": victim,
        "after_requests": at,
        "same_bytes": (study / "grades.parquet").read_bytes() == wanted,
        "written_and_asked_again": len(kept & set(again)),
        "asked_again": server.requests - before - total,
        "peak": server.peak,
        "workers_lost": any("died" in note for note in found["notes"]),
        "seconds": round(time.monotonic() - began, 1),
    }


def dollars(cluster: TwoNodes, folder: Path, texts: int) -> dict[str, Any]:
    """A budget for half of the texts, and a worker killed on the way."""
    most = DOLLARS * texts / 2
    with Loopback(answer, latency=LATENCY) as server:
        study = make_study(
            folder, server.url, texts, transport="direct", budget=f"max_usd = {most}"
        )
        process = sweep(study, cluster.address)
        while server.requests < texts // 4 and process.poll() is None:
            time.sleep(0.001)
        cluster.kill_worker(random.Random(0))
        found = ended(process, 1)
        spent = DOLLARS * server.requests
    return {
        "max_usd": most,
        "usd": found["usd"],
        "usd_counted_by_server": round(spent, 2),
        "over_in_calls": round((spent - most) / DOLLARS, 1),
        "in_flight": CONCURRENCY,
    }


# --- speed ---


@contextmanager
def server_alone() -> Iterator[str]:
    """A server in a process of its own, with one fixed answer."""
    command = [sys.executable, TOP / "tests/helpers/loopback.py", "--latency", str(LATENCY)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def measure(contender: str, address: str, url: str, count: int) -> dict[str, float]:
    """Seconds of the calls alone, and this process's processor time in them."""
    from judgeprobe.llm.cache import ReplyCache
    from judgeprobe.llm.limits import Budget
    from judgeprobe.study import load_study
    from judgeprobe.sweep.claims import Claims
    from judgeprobe.sweep.cluster import Cluster
    from judgeprobe.sweep.plan import load_plan
    from judgeprobe.sweep.progress import progress_for
    from judgeprobe.sweep.roster import make_judges
    from judgeprobe.sweep.run import Runner, pending_calls

    engine, transport = contender.rstrip(")").split(" (")
    if (engine, transport) == ("one", "litellm"):
        from judgeprobe.llm.client import load_litellm

        load_litellm()
    with tempfile.TemporaryDirectory() as name:
        study = load_study(make_study(Path(name) / "s", url, count, transport=transport))
        texts = load_plan(study).texts
        judges = make_judges(study)
        cluster = Cluster(address, workers=2) if engine == "ray" else None

        async def timed(runner: Runner) -> dict[str, float]:
            before = await cluster.processor_seconds() if cluster else 0.0
            wall, own = time.perf_counter(), time.process_time()
            await runner.run(progress_for("none"))
            wall, own = time.perf_counter() - wall, time.process_time() - own
            theirs = await cluster.processor_seconds() - before if cluster else 0.0
            return {"calls": len(texts), "wall": wall, "driver": own, "workers": theirs}

        async def whole(runner: Runner) -> dict[str, float]:
            if cluster is None:
                return await timed(runner)
            async with cluster.serving(judges):
                while cluster.up < 2:
                    await asyncio.sleep(0.05)
                return await timed(runner)

        with ReplyCache(study.cache_dir) as cache, Claims(study.cache_dir) as claims:
            calls, outcome = pending_calls(judges, texts, cache, failed={})
            budget = Budget(None, None, None)
            runner = Runner(calls, outcome, cache, claims, budget, concurrency=CONCURRENCY)
            found = asyncio.run(whole(runner))
            cache.flush()
            assert len(cache) == len(texts), outcome
        if cluster is not None:
            cluster.close()
    return found


def speed(cluster: TwoNodes, count: int, rounds: int) -> dict[str, Any]:
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
    with server_alone() as url:
        for _ in range(rounds):
            for name in CONTENDERS:
                command = [sys.executable, __file__, "--contender", name, "--url", url]
                command += ["--address", cluster.address, "--texts", str(count)]
                idle = processor_seconds(ray_itself(cluster))
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    raise SystemExit(f"{name}: {done.stderr[-2000:]}")
                found = json.loads(done.stdout.strip().splitlines()[-1])
                found["ray_itself"] = processor_seconds(ray_itself(cluster)) - idle
                runs[name].append(found)
    table = {}
    for name, results in runs.items():
        work = [one["driver"] + one["workers"] for one in results]
        table[name] = {
            "calls_per_second": round(median(r["calls"] / r["wall"] for r in results), 1),
            "processor_s_per_1000": round(
                median(1000 * w / r["calls"] for w, r in zip(work, results, strict=True)), 2
            ),
            "driver_s_per_1000": round(median(1000 * r["driver"] / r["calls"] for r in results), 2),
            "ray_itself_s_whole_run": round(median(r["ray_itself"] for r in results), 2),
        }
    ratios = {
        kind: [
            round(
                (ray["calls"] / ray["wall"]) / (one["calls"] / one["wall"]),
                2,
            )
            for one, ray in zip(runs[f"one ({kind})"], runs[f"ray ({kind})"], strict=True)
        ]
        for kind in ("litellm", "direct")
    }
    return {"calls": count, "contenders": table, "ray_over_one_each_round": ratios}


def ray_itself(cluster: TwoNodes) -> list[int]:
    """Ray's own processes (stores, schedulers, agents), not the workers."""
    return sorted(set(descendants(os.getpid())) - set(cluster.workers()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="small sizes, no speed checked")
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3, help="of the speed part")
    parser.add_argument("--only", choices=("kills", "speed"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--contender", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.update({"LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONWARNINGS": "ignore"})
    os.environ["PYTHONPATH"] = str(TOP / "src")
    if options.contender:
        found = measure(options.contender, options.address, options.url, options.texts)
        print(json.dumps(found))
        return
    if importlib.util.find_spec("ray") is None:
        print("Ray is not installed (extra `ray`): nothing was measured")
        return
    texts = 200 if options.smoke else options.texts
    count, rounds = (3, 1) if options.smoke else (options.kills, options.rounds)
    report: dict[str, Any] = {}
    with TwoNodes() as cluster, tempfile.TemporaryDirectory() as name:
        if options.only != "speed":
            report["kills"] = kills(cluster, Path(name) / "kills", texts, count)
            report["dollars"] = dollars(cluster, Path(name) / "dollars", texts)
        if options.only != "kills":
            report["speed"] = speed(cluster, min(texts, 2000), rounds)
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        show(report)


def show(report: dict[str, Any]) -> None:
    for row in report.get("kills", {}).get("runs", ()):
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    if found := report.get("dollars"):
        print("  ".join(f"{name} {value}" for name, value in found.items()))
    if found := report.get("speed"):
        for name, values in found["contenders"].items():
            print(f"{name:16}" + "  ".join(f"{key} {value}" for key, value in values.items()))
        print("ray over one process, each round:", found["ray_over_one_each_round"])


if __name__ == "__main__":
    main()
