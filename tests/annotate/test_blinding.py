import hashlib
import random
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from tests.helpers.annotation import MODEL, SLOTS, intervention, make_study, sheets

from judgeprobe.annotate import blinding
from judgeprobe.annotate.export import export
from judgeprobe.annotate.keys import keys_dir, read_keys
from judgeprobe.errors import InputError
from judgeprobe.files import read_jsonl
from judgeprobe.records import Intervention

SECRET = bytes(range(32))
EXPORTS = 50
LEAKY_EXPORTS = 20
PAIRS = 24


def files_of(study, batch="batch-001"):
    return sorted(p for p in (study.annotation_dir / batch).rglob("*") if p.is_file())


def plain_bytes(path: Path) -> bytes:
    """A file's bytes; an XLSX file's parts, unpacked."""
    if path.suffix != ".xlsx":
        return path.read_bytes()
    with zipfile.ZipFile(path) as book:
        return b"\n".join(book.read(name) for name in book.namelist())


# ---- what cannot be inferred --------------------------------------------------------------------


def same_length_pairs(seed):
    """Pairs whose texts all have one length, so that sizes and offsets tell nothing by the texts.

    They stand in the order of their slots, base item by base item, as a build writes them.
    """
    rng = random.Random(seed)

    def text(size):
        return "".join(rng.choice("abdeghilmnort") for _ in range(size))

    return [
        intervention(
            1000 * seed + i,
            slot=i,
            base=i // 12,
            evidence=text(60),
            original=text(30),
            edited=text(30),
        )
        for i in range(PAIRS)
    ]


def observations(study, key, batch="batch-001"):
    """One row a unit and annotator: all that the files reveal but the texts; arm and side."""
    items = {item.id: item for item in read_jsonl(study.interventions_path, Intervention)}
    rows, arms, sides = [], [], []
    for annotator in key.annotators:
        folder = study.annotation_dir / batch / annotator
        whole = [p for p in sorted(folder.iterdir()) if p.is_file()]
        contents = [plain_bytes(p) for p in whole]
        file_level = [
            value
            for path in whole
            for value in (path.stat().st_size, path.stat().st_mtime_ns, len(path.name))
        ]
        mine = [row for row in key.rows if row.annotator == annotator]
        ids = [row.unit_id for row in mine]
        for position, row in enumerate(mine):
            needle = row.unit_id.encode()
            before = ids[position - 1] if position else ""
            rows.append(
                [
                    position,
                    position % 2,
                    position % 12,
                    len(row.unit_id),
                    *(ord(letter) for letter in row.unit_id),
                    row.unit_id < before,
                    *(content.find(needle) for content in contents),
                    *file_level,
                ]
            )
            arms.append(items[row.intervention_id].arm == "construct")
            sides.append(row.first == "edited")
    return rows, arms, sides


def predictability(features, target, groups):
    """Cross-validated area under the curve, whole exports held out; 0.5 is chance."""
    model = ExtraTreesClassifier(80, min_samples_leaf=5, max_features=0.4, random_state=0)
    scores = cross_val_predict(
        model, features, target, groups=groups, cv=GroupKFold(3), method="predict_proba"
    )[:, 1]
    return roc_auc_score(target, scores)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    top = tmp_path_factory.mktemp("exports")
    rows, arms, sides, groups = [], [], [], []
    for number in range(EXPORTS):
        study = make_study(top / str(number), same_length_pairs(number), secret=f"{number:064x}")
        export(study, annotators=3, size=100)
        found = observations(study, read_keys(study)[0])
        rows += found[0]
        arms += found[1]
        sides += found[2]
        groups += [number] * len(found[0])
    return np.array(rows, dtype=float), np.array(arms), np.array(sides), np.array(groups)


def test_nothing_but_the_texts_tells_arm_or_side_over_fifty_exports(exported):
    features, arms, sides, groups = exported
    assert len(features) == EXPORTS * PAIRS * 3
    # On 3,600 rows, coin flips in place of arm and side give areas that spread by 0.012.
    assert abs(predictability(features, arms, groups) - 0.5) < 0.04
    assert abs(predictability(features, sides, groups) - 0.5) < 0.04


def test_the_classifier_does_see_a_leak(exported):
    few = exported[3] < LEAKY_EXPORTS
    features, _, sides, groups = (part[few] for part in exported)
    # Units in the order of the build: the place tells the slot, and so the arm.
    unshuffled = features.copy()
    unshuffled[:, 2] = np.tile(np.arange(PAIRS) % 12, LEAKY_EXPORTS * 3)
    ordered = np.tile([SLOTS[i % 12][2] == "construct" for i in range(PAIRS)], LEAKY_EXPORTS * 3)
    assert predictability(unshuffled, ordered, groups) > 0.9
    # One byte more in a quarter of the files of edited-first units.
    longer = features.copy()
    longer[sides & (np.arange(len(sides)) % 4 == 0), -1] += 1
    assert predictability(longer, sides, groups) > 0.55


def test_both_sides_come_first_about_equally_often(exported):
    _, _, sides, _ = exported
    assert abs(sides.mean() - 0.5) < 4 * 0.5 / np.sqrt(len(sides))


def test_no_exported_byte_names_a_slot_an_axis_an_arm_or_a_model(tmp_path):
    study = make_study(tmp_path, [intervention(i, slot=i) for i in range(24)])
    export(study, annotators=3, size=24, training=3, repeats=2)
    names = {name for slot in SLOTS for name in slot}
    names |= {name.replace("_", " ") for name in names} | {"reported_apart", "reported apart"}
    names |= {MODEL, "writer-9000", "other/checker-77", "checker-77", "third/grader-5", "grader-5"}
    names |= {"rules"}
    seen = 0
    for batch in ("batch-001", "batch-002"):
        for path in files_of(study, batch):
            content = plain_bytes(path).lower() + str(path.relative_to(tmp_path)).lower().encode()
            for name in names:
                assert name.encode() not in content, (path.name, name)
            seen += 1
    assert seen == 2 * 3 * 6


def test_no_exported_byte_holds_an_intervention_or_base_id_or_the_secret(tmp_path):
    study = make_study(tmp_path, [intervention(i, slot=i) for i in range(12)])
    export(study, annotators=2, size=12)
    secret = (keys_dir(study) / "secret").read_text().strip()
    for path in files_of(study):
        content = plain_bytes(path)
        for number in range(12):
            assert f"{number:016x}".encode() not in content
            assert f"base-{number}".encode() not in content
        assert secret.encode() not in content


def test_files_carry_one_date_and_one_set_of_columns(tmp_path):
    study = make_study(tmp_path, [intervention(i, slot=i) for i in range(12)])
    export(study, annotators=3, size=6)
    folders = [study.annotation_dir / f"batch-00{n}" for n in (1, 2)]
    dates = {path.stat().st_mtime_ns for folder in folders for path in folder.rglob("*")}
    assert dates == {946_684_800 * 10**9}
    headers = {p.read_bytes().split(b"\r\n")[0] for p in study.annotation_dir.rglob("*.csv")}
    assert len(headers) == 1
    for path in study.annotation_dir.rglob("*.xlsx"):
        with zipfile.ZipFile(path) as book:
            assert {info.date_time for info in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert b"1980-01-01T00:00:00Z" in book.read("docProps/core.xml")


def test_annotators_share_neither_ids_nor_sequence_nor_orders(tmp_path):
    study = make_study(tmp_path, [intervention(i, slot=i) for i in range(60)])
    export(study, annotators=3, size=60)
    first, second, third = sheets(study)
    assert not {u.unit_id for u in first.units} & {u.unit_id for u in second.units}
    for one, other in ((first, second), (first, third), (second, third)):
        assert [u.evidence for u in one.units] != [u.evidence for u in other.units]
        here = {u.evidence: u.a for u in one.units}
        same = sum(here[u.evidence] == u.a for u in other.units)
        assert 15 < same < 45  # half of 60, five standard deviations either way


# ---- drawing -------------------------------------------------------------------------------------


def test_ids_have_one_length_and_no_vowel_or_digit():
    key = blinding.make_key(
        SECRET, "batch-001", [intervention(i) for i in range(300)], ["x", "y"], taxonomy="t"
    )
    ids = [row.unit_id for row in key.rows]
    assert len(set(ids)) == 600
    assert {len(one) for one in ids} == {12}
    assert not set("".join(ids)) & set("aeiouy0123456789")


def test_the_same_secret_gives_the_same_bytes_and_another_gives_others(tmp_path):
    def digest(folder, secret):
        items = [intervention(i, slot=i) for i in range(12)]
        study = make_study(folder, items, secret=secret)
        export(study, annotators=2, size=6, repeats=1)
        everything = sorted(p for p in study.annotation_dir.rglob("*") if p.is_file())
        parts = [str(p.relative_to(folder)).encode() + p.read_bytes() for p in everything]
        return hashlib.sha256(b"".join(parts)).hexdigest()

    one = digest(tmp_path / "a", "ab" * 32)
    assert one == digest(tmp_path / "b", "ab" * 32)
    assert one != digest(tmp_path / "c", "cd" * 32)


def test_edits_of_one_base_item_go_to_different_batches_while_there_are_batches_enough():
    items = [intervention(i, slot=i, base=i // 5) for i in range(100)]
    batches = blinding.deal(SECRET, items, 17)
    assert [len(batch) for batch in batches] == [17, 17, 17, 17, 16, 16]
    assert {blinding.most_of_one_base(batch) for batch in batches} == {1}
    assert sorted(item.id for batch in batches for item in batch) == [item.id for item in items]
    assert blinding.most_of_one_base(blinding.deal(SECRET, items, 50)[0]) == 3
    assert blinding.deal(SECRET, [], 10) == []


def test_every_batch_mixes_the_arms():
    items = [intervention(i, slot=i, base=i // 12) for i in range(480)]
    for batch in blinding.deal(SECRET, items, 60):
        arms = Counter(item.arm for item in batch)
        assert 20 <= arms["construct"] <= 50


def test_repeats_come_later_under_another_id_with_an_order_of_their_own():
    items = [intervention(i, slot=i) for i in range(90)]
    key = blinding.make_key(SECRET, "batch-001", items, ["x", "y", "z"], taxonomy="t", repeats=30)
    same_side, chosen = [], {}
    for annotator in key.annotators:
        rows = [row for row in key.rows if row.annotator == annotator]
        assert [row.number for row in rows] == list(range(1, 121))
        main = {row.intervention_id: row for row in rows if row.role == "main"}
        repeats = [row for row in rows if row.role == "repeat"]
        assert len(repeats) == 30
        for row in repeats:
            before = main[row.intervention_id]
            assert row.number - before.number >= 25
            assert row.unit_id != before.unit_id
            same_side.append(row.first == before.first)
        chosen[annotator] = {row.intervention_id for row in repeats}
    assert 25 < sum(same_side) < 65
    assert chosen["x"] != chosen["y"]


def test_the_training_round_is_the_same_for_all_and_takes_one_item_a_base():
    items = [intervention(i, slot=i, base=i // 4) for i in range(40)]
    training, rest = blinding.split_training(SECRET, items, 8)
    assert len({item.base_id for item in training}) == 8
    assert len(rest) == 32
    key = blinding.make_key(SECRET, "batch-001", training, ["x", "y"], taxonomy="t", training=True)
    shown = {
        name: [(r.intervention_id, r.first, r.role) for r in key.rows if r.annotator == name]
        for name in ("x", "y")
    }
    assert shown["x"] == shown["y"]
    assert {role for _, _, role in shown["x"]} == {"training"}
    assert len({row.unit_id for row in key.rows}) == 16
    with pytest.raises(InputError, match="there are 10 base items"):
        blinding.split_training(SECRET, items, 11)


def test_too_many_repeats_are_refused():
    with pytest.raises(InputError, match="at most half"):
        blinding.make_key(
            SECRET, "b", [intervention(i) for i in range(5)], ["x"], taxonomy="t", repeats=3
        )
