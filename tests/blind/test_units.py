import pytest
from tests.helpers.annotation import intervention

from judgeprobe.blind.units import units_from_file, units_from_pairs
from judgeprobe.errors import InputError
from judgeprobe.files import write_csv
from judgeprobe.records import text_id
from judgeprobe.settings import BlindSettings

SECRET = b"s" * 32
SETTINGS = BlindSettings()


def pairs():
    shared = {"evidence": "E.", "original": "It may hold."}
    return [
        intervention(1, slot=0, base=1, edited="It holds.", **shared),
        intervention(2, slot=4, base=1, edited="It always holds.", **shared),
        intervention(3, slot=8, base=1, edited="Perhaps it holds.", **shared),
        intervention(4, slot=0, base=2, edited="Two.", evidence="F.", original="One."),
    ]


def test_both_sides_become_units_and_a_shared_original_is_one():
    found = units_from_pairs(pairs(), SETTINGS, SECRET)
    by_sentence = {unit.sentence: unit for unit in found.units}
    assert len(found.units) == 6
    assert by_sentence["It may hold."].inherited == "clean"
    assert by_sentence["It may hold."].pairs == tuple(f"{n:016x}" for n in (1, 2, 3))
    assert by_sentence["It holds."].inherited == "over-scoped"
    assert by_sentence["Perhaps it holds."].inherited == "clean"  # keeps the construct
    assert by_sentence["Perhaps it holds."].role == "invariance edit"
    assert by_sentence["Two."].group == "base-2"
    assert by_sentence["Two."].unit_id == text_id("F.", "Two.")
    assert [unit.unit_id for unit in found.units] == sorted(u.unit_id for u in found.units)
    assert (found.left_out, found.by_construction) == ({}, True)


def test_arms_and_edits_left_out_are_counted():
    one = BlindSettings(arms=("construct",), per_base=1)
    found = units_from_pairs(pairs(), one, SECRET)
    assert len(found.units) == 4
    assert found.left_out == {"pairs beyond per_base": 1, "pairs of the arm invariance": 1}
    assert found == units_from_pairs(list(reversed(pairs())), one, SECRET)


def test_a_sentence_that_inherits_two_classes_is_left_out():
    twice = [
        intervention(1, slot=0, base=1, evidence="E.", original="A.", edited="B."),
        intervention(2, slot=0, base=1, evidence="E.", original="B.", edited="C."),
        intervention(3, slot=0, base=2, evidence="E.", original="A.", edited="D."),
    ]
    found = units_from_pairs(twice, SETTINGS, SECRET)
    assert {unit.sentence for unit in found.units} == {"C.", "D."}
    assert found.left_out == {
        "sentences: in several groups": 1,
        "sentences: inherits two classes": 1,
    }


def test_roles_set_by_people_are_named():
    people = [pair.model_copy(update={"direction_source": "human: two coders"}) for pair in pairs()]
    found = units_from_pairs(people, SETTINGS, SECRET)
    assert not found.by_construction
    assert "set by people" in found.notice


def rows_file(tmp_path, *rows, columns=("sentence", "evidence", "inherited", "group")):
    path = tmp_path / "own.csv"
    write_csv(path, columns, rows)
    return path


def test_a_file_of_ones_own(tmp_path):
    path = rows_file(tmp_path, ("S1", "E", "Over scoped", "p1"), ("S2", "E", "CLEAN", "p1"))
    found = units_from_file(path, SETTINGS)
    assert {unit.sentence: unit.inherited for unit in found.units} == {
        "S1": "over-scoped",
        "S2": "clean",
    }
    assert found.source == "own.csv"
    named = BlindSettings(columns={"sentence": "claim", "group": "doc"})
    path = rows_file(
        tmp_path, ("S1", "E", "clean", "d"), columns=("claim", "evidence", "inherited", "doc")
    )
    assert units_from_file(path, named).units[0].group == "d"


@pytest.mark.parametrize(
    ("rows", "columns", "told"),
    [
        ([("S", "E", "vague", "p")], None, "row 1: `vague` is no class; use clean, anchored"),
        ([("S", "E", "clean", "p"), ("", "E", "clean", "p")], None, "row 2: `sentence` is empty"),
        ([("S", "E", "clean")], ("sentence", "evidence", "inherited"), "no column `group`"),
    ],
)
def test_a_bad_row_is_named(tmp_path, rows, columns, told):
    path = rows_file(tmp_path, *rows, **({} if columns is None else {"columns": columns}))
    with pytest.raises(InputError, match=told):
        units_from_file(path, SETTINGS)


def test_numbers_are_text_and_texts_stay_as_they_are(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text('{"sentence": " S ", "evidence": "E", "inherited": "clean", "group": 0}\n')
    (unit,) = units_from_file(path, SETTINGS).units
    assert (unit.group, unit.sentence) == ("0", " S ")
    assert unit.unit_id == text_id("E", " S ")


def test_unknown_columns_and_empty_sets_are_refused(tmp_path):
    with pytest.raises(InputError, match="the field `text`"):
        units_from_file(tmp_path / "x.csv", BlindSettings(columns={"text": "t"}))
    with pytest.raises(InputError, match="no sentence to label"):
        units_from_pairs([], SETTINGS, SECRET)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"classes": ("clean", "Clean")}, "two different names"),
        ({"classes": ("a,b", "c"), "holds": ("c",), "original": "c", "edited": "a,b"}, "no comma"),
        ({"holds": ("clear",)}, "`clear`"),
        ({"holds": ("clean", "anchored", "over-scoped", "unsupported")}, "not all"),
        ({"original": "unsupported"}, "`original` must be among"),
        ({"annotators": ("a", "b")}, "three annotators"),
        ({"annotators": ("a", "b", "A")}, "one name"),
        ({"annotators": ("a", "b", "../c")}, "no name for a file"),
        ({"arms": ("invariance",)}, "construct"),
    ],
)
def test_settings_that_make_no_set_are_refused(change, told):
    with pytest.raises(ValueError, match=told):
        BlindSettings(**change)
