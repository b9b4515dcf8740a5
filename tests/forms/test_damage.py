import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.forms.damage import explain, unscramble

SENTENCE = "The method’s gain – 5 µm – may hold in naïve models"


def scrambled(text, times=1):
    for _ in range(times):
        text = "".join(
            chr(byte) if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else bytes([byte]).decode("cp1252")
            for byte in text.encode("utf-8")
        )
    return text


@pytest.mark.parametrize(
    ("found", "expected", "kind", "damage"),
    [
        (SENTENCE, SENTENCE, "", ""),
        ("one\r\ntwo\rthree", "one\ntwo\nthree", "", ""),
        ("The method's gain - 5 μm - may hold in naïve models", SENTENCE, "", "typography"),
        ("nai\u0308ve", "naïve", "", "typography"),
        (scrambled(SENTENCE), SENTENCE, "", "scrambled characters (mojibake)"),
        (scrambled(SENTENCE, 2), SENTENCE, "", "scrambled characters (mojibake)"),
        ("", "NA", "", "read as missing"),
        ("nan", "N/A", "", "read as missing"),
        ("2024-03-04 00:00:00", "3/4", "date", "turned into a date"),
        ("04-Mar", "3/4", "", "turned into a date"),
        ("Mar 4", "3-4", "", "turned into a date"),
        ("7", "007", "number", "turned into a number"),
        ("1.5", "1.50", "", "turned into a number"),
        ("100000", "1E+05", "", "turned into a number"),
        ("#NAME?", "=mc holds", "", "read as a formula"),
        ("=mc holds", "=mc holds", "formula", ""),
        ("'=1+1", "=1+1", "", "apostrophe added"),
        (
            "?? water at 5 ?m",
            "中文 water at 5 µm",
            "",
            "characters lost (saved in an old code page)",
        ),
        ("x" * 255, "x" * 300, "", "cut at 255 characters"),
        ("It may rain", "It rains", "", None),
        ("", "It rains", "", None),
        ("It rains?", "It rains", "", None),
        ("x" * 250, "x" * 300, "", None),
        ("5", "7", "", None),
    ],
)
def test_known_damage_is_named_and_an_edit_is_not_excused(found, expected, kind, damage):
    assert explain(found, expected, kind=kind) == damage


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_a_text_read_in_the_wrong_code_page_is_put_right(text):
    if unscramble(text) == text:
        assert unscramble(scrambled(text)) == text or text.isascii()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_an_untouched_text_is_never_called_damaged(text):
    assert explain(text, text) == ""


def test_a_long_text_of_question_marks_is_compared_quickly():
    assert explain("?" * 20_000, "中" * 20_000) == "characters lost (saved in an old code page)"
    assert explain("?" * 20_000 + "x", "中" * 20_000) is None
