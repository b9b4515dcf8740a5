import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.typography import normalise


@pytest.mark.parametrize(
    ("typeset", "plain"),
    [
        ("non\u2011breaking hyphen", "non-breaking hyphen"),
        ("2010\u20132015", "2010-2015"),
        ("soil\u2014the upper layer\u2014dried", "soil-the upper layer-dried"),
        ("\u22125 degrees", "-5 degrees"),
        ("the \u201cwet\u201d season", 'the "wet" season'),
        ("the lake\u2019s edge", "the lake's edge"),
        ("10\u00a0mg", "10 mg"),
        ("10\u202fmg per\u2009litre", "10 mg per litre"),
        ("ef\ufb01cient and o\ufb03cial \ufb02ow", "efficient and official flow"),
        ("cafe\u0301", "caf\u00e9"),
        ("co\u00adoperate", "cooperate"),
        ("5 \u00b5m", "5 \u03bcm"),
        ("and so on\u2026", "and so on..."),
        ("  two  spaces\n", "two spaces"),
    ],
)
def test_variants_of_type_agree(typeset: str, plain: str) -> None:
    assert normalise(typeset) == normalise(plain) == plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10\u00b2 cells", "102 cells"),
        ("3 \u00d7 4", "3 x 4"),
        ("resume", "r\u00e9sum\u00e9"),
        ("\u00bd of it", "1/2 of it"),
        ("Dust", "dust"),
    ],
)
def test_different_content_stays_different(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_capitals_are_folded_only_when_asked() -> None:
    assert normalise("Dust Falls", casefold=True) == "dust falls"
    assert normalise("Stra\u00dfe", casefold=True) == normalise("STRASSE", casefold=True)


@given(st.text(), st.booleans())
def test_normalising_twice_changes_nothing_more(text: str, casefold: bool) -> None:
    once = normalise(text, casefold=casefold)
    assert normalise(once, casefold=casefold) == once


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_composed_and_decomposed_accents_agree(text: str) -> None:
    assert normalise(unicodedata.normalize("NFD", text)) == normalise(
        unicodedata.normalize("NFC", text)
    )


@given(st.text())
def test_no_edge_space_and_no_doubled_space_is_left(text: str) -> None:
    found = normalise(text)
    assert found == found.strip()
    assert "  " not in found
