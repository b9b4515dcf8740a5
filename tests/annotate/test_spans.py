import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.annotate.spans import span_flags
from judgeprobe.forms.spans import find_span

A = "Non\u2011invasive methods may\u00a0reduce the “noise” – in ﬁne silt"
B = "Non\u2011invasive methods reduce the “noise” everywhere"


@pytest.mark.parametrize(
    "span",
    [
        "Non-invasive methods",
        "may reduce",
        'the "noise" - in fine silt',
        "NON‑INVASIVE",
        unicodedata.normalize("NFD", "ﬁne silt"),
        "fine silt.",
        '"Non-invasive methods"',
        "Non-invasive ... fine silt",
        "Non-invasive\nmay reduce",
        "Non-invasive | silt",
        "methods; silt",
        "may   reduce",
        "Nonâ€‘invasive",
    ],
)
def test_typography_never_loses_a_quotation(span):
    assert find_span(span, [A], [B]) == "named"


def test_the_named_sentence_first_then_the_other_then_neither():
    assert find_span("everywhere", [A], [B]) == "other"
    assert find_span("nowhere", [A], [B]) == "missing"
    assert find_span("Non-invasive | nowhere", [A], [B]) == "missing"


@pytest.mark.parametrize(
    ("direction", "spans", "flags"),
    [
        ("a", ["fine silt"], ()),
        ("a", ["fine silt", "may reduce"], ()),
        ("a", [], ("no quotation",)),
        ("a", ["  "], ("no quotation",)),
        ("b", ["fine silt"], ("quotation in the other sentence",)),
        (
            "a",
            ["everywhere", "nowhere"],
            ("quotation in the other sentence", "quotation not found"),
        ),
        ("neither", [], ()),
        ("neither", ["everywhere"], ()),
        ("cannot_tell", ["nowhere"], ("quotation not found",)),
    ],
)
def test_what_is_flagged(direction, spans, flags):
    assert span_flags(direction, spans, A, B) == flags


@given(
    st.text(st.characters(categories=["L", "N", "P", "Zs", "M"]), min_size=1, max_size=80),
    st.data(),
)
def test_any_part_of_a_sentence_is_found_in_it_after_normalisation(sentence, data):
    start = data.draw(st.integers(0, len(sentence) - 1))
    span = sentence[start : data.draw(st.integers(start + 1, len(sentence)))]
    for form in ("NFC", "NFD"):
        # A mark that stands alone belongs to the letter before it: cut there, it is another text.
        if unicodedata.combining(span[0]) or (
            start + len(span) < len(sentence) and unicodedata.combining(sentence[start + len(span)])
        ):
            return
        flags = span_flags("a", [unicodedata.normalize(form, span)], sentence, "")
        assert "quotation not found" not in flags
