"""How fast is the permutation null of the label audit, against refitting the pipeline naively?

    python benchmarks/validation_power.py            6,000 texts of 120 words, 100 permutations
    python benchmarks/validation_power.py --smoke    a small set, seconds

The naive way builds scikit-learn's own pipeline (vectoriser or scaler, then the classifier) anew
for every fold of every label vector. It is run on `--naive` of the vectors and scaled to all of
them, because each of its vectors costs the same; ours is run in full. On the vectors that both ran,
the predictions must be equal, else the exit status is 1. Both use one BLAS thread.
"""

import argparse
import csv
import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from judgeprobe.stats.folds import Folds, make_folds
from judgeprobe.stats.impoverished import MEMBERS, classifier, fold_features, out_of_fold
from judgeprobe.stats.kappa import confusions, kappas
from judgeprobe.stats.label_permutation import choose_scheme, permuted_labels
from judgeprobe.stats.surface_features import (
    NGRAM_PARAMETERS,
    length_features,
    numeric_matrix,
)

ROOT = Path(__file__).resolve().parents[1]


def texts_of(n: int, words: int, rng: np.random.Generator) -> list[str]:
    """Texts of runs of 12 words: from real sentences where the shared data is there."""
    shared = Path(os.environ.get("JUDGEPROBE_SHARED", ROOT.parent / "shared"))
    path = shared / "data/claims/pubmed_causal_language_use.csv"
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            pool = " ".join(row["sentence"] for row in csv.DictReader(file)).split()
    else:
        letters = np.array(list("etaoinshrdlucmfwypvbgkqjxz"))
        weights = 1 / np.arange(1, 27)
        drawn = rng.choice(letters, size=(20_000, 7), p=weights / weights.sum())
        pool = ["".join(word[: 2 + i % 6]) for i, word in enumerate(drawn)]
    starts = rng.integers(0, len(pool) - 12, size=(n, words // 12))
    return [" ".join(" ".join(pool[s : s + 12]) for s in row) for row in starts]


def naive(texts: list[str], vectors: np.ndarray, folds: Folds) -> dict[str, np.ndarray]:
    """Every pipeline refitted whole for every fold of every label vector."""
    found = {member: np.empty_like(vectors) for member in MEMBERS}
    for row, labels in enumerate(vectors):
        for train, held in folds:
            kept, asked = [texts[i] for i in train], [texts[i] for i in held]
            for member in MEMBERS:
                model = LogisticRegression(max_iter=2000, class_weight="balanced")
                if member == "surface_ngram":
                    pipe = make_pipeline(TfidfVectorizer(**NGRAM_PARAMETERS), model)
                    found[member][row, held] = pipe.fit(kept, labels[train]).predict(asked)
                else:
                    extract = length_features if member == "length_only" else numeric_matrix
                    pipe = make_pipeline(StandardScaler(), model)
                    pipe.fit(extract(kept), labels[train])
                    found[member][row, held] = pipe.predict(extract(asked))
    return found


def ours(texts: list[str], vectors: np.ndarray, folds: Folds, dtype: type) -> dict[str, np.ndarray]:
    """Features once a fold, shared by all label vectors."""
    return {m: out_of_fold(m, texts, None, vectors, folds, dtype).classes for m in MEMBERS}


def p_values(vectors: np.ndarray, found: dict[str, np.ndarray]) -> list[float]:
    told = []
    for member in MEMBERS:
        values, _ = kappas(confusions(vectors, found[member], 2))
        told.append(float((1 + np.sum(values[1:] >= values[0] - 1e-12)) / len(values)))
    return told


def solver_check(texts: list[str], labels: np.ndarray, folds: Folds) -> None:
    """How far the default stopping rule is from the optimum, on the first fold's n-grams."""
    train, held = next(iter(folds))
    x, asked = fold_features("surface_ngram", texts, None, train, held)
    default = classifier().fit(x, labels[train])
    exact = LogisticRegression(max_iter=2000, class_weight="balanced", tol=1e-10)
    exact.fit(x, labels[train])
    other = LogisticRegression(
        max_iter=2000, class_weight="balanced", solver="newton-cg", tol=1e-10
    ).fit(x, labels[train])
    first, second = default.decision_function(asked), exact.decision_function(asked)
    third = other.decision_function(asked)
    print(
        f"solver: lbfgs stopped after {default.n_iter_[0]} iterations by its own rule (tol 1e-4); "
        f"at tol 1e-10 it takes {exact.n_iter_[0]}. Decisions move by at most "
        f"{np.abs(first - second).max():.4f} (their SD is {second.std():.3f}), "
        f"{np.mean((first > 0) != (second > 0)):.2%} of predicted classes change; "
        f"newton-cg at tol 1e-10 differs from lbfgs at 1e-10 by {np.abs(second - third).max():.1e}."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--texts", type=int, default=6000)
    parser.add_argument("--words", type=int, default=120)
    parser.add_argument("--permutations", type=int, default=100)
    parser.add_argument("--naive", type=int, default=3, help="label vectors run naively")
    options = parser.parse_args()
    if options.smoke:
        options.texts, options.words, options.permutations, options.naive = 200, 24, 20, 2
    rng = np.random.default_rng(0)
    texts = texts_of(options.texts, options.words, rng)
    groups = np.arange(options.texts) // 4
    # A weak signal, so that p-values are neither all at their floor nor all at 1.
    long = np.array([len(text) for text in texts])
    labels = ((long - long.mean()) / long.std() * 0.04 + rng.normal(size=len(texts)) > 0).astype(
        np.int64
    )
    folds = make_folds(len(texts), groups)
    scheme = choose_scheme(labels, groups, paired=False)
    drawn = permuted_labels(labels, groups, scheme, options.permutations, rng)
    vectors = np.vstack([labels[None, :], drawn])
    n = len(vectors)
    print(f"{len(texts)} texts of {options.words} words, {n - 1} permutations, {folds.n} folds")
    with threadpool_limits(limits=1, user_api="blas"):
        start = time.perf_counter()
        double = ours(texts, vectors, folds, np.float64)
        seconds_double = time.perf_counter() - start
        start = time.perf_counter()
        single = ours(texts, vectors, folds, np.float32)
        seconds_single = time.perf_counter() - start
        start = time.perf_counter()
        reference = naive(texts, vectors[: options.naive], folds)
        seconds_naive = (time.perf_counter() - start) / options.naive * n
        solver_check(texts, labels, folds)
    equal = all(np.array_equal(reference[m], double[m][: options.naive]) for m in MEMBERS)
    p_double, p_single = p_values(vectors, double), p_values(vectors, single)
    moved = {m: float(np.mean(double[m] != single[m])) for m in MEMBERS}
    print(
        f"naive    {seconds_naive:9.1f} s ({options.naive} of {n} label vectors run, scaled to all)"
    )
    print(f"float64  {seconds_double:9.1f} s  {seconds_naive / seconds_double:6.1f} x")
    print(f"float32  {seconds_single:9.1f} s  {seconds_naive / seconds_single:6.1f} x")
    print(f"predictions equal to the naive ones on {options.naive} vectors: {equal}")
    print(f"p-values float64 {p_double}, float32 {p_single}, equal: {p_double == p_single}")
    print(f"share of float32 predictions that differ: {moved}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
