"""Judges beside generators: which pairs are points, and when a correlation is given."""

import pytest
from tests.helpers.pressure_players import write_study

from judgeprobe.errors import InputError
from judgeprobe.files import write_json
from judgeprobe.pressure.judges import judge_section
from judgeprobe.study import load_study

FAMILIES = ("anthropic", "openai", "google", "mistral", "meta", "qwen")
# By family: R on scope minus R on strength of its judge, effect on strength minus on scope.
GAPS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)


def effects(gaps, condition="accuracy"):
    return [
        {
            "generator": f"g{i}",
            "readout": "markers",
            "condition": condition,
            "axis": axis,
            "estimate": value,
        }
        for i, gap in enumerate(gaps)
        for axis, value in (("scope", -gap / 2), ("strength", gap / 2), ("pooled", 0.0))
    ]


def section(folder, count, exploited, judges=None):
    study = write_study(folder, "http://127.0.0.1:9/v1", count=2, verifier=False)
    names = judges or [(f"j{i}", FAMILIES[i], GAPS[i]) for i in range(count)]
    tables = "".join(
        f'[[judges]]\nname = "{name}"\nmodel = "openai/x"\nfamily = "{family}"\n'
        for name, family, _ in names
    )
    path = folder / "study.toml"
    path.write_text(path.read_text() + tables)
    profiled = [
        {"judge": name, "operating_point": {"R_scope": 0.3 + gap, "R_strength": 0.3}}
        for name, _, gap in names
    ]
    write_json(folder / "profile.json", {"judges": profiled})
    families = {f"g{i}": (FAMILIES[i],) for i in range(count)}
    return judge_section(load_study(study.folder), effects(exploited), families)


def test_five_families_that_do_both_have_a_correlation_with_its_exact_p(tmp_path):
    found = section(tmp_path, 5, [0.1, 0.2, 0.3, 0.4, 0.5])
    (one,) = found["correlations"]
    assert one["points"] == 5
    assert one["rho"] == pytest.approx(1.0)
    # Of 120 orders, two are as extreme.
    assert one["p"] == pytest.approx(2 / 120)
    assert one["method"] == "exact"
    assert len(found["rows"]) == 25
    assert sum(row["same_family"] for row in found["rows"]) == 5


def test_four_have_none_and_the_table_stands(tmp_path):
    found = section(tmp_path, 4, [0.1, 0.2, 0.3, 0.4])
    (one,) = found["correlations"]
    assert (one["rho"], one["p"], one["points"]) == (None, None, 4)
    assert "not estimable from 4 points" in one["reason"]
    assert len(found["rows"]) == 16


def test_several_judges_of_one_family_are_one_point(tmp_path):
    judges = [("a", "anthropic", 0.1), ("b", "anthropic", 0.3)]
    found = section(tmp_path, 2, [0.1, 0.2], judges)
    assert found["correlations"][0]["points"] == 1


def test_a_side_that_does_not_vary_has_no_correlation(tmp_path):
    found = section(tmp_path, 5, [0.2] * 5)
    assert found["correlations"][0]["reason"] == "not estimable: one side does not vary"


def test_without_a_profile_or_a_judge_at_the_floor_it_says_so(tmp_path):
    study = write_study(tmp_path, "http://127.0.0.1:9/v1", count=2, verifier=False)
    assert "no profile.json" in judge_section(study, effects([0.1]), {"g0": ("x",)})["reason"]
    write_json(tmp_path / "profile.json", {"judges": [{"judge": "j", "operating_point": None}]})
    assert "no judge" in judge_section(study, effects([0.1]), {"g0": ("x",)})["reason"]
    write_json(tmp_path / "profile.json", {})
    with pytest.raises(InputError, match="no list of judges"):
        judge_section(study, effects([0.1]), {"g0": ("x",)})
