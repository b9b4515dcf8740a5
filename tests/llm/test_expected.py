"""The mean over the grade tokens, against an explicit sum."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.llm.expected import expected_grade
from judgeprobe.records import Scale


def entry(token: str, shares: dict[str, float]) -> dict[str, Any]:
    tops = [{"token": name, "logprob": math.log(share)} for name, share in shares.items()]
    return {"token": token, "logprob": math.log(shares[token]), "top_logprobs": tops}


def choice(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"text": "", "logprobs": {"content": list(entries)}}


def test_by_hand() -> None:
    found = expected_grade(choice(entry("4", {"4": 0.5, "2": 0.25, "x": 0.2})), Scale())
    assert found.status == "graded"
    assert found.value == pytest.approx((4 * 0.5 + 2 * 0.25) / 0.75)
    assert found.span == "2:0.333 4:0.667 (mass 0.750)"


@given(
    st.dictionaries(st.sampled_from("0123456789"), st.floats(1e-6, 1.0), min_size=1),
    st.sampled_from([Scale(), Scale(0, 9, 1), Scale(1, 7, 1)]),
)
def test_is_the_explicit_sum(weights: dict[str, float], scale: Scale) -> None:
    total = sum(weights.values())
    shares = {token: weight / total for token, weight in weights.items()}
    found = expected_grade(choice(entry(max(shares, key=shares.__getitem__), shares)), scale)
    numerator = denominator = 0.0
    for token, share in shares.items():
        if scale.low <= int(token) <= scale.high:
            numerator += int(token) * share
            denominator += share
    if denominator < 0.049:
        assert found.value is None
    elif denominator > 0.051:
        assert found.value == pytest.approx(numerator / denominator, abs=1e-9)
        assert found.value in scale


def test_the_order_of_alternatives_does_not_count() -> None:
    shares = {"0": 0.1, "1": 0.2, "2": 0.3, "3": 0.15, "4": 0.05, "5": 0.2}
    back = dict(reversed(shares.items()))
    assert expected_grade(choice(entry("2", shares)), Scale()) == expected_grade(
        choice(entry("2", back)), Scale()
    )


def test_tokens_that_say_the_same_grade_add_up() -> None:
    found = expected_grade(choice(entry(" 5", {" 5": 0.4, "5": 0.1, "0": 0.5})), Scale())
    assert found.value == pytest.approx(2.5)


def test_the_older_form_of_log_probabilities() -> None:
    old = {
        "tokens": [" ", "3"],
        "token_logprobs": [0.0, math.log(0.5)],
        "top_logprobs": [{" ": 0.0}, {"3": math.log(0.5), "1": math.log(0.5)}],
    }
    assert expected_grade({"logprobs": old}, Scale()).value == pytest.approx(2.0)


def test_a_grade_inside_json() -> None:
    before = entry('{"grade": ', {'{"grade": ': 1.0})
    found = expected_grade(choice(before, entry("4", {"4": 0.9, "5": 0.1})), Scale())
    assert found.value == pytest.approx(4.1)


@pytest.mark.parametrize(
    ("given_choice", "detail"),
    [
        ({"text": "3"}, "no token log-probabilities"),
        (choice(entry("no", {"no": 0.99, "3": 0.01})), "little mass 0.010"),
        (choice(entry("a", {"a": 1.0}), entry("b", {"b": 1.0})), "no token of the reply"),
        (choice(entry("3", {"3": 1.0}), entry(".5", {".5": 1.0})), "several tokens"),
        (choice(entry("3", {"3": 1.0}), entry(".", {".": 1.0}), entry("5", {"5": 1.0})), "several"),
        (choice(entry("4", {"4": 1.0}), entry("2", {"2": 1.0})), "several tokens"),
    ],
)
def test_no_grade(given_choice: dict[str, Any], detail: str) -> None:
    found = expected_grade(given_choice, Scale())
    assert found.status == "unparseable"
    assert found.value is None
    assert detail in found.detail


def test_a_number_off_the_scale_is_no_grade_token() -> None:
    found = expected_grade(choice(entry("9", {"9": 0.6, "5": 0.4})), Scale())
    assert found.value == 5.0
    assert "mass 0.400" in found.span
