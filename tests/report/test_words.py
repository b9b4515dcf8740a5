from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.report.words import LONGEST, changed_words, clip


def _side(pieces, kind):
    return "".join(words for what, words in pieces if what in ("same", kind))


@given(st.text(max_size=80), st.text(max_size=80))
def test_both_texts_can_be_read_back(original, edited):
    pieces = changed_words(original, edited)
    assert _side(pieces, "del") == original
    assert _side(pieces, "ins") == edited


def test_a_dropped_hedge_is_one_deletion():
    pieces = changed_words("It may rain.", "It will rain.")
    assert ("del", "may") in pieces
    assert ("ins", "will") in pieces


def test_a_long_text_is_clipped_and_says_so():
    assert clip("x" * (LONGEST + 7)).endswith("[…] (7 more characters)")
    assert clip("x" * LONGEST) == "x" * LONGEST
