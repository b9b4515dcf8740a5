"""Is a table of graded pairs that does not fit into memory profiled in linear time and 3 GiB?

    python benchmarks/large.py                    1, 3, 10, 30 and 100 million rows
    python benchmarks/large.py --millions 1 3     some of them
    python benchmarks/large.py --smoke            20,000 and 60,000 rows, in seconds

20 judges, five pairs a base item (three construct, two control), one row a judge and pair: 100
million rows are 5 million pairs of 1 million base items. The table is made here, seeded, one row
group after the other, as plain Parquet in a temporary folder, and deleted. Each size is profiled in
a process of its own through the public function, with frontiers, operating points, 200 resamples at
the fixed cut and 200 with the cut chosen anew. Wall and processor seconds are those of the profile
alone, its linear algebra in one thread; peak memory is the process's own (ru_maxrss), imports
included.

Exit status 1: the peak is above 3 GiB, or a million rows of the largest table took more than 1.5
times the processor time of a million rows of the smallest (neither is judged with --smoke).
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

JUDGES = 20
PAIRS_A_BASE = 5
GROUP_BASES = 100_000
RESAMPLES = 200
LIMIT_GIB = 3.0
LINEAR = 1.5
BYTES_A_ROW = 70
SCHEMA = pa.schema(
    [
        ("judge", pa.string()),
        ("base_id", pa.string()),
        ("slot", pa.string()),
        ("grade_original", pa.float64()),
        ("grade_edited", pa.float64()),
    ]
)


def make_table(path: Path, rows: int, seed: int) -> int:
    """A table of about that many rows; returns how many. Judges differ in how often they move."""
    from judgeprobe.taxonomy import load_taxonomy

    slots = load_taxonomy("claim-calibration").slots
    control = np.array([slot.arm == "invariance" for slot in slots])
    names = pa.array([slot.name for slot in slots])
    n_base = max(1, rows // (JUDGES * PAIRS_A_BASE))
    # Names in no order, as content hashes are.
    order = np.random.default_rng(seed).permutation(n_base)
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for judge in range(JUDGES):
            for start in range(0, n_base, GROUP_BASES):
                some = min(GROUP_BASES, n_base - start)
                # The pairs are the judges' common ones: their slots do not hang on the judge.
                shared = np.random.default_rng([seed, start])
                slot = np.concatenate(
                    [
                        shared.permuted(np.tile(np.flatnonzero(arm), (some, 1)), axis=1)[:, :n]
                        for arm, n in ((~control, 3), (control, 2))
                    ],
                    axis=1,
                )
                ideal = shared.integers(10, 19, some)
                rng = np.random.default_rng([seed, start, judge])
                before = np.clip(ideal + rng.integers(-2, 3, some), 0, 20)[:, None] / 4
                before = np.repeat(before, PAIRS_A_BASE, axis=1)
                often = np.where(control[slot], 0.03 + 0.004 * judge, 0.25 + 0.02 * judge)
                moved = rng.random(slot.shape) < often
                after = np.where(moved, before - rng.integers(1, 9, slot.shape) / 4, before)
                after[rng.random(slot.shape) < 0.002] = np.nan
                ids = np.char.add("item-", order[start : start + some].astype(str))
                base = pa.DictionaryArray.from_arrays(
                    np.repeat(np.arange(some), PAIRS_A_BASE), pa.array(ids)
                )
                columns = [
                    pa.array([f"judge {judge:02d}"]).take(pa.array(np.zeros(slot.size, int))),
                    base.cast(pa.string()),
                    names.take(pa.array(slot.ravel())),
                    pa.array(before.ravel()),
                    pa.array(np.clip(after, 0, 5).ravel(), from_pandas=True),
                ]
                writer.write_table(pa.table(columns, schema=SCHEMA))
    return n_base * JUDGES * PAIRS_A_BASE


def profile(path: Path) -> dict[str, float]:
    """In a process of its own: profile the table and say what it took."""
    from judgeprobe.profile import ProfileOptions, profile_pairs
    from judgeprobe.records import Scale
    from judgeprobe.taxonomy import load_taxonomy

    options = ProfileOptions(floor=0.9, scale=Scale(), resamples=RESAMPLES)
    wall, cpu = time.perf_counter(), time.process_time()
    found = profile_pairs(path, load_taxonomy("claim-calibration"), options, way="stream")
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    judges = found["judges"]
    assert len(judges) == JUDGES
    assert all(row["frontier"] and row["operating_point"] for row in judges)
    assert found["gap"]["reselected"]["low"] is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"wall": wall, "cpu": cpu, "peak_gib": peak, "n_base": found["n_base"]}


def measure(rows: int, folder: Path) -> dict[str, float]:
    path = folder / "pairs.parquet"
    free, needed = shutil.disk_usage(folder).free, rows * BYTES_A_ROW
    if free < 2 * needed:
        raise SystemExit(f"{rows:,} rows need {needed / 1e9:.0f} GB; {free / 1e9:.0f} GB are free")
    made = make_table(path, rows, seed=20270301)
    size = path.stat().st_size
    command = [sys.executable, __file__, "--profile", str(path)]
    # One thread: on a shared machine a second one spends its seconds waiting for the first.
    environment = os.environ | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    path.unlink()
    return {**json.loads(done.stdout), "rows": made, "bytes": size}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="the smallest sizes")
    parser.add_argument("--millions", type=float, nargs="+", default=[1, 3, 10, 30, 100])
    parser.add_argument("--profile", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.profile is not None:
        print(json.dumps(profile(arguments.profile)))
        return 0
    sizes = [20_000, 60_000] if arguments.smoke else [int(m * 1e6) for m in arguments.millions]
    print(f"{JUDGES} judges, {RESAMPLES} resamples")
    print("     rows  base items  file GB  wall s   cpu s  cpu s a million  peak GiB", flush=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="judgeprobe-large-") as name:
        for size in sizes:
            row = measure(size, Path(name))
            each = row["cpu"] / row["rows"] * 1e6
            rows.append((each, row["peak_gib"]))
            print(
                f"{row['rows']:9,.0f}  {row['n_base']:10,.0f}  {row['bytes'] / 1e9:7.2f}  "
                f"{row['wall']:6.1f}  {row['cpu']:6.1f}  {each:15.2f}  {row['peak_gib']:8.2f}",
                flush=True,
            )
    if arguments.smoke:
        return 0
    linear = rows[-1][0] <= LINEAR * rows[0][0]
    fits = max(peak for _, peak in rows) <= LIMIT_GIB
    print(f"linear within {LINEAR}: {linear}; within {LIMIT_GIB} GiB: {fits}")
    return 0 if linear and fits else 1


if __name__ == "__main__":
    sys.exit(main())
