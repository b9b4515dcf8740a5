"""How long does `audit errors` take on a large table, and in how much memory?

    python benchmarks/errors.py            1,000,000 rows, a tenth labelled, 20 segments
    python benchmarks/errors.py --smoke    20,000 rows

Writes a CSV, runs the command in a process of its own, and prints seconds and peak memory. Exit
status 1 when over 30 s or 4 GiB.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

SECONDS, GIB = 30.0, 4.0


def write(path: Path, rows: int, labelled: float) -> None:
    """A judge that rewards length, more so in some segments."""
    rng = np.random.default_rng(0)
    length = rng.integers(20, 800, rows)
    segment = rng.integers(0, 20, rows)
    truth = rng.normal(3, 1, rows)
    judge = truth + 0.001 * length * (segment < 5) + rng.normal(0, 0.5, rows)
    gold = np.where(rng.random(rows) < labelled, truth, np.nan)
    frame = {
        "judge": judge.round(4), "gold": gold.round(4), "length": length,
        "list": rng.integers(0, 2, rows), "place": rng.integers(0, 8, rows),
        "segment": [f"s{code:02d}" for code in segment], "group": rng.integers(0, rows // 10, rows),
    }  # fmt: skip
    pd.DataFrame(frame).to_csv(path, index=False)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--labelled", type=float, default=0.1)
    options = parser.parse_args()
    rows = 20_000 if options.smoke else options.rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grades.csv"
        write(path, rows, options.labelled)
        ask = [sys.executable, "-m", "judgeprobe", "audit", "errors", str(path)]
        ask += ["--judge", "judge", "--gold", "gold", "--by", "segment", "--json"]
        for name in ("length", "list", "place"):
            ask += ["--covariate", name]
        start = time.perf_counter()
        done = subprocess.run(ask, check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - start
    found = json.loads(done.stdout)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak, busy = used.ru_maxrss / 2**20, used.ru_utime + used.ru_stime
    print(
        f"{rows} rows, {found['n']} labelled: {seconds:.1f} s ({busy:.1f} s of processor time), "
        f"{peak:.2f} GiB at most"
    )
    late = not options.smoke and seconds > SECONDS
    return int(late or peak > GIB)


if __name__ == "__main__":
    sys.exit(main())
