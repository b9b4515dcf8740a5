"""How fast are replies written, against diskcache's own way, in the same run?

    python benchmarks/cache.py            20,000 replies, five rounds
    python benchmarks/cache.py --smoke    a few seconds, for CI

Prints rates and their ratio. The target is at least 2 times the default `Cache.set`; exit status 1
where the median ratio is below it.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import diskcache

from judgeprobe.llm.cache import ReplyCache
from judgeprobe.records import Reply, Requested, Served

TARGET = 2.0


def replies(count: int) -> list[Reply]:
    """Replies of the size that a judge with a reason gives."""
    reason = "The claim names more sites than the evidence covers, and drops its hedge. " * 4
    return [
        Reply(
            key=f"{number:064x}",
            requested=Requested(model="openrouter/vendor/model", provider="vendor"),
            served=Served(model="vendor/model", provider="vendor"),
            text=f'{{"grade": {number % 21 / 4}, "reason": "{reason}"}}',
            finish="stop",
            usage={"prompt_tokens": 300, "completion_tokens": 60},
            cost=0.0001,
        )
        for number in range(count)
    ]


def default_rate(rows: list[Reply]) -> float:
    """`Cache.set` of diskcache, one call a reply, with its own settings."""
    with tempfile.TemporaryDirectory() as folder, diskcache.Cache(folder) as cache:
        began = time.perf_counter()
        for row in rows:
            cache.set(row.key, row.model_dump_json())
        return len(rows) / (time.perf_counter() - began)


def our_rate(rows: list[Reply]) -> float:
    """`ReplyCache.put`, until everything is on the disk."""
    with tempfile.TemporaryDirectory() as folder, ReplyCache(Path(folder)) as cache:
        began = time.perf_counter()
        for row in rows:
            cache.put(row)
        cache.flush()
        return len(rows) / (time.perf_counter() - began)


def main() -> int:
    """Run both, in turn, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    count, rounds = (2000, 3) if options.smoke else (20_000, 5)
    rows = replies(count)
    ratios = []
    for _ in range(rounds):
        default, ours = default_rate(rows), our_rate(rows)
        ratios.append(ours / default)
        print(f"Cache.set {default:8.0f}/s   ReplyCache {ours:8.0f}/s   ratio {ratios[-1]:.2f}")
    ratio = statistics.median(ratios)
    print(f"median ratio {ratio:.2f} (target {TARGET})")
    return 0 if ratio >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
