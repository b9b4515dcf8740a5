"""How long does a sweep take that finds every reply in its cache?

    python benchmarks/warm.py            7 judges x 600 texts, replies of JSON with a reason
    python benchmarks/warm.py --smoke    7 judges x 60 texts, for CI

Fills a cache as a sweep would, then runs `judgeprobe sweep` on it in a process of its own, with all
of Python's start-up, three times. The target is 3 s. Exit status 1 where the processor time is
above it (the clock's depends on what else runs), a call was made, or litellm was imported.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TARGET = 3.0
JUDGES = 7
STUDY = '[study]\nname = "warm"\nbase_items = "shipped"\ndirection = "construction"\n'
JUDGE = '[[judges]]\nname = "j{n}"\nmodel = "openrouter/vendor/model-{n}"\n'
JUDGE += 'provider = {{ order = ["vendor"], allow_fallbacks = false }}\n'
CODE = """
import sys
from judgeprobe.cli.app import app
try:
    app(["sweep", sys.argv[1], "--json", "--quiet"])
except SystemExit as end:
    status = end.code
sys.exit(9 if "litellm" in sys.modules else status)
"""


def fill(folder: Path, texts: int) -> None:
    """A study of that many texts, with every reply in its cache."""
    from judgeprobe.files import write_jsonl
    from judgeprobe.llm.cache import ReplyCache
    from judgeprobe.records import Intervention, Reply, Requested, Served
    from judgeprobe.study import load_study
    from judgeprobe.sweep.plan import load_plan
    from judgeprobe.sweep.roster import make_judges

    judges = "".join(JUDGE.format(n=n) for n in range(JUDGES))
    (folder / "study.toml").write_text(STUDY + judges, encoding="utf-8")
    study = load_study(folder)
    slot = study.taxonomy.slots[0]
    edits = [
        Intervention(
            id=f"{base:016x}",
            base_id=f"b{base:05d}",
            slot=slot.name,
            axis=slot.axis,
            arm=slot.arm,
            evidence=f"{base}: " + "The lake froze later in most of the years on record. " * 6,
            original=f"Lake {base} froze later in most years.",
            edited=f"Lake {base} freezes later every year.",
            generator="rules",
            family="rules",
            length_change=0.0,
            direction_source="construction",
            made_under={"taxonomy": study.taxonomy.hash},
        )
        for base in range(texts // 2)
    ]
    write_jsonl(study.interventions_path, edits)
    reason = "The claim speaks of every year where the evidence covers most of them. " * 3
    with ReplyCache(study.cache_dir) as cache:
        for judge in make_judges(study):
            for number, text in enumerate(load_plan(study).texts):
                content = json.dumps({"reason": reason, "grade": number % 21 / 4})
                message = {"message": {"content": content}, "finish_reason": "stop"}
                cache.put(
                    Reply(
                        key=judge.key(text, 0),
                        requested=Requested(model="m"),
                        served=Served(),
                        text=content,
                        message=message,
                    )
                )


def processor_seconds() -> float:
    """Processor time of all child processes so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Fill, run, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    texts = 60 if options.smoke else 600
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name), texts)
        seconds, busy = [], []
        for _ in range(3):
            used = processor_seconds()
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", CODE, name], capture_output=True, text=True, check=False
            )
            seconds.append(time.perf_counter() - began)
            busy.append(processor_seconds() - used)
            if done.returncode or json.loads(done.stdout)["calls"]:
                print(done.stdout, done.stderr)
                return 1
    took = ", ".join(f"{value:.2f}" for value in seconds)
    cost = ", ".join(f"{value:.2f}" for value in busy)
    print(f"{JUDGES} judges x {texts} texts, no call: {took} s by the clock, {cost} s of processor")
    print(f"target {TARGET:g} s")
    return 0 if min(busy) <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
