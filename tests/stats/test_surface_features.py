import inspect

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from judgeprobe.errors import StatisticsError
from judgeprobe.stats import impoverished, surface_features, validation_power
from judgeprobe.stats.surface_features import (
    HEDGES,
    NUMERIC_NAMES,
    UNIVERSALS,
    ngram_vectoriser,
    numeric_features,
    token_count,
)


def test_the_member_set_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert impoverished.MEMBERS == ("length_only", "numeric_surface", "surface_ngram")
    monkeypatch.setattr(validation_power, "MEMBERS", (*impoverished.MEMBERS, "one_more"))
    with pytest.raises(StatisticsError, match="family is frozen"):
        validation_power.validation_power(["a"] * 10, np.tile([0, 1], 5), np.random.default_rng(0))


def test_the_closed_lists_have_the_published_size_and_no_double() -> None:
    assert len(set(HEDGES)) == 12
    assert len(set(UNIVERSALS)) == 7
    assert len(NUMERIC_NAMES) == 10


def test_extractors_take_one_string_and_nothing_else() -> None:
    for extractor in (token_count, numeric_features):
        parameters = inspect.signature(extractor).parameters
        assert list(parameters) == ["text"]
        assert parameters["text"].annotation is str


def test_the_ten_scalars_by_hand() -> None:
    text = "It MAY rise (by 10%).\nAll tends to; ok"
    found = dict(zip(NUMERIC_NAMES, numeric_features(text), strict=True))
    assert found["characters"] == len(text) == 38
    assert found["tokens"] == 9
    assert found["stops"] == 2
    assert found["brackets"] == 1
    assert found["newlines"] == 1
    assert found["hedge_rate"] == pytest.approx(2 / 9)
    assert found["universal_rate"] == pytest.approx(1 / 9)
    assert found["digit_rate"] == pytest.approx(2 / 38)
    assert found["uppercase_rate"] == pytest.approx(5 / 38)
    assert found["token_length"] == pytest.approx(30 / 9)


def test_substrings_count_as_the_source_says() -> None:
    rate = dict(zip(NUMERIC_NAMES, numeric_features("unlikely shallow"), strict=True))
    assert rate["hedge_rate"] == pytest.approx(1 / 2)
    assert rate["universal_rate"] == pytest.approx(1 / 2)


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_blank_texts_are_finite(text: str) -> None:
    assert np.isfinite(numeric_features(text)).all()


def test_ngrams_are_the_frozen_ones() -> None:
    vectoriser = ngram_vectoriser()
    reference = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(3, 5), min_df=3, max_features=20_000, sublinear_tf=True
    )
    assert vectoriser.get_params() == reference.get_params()


def test_no_function_of_the_family_can_be_given_the_evidence() -> None:
    for module in (surface_features, impoverished, validation_power):
        for _, function in inspect.getmembers(module, inspect.isfunction):
            assert not {"evidence", "context", "prompt"} & set(
                inspect.signature(function).parameters
            )
