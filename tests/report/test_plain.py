from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.report.plain import plain


def test_invisible_characters_are_shown():
    assert plain("a\u202eb\u200bc\x00d") == "a[U+202E]b[U+200B]c[U+0000]d"
    assert plain("line\nnext\ttab") == "line\nnext\ttab"
    assert plain("\ud800") == "[U+D800]"


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"])))
def test_ordinary_text_is_untouched(text):
    assert plain(text) == text
