"""Whatever is in a file, it is read or refused by name; nothing falls over."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgeprobe.annotate.columns import LAYOUT
from judgeprobe.errors import InputError
from judgeprobe.forms.reading import read_file

NAMES = st.sampled_from(
    (
        *("unit_id", "direction", "spans", "supported", "same_facts", "seconds", "text", "data"),
        *("annotations", "result", "value", "choices", "from_name", "span_a", "was_cancelled"),
        *("start", "end", "evidence", "sentence_a", "format", "version", "labels", "lead_time"),
    )
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**12),
    st.floats(),
    st.sampled_from(("judgeprobe-labels", "a", "direction", "span_a", "unit")),
    st.text(max_size=5),
    st.just("half \ud83d of one"),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=25,
)
FUZZ = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read_or_refuse(path, data):
    path.write_bytes(data)
    refusal = None
    try:
        given, problems = read_file(path, LAYOUT)
    except InputError as error:
        refusal = str(error)
    if refusal is not None:
        assert str(path) in refusal
        return None
    for one in given:
        texts = (one.unit_id, *one.spans)
        assert all(isinstance(text, str) for text in texts)
        "".join((*texts, *one.cells.values())).encode()  # no half characters
        assert one.seconds is None or one.seconds >= 0
    assert all(str(one).startswith(path.name) for one in problems)
    return given


@FUZZ
@given(VALUES)
def test_any_json(tmp_path, value):
    read_or_refuse(tmp_path / "x.json", json.dumps(value).encode())


@FUZZ
@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=8), max_size=3))
def test_any_tasks(tmp_path, tasks):
    tasks = [{**task, "data": {"unit_id": "u", "sentence_a": "some words"}} for task in tasks]
    found = read_or_refuse(tmp_path / "x.json", json.dumps(tasks).encode())
    assert found is not None


@FUZZ
@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=8), max_size=3))
def test_any_saved_copy(tmp_path, labels):
    copy = {"format": "judgeprobe-labels", "version": 1, "labels": labels}
    assert read_or_refuse(tmp_path / "x.json", json.dumps(copy).encode()) is not None


@FUZZ
@given(st.binary(max_size=200), st.sampled_from(("", "unit_id,direction\n", "unit_id;direction\r")))
def test_any_bytes_as_csv(tmp_path, data, head):
    read_or_refuse(tmp_path / "x.csv", head.encode() + data)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=100))
def test_any_bytes_as_a_workbook(tmp_path, data):
    read_or_refuse(tmp_path / "x.xlsx", b"PK\x03\x04" + data)


def test_json_that_is_nested_too_deep(tmp_path):
    assert read_or_refuse(tmp_path / "x.json", b"[" * 100_000) is None


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9])
def test_a_workbook_cut_short(tmp_path, cut):
    from judgeprobe.annotate.sheet import Sheet, Unit
    from judgeprobe.annotate.workbook import xlsx_bytes

    data = xlsx_bytes(Sheet("b", "a", "t", (Unit("u", "e", "a", "b"),)))
    assert read_or_refuse(tmp_path / "x.xlsx", data[: int(len(data) * cut)]) is None


def test_half_a_character_in_a_quotation_is_mended(tmp_path):
    label = {"unit_id": "u", "direction": "a", "spans": ["grin \ud83d"], "supported": "\ude00 x"}
    copy = {"format": "judgeprobe-labels", "version": 1, "labels": [label]}
    (one,) = read_or_refuse(tmp_path / "x.json", json.dumps(copy).encode())
    assert (one.spans, one.text("supported")) == (("grin \ufffd",), "\ufffd x")
