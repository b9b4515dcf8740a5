"""Is memory flat over a large sweep?

    python benchmarks/sweep_memory.py            7 judges x 28,572 texts
    python benchmarks/sweep_memory.py --smoke    7 judges x 1,000 texts, for CI

Each judge is a Python function, so that what is measured is the sweep, not a provider. Prints the
peak resident memory of the process with all calls planned, made, cached and written. The target is
1 GiB at 200,000 calls; exit status 1 above it.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_MIB = 1024.0

SETTINGS = '[study]\nname = "m"\nbase_items = "shipped"\ndirection = "construction"\n'
JUDGE = '[[judges]]\nname = "j{n}"\ncall = "memory_judge{n}:grade"\n'
FUNCTION = "async def grade(evidence, claim):\n    return len(claim) % 6\n"
EVIDENCE = (
    "It was seen in a few of the cases that were looked at, in one year and at one place. " * 4
)


def make_study(folder: Path, texts: int, judges: int) -> None:
    """A study with that many texts: one original and three edits a base item."""
    from judgeprobe.files import write_jsonl
    from judgeprobe.records import Intervention, content_hash
    from judgeprobe.taxonomy import load_taxonomy

    taxonomy = load_taxonomy("claim-calibration")
    (folder / "study.toml").write_text(
        SETTINGS + "".join(JUDGE.format(n=n) for n in range(judges)), encoding="utf-8"
    )
    for n in range(judges):
        (folder / f"memory_judge{n}.py").write_text(f"# {n}\n{FUNCTION}", encoding="utf-8")

    def edits():  # type: ignore[no-untyped-def]
        for base in range(texts // 4):
            original = f"Claim {base} holds in most of the cases that were looked at."
            for slot in taxonomy.slots[:2] + taxonomy.slots[-1:]:
                edited = f"{original} And so on ({slot.name})."
                yield Intervention(
                    id=content_hash([base, slot.name])[:16],
                    base_id=f"b{base:06d}",
                    slot=slot.name,
                    axis=slot.axis,
                    arm=slot.arm,
                    domain=f"d{base % 4}",
                    evidence=f"{base}: {EVIDENCE}",
                    original=original,
                    edited=edited,
                    generator="rules",
                    family="rules",
                    length_change=0.1,
                    direction_source="construction",
                    made_under={"taxonomy": taxonomy.hash},
                )

    write_jsonl(folder / "interventions.jsonl", edits())


def peak_mib() -> float:
    """Peak resident memory of this process."""
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 2**20


def run(folder: Path) -> None:
    """Sweep the study in this process and print what it took."""
    from judgeprobe.study import load_study
    from judgeprobe.sweep.stage import sweep

    began = time.perf_counter()
    result = sweep(load_study(folder))
    seconds = time.perf_counter() - began
    print(f"{result.calls} {result.rows} {seconds:.1f} {peak_mib():.1f}")


def main() -> int:
    """Make the study here, sweep it in a process of its own, and compare with the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run)
        return 0
    texts = 1000 if options.smoke else 28_572
    with tempfile.TemporaryDirectory() as name:
        make_study(Path(name), texts, judges=7)
        done = subprocess.run(
            [sys.executable, __file__, "--run", name], capture_output=True, text=True, check=True
        )
    calls, rows, seconds, peak = done.stdout.split()
    print(f"{calls} calls, {rows} rows, {seconds} s, peak {peak} MiB (limit {LIMIT_MIB:g})")
    return 0 if float(peak) <= LIMIT_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
