"""How fast are the profile's statistics against explicit loops, and how far do they reach?

    python benchmarks/profile.py            both parts, about three minutes on two cores
    python benchmarks/profile.py --smoke    the same at the smallest size, in seconds

Part one: 7 judges x 342 pairs over 243 base items, 10,000 bootstrap resamples (at the fixed cut and
with the cut chosen anew) and 10,000 permutations of the axis labels. The explicit loops are the
definitions over pairs in plain Python. They are run on a few resamples and permutations, their
results compared with the vectorised ones (to 1e-9), and their time scaled up to 10,000. Both are
timed in processor seconds of one thread, so that other work on the machine does not decide.

Part two, each size in a process of its own: 20 judges x 1,000,000 pairs over 200,000 base items,
with point estimates, frontiers and 1,000 resamples; and a quarter of it, for how memory grows.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

from judgeprobe.stats.arrays import Design, make_design
from judgeprobe.stats.bootstrap import Resamples, percentile, rate_draws
from judgeprobe.stats.frontier import Crossings, crossings, hull, operating_cut
from judgeprobe.stats.permutation import axis_permutation
from judgeprobe.stats.profile import Shares, curves, edit_shares
from judgeprobe.stats.reselection import reselected_draws

AXES = ("scope", "strength")
FLOOR = 0.90
NAMES = {
    "fixed": "bootstrap at the fixed cut",
    "anew": "bootstrap, cut chosen anew",
    "permutation": "permutation",
    "all": "all",
}


@dataclass(frozen=True)
class Study:
    design: Design
    before: np.ndarray
    after: np.ndarray


def make_study(judges: int, pairs: int, n_base: int, seed: int) -> Study:
    """Grades in quarters from 0 to 5; construct edits fall more often than control edits move."""
    rng = np.random.default_rng(seed)
    extra = rng.integers(0, n_base, pairs - n_base)
    base = np.sort(np.concatenate([np.arange(n_base), extra]))
    axis = rng.choice(["scope", "strength", "control"], pairs, p=[0.34, 0.38, 0.28])
    control = axis == "control"
    before = np.empty((judges, pairs))
    after = np.empty((judges, pairs))
    for j in range(judges):
        before[j] = (rng.integers(8, 21, n_base) / 4)[base]
        drop = rng.integers(1, 9, pairs) / 4
        moved = rng.random(pairs) < np.where(control, 0.08, 0.25 + 0.05 * j % 0.5)
        after[j] = np.clip(np.where(moved, before[j] - drop, before[j]), 0, 5)
    return Study(make_design(base, list(axis), AXES), before, after)


def read(study: Study) -> tuple[list[Crossings], list[int]]:
    design = study.design
    crossed, cuts = [], []
    for before, after in zip(study.before, study.after, strict=True):
        crossed.append(crossings(before, after))
        held, moved = curves(design, design.groups[:2], crossed[-1])
        hull(1 - held, moved)
        cut = operating_cut(1 - held, moved, FLOOR)
        assert cut is not None
        cuts.append(cut)
    return crossed, cuts


def fixed_draws(
    study: Study, crossed: list[Crossings], cuts: list[int], drawn: Resamples
) -> list[np.ndarray]:
    """Arms and axes of every judge in every resample, with their intervals taken."""
    design = study.design
    parts = [
        edit_shares(design, design.groups, one.changed(cut), one.graded)
        for one, cut in zip(crossed, cuts, strict=True)
    ]
    joined = Shares(np.hstack([p.share for p in parts]), np.hstack([p.has for p in parts]))
    draws, rates = rate_draws(drawn, joined), joined.rates()
    for column, rate in zip(draws.T, rates, strict=True):
        percentile(float(rate), column, 0.95, n=design.n_base)
    return np.split(draws, len(parts), axis=1)


def vectorised(study: Study, resamples: int, permutations: int) -> tuple[dict, dict]:
    design, rng = study.design, np.random.default_rng(1)
    times = {}
    start = time.process_time()
    crossed, cuts = read(study)
    times["points"] = time.process_time() - start

    start = time.process_time()
    drawn = Resamples.draw(design.n_base, resamples, rng)
    fixed = fixed_draws(study, crossed, cuts, drawn)
    gap_fixed = mean_gap(fixed)
    times["fixed"] = time.process_time() - start

    start = time.process_time()
    gap_anew = mean_gap([reselected_draws(design, one, FLOOR, drawn).draws for one in crossed])
    times["anew"] = time.process_time() - start

    start = time.process_time()
    both = np.flatnonzero(design.construct)
    changed = np.array([c.changed(k)[both] for c, k in zip(crossed, cuts, strict=True)])
    graded = np.array([c.graded[both] for c in crossed])
    test, _ = axis_permutation(
        design.base[both], design.axes[0][both], changed, graded, permutations, rng
    )
    times["permutation"] = time.process_time() - start
    results = {
        "resamples": drawn,
        "gaps": (gap_fixed, gap_anew),
        "cuts": cuts,
        "crossed": crossed,
        "test": test,
    }
    return times, results


def mean_gap(draws: list) -> np.ndarray:
    """The mean gap over judges in each resample, with its interval taken."""
    gap = np.mean([d[:, 2] - d[:, 3] for d in draws], axis=0)
    percentile(float(gap.mean()), gap, 0.95, n=len(gap))
    return gap


def loop_rate(items: list, picks: list, wanted: tuple, tau: float) -> float:
    """Equation 6 over drawn base items, as its definition reads."""
    total = n = 0.0
    for i in picks:
        hits = edits = 0
        for axis, before, after in items[i]:
            if axis in wanted:
                edits += 1
                if (before >= tau) != (after >= tau):
                    hits += 1
        if edits:
            total += hits / edits
            n += 1
    return total / n if n else float("nan")


def loop_fixed(items_of: list, taus: list, picks: list) -> float:
    """The mean gap over judges in one resample, at the fixed cuts; S and R are worked out too."""
    gaps = []
    for items, tau in zip(items_of, taus, strict=True):
        kinds = (("control",), AXES, AXES[:1], AXES[1:])
        _, _, scope, strength = (loop_rate(items, picks, kind, tau) for kind in kinds)
        gaps.append(scope - strength)
    return sum(gaps) / len(gaps)


def loop_anew(items_of: list, taus_of: list, picks: list) -> float:
    """The mean gap over judges in one resample, each judge's cut chosen anew."""
    gaps = []
    for items, taus in zip(items_of, taus_of, strict=True):
        best = None
        for tau in taus:
            s = 1 - loop_rate(items, picks, ("control",), tau)
            r = loop_rate(items, picks, AXES, tau)
            if s >= FLOOR - 1e-12 and (
                best is None
                or r > best[0] + 1e-12
                or (r >= best[0] - 1e-12 and s > best[1] + 1e-12)
            ):
                best = (r, s, tau)
        if best is not None:
            scope, strength = (loop_rate(items, picks, (axis,), best[2]) for axis in AXES)
            gaps.append(scope - strength)
    return sum(gaps) / len(gaps)


def loop_permutation(items_of: list, taus: list, shuffled: list) -> float:
    """The mean gap over judges under one exchange of labels; `shuffled` labels by base and edit."""
    gaps = []
    for items, tau in zip(items_of, taus, strict=True):
        rates = []
        for axis in AXES:
            total = n = 0.0
            for pairs, labels in zip(items, shuffled, strict=True):
                hits = edits = 0
                for (kind, before, after), label in zip(pairs, labels, strict=True):
                    if kind != "control" and label == axis:
                        edits += 1
                        if (before >= tau) != (after >= tau):
                            hits += 1
                if edits:
                    total += hits / edits
                    n += 1
            rates.append(total / n)
        gaps.append(rates[0] - rates[1])
    return sum(gaps) / len(gaps)


def small(resamples: int, looped: int) -> None:
    study = make_study(7, 342, 243, seed=1)
    vectorised(study, 200, 200)  # Once, so that nothing is loaded while the clock runs.
    times, results = vectorised(study, resamples, resamples)
    design = study.design
    axis = np.where(design.invariance, "control", np.where(design.axes[0], *AXES))
    items_of = []
    for before, after in zip(study.before, study.after, strict=True):
        items: list = [[] for _ in range(design.n_base)]
        for p, i in enumerate(design.base):
            items[i].append((str(axis[p]), float(before[p]), float(after[p])))
        items_of.append(items)
    taus_of = [c.taus.tolist() for c in results["crossed"]]
    counts = next(results["resamples"].blocks()).astype(int)
    at_cut = [taus[cut] for taus, cut in zip(taus_of, results["cuts"], strict=True)]
    loops = dict.fromkeys(("fixed", "anew", "permutation"), 0.0)
    for b in range(looped):
        picks = np.repeat(np.arange(design.n_base), counts[b]).tolist()
        start = time.process_time()
        found = [loop_fixed(items_of, at_cut, picks)]
        loops["fixed"] += time.process_time() - start
        start = time.process_time()
        found.append(loop_anew(items_of, taus_of, picks))
        loops["anew"] += time.process_time() - start
        for value, draws in zip(found, results["gaps"], strict=True):
            assert abs(value - draws[b]) < 1e-9, (b, value, draws[b])
    labels = [[kind for kind, _, _ in pairs] for pairs in items_of[0]]
    observed = loop_permutation(items_of, at_cut, labels)
    assert abs(observed - results["test"].estimate) < 1e-9
    rng = random.Random(2)
    for _ in range(looped):
        start = time.process_time()
        loop_permutation(items_of, at_cut, exchanged(labels, rng))
        loops["permutation"] += time.process_time() - start
    print(f"7 judges x 342 pairs, {resamples} resamples and permutations")
    rows = {name: (times[name], total / looped * resamples) for name, total in loops.items()}
    rows["all"] = (sum(fast for fast, _ in rows.values()), sum(slow for _, slow in rows.values()))
    for name, (fast, slow) in rows.items():
        print(f"  {NAMES[name]:30} {fast:7.3f} s   loop {slow:8.1f} s   ratio {slow / fast:6.0f}")
    print(f"  (processor time, one thread; loops run {looped} times, equal to 1e-9, and scaled)")


def exchanged(labels: list, rng: random.Random) -> list:
    """Labels within base items, and between base items with equally many construct edits."""
    sizes: dict[int, list[int]] = {}
    for i, kinds in enumerate(labels):
        sizes.setdefault(sum(kind != "control" for kind in kinds), []).append(i)
    found = [list(kinds) for kinds in labels]
    for members in sizes.values():
        for i, source in zip(members, rng.sample(members, len(members)), strict=True):
            given = [kind for kind in labels[source] if kind != "control"]
            if len(given) > 1:
                rng.shuffle(given)
            found[i] = [kind if kind == "control" else given.pop() for kind in labels[i]]
    return found


def large(judges: int, pairs: int, n_base: int, resamples: int) -> dict[str, float]:
    study = make_study(judges, pairs, n_base, seed=3)
    design = study.design
    start = time.perf_counter()
    crossed, cuts = read(study)
    points = time.perf_counter() - start
    start = time.perf_counter()
    drawn = Resamples.draw(n_base, resamples, np.random.default_rng(4))
    fixed_draws(study, crossed, cuts, drawn)
    fixed = time.perf_counter() - start
    start = time.perf_counter()
    for one in crossed:
        reselected_draws(design, one, FLOOR, drawn)
    anew = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    cpu = time.process_time()
    return {"points": points, "fixed": fixed, "anew": anew, "peak_gib": peak, "cpu": cpu}


def in_process(part: str, sizes: list[int], threads: str | None = None) -> str:
    """One part in a process of its own, and what it prints."""
    environment = dict(os.environ)
    if threads is not None:
        environment |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), threads)
    command = [sys.executable, __file__, "--part", part, "--sizes", json.dumps(sizes)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="the smallest size")
    parser.add_argument("--part", choices=("small", "large"), help=argparse.SUPPRESS)
    parser.add_argument("--sizes", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part == "small":
        small(*arguments.sizes)
        return
    if arguments.part == "large":
        print(json.dumps(large(*arguments.sizes)))
        return
    print(in_process("small", [200, 2] if arguments.smoke else [10_000, 10], threads="1"), end="")
    size = (2, 5_000, 1_000, 100) if arguments.smoke else (20, 1_000_000, 200_000, 1_000)
    for part in (4, 1):
        given = [size[0], size[1] // part, size[2] // part, size[3]]
        row = json.loads(in_process("large", given))
        print(
            f"{given[0]} judges x {given[1]} pairs over {given[2]} base items, "
            f"{given[3]} resamples: points and frontiers {row['points']:.1f} s, "
            f"intervals {row['fixed']:.1f} s, cut chosen anew {row['anew']:.1f} s; "
            f"peak {row['peak_gib']:.2f} GiB, {row['cpu']:.0f} s of processor time in all"
        )


if __name__ == "__main__":
    main()
