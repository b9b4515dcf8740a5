"""Judges with planted behaviour: is the effect of each change recovered, and nothing else?"""

import json

import pytest
from tests.helpers.variant_study import asked, make_study

from judgeprobe.errors import InputError, MixedArtifactsError, StudyError
from judgeprobe.study import load_study
from judgeprobe.sweep.stage import sweep
from judgeprobe.variants.collecting import collect
from judgeprobe.variants.page import make_page
from judgeprobe.variants.plan import KINDS, plan_variants
from judgeprobe.variants.running import estimate, run_variants

SCALED = """
async def grade(evidence, claim, scale):
    again(claim)
    low, high, step = scale
    # An edit that is noticed moves the grade by a tenth of the scale: too little for five points.
    share = 0.70 if noticed(claim, 0.6) else 0.80
    return low + round(share * (high - low) / step) * step
"""
NOISY = """
async def grade(evidence, claim):
    mistaken = chance("noise", claim, again(claim)) < 0.03
    return 1.0 if noticed(claim, 0.4) != mistaken else 4.0
"""
AXES = """
async def scope(evidence, claim):
    again(claim)
    return 1.0 if slot(claim) == "domain_extension" else 4.0

async def strength(evidence, claim):
    again(claim)
    return 1.0 if slot(claim) == "hedging_removal" else 4.0
"""
DRIFTING = """
async def grade(evidence, claim):
    again(claim)
    share = 0.2 if (HERE / "updated").exists() else 0.7
    return 1.0 if noticed(claim, share) else 4.0
"""
FIRST_ONLY = """
async def grade(evidence, claim):
    again(claim)
    return 1.0 if noticed(claim, 0.5) else 4.0

async def both(evidence, first, second):
    again(first)
    return [1.0 if noticed(first, 0.5) else 4.0, 4.0]
"""
ONE = '[[judges]]\nname = "ours"\ncall = "MODULE:grade"\n'


def vary(study, *kinds, day=""):
    """Sweep the study, run its variants of some kinds and compare."""
    sweep(study)
    runs = run_variants(study, plan_variants(study, kinds, day=day))
    assert all(run.complete for run in runs)
    return collect(study)


def rows_of(found, kind):
    return [row for row in found["comparisons"] if row["kind"] == kind]


def test_a_scale_too_coarse_for_the_edit_is_told_from_a_blind_judge(tmp_path):
    study = make_study(tmp_path / "s", ONE + "takes_scale = true\n", SCALED, n_base=60)
    found = vary(study, "granularity")
    spaces = {row["points"]: row for row in found["granularity"]}
    assert sorted(spaces) == [2, 5, 21, 101]
    # On 2 and on 5 points 0.70 and 0.80 of the scale are one grade: nothing is noticed.
    assert spaces[2]["R"] == spaces[5]["R"] == 0.0
    assert spaces[5]["tau"] is None
    assert spaces[21]["R"] == spaces[101]["R"] == pytest.approx(0.6, abs=0.1)
    assert spaces[101]["S"] == 1.0
    moved, kept = spaces[101]["R_difference"], spaces[101]["surviving"]
    assert moved["low"] <= spaces[101]["R"] <= moved["high"]
    assert kept["share"] == pytest.approx(1 - spaces[101]["R"])
    assert kept["low"] < kept["share"] < kept["high"] < 1
    assert spaces[2]["coarsest"] == spaces[101]["coarsest"] == "scale-2"
    # Each elicitation has a pilot of its own, which says that there is nothing to cut.
    pilots = {row["variant"]: row["pilot"] for row in found["variants"] if row["pilot"]}
    assert set(pilots) == {"scale-2", "scale-5", "scale-101"}
    assert pilots["scale-2"][0]["verdict"] == "no cut"
    assert pilots["scale-101"][0]["verdict"] == "single cut"
    # The study itself is on 21 points, and is not asked again.
    assert [row["space"] for row in found["granularity"]].count("the study") == 1


def test_averaging_away_noise_raises_s_and_leaves_r_where_it_was_planted(tmp_path):
    study = make_study(tmp_path / "s", ONE, NOISY, n_base=150)
    found = vary(study, "remedies")
    rows = {row["after_judge"]: row for row in rows_of(found, "remedies")[::2]}
    assert set(rows) == {"ours x 5 (majority)", "ours x 5 (mean)"}
    for row in rows.values():
        at = row["operating"]
        assert at["before"]["S"] == pytest.approx(0.942, abs=0.04)
        assert at["after"]["S"] > 0.97
        assert at["after"]["R"] == pytest.approx(0.4, abs=0.07)
        assert row["status"] == "as predicted", row["why"]
        # At one cut nothing but the noise differs: S rises for certain.
        same = row["same_cut"]
        assert same["before"]["tau"] == same["after"]["tau"]
        assert same["S"]["low"] > 0
        assert same["after"]["R"] == pytest.approx(0.4, abs=0.07)
        assert (same["status"], same["why"].split(",")[0]) == ("as predicted", "S rose")
    # Both coordinates of every remedy stand in a profile too.
    (variant,) = [row for row in found["variants"] if row["variant"] == "self-consistency"]
    points = {judge["judge"]: judge["operating_point"] for judge in variant["judges"]}
    assert {"S", "R"} <= set(points["ours x 5 (mean)"])


def test_an_ensemble_that_notices_more_contradicts_the_prediction(tmp_path):
    judges = "".join(
        f'[[judges]]\nname = "{name}"\ncall = "MODULE:{name}"\n' for name in ("scope", "strength")
    )
    study = make_study(tmp_path / "s", judges, AXES, settings="[variants]\nmargin = 0.15")
    found = vary(study, "remedies")
    ensemble = [r for r in rows_of(found, "remedies") if r["after_judge"] == "all judges (mean)"]
    assert [row["before"] for row in ensemble] == ["scope", "strength"]
    for row in ensemble:
        assert (row["operating"]["before"]["R"], row["operating"]["after"]["R"]) == (0.5, 1.0)
        assert (row["status"], row["why"]) == ("contradicted", "R rose")
    alone = [r for r in rows_of(found, "remedies") if r["after_judge"].startswith("scope x 5")]
    assert {row["status"] for row in alone} == {"as predicted"}


def test_an_ensemble_costs_no_call(tmp_path):
    judges = "".join(
        f'[[judges]]\nname = "{name}"\ncall = "MODULE:{name}"\n' for name in ("scope", "strength")
    )
    study = make_study(tmp_path / "s", judges, AXES, n_base=8)
    sweep(study)
    before = asked(study)
    plan = [v for v in plan_variants(study, ["remedies"]) if v.name == "ensembles"]
    run_variants(study, plan)
    assert asked(study) == before


def test_a_judge_that_drifts_is_seen_on_the_second_day(tmp_path):
    study = make_study(
        tmp_path / "s", ONE, DRIFTING, n_base=40, settings="[variants]\nmargin = 0.1"
    )
    found = vary(study, "drift", day="day-1")
    assert [row["status"] for row in rows_of(found, "drift")] == ["holds"]
    texts = asked(study)
    (study.folder / "updated").touch()
    found = vary(study, "drift", day="day-2")
    # The second day asked anew; the first day's replies were not touched.
    assert asked(study) == texts + texts // 2
    by_day = {row["variant"]: row for row in rows_of(found, "drift")}
    assert by_day["drift-day-1"]["status"] == "holds"
    assert by_day["drift-day-2"]["status"] == "moved"
    assert by_day["drift-day-2"]["why"] == "R fell"
    days = {row["run"]: row for row in found["days"]}
    assert list(days) == ["the study", "day-1", "day-2"]
    assert (days["day-1"]["agreement"], days["day-1"]["R"]) == (1.0, days["the study"]["R"])
    assert days["day-2"]["agreement"] < 0.9
    assert days["day-2"]["R"] == pytest.approx(0.2, abs=0.12)
    assert days["day-2"]["changed"] == []


def test_a_judge_that_reads_the_first_sentence_only(tmp_path):
    settings = ONE + 'paired_call = "MODULE:both"\n'
    study = make_study(tmp_path / "s", settings, FIRST_ONLY, n_base=60)
    found = vary(study, "paired")
    (row,) = found["orders"]
    assert row["R_original_first"] == 0.0
    assert row["R_edit_first"] == pytest.approx(0.5, abs=0.13)
    assert row["S_original_first"] == row["S_edit_first"] == 1.0
    # Where an edit is noticed, the verdict changes in one of the two orders only.
    construct = found["n_interventions"]["construct"]
    share = row["R_edit_first"] * construct / row["n_pairs"]
    assert row["agreement"] == pytest.approx(1 - share)
    assert row["first_minus_second"] == pytest.approx(-1.5 * share)
    (compared,) = rows_of(found, "paired")
    # The mean over both orders still falls for a noticed edit, so no R is lost.
    assert compared["operating"]["after"]["R"] == compared["operating"]["before"]["R"]


def test_a_dry_run_asks_nothing_and_tells_what_the_run_then_asks(tmp_path):
    judges = ONE + 'takes_scale = true\npaired_call = "MODULE:both"\n'
    body = (
        SCALED
        + "\nasync def both(evidence, first, second, scale):\n    again(first)\n    return 4, 3\n"
    )
    study = make_study(tmp_path / "s", judges, body, n_base=8, settings="[variants]\npilot = 10")
    sweep(study)
    before = asked(study)
    kinds = [kind for kind in KINDS if kind != "drift"]
    planned = plan_variants(study, kinds)
    told = estimate(study, planned)
    assert asked(study) == before
    assert not (study.folder / "variants").exists()
    run_variants(study, planned)
    expected = sum(row.get("calls", 0) + row.get("pilot_calls", 0) for row in told)
    assert asked(study) - before == expected > 0
    assert (
        sum(row.get("calls", 0) + row.get("pilot_calls", 0) for row in estimate(study, planned))
        == 0
    )


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(tmp_path):
    judges = ONE + 'takes_scale = true\npaired_call = "MODULE:both"\n'
    body = (
        SCALED
        + "\nasync def both(evidence, first, second, scale):\n    again(first)\n    return 4, 3\n"
    )
    study = make_study(tmp_path / "s", judges, body, n_base=8)
    kinds = [kind for kind in KINDS if kind != "drift"]
    vary(study, *kinds)
    before, calls = _bytes(study.folder / "variants"), asked(study)
    vary(study, *kinds)
    assert asked(study) == calls
    assert _bytes(study.folder / "variants") == before


def _bytes(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_budget_holds_over_all_variants_and_the_next_run_goes_on(tmp_path):
    limit = "[budget]\nmax_calls = 50\nconcurrency = 1\n[variants]\npilot = 5"
    study = make_study(tmp_path / "s", ONE + "takes_scale = true\n", SCALED, n_base=8)
    sweep(study)
    before = asked(study)
    text = (study.folder / "study.toml").read_text()
    (study.folder / "study.toml").write_text(text + limit)
    tight = load_study(study.folder)
    planned = plan_variants(tight, ["granularity"])
    total = sum(row.get("calls", 0) + row.get("pilot_calls", 0) for row in estimate(tight, planned))
    assert total > 100
    made = 0
    for _ in range(total // 50 + 1):
        runs = run_variants(tight, planned)
        made = asked(study) - before
        if not any(run.stopped for run in runs):
            break
        assert "max_calls = 50 is reached" in runs[-1].stopped
        assert made <= total
    assert made == total
    waiting = [row["not_compared"] for row in collect(tight)["variants"] if row["not_compared"]]
    assert set(waiting) <= {"no judge can be asked in this way", "not run yet"}


def test_a_run_that_was_cut_is_compared_and_said_to_be_incomplete(tmp_path):
    settings = "[budget]\nmax_calls = 25\nconcurrency = 1\n[variants]\npilot = 5"
    study = make_study(tmp_path / "s", ONE + "takes_scale = true\n", SCALED, n_base=8)
    sweep(study)
    path = study.folder / "study.toml"
    path.write_text(path.read_text() + settings)
    tight = load_study(study.folder)
    runs = run_variants(tight, plan_variants(tight, ["granularity"]))
    assert not runs[-1].complete
    found = collect(tight)
    (cut,) = [row for row in found["variants"] if row.get("unasked")]
    # 10 calls of the pilot and 15 of the sweep: 20 of 40 texts, four of eight base items.
    assert (cut["variant"], cut["unasked"]) == ("scale-2", {"ours": 16})
    page = make_page(tight, found).read_text()
    assert "Not every pair was asked in scale-2." in page
    assert "compared, but not complete: 16 pairs of ours not asked" in page


def test_what_was_made_under_other_settings_is_named_and_left_out(tmp_path):
    study = make_study(tmp_path / "s", ONE + "takes_scale = true\n", SCALED, n_base=8)
    vary(study, "granularity")
    lines = study.interventions_path.read_text().splitlines(keepends=True)
    study.interventions_path.write_text("".join(lines[:-4]))
    sweep(study)
    reasons = {row["variant"]: row["not_compared"] for row in collect(study)["variants"]}
    assert reasons["scale-2"] == "made from other edits or prompts; run it again"
    assert reasons["self-consistency"] == "not run yet"
    text = (study.folder / "study.toml").read_text().replace("resamples = 300", "resamples = 301")
    (study.folder / "study.toml").write_text(text)
    reasons = {
        row["variant"]: row["not_compared"] for row in collect(load_study(study.folder))["variants"]
    }
    assert reasons["scale-2"] == "made under other settings; run it again"


def test_a_study_without_grades_is_refused_before_anything_is_asked(tmp_path):
    study = make_study(tmp_path / "s", ONE, NOISY)
    with pytest.raises(InputError, match=r"first: judgeprobe sweep"):
        collect(study)


def test_grades_on_another_scale_than_the_studys_are_no_reference(tmp_path):
    study = make_study(tmp_path / "s", ONE, NOISY, n_base=4)
    sweep(study)
    text = (study.folder / "study.toml").read_text()
    other = "[elicitation]\nscale = { low = 1, high = 5, step = 1 }\n"
    (study.folder / "study.toml").write_text(text + other)
    with pytest.raises(MixedArtifactsError, match=r"scale .*make it again with: judgeprobe sweep"):
        collect(load_study(study.folder))


def test_a_variant_has_no_variants(tmp_path):
    study = make_study(tmp_path / "s", ONE + "takes_scale = true\n", SCALED, n_base=8)
    vary(study, "granularity")
    inner = load_study(study.folder / "variants" / "scale-5")
    assert inner.root == study.folder
    with pytest.raises(StudyError, match="is a variant itself"):
        plan_variants(inner, KINDS)


def test_the_grades_of_two_scales_never_share_a_file(tmp_path):
    study = make_study(tmp_path / "s", ONE + "takes_scale = true\n", SCALED, n_base=8)
    vary(study, "granularity")
    manifests = [
        json.loads(path.read_text())["stages"]["sweep"]["made_under"]["scale"]
        for path in (study.folder / "variants").glob("scale-*/manifest.json")
    ]
    own = study.manifest()["stages"]["sweep"]["made_under"]["scale"]
    assert len({own, *manifests}) == 4
