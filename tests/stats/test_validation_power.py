"""Planted sets, an independent scikit-learn reference on real text, and refusals."""

import csv
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, cohen_kappa_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.folds import make_folds
from judgeprobe.stats.impoverished import out_of_fold
from judgeprobe.stats.kappa import cohen_kappa
from judgeprobe.stats.surface_features import numeric_features, token_count
from judgeprobe.stats.validation_power import ValidationPower, validation_power

NAMES = ("length_only", "numeric_surface", "surface_ngram")
WORDS = (
    "ban",
    "lor",
    "mik",
    "tas",
    "ver",
    "sulo",
    "pinta",
    "rekon",
    "dalme",
    "tofi",
    "garu",
    "wol",
)


def made(rng: np.random.Generator, n_words: int) -> str:
    return " ".join(rng.choice(WORDS, n_words))


def audit(texts: list[str], labels: np.ndarray, **more: object) -> ValidationPower:
    settings = {"permutations": 2, "resamples": 100, **more}
    return validation_power(texts, labels, np.random.default_rng(0), **settings)  # type: ignore[arg-type]


def kappa_of(
    texts: list[str],
    labels: np.ndarray,
    *,
    texts_b: list[str] | None = None,
    groups: np.ndarray | None = None,
    names: tuple[str, ...] = NAMES,
) -> dict[str, tuple[float, float]]:
    """Kappa and accuracy of each member, without the null."""
    folds = make_folds(len(labels), groups)
    found = {}
    for name in names:
        classes = out_of_fold(name, texts, texts_b, labels[None, :], folds).classes[0]
        kappa = cohen_kappa(labels, classes, int(labels.max()) + 1)
        found[name] = (kappa.value, kappa.accuracy)
    return found


def by_name(found: ValidationPower) -> dict[str, float]:
    return {member.name: member.kappa for member in found.members}


@pytest.fixture(scope="module")
def claims(shared_data: Path) -> tuple[list[str], np.ndarray]:
    path = shared_data / "claims" / "pubmed_causal_language_use.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[::20][:150]
    return [row["sentence"] for row in rows], np.array([int(row["label"]) for row in rows])


def test_equals_a_plain_scikit_learn_pipeline_on_real_text(
    claims: tuple[list[str], np.ndarray],
) -> None:
    texts, labels = claims
    groups = np.arange(150) // 3
    found = kappa_of(texts, labels, groups=groups)
    tail = {"max_iter": 2000, "class_weight": "balanced"}
    scalars = np.array([numeric_features(text) for text in texts])
    lengths = np.array([[float(token_count(text))] for text in texts])
    grams = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(3, 5), min_df=3, max_features=20_000, sublinear_tf=True
    )
    references = {
        "length_only": (make_pipeline(StandardScaler(), LogisticRegression(**tail)), lengths),
        "numeric_surface": (make_pipeline(StandardScaler(), LogisticRegression(**tail)), scalars),
        "surface_ngram": (make_pipeline(grams, LogisticRegression(**tail)), np.array(texts)),
    }
    for name, (kappa, accuracy) in found.items():
        pipeline, features = references[name]
        with threadpool_limits(1):
            predicted = cross_val_predict(
                pipeline, features, labels, groups=groups, cv=GroupKFold(5)
            )
        assert kappa == pytest.approx(cohen_kappa_score(labels, predicted), abs=0.005)
        assert accuracy == pytest.approx(accuracy_score(labels, predicted), abs=0.005)
    assert found["surface_ngram"][0] > 0.2


def test_paired_features_equal_a_reference_built_by_hand(
    claims: tuple[list[str], np.ndarray],
) -> None:
    texts, _ = claims
    first, second = texts[:75], texts[75:150]
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 75)
    groups = np.arange(75) // 2
    found = kappa_of(first, labels, texts_b=second, groups=groups)
    predicted = {name: np.empty(75, int) for name in NAMES}
    for train, held in GroupKFold(5).split(first, groups=groups):
        grams = TfidfVectorizer(
            analyzer="char_wb", ngram_range=(3, 5), min_df=3, max_features=20_000, sublinear_tf=True
        ).fit([first[i] for i in train] + [second[i] for i in train])
        a, b = grams.transform(first), grams.transform(second)
        joined = sparse.hstack([a - b, a, b]).tocsr()
        for name, extract in (
            ("length_only", lambda text: [token_count(text)]),
            ("numeric_surface", numeric_features),
            ("surface_ngram", None),
        ):
            x = joined
            if extract is not None:
                left = np.array([extract(text) for text in first], float)
                right = np.array([extract(text) for text in second], float)
                x = np.hstack([left - right, left, right])
                x = StandardScaler().fit(x[train]).transform(x)
            model = LogisticRegression(max_iter=2000, class_weight="balanced")
            predicted[name][held] = model.fit(x[train], labels[train]).predict(x[held])
    for name, (kappa, _) in found.items():
        assert kappa == pytest.approx(cohen_kappa_score(labels, predicted[name]), abs=0.005)


def test_a_length_band_is_found_by_length_alone() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 80)
    texts = [made(rng, int(rng.integers(5, 10) + 12 * label)) for label in labels]
    found = audit(texts, labels, groups=np.arange(80) // 4, permutations=19)
    assert by_name(found)["length_only"] > 0.9
    assert found.best == "length_only"
    assert found.a_imp_p == pytest.approx(1 / 20)


def test_a_rare_idiom_is_seen_by_ngrams_only() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 240)
    # The idiom stands in for a word of its own length, so no scalar moves.
    texts = []
    for label in labels:
        words = [*rng.choice(WORDS, 11), "dalme"]
        words[int(rng.integers(12))] = "quezo" if label else "dalme"
        texts.append(" ".join(words))
    found = kappa_of(texts, labels, groups=np.arange(240) // 4)
    assert found["surface_ngram"][0] > 0.9
    assert abs(found["length_only"][0]) < 0.25
    assert abs(found["numeric_surface"][0]) < 0.25


def test_a_relative_property_is_seen_in_pairs_and_not_per_item() -> None:
    rng = np.random.default_rng(2)
    short = rng.integers(4, 60, 150)
    first_longer = rng.integers(0, 2, 150)
    lengths = np.where(first_longer[:, None] == 1, [[1, 0]], [[0, 1]]) * 3 + short[:, None]
    first = [made(rng, int(n)) for n in lengths[:, 0]]
    second = [made(rng, int(n)) for n in lengths[:, 1]]
    labels = np.where(first_longer == 1, 0, 1)
    length = ("length_only",)
    assert kappa_of(first, labels, texts_b=second, names=length)["length_only"][0] > 0.9
    items = [text for pair in zip(first, second, strict=True) for text in pair]
    item_labels = np.column_stack([labels == 0, labels == 1]).astype(int).ravel()
    groups = np.repeat(np.arange(150), 2)
    assert abs(kappa_of(items, item_labels, groups=groups, names=length)["length_only"][0]) < 0.2


def test_an_absolute_property_both_sides_share_is_seen_per_item_and_not_in_pairs() -> None:
    rng = np.random.default_rng(3)
    long = rng.integers(0, 2, 150)
    pairs = [[made(rng, int(rng.integers(4, 8) + 20 * each)) for _ in range(2)] for each in long]
    items = [text for pair in pairs for text in pair]
    groups, length = np.repeat(np.arange(150), 2), ("length_only",)
    per_item = kappa_of(items, np.repeat(long, 2), groups=groups, names=length)
    assert per_item["length_only"][0] > 0.9
    sides, second = rng.integers(0, 2, 150), [pair[1] for pair in pairs]
    paired = kappa_of([pair[0] for pair in pairs], sides, texts_b=second, names=length)
    assert abs(paired["length_only"][0]) < 0.25


def test_duplicates_inside_groups_leak_through_ungrouped_folds_only() -> None:
    rng = np.random.default_rng(4)
    letters = list("abcdefghijklmnop")
    originals = [" ".join("".join(rng.choice(letters, 5)) for _ in range(4)) for _ in range(24)]
    labels = np.repeat(np.tile([0, 1], 12), 5)
    texts = [text for text in originals for _ in range(5)]
    groups = np.repeat(np.arange(24), 5)
    grouped = audit(texts, labels, groups=groups, permutations=19)
    ungrouped = audit(texts, labels, permutations=19)
    assert grouped.folds.kind == "grouped"
    assert grouped.scheme.kind == "across groups of equal size"
    assert grouped.members[2].p > 0.05
    assert ungrouped.members[2].kappa > 0.9
    assert ungrouped.members[2].kappa > ungrouped.members[2].null.max() + 0.5


def test_ceiling_power_and_their_status() -> None:
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 80)
    texts = [made(rng, int(rng.integers(5, 15))) for _ in labels]
    noisy = np.where(rng.random(80) < 0.05, 1 - labels, labels)
    good = audit(texts, labels, second=noisy)
    assert good.a_hum is not None
    assert good.power.status == "resolved"
    assert good.power.estimate == pytest.approx(good.a_hum.estimate - good.a_imp.estimate)
    assert good.a_hum.estimate == pytest.approx(cohen_kappa_score(labels, noisy))
    few = np.where(np.arange(80) < 6, noisy, -1)
    assert audit(texts, labels, second=few).n_double == 6
    chance = audit(texts, labels, second=rng.integers(0, 2, 80))
    assert chance.power.status == "not resolvable"
    by_length = [made(rng, 5 + 20 * int(label)) for label in labels]
    leaky = audit(by_length, labels, second=np.where(rng.random(80) < 0.3, 1 - labels, labels))
    assert leaky.power.status == "ceiling exceeded"
    assert leaky.power.estimate is not None
    assert leaky.power.estimate < 0


def test_the_bootstrap_equals_a_loop_over_its_draws() -> None:
    from judgeprobe.stats.validation_power import group_kappa_draws

    rng = np.random.default_rng(6)
    truth, other = rng.integers(0, 3, 40), rng.integers(0, 3, 40)
    units = rng.integers(0, 8, 40)
    draws = rng.multinomial(8, np.full(8, 1 / 8), size=20).astype(float)
    fast = group_kappa_draws(truth, other, units, 3, draws)
    for row, value in zip(draws, fast, strict=True):
        rows = np.concatenate([np.repeat(i, int(row[units[i]])) for i in range(40)]).astype(int)
        assert value == pytest.approx(cohen_kappa_score(truth[rows], other[rows]))


def test_ordered_labels_get_the_linearly_weighted_kappa_too() -> None:
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 3, 60)
    texts = [made(rng, 3 + 4 * int(label) + int(rng.integers(0, 3))) for label in labels]
    member = audit(texts, labels, ordered=True).members[0]
    expected = cohen_kappa_score(labels, member.predictions, weights="linear")
    assert member.kappa_linear == pytest.approx(expected)


def test_bad_sets_are_clear_and_silent() -> None:
    rng = np.random.default_rng(8)
    texts = [made(rng, 6) for _ in range(40)]
    labels = rng.integers(0, 2, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(StatisticsError, match="hold one class"):
            audit(texts, np.zeros(40, int))
        with pytest.raises(StatisticsError, match="at least 5 rows"):
            audit(texts[:4], labels[:4] * 0 + np.array([0, 1, 0, 1]))
        with pytest.raises(StatisticsError, match="`permutations` must be at least 1"):
            audit(texts, labels, permutations=0)
        one_class_group = audit(texts, (np.arange(40) < 36).astype(int), groups=np.arange(40) // 4)
        assert one_class_group.folds.kind == "grouped"
        assert one_class_group.members[0].constant > 0
        assert np.isfinite(list(kappa_of(["", *texts[1:]], labels).values())).all()
        assert np.isfinite(list(kappa_of(texts, labels, texts_b=texts).values())).all()
        rare = ["".join(chr(0x4E00 + 3 * i + k) for k in range(3)) for i in range(20)]
        nothing = out_of_fold("surface_ngram", rare, None, labels[None, :20], make_folds(20, None))
        assert nothing.features == 0
        assert len(np.unique(nothing.classes)) == 1


def test_single_precision_gives_the_same_p_values() -> None:
    rng = np.random.default_rng(9)
    labels = rng.integers(0, 2, 60)
    texts = [made(rng, int(rng.integers(5, 15))) for _ in labels]
    double = audit(texts, labels, permutations=9)
    single = audit(texts, labels, permutations=9, dtype=np.float32)
    assert [m.p for m in double.members] == [m.p for m in single.members]


def test_the_same_seed_gives_the_same_result() -> None:
    rng = np.random.default_rng(10)
    labels = rng.integers(0, 2, 60)
    texts = [made(rng, 8) for _ in labels]
    first, second = audit(texts, labels), audit(texts, labels)
    for one, two in zip(first.members, second.members, strict=True):
        assert np.array_equal(one.null, two.null)
    assert first.a_imp == second.a_imp
    assert first.power.status == "no human ceiling"
    assert first.members[0].kappa_linear is None


def test_the_ceiling_of_several_people_is_the_mean_over_their_pairs():
    rng = np.random.default_rng(12)
    texts, labels = [f"text {n} of {n % 7}" for n in range(60)], rng.integers(0, 2, 60)
    slips = rng.random((60, 3)) < [0.1, 0.2, 0.3]
    raters = np.where(slips, 1 - labels[:, None], labels[:, None])
    raters[:10, 2] = -1
    found = validation_power(texts, labels, rng, raters=raters, permutations=19, resamples=200)
    each = [
        cohen_kappa_score(raters[both, a], raters[both, b])
        for a, b in ((0, 1), (0, 2), (1, 2))
        for both in [(raters[:, a] >= 0) & (raters[:, b] >= 0)]
    ]
    assert found.a_hum.estimate == pytest.approx(np.mean(each))
    assert found.a_hum.low < found.a_hum.estimate < found.a_hum.high
    assert found.n_double == 60
    assert found.power.estimate == pytest.approx(np.mean(each) - found.a_imp.estimate)
    with pytest.raises(StatisticsError, match="items x people"):
        validation_power(texts, labels, rng, raters=raters[:5], permutations=19)


def test_one_person_is_no_ceiling():
    labels = np.arange(40) % 2
    rng = np.random.default_rng(13)
    texts = [f"text {n}" for n in range(40)]
    found = validation_power(texts, labels, rng, raters=labels[:, None], permutations=19)
    assert (found.a_hum, found.n_double) == (None, 0)
    assert found.power.status == "no human ceiling"
