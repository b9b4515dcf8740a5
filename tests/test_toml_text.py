import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.toml_text import toml_text

# What TOML can say; a lone surrogate is no text in UTF-8.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
PLAIN = TEXT | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
VALUE = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
)


@given(
    st.dictionaries(TEXT, VALUE | st.lists(st.dictionaries(TEXT, VALUE), min_size=1, max_size=3))
)
def test_what_is_written_is_read_back(table):
    assert tomllib.loads(toml_text(table)) == table


def test_it_looks_as_people_write_it():
    table = {"a": 1, "study": {"name": "x\ny"}, "judges": [{"n": 1.5}, {"n": None, "ok": True}]}
    assert toml_text(table) == (
        'a = 1\n\n[study]\nname = "x\\ny"\n\n[[judges]]\nn = 1.5\n\n[[judges]]\nok = true\n'
    )


def test_what_toml_cannot_say_is_refused():
    with pytest.raises(TypeError, match="TOML has no object"):
        toml_text({"a": object()})
