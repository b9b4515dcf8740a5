import json
from collections import Counter
from pathlib import Path

import pytest

from judgeprobe.build.pairs import read_pairs
from judgeprobe.errors import InputError, StudyError
from judgeprobe.study import Study, load_study

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "press-release" / "study.toml"

HEAD = """
[study]
name = "p"
pairs = "pairs.jsonl"
direction_source = "two coders"
"""
LABELS = 'labels = { more = "construct:strength", same = "invariance", less = "reported_apart" }\n'


def row(number: int, direction: str = "more", **change: str) -> dict[str, str]:
    return {
        "base_id": f"b{number}",
        "evidence": f"Evidence {number}.",
        "original": f"It may rise {number}.",
        "edited": f"It rises {number}.",
        "direction": direction,
        **change,
    }


def study(folder: Path, rows: list[dict[str, str]], settings: str = HEAD + LABELS) -> Study:
    (folder / "study.toml").write_text(settings)
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load_study(folder)


def test_labels_put_a_pair_into_its_arm(tmp_path: Path) -> None:
    pairs = read_pairs(study(tmp_path, [row(1), row(2, "same"), row(3, "less")]))
    found = [(p.slot, p.axis, p.arm, p.direction_source, p.family) for p in pairs.accepted]
    assert found == [
        ("more", "strength", "construct", "human: two coders", "people"),
        ("same", "control", "invariance", "human: two coders", "people"),
        ("less", "none", "reported_apart", "human: two coders", "people"),
    ]
    assert pairs.directions == {"more": 1, "same": 1, "less": 1}
    assert pairs.accepted[0].length_change == pytest.approx((11 - 14) / 14)


def test_a_slot_column_brings_the_axis_of_the_taxonomy(tmp_path: Path) -> None:
    settings = HEAD + 'labels = { more = "construct", same = "invariance" }\n'
    rows = [
        row(1, slot="hedging_removal"),
        row(2, slot="population_widening"),
        row(3, "same", slot="reordering"),
        row(4, slot="reordering"),
    ]
    pairs = read_pairs(study(tmp_path, rows, settings))
    assert [(p.slot, p.axis) for p in pairs.accepted] == [
        ("hedging_removal", "strength"),
        ("population_widening", "scope"),
        ("reordering", "control"),
    ]
    (refused,) = pairs.refused
    assert (refused.gate, refused.stage) == ("direction", "pairs")
    assert refused.reason == "row 4: people set `more` on the slot `reordering`"


def test_an_axis_column_is_read_and_a_missing_axis_is_an_error(tmp_path: Path) -> None:
    settings = HEAD + 'labels = { more = "construct" }\n'
    pairs = read_pairs(study(tmp_path, [row(1, axis="scope")], settings))
    assert pairs.accepted[0].axis == "scope"
    with pytest.raises(InputError, match=r"row 1: no axis is named; give an `axis` column"):
        read_pairs(study(tmp_path, [row(1)], settings))
    with pytest.raises(InputError, match="row 1: the axis 'tone' is not in the taxonomy"):
        read_pairs(study(tmp_path, [row(1, axis="tone")], settings))


def test_what_cannot_be_a_pair_is_refused_with_its_reason_and_counted(tmp_path: Path) -> None:
    rows = [
        row(1),
        row(1),
        row(2, edited="It may rise 2."),
        row(3),
        row(3, "same"),
        row(4, base_id="b1"),
    ]
    pairs = read_pairs(study(tmp_path, rows))
    assert [(p.base_id, p.edited) for p in pairs.accepted] == [
        ("b1", "It rises 1."),
        ("b1", "It rises 4."),
    ]
    assert [(r.base_id, r.gate, r.reason) for r in pairs.refused] == [
        ("b1", "duplicate", "row 2: the pair is there already (row 1)"),
        ("b2", "noop", "row 3: the two texts are the same"),
        ("b3", "disagreement", "row 4: the table gives this pair the directions more and same"),
        ("b3", "disagreement", "row 5: the table gives this pair the directions more and same"),
    ]
    assert sum(pairs.directions.values()) == len(pairs.accepted) + len(pairs.refused) == 6
    assert len({p.id for p in pairs.accepted}) == 2


def test_the_limit_reads_the_first_rows_and_counts_the_rest(tmp_path: Path) -> None:
    pairs = read_pairs(study(tmp_path, [row(n) for n in range(5)], HEAD + LABELS + "limit = 2\n"))
    assert [p.base_id for p in pairs.accepted] == ["b0", "b1"]
    assert (pairs.rows_read, pairs.rows_left) == (2, 3)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("", "`study.labels` is missing"),
        ('labels = { more = "stronger" }', "`study.labels.more` names the arm `stronger`; use"),
        ('labels = { more = "construct:tone" }', "names the axis `tone`; use construct:AXIS"),
        ('labels = { more = "invariance:scope" }', "names the axis `scope`"),
    ],
)
def test_a_wrong_label_is_named(tmp_path: Path, labels: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        read_pairs(study(tmp_path, [row(1)], HEAD + labels))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"direction": "odd"}, "row 1: the direction 'odd' is not explained; add it to `labels`"),
        ({"direction": ""}, "row 1: `direction` is missing"),
        ({"edited": "x\u202e"}, "row 1: `edited` holds a right-to-left override"),
        ({"evidence": ""}, "row 1: `evidence` is missing"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, change: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_pairs(study(tmp_path, [row(1, **change)]))


def example(folder: Path, shared_data: Path, extra: str = "") -> Study:
    """The documented press-release study, reading from wherever the real data lie."""
    data = shared_data / "claims" / "insciout_test.jsonl"
    text = EXAMPLE.read_text().replace(
        "../../../../shared/data/claims/insciout_test.jsonl", str(data)
    )
    (folder / "study.toml").write_text(text.replace("seed = 20270101\n", f"seed = 1\n{extra}"))
    return load_study(folder)


def test_the_press_release_study_has_the_counts_of_its_file(
    tmp_path: Path, shared_data: Path
) -> None:
    lines = (shared_data / "claims" / "insciout_test.jsonl").read_text().splitlines()
    counts = Counter(json.loads(line)["exaggeration_label"] for line in lines)
    pairs = read_pairs(example(tmp_path, shared_data))
    assert pairs.directions == dict(counts)
    assert sum(counts.values()) == 563
    assert Counter(p.slot for p in pairs.accepted) == counts
    assert pairs.refused == ()
    assert {(p.slot, p.axis, p.arm) for p in pairs.accepted} == {
        ("exaggerates", "strength", "construct"),
        ("same", "control", "invariance"),
        ("downplays", "none", "reported_apart"),
    }
    assert all(p.evidence == p.original for p in pairs.accepted)


def test_its_first_sixty_rows_hold_every_label(tmp_path: Path, shared_data: Path) -> None:
    pairs = read_pairs(example(tmp_path, shared_data, "limit = 60\n"))
    assert pairs.directions == {"exaggerates": 13, "same": 40, "downplays": 7}
    assert pairs.rows_left == 503


def test_the_example_points_beside_the_checkout() -> None:
    found = load_study(EXAMPLE.parent)
    name = found.settings.study.pairs or ""
    beside = ROOT.parent / "shared" / "data" / "claims" / "insciout_test.jsonl"
    assert found.input_path(name) == beside.resolve()
