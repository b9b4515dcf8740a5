"""How long does a full residualization audit take, and against a naive one?

    python benchmarks/residual_audit.py            8,000 rows, 8,000 TF-IDF terms, 1,000 resamples
    python benchmarks/residual_audit.py --smoke    a small set, seconds

Limits on 2 cores: 60 s and 2 GiB for the full procedure. The naive bootstrap repeats the rows of
the drawn groups and calls scikit-learn's and NumPy's functions on them; it is run on some of the
draws and scaled, and its values on those draws must equal ours, else the exit status is 1.
"""

import argparse
import resource
import sys
import time

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score

from judgeprobe.stats.auc import auc_draws
from judgeprobe.stats.residual_audit import eligibility_stage, residual_audit
from judgeprobe.stats.residual_operator import Features
from judgeprobe.stats.residual_types import AuditData, Gates


def made(rows: int, terms: int, rng: np.random.Generator) -> tuple[AuditData, np.ndarray]:
    """Texts of drawn words, a label, and a score that rides length and some words."""
    words = np.array([f"w{index:05d}" for index in range(terms * 2)])
    weights = 1 / np.arange(10, len(words) + 10)
    weights /= weights.sum()
    lengths = rng.integers(15, 60, rows)
    texts = [" ".join(rng.choice(words, int(n), p=weights)) for n in lengths]
    vectoriser = TfidfVectorizer(max_features=terms, min_df=2, sublinear_tf=True)
    block = vectoriser.fit_transform(texts)
    cue = (lengths - lengths.mean()) / lengths.std()
    construct = 0.5 * cue + rng.normal(size=rows)
    tint = np.asarray(block @ rng.normal(size=block.shape[1])).ravel()
    scores = construct + 1.2 * cue + 0.5 * tint / tint.std() + 0.3 * rng.normal(size=rows)
    labels = (construct > 0).astype(np.int64)
    features = Features(np.column_stack([cue, lengths**0.5]), ("cue", "root"), block)
    groups = np.arange(rows) // 5
    return AuditData(labels, features, features.only(("cue", "root")), groups), scores


def naive_draws(
    data: AuditData, before: np.ndarray, after: np.ndarray, wrong: np.ndarray, draws: np.ndarray
) -> np.ndarray:
    """Gain, full change and correlation of each draw, by repeating rows."""
    members = [np.flatnonzero(data.groups == g) for g in range(int(data.groups.max()) + 1)]
    told = []
    for draw in draws.astype(int):
        rows = np.concatenate([np.tile(members[g], k) for g, k in enumerate(draw) if k])
        inside = rows[wrong[rows]]
        y, ys = data.labels[rows], data.labels[inside]
        told.append(
            [
                roc_auc_score(ys, after[inside]) - roc_auc_score(ys, before[inside]),
                roc_auc_score(y, after[rows]) - roc_auc_score(y, before[rows]),
            ]
        )
    return np.array(told)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--terms", type=int, default=8000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--naive", type=int, default=20, help="draws run naively")
    options = parser.parse_args()
    if options.smoke:
        options.rows, options.terms, options.resamples, options.naive = 600, 300, 100, 5
    data, scores = made(options.rows, options.terms, np.random.default_rng(0))
    print(
        f"{data.features.n} rows, {data.features.width} features, {options.resamples} resamples of "
        f"{int(data.groups.max()) + 1} groups"
    )
    gates = Gates(resamples=options.resamples)
    start = time.perf_counter()
    found = eligibility_stage(data, gates, np.random.default_rng(0))
    audit = residual_audit(data, scores, gates, found)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"full procedure {seconds:.1f} s, peak {peak:.2f} GiB, outcome: {audit.outcome}")
    if audit.adjusted is None:
        print("no adjustment was made; there is nothing to compare")
        return 1
    start = time.perf_counter()
    rows = found.slice_rows
    ours = np.column_stack(
        [
            auc_draws(data.labels[rows], audit.adjusted[rows], found.draws, data.groups[rows])
            - auc_draws(data.labels[rows], scores[rows], found.draws, data.groups[rows]),
            auc_draws(data.labels, audit.adjusted, found.draws, data.groups)
            - auc_draws(data.labels, scores, found.draws, data.groups),
        ]
    )
    fast = time.perf_counter() - start
    start = time.perf_counter()
    slow = naive_draws(data, scores, audit.adjusted, rows, found.draws[: options.naive])
    naive = (time.perf_counter() - start) / options.naive * options.resamples
    equal = bool(np.allclose(slow, ours[: options.naive]))
    print(
        f"bootstrap of gain and full change: naive {naive:.1f} s ({options.naive} draws run, "
        f"scaled), ours {fast:.1f} s, {naive / fast:.1f} x, equal on those draws: {equal}"
    )
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
