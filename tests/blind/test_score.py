"""The table that docs/methods/inflation.md works by hand, and what a score says of its gaps."""

import random

import numpy as np
import pytest
from tests.helpers.annotation import make_study
from tests.helpers.blind import fill_blind_csv, scripted

from judgeprobe.blind.export import export_set
from judgeprobe.blind.run import import_set, read_set
from judgeprobe.blind.score import make_scores, write_scores
from judgeprobe.blind.verdicts import Verdicts, from_file
from judgeprobe.files import read_json, write_csv

NAMES = ("anna", "ben", "cleo")
# pair, sentence, inherited, blinded, verdict: four pairs, worked in the method page.
WORKED = (
    ("p1", "A1", "clean", "clean", "holds"),
    ("p1", "B1", "over-scoped", "over-scoped", "overreaches"),
    ("p2", "A2", "clean", "anchored", "holds"),
    ("p2", "B2", "over-scoped", "clean", "overreaches"),
    ("p3", "A3", "clean", "clean", "holds"),
    ("p3", "B3", "over-scoped", "anchored", "overreaches"),
    ("p4", "A4", "clean", "unsupported", "holds"),
    ("p4", "B4", "over-scoped", "over-scoped", "holds"),
)


def labelled(tmp_path, table=WORKED, script=None):
    """A study whose scripted annotators all give the table's class."""
    study = make_study(tmp_path / "study", [], "[blind]\npermutations = 19\nresamples = 500\n")
    own = tmp_path / "own.csv"
    write_csv(
        own,
        ("sentence", "evidence", "inherited", "group"),
        [(sentence, f"E {pair}", inherited, pair) for pair, sentence, inherited, *_ in table],
    )
    export_set(study, annotators=NAMES, units=own, forms=["csv"])
    given = {row[1]: row[3] for row in table}
    script = script or (lambda unit, name: given[unit.sentence])
    import_set(study, [fill_blind_csv(study, n, tmp_path / f"{n}.csv", script) for n in NAMES])
    return study


def verdicts_of(study, tmp_path, judges):
    """Verdicts by judge and sentence, through a file."""
    path = tmp_path / "verdicts.csv"
    ids = {unit.sentence: unit.unit_id for unit in read_set(study).units}
    rows = [(ids[s], judge, v) for judge, given in judges.items() for s, v in given.items()]
    write_csv(path, ("unit_id", "judge", "verdict"), rows)
    found = read_set(study)
    return from_file(path, found.units, found.settings, {})


def score(study, tmp_path, judges, *, power=False):
    given = verdicts_of(study, tmp_path, judges)
    return make_scores(study, read_set(study), given, power=power)


def test_the_table_worked_by_hand(tmp_path):
    study = labelled(tmp_path)
    found = score(study, tmp_path, {"j": {row[1]: row[4] for row in WORKED}})
    (judge,) = found["judges"]
    sides = judge["sides"]
    assert (sides["n"], sides["groups"], sides["differ"]) == (8, 4, 3)
    assert sides["accuracy_inherited"]["estimate"] == 7 / 8
    assert sides["accuracy_blinded"]["estimate"] == 4 / 8
    assert sides["delta"]["estimate"] == 3 / 8
    assert sides["p"] == 0.25
    assert sides["kappa_inherited"]["value"] == pytest.approx(0.75)
    assert sides["kappa_blinded"]["value"] == pytest.approx(-1 / 15)
    rates = {(row["labels"], row["name"]): row for row in judge["rates"]}
    inherited = rates["inherited", "over-scoped"]
    assert (inherited["n"], inherited["named"], inherited["right"]) == (4, 3, 3)
    assert inherited["recall"]["estimate"] == 3 / 4
    assert inherited["precision"]["estimate"] == 1.0
    assert rates["inherited", "clean"]["precision"]["estimate"] == 4 / 5
    blinded = rates["blinded", "over-scoped"]
    assert (blinded["n"], blinded["recall"]["estimate"]) == (2, 1 / 2)
    assert blinded["precision"] is None
    assert blinded["reasons"]["precision"] == "the verdict covers over-scoped and unsupported"
    assert rates["blinded", "overreaches"]["precision"]["estimate"] == pytest.approx(1 / 3)
    assert rates["blinded", "holds"]["recall"]["estimate"] == 3 / 5
    assert found["mean"]["delta"]["estimate"] == 3 / 8
    cells = {(c["inherited"], c["blinded"]): c["n"] for c in found["set"]["confusion"]}
    assert cells["clean", "clean"] == 2
    assert cells["over-scoped", "anchored"] == 1
    assert sum(cells.values()) == 8
    assert found["set"]["sides_differ"] == 3


def test_equal_sets_give_exactly_nothing(tmp_path):
    study = labelled(tmp_path, script=lambda unit, name: unit.inherited)
    found = score(study, tmp_path, {"j": {row[1]: row[4] for row in WORKED}})
    sides = found["judges"][0]["sides"]
    assert sides["delta"] == {"estimate": 0.0, "low": 0.0, "high": 0.0}
    assert (sides["p"], sides["differ"]) == (1.0, 0)
    assert sides["accuracy_inherited"] == sides["accuracy_blinded"]


def test_a_judge_that_names_classes_is_scored_on_them_too(tmp_path):
    study = labelled(tmp_path)
    # Right by every blinded class, so by the inherited ones only where the two are equal.
    found = score(study, tmp_path, {"j": {row[1]: row[3] for row in WORKED}})
    (judge,) = found["judges"]
    assert judge["classes"]["accuracy_blinded"]["estimate"] == 1.0
    assert judge["classes"]["accuracy_inherited"]["estimate"] == 4 / 8
    assert judge["classes"]["delta"]["estimate"] == -4 / 8
    assert judge["sides"]["delta"]["estimate"] == -3 / 8  # anchored holds too
    rates = {(row["labels"], row["name"]): row for row in judge["rates"]}
    assert rates["blinded", "anchored"]["precision"]["estimate"] == 1.0
    assert rates["inherited", "unsupported"]["recall"] is None
    assert rates["inherited", "unsupported"]["reasons"] == {"recall": "no unit of it"}


def test_what_is_missing_is_counted_and_left_out(tmp_path):
    def differ(unit, name):
        return (
            dict(zip(NAMES, ("clean", "anchored", "unsupported"), strict=True))[name]
            if (unit.sentence == "A1")
            else unit.inherited
        )

    study = labelled(tmp_path, script=differ)
    given = {row[1]: row[4] for row in WORKED if row[1] != "B4"}
    given["A2"] = ""
    found = score(study, tmp_path, {"j": given})
    counts = found["judges"][0]["counts"]
    assert counts == {
        "units": 8,
        "no_verdict": {"no verdict in the file": 1, "not in the file": 1},
        "no_label": 1,
        "compared": 5,
    }
    assert found["judges"][0]["sides"]["n"] == 5
    assert (found["set"]["no_majority"], found["set"]["labelled"]) == (1, 7)


def test_a_judge_without_verdicts_says_why(tmp_path):
    study = labelled(tmp_path)
    empty = np.full(8, -1)
    given = [
        Verdicts("mute", False, "", None, empty, reason="it has no operating point"),
        Verdicts("absent", False, "verdicts from a file", None, empty, missing={"refused": 8}),
    ]
    found = make_scores(study, read_set(study), given, power=False)
    assert [one["sides"] for one in found["judges"]] == [None, None]
    assert found["judges"][0]["reason"] == "it has no operating point"
    assert "got none" in found["judges"][1]["reason"]
    assert found["mean"]["delta"] is None


def test_power_has_a_ceiling_for_the_blinded_set_alone(tmp_path):
    """Forty pairs; the sentence's first words tell the role, and not what people say of it."""
    table = []
    for number in range(40):
        truth = random.Random(number).choice(("clean", "over-scoped"))
        for side, inherited in (("Plainly, it is", "clean"), ("Always, it is", "over-scoped")):
            table.append((f"p{number}", f"{side} case {number}.", inherited, truth, "holds"))
    study = labelled(tmp_path, table)
    found = score(study, tmp_path, {"j": {row[1]: row[4] for row in table}}, power=True)
    power = found["power"]
    assert power["inherited"]["a_imp"]["estimate"] == 1.0
    assert power["inherited"]["power"] is None
    assert "no human ceiling" in power["inherited"]["reason"]
    assert power["blinded"]["a_hum"]["estimate"] == 1.0  # the script never slips
    assert power["blinded"]["a_imp"]["estimate"] < 0.5
    assert power["blinded"]["power"]["estimate"] > 0.5
    assert power["inherited"]["n"] == power["blinded"]["n"] == 80
    assert power["inherited"]["folds"] == power["blinded"]["folds"]


def test_one_class_leaves_power_undefined_with_a_reason(tmp_path):
    study = labelled(tmp_path, script=lambda unit, name: "clean")
    found = score(study, tmp_path, {"j": {row[1]: row[4] for row in WORKED}}, power=True)
    assert found["power"]["blinded"]["a_imp"] is None
    assert "one class" in found["power"]["blinded"]["reason"]


def test_the_same_inputs_give_the_same_bytes(tmp_path):
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        study = labelled(tmp_path / name, script=scripted)
        scores = score(study, tmp_path / name, {"j": {row[1]: row[4] for row in WORKED}})
        write_scores(study, read_set(study), {**scores, "predictions": []})
        content = read_json(study.blind_dir / "scores.json")
        del content["made_under"]  # the secret differs
        texts.append(content)
    assert texts[0] == texts[1]
