"""What is handed out says nothing of how a sentence was made."""

import csv
import io
import json
import re
import zipfile

import numpy as np
import pytest
from scipy import stats
from tests.helpers.annotation import MODEL
from tests.helpers.blind import blind_study, shown_units

from judgeprobe.blind.export import export_set
from judgeprobe.blind.keys import make_key, read_key
from judgeprobe.blind.paths import paths_of
from judgeprobe.blind.units import units_from_pairs
from judgeprobe.errors import InputError
from judgeprobe.files import read_jsonl, write_jsonl
from judgeprobe.records import Intervention
from judgeprobe.settings import BlindSettings

NAMES = ("anna", "ben", "cleo")


@pytest.fixture
def study(tmp_path):
    made = blind_study(tmp_path / "study")
    export_set(made, annotators=NAMES)
    return made


def all_bytes(folder):
    """Every byte that is handed out, workbooks unpacked, names of files included."""
    for path in sorted(folder.rglob("*")):
        yield path.relative_to(folder).as_posix().encode()
        if path.is_file():
            yield path.read_bytes()
            if path.suffix == ".xlsx":
                with zipfile.ZipFile(path) as book:
                    yield from (book.read(name) for name in book.namelist())


def test_no_byte_names_a_pair_a_slot_an_arm_or_a_model(study):
    handed = b"\n".join(all_bytes(paths_of(study).sheets)).lower()
    key = read_key(paths_of(study))
    items = read_jsonl(study.interventions_path, Intervention)
    secrets = {item.id for item in items} | {item.base_id for item in items}
    secrets |= {item.slot for item in items} | {MODEL, "writer-9000", "checker-77", "grader-5"}
    secrets |= {row.unit_id for rows in key.sheets.values() for row in rows}
    secrets |= {"construct", "invariance", "inherited", "intervention"}
    for name in secrets:
        assert name.lower().encode() not in handed, name
    for name in ("scope", "strength", "control"):
        assert not re.search(rb"(?<![\w-])" + name.encode() + rb"(?!\w)", handed), name


def test_every_form_shows_every_sentence_once(study):
    sheets = paths_of(study).sheets
    for name in NAMES:
        shown = shown_units(study, name)
        wanted = [(unit_id, unit.evidence, unit.sentence) for unit_id, unit in shown]
        text = (sheets / name / f"sentences-{name}.csv").read_bytes().decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert [(r["unit_id"], r["evidence"], r["sentence"]) for r in rows] == wanted
        assert {r["label"] for r in rows} == {""}
        page = (sheets / name / f"sentences-{name}.html").read_text(encoding="utf-8")
        data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
        assert [(u["id"], u["evidence"], u["s"]) for u in data["units"]] == wanted
        tasks = json.loads(
            (sheets / name / f"sentences-{name}-label-studio-tasks.json").read_text()
        )
        assert [task["data"]["unit_id"] for task in tasks] == [one[0] for one in wanted]
    ids = [shown_id for name in NAMES for shown_id, _ in shown_units(study, name)]
    assert len(set(ids)) == len(ids)


def test_each_annotator_has_an_order_of_their_own(study):
    orders = [[unit.unit_id for _, unit in shown_units(study, name)] for name in NAMES]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(orders[2])
    assert orders[0] != orders[1] != orders[2] != orders[0]


def sequences(study, secrets):
    """Sides and groups in the order shown, for many secrets."""
    items = read_jsonl(study.interventions_path, Intervention)
    settings = BlindSettings()
    for number in range(secrets):
        secret = f"secret {number}".encode()
        found = units_from_pairs(items, settings, secret)
        key = make_key(secret, found, NAMES, settings.classes)
        by_id = {unit.unit_id: unit for unit in found.units}
        for rows in key.sheets.values():
            yield [(row.shown_id, by_id[row.unit_id]) for row in rows]


def test_two_sides_of_a_pair_are_neighbours_no_more_often_than_chance(study):
    """Against the exact expectation under a random order, over 100 secrets and three orders."""
    together = pairs_in_all = 0
    for order in sequences(study, 100):
        sides = [set(unit.pairs) for _, unit in order]
        n = len(sides)
        together += sum(bool(sides[i] & sides[i + 1]) for i in range(n - 1))
        pairs_in_all += sum(bool(a & b) for i, a in enumerate(sides) for b in sides[i + 1 :])
    # Two given places are neighbours with chance 2 / n.
    expected = pairs_in_all * 2 / n
    assert abs(together - expected) < 4 * expected**0.5


def test_neither_place_nor_id_tells_the_side(study):
    """A classifier that sees place and id, fitted on some orders, is at chance on others."""
    from sklearn.linear_model import LogisticRegression

    features, labels = [], []
    for order in sequences(study, 40):
        for place, (shown, unit) in enumerate(order):
            letters = [ord(mark) for mark in shown]
            before = features[-1][1] if place else 0
            features.append([place, letters[0], *letters[1:], before, place % 2])
            labels.append(unit.inherited == "clean")
    x, y = np.array(features, dtype=float), np.array(labels)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    half = len(y) // 2
    fitted = LogisticRegression(class_weight="balanced").fit(x[:half], y[:half])
    chance = fitted.predict_proba(x[half:])[:, 1]
    test = stats.mannwhitneyu(chance[y[half:]], chance[~y[half:]])
    assert test.pvalue > 0.001


def test_the_same_secret_gives_the_same_bytes_and_another_one_others(tmp_path):
    folders = []
    for name, secret in (("one", "aa"), ("two", "aa"), ("three", "bb")):
        made = blind_study(tmp_path / name, n_base=3)
        (made.blind_dir / "keys" / "secret").write_text(secret * 32)
        export_set(made, annotators=NAMES, forms=["html", "xlsx"])
        folders.append(list(all_bytes(paths_of(made).sheets)))
    assert folders[0] == folders[1] != folders[2]


def test_all_files_have_one_date_and_the_keys_lie_apart(study):
    paths = paths_of(study)
    assert {path.stat().st_mtime for path in paths.sheets.rglob("*")} == {946_684_800}
    assert paths.key.parent == paths.units.parent == study.blind_dir / "keys"
    assert not any("key" in path.name for path in paths.sheets.rglob("*"))
    items = paths.items.read_text(encoding="utf-8")
    assert "inherited" not in items
    assert "group" not in items


def test_an_export_with_labels_is_never_discarded(study):
    with pytest.raises(InputError, match="use --replace"):
        export_set(study)
    paths_of(study).labels.write_text(
        '{"unit_id": "x", "annotator": "anna", "label": "clean"}\n', encoding="utf-8"
    )
    with pytest.raises(InputError, match="holds 1 labels"):
        export_set(study, replace=True)
    paths_of(study).labels.unlink()
    export_set(study, annotators=("x", "y", "z"), replace=True, forms=["csv"])
    assert sorted(path.name for path in paths_of(study).sheets.iterdir()) == ["x", "y", "z"]


def test_other_classes_need_a_codebook_that_names_nothing(tmp_path):
    own = '[blind]\nclasses = ["fine", "too much"]\nholds = ["fine"]\noriginal = "fine"\n'
    own += 'edited = "too much"\n'
    study = blind_study(tmp_path / "a", n_base=2, extra=own)
    with pytest.raises(InputError, match="a codebook of your own"):
        export_set(study)
    study = blind_study(tmp_path / "b", n_base=2, extra=own + 'codebook = "book.md"\n')
    (study.folder / "book.md").write_text("Beware of hedging removal.")
    with pytest.raises(InputError, match="names `hedging removal`"):
        export_set(study)
    (study.folder / "book.md").write_text("Fine, or too much.")
    export_set(study, forms=["html", "label-studio"])
    project = paths_of(study).sheets / "annotator-1" / "label-studio-project.xml"
    assert 'value="too much"' in project.read_text()


def test_names_of_annotators_are_checked(tmp_path):
    study = blind_study(tmp_path / "study", n_base=2)
    for names, told in ((("a", "b"), "three annotators"), (("a", "b", "c/d"), "no name")):
        with pytest.raises(InputError, match=told):
            export_set(study, annotators=names)


def test_the_label_words_of_pairs_coded_elsewhere_are_no_telling_names(tmp_path):
    study = blind_study(tmp_path / "study", n_base=2)
    rows = read_jsonl(study.interventions_path, Intervention)
    more = {"axis": "none", "arm": "reported_apart", "slot": "same", "id": "apart"}
    write_jsonl(study.interventions_path, [*rows, rows[0].model_copy(update=more)])
    made = export_set(study, forms=["csv"])
    assert made.left_out == {"pairs of the arm reported apart": 1}
