import json
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.profile_study import EDITS, grades, interventions, write_study

from judgeprobe.errors import InputError, MixedArtifactsError
from judgeprobe.profile import profile_study
from judgeprobe.records import Direction
from judgeprobe.stats.multiplicity import adjusted

#            b1: scope strength control  b2: scope strength control  b3: scope strength control
SHARP = (1, 1, 4, 1, 4, 4, 1, 4, 4)
BLUNT = (4, 4, 4, 1, 4, 4, 4, 4, 4)


def test_a_study_is_profiled_and_profiled_again_to_the_same_bytes(tmp_path: Path) -> None:
    rows = interventions()
    study = write_study(tmp_path, rows, grades(rows, {"sharp": SHARP, "blunt": BLUNT}))
    found = profile_study(study)
    assert [row["judge"] for row in found["judges"]] == ["sharp", "blunt"]
    sharp = found["judges"][0]["operating_point"]
    assert (sharp["tau"], sharp["S"], sharp["R"]) == (2.5, 1.0, pytest.approx(2 / 3))
    assert (sharp["R_scope"], sharp["R_strength"]) == (1.0, pytest.approx(1 / 3))
    # Texts are graded once: three originals and nine edits.
    assert found["judges"][0]["n_graded"] == 12
    assert found["watermark"] == "direction by construction"
    assert found["n_interventions"] == {"construct": 6, "invariance": 3, "reported_apart": 0}
    first = study.profile_path.read_bytes()
    assert json.loads(first) == found
    manifest = study.manifest_path.read_bytes()
    profile_study(study)
    assert study.profile_path.read_bytes() == first
    assert study.manifest_path.read_bytes() == manifest


def test_domains_and_lengths_come_from_the_interventions(tmp_path: Path) -> None:
    rows = interventions()
    found = profile_study(write_study(tmp_path, rows, grades(rows, {"sharp": SHARP})))
    domains = {row["domain"]: (row["S"], row["R"]) for row in found["judges"][0]["by_domain"]}
    assert domains == {"earth science": (1.0, 1.0), "biomedicine": (1.0, 0.5)}
    assert found["lengths"]["known"] == 9
    changes = {row["slot"]: row["median_signed"] for row in found["lengths"]["slots"]}
    assert changes["format_shift"] == pytest.approx(rows[2].length_change)


def test_ungraded_refused_and_unasked_texts_are_told_apart(tmp_path: Path) -> None:
    rows = interventions()
    values = (1, None, 4, 1, 4, 4, 1, 4, 4)
    graded = grades(rows, {"a": values})[:-1]  # The last text was never put to the judge.
    found = profile_study(write_study(tmp_path, rows, graded))
    told = {(row["what"], row["reason"]): row["n"] for row in found["excluded"]}
    assert told == {
        ("text", "unparseable"): 1,
        ("pair", "not put to the judge"): 1,
        ("pair", "a member is ungraded"): 1,
    }
    judge = found["judges"][0]
    assert judge["n_pairs"] == {"construct": 5, "invariance": 2, "ungraded": 1}
    assert judge["bounds"]["R_strength"]["n_ungraded"] == 1


def test_pairs_reported_apart_are_in_neither_arm(tmp_path: Path) -> None:
    rows = interventions()
    rows[1] = rows[1].model_copy(update={"arm": "reported_apart"})
    found = profile_study(write_study(tmp_path, rows, grades(rows, {"a": SHARP})))
    judge = found["judges"][0]
    assert judge["reported_apart"] == {"n": 1, "rate": 1.0, "reason": None}
    assert judge["n_pairs"]["construct"] == 5
    assert found["n_interventions"]["reported_apart"] == 1
    # b1 keeps its scope edit, b2 half, b3 half.
    assert judge["operating_point"]["R"] == pytest.approx((1 + 0.5 + 0.5) / 3)


def directions_of(statuses: dict[int, str], unanimous: set[int] = frozenset()) -> list[Direction]:
    return [
        Direction(
            intervention_id=row.id,
            majority="edited",
            votes={"edited": 3},
            unanimous=i in unanimous,
            matches_intent=True,
            status=statuses.get(i, "enters"),
        )
        for i, row in enumerate(interventions())
    ]


def test_people_decide_what_enters_and_the_rest_is_counted_by_reason(tmp_path: Path) -> None:
    rows = interventions(source="")
    directions = directions_of({1: "against intent", 4: "slot not measurable"}, unanimous={0, 3, 7})
    agreement = {
        "slots": [{"slot": slot, "pairwise": 0.9} for _, slot in EDITS if "cond" not in slot]
        + [{"slot": "condition_removal", "pairwise": 0.62}],
        "axes": [{"axis": axis, "pairwise": 0.88} for axis in ("scope", "strength", "control")],
    }
    study = write_study(
        tmp_path,
        rows,
        grades(rows, {"a": SHARP}),
        direction="human",
        directions=directions,
        agreement=agreement,
    )
    found = profile_study(study)
    assert (found["direction"], found["watermark"]) == ("human", None)
    told = {(row["what"], row["reason"]): row["n"] for row in found["excluded"]}
    assert told[("intervention", "hedging_removal: against intent")] == 1
    assert told[("intervention", "condition_removal: slot not measurable")] == 1
    assert found["n_interventions"] == {"construct": 4, "invariance": 3, "reported_apart": 0}
    # Unanimous: two scope edits that changed, one strength edit that did not.
    assert (found["gap"]["unanimous"]["estimate"], found["gap"]["unanimous"]["n_pairs"]) == (1.0, 3)
    bars = {row["bar"]: row for row in found["bars"]}
    assert bars[0.75]["registered"]
    assert bars[0.75]["n_pairs"] == 7
    assert bars[0.6]["n_pairs"] == 8
    assert "condition_removal" in bars[0.6]["slots"]
    assert bars[0.75]["mean"]["R"] == pytest.approx(found["mean"]["R"])
    assert (bars[0.9]["n_pairs"], bars[0.9]["reason"]) == (0, "no slot reaches this bar")


def test_people_who_have_not_labelled_yet_are_waited_for(tmp_path: Path) -> None:
    rows = interventions(source="")
    study = write_study(tmp_path, rows, grades(rows, {"a": SHARP}), direction="human")
    with pytest.raises(InputError, match=r"directions.jsonl: is not there; .*annotate import"):
        profile_study(study)
    nothing = directions_of(dict.fromkeys(range(9), "incomplete"))
    study = write_study(
        tmp_path, rows, grades(rows, {"a": SHARP}), direction="human", directions=nothing
    )
    with pytest.raises(InputError, match="no intervention enters an arm"):
        profile_study(study)


def test_remedies_are_rows_of_their_own_and_in_no_mean(tmp_path: Path) -> None:
    rows = interventions()
    second = (1, 4, 4, 4, 4, 4, 1, 4, 4)
    third = (4, 4, 4, 1, 4, 4, 1, 4, 1)
    graded = [
        *grades(rows, {"a": SHARP, "b": BLUNT}),
        *grades(rows, {"a": second}, repetition=1),
        *grades(rows, {"a": third}, repetition=2),
    ]
    found = profile_study(
        write_study(tmp_path, rows, graded, settings='ensembles = { pair = ["a", "b"] }\n')
    )
    by_name = {row["judge"]: row for row in found["judges"]}
    assert list(by_name) == ["a", "b", "a x 3 (mean)", "a x 3 (majority)", "pair (mean)"]
    majority = by_name["a x 3 (majority)"]
    assert majority["remedy"] == {"kind": "self-consistency, majority", "of": ["a"]}
    # Two of three say 1 on b1 scope, b2 scope, b3 scope; one of three on the rest.
    assert majority["operating_point"]["R_scope"] == 1.0
    assert majority["operating_point"]["R_strength"] == 0.0
    # The mean of 4, 4, 1 is 3: a cut between 3 and 4 sees it.
    mean = by_name["a x 3 (mean)"]["frontier"]
    assert [cut["tau"] for cut in mean] == [1.5, 2.5, 3.5]
    assert by_name["pair (mean)"]["frontier"][0]["tau"] == pytest.approx(1.75)
    assert found["mean"]["n_judges"] == 2
    # Regrades of a: 12 texts, of which b1 strength and b2 scope changed.
    assert (by_name["a"]["regrade"], by_name["a"]["regrade_n"]) == (pytest.approx(10 / 12), 12)


def test_a_remedy_with_a_missing_grade_is_ungraded_there(tmp_path: Path) -> None:
    rows = interventions()
    graded = grades(rows, {"a": SHARP, "b": (None, *BLUNT[1:])})
    found = profile_study(
        write_study(tmp_path, rows, graded, settings='ensembles = { pair = ["a", "b"] }\n')
    )
    assert found["judges"][2]["n_pairs"]["ungraded"] == 1


@pytest.mark.parametrize(
    ("members", "told"), [('["a", "nobody"]', "`nobody`, which has no grades"), ('["a"]', "two")]
)
def test_an_ensemble_of_nobody_is_refused(tmp_path: Path, members: str, told: str) -> None:
    rows = interventions()
    study = write_study(
        tmp_path, rows, grades(rows, {"a": SHARP}), settings=f"ensembles = {{ e = {members} }}\n"
    )
    with pytest.raises(InputError, match=told):
        profile_study(study)


def test_other_groupings_stand_beside_the_registered_one(tmp_path: Path) -> None:
    rows = interventions()
    grouping = (
        "[profile.groupings.other]\ndomain_extension = 'x'\nhedging_removal = 'x'\n"
        "population_widening = 'x'\nquantifier_strengthening = 'x'\ncondition_removal = 'y'\n"
        "intensifier_addition = 'y'\n"
    )
    found = profile_study(
        write_study(tmp_path, rows, grades(rows, {"a": SHARP}), settings=grouping)
    )
    # Rates 1 for four slots, 0 for two: the other grouping accounts for all of it.
    by_name = {row["name"]: row["eta_squared"] for row in found["groupings"]}
    assert by_name["other"] == 1.0
    rates = np.array([1, 1, 1, 1, 0, 0])
    between = 3 * (1 - rates.mean()) ** 2 + 3 * (1 / 3 - rates.mean()) ** 2
    assert by_name["registered"] == pytest.approx(between / ((rates - rates.mean()) ** 2).sum())


def test_controls_that_miss_make_the_instrument_broken(tmp_path: Path) -> None:
    rows = interventions()
    right = {"constant": [4.0] * 9, "flip": [0.0] * 9}
    found = profile_study(write_study(tmp_path, rows, grades(rows, {"a": SHARP, **right})))
    assert found["controls_ok"]
    assert [row["judge"] for row in found["judges"]] == ["a"]
    controls = {row["judge"]: row for row in found["controls"]}
    assert (controls["constant"]["S"], controls["constant"]["R"]) == (1.0, 0.0)
    assert (controls["flip"]["S"], controls["flip"]["R"]) == (0.0, 1.0)
    assert controls["flip"]["expected"] == {"S": 0.0, "R": 1.0}
    wrong = {"constant": [0.0, *[4.0] * 8], "flip": [0.0] * 9, "length": list(BLUNT)}
    found = profile_study(write_study(tmp_path, rows, grades(rows, {"a": SHARP, **wrong})))
    controls = {row["judge"]: row for row in found["controls"]}
    assert not found["controls_ok"]
    assert (controls["constant"]["passed"], controls["flip"]["passed"]) == (False, True)
    assert (controls["length"]["passed"], len(controls["length"]["frontier"])) == (None, 1)


def test_artifacts_of_another_taxonomy_are_refused(tmp_path: Path) -> None:
    rows = interventions()
    graded = grades(rows, {"a": SHARP})
    study = write_study(tmp_path, rows, graded, taxonomy_hash="f" * 64)
    with pytest.raises(MixedArtifactsError, match="taxonomy ffffffffffff"):
        profile_study(study)
    other = [row.model_copy(update={"made_under": {"taxonomy": "e" * 64}}) for row in rows]
    with pytest.raises(MixedArtifactsError, match="taxonomy eeeeeeeeeeee"):
        profile_study(write_study(tmp_path, other, graded))
    assert not study.profile_path.exists()


def test_missing_files_name_the_stage_to_run(tmp_path: Path) -> None:
    rows = interventions()
    study = write_study(tmp_path, rows, grades(rows, {"a": SHARP}))
    study.grades_path.unlink()
    with pytest.raises(InputError, match=r"grades.parquet: is not there; .*judgeprobe sweep"):
        profile_study(study)


def test_p_values_over_judges_are_adjusted_as_the_study_says(tmp_path: Path) -> None:
    rows = interventions()
    graded = grades(rows, {"sharp": SHARP, "blunt": BLUNT})
    for method in ("bh", "holm"):
        study = write_study(tmp_path, rows, graded, settings=f'adjust = "{method}"\n')
        gaps = [row["gap"] for row in profile_study(study)["judges"]]
        assert {gap["adjustment"] for gap in gaps} == {method}
        expected = adjusted([gap["permutation_p"] for gap in gaps], method)
        assert [gap["adjusted_p"] for gap in gaps] == pytest.approx(list(expected))
