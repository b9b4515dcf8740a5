"""What is changed in each variant, for which judges, and does the prompt say the scale it is on?"""

import pytest
from tests.helpers.variant_study import make_study

from judgeprobe.errors import StudyError
from judgeprobe.llm import read_grade
from judgeprobe.llm.templates import load_template
from judgeprobe.study import load_study
from judgeprobe.sweep.models import ModelJudge
from judgeprobe.sweep.plan import Text
from judgeprobe.sweep.roster import make_judges
from judgeprobe.variants.folders import is_as_planned, write_folder
from judgeprobe.variants.plan import KINDS, day_folders, plan_variants
from judgeprobe.variants.prompts import CLAIM_FIRST, PAIRED, PARAPHRASES, STEPS_PROMPT

MODEL = '[[judges]]\nname = "model"\nmodel = "openai/gpt-9"\nseed = 4\n'
LOCAL = '[[judges]]\nname = "small"\nmodel = "local/gemma-3-270m"\n'
OWN = '[[judges]]\nname = "own"\nmodel = "openai/gpt-9"\nprompt = "own.txt"\n'
CALL = '[[judges]]\nname = "ours"\ncall = "MODULE:grade"\n'
ALL = MODEL + LOCAL + OWN + CALL
SHIPPED = [
    *(name for names in PARAPHRASES for name in names.values()),
    *CLAIM_FIRST.values(),
    *PAIRED.values(),
    STEPS_PROMPT,
]


def study_with(tmp_path, judges, settings=""):
    study = make_study(tmp_path / "s", judges, n_base=2, settings=settings)
    (study.folder / "own.txt").write_text("=== user\n{{evidence}} {{claim}} Give 0 to 5.\n")
    return study


def by_name(study, *kinds, day=""):
    return {v.name: v for v in plan_variants(study, kinds or KINDS[:-1], day=day)}


def test_every_kind_and_who_is_left_out_with_the_reason(tmp_path):
    found = by_name(study_with(tmp_path, ALL), *KINDS, day="d1")
    assert list(found) == [
        *("scale-2", "scale-5", "scale-21", "scale-101", "expected"),
        *("self-consistency", "ensembles"),
        *(f"prompt-{n}" for n in range(1, 6)),
        *("claim-first", "paired", "drift-d1"),
    ]
    assert found["scale-5"].judges == ("model", "small")
    assert dict(found["scale-5"].left_out) == {
        "own": "its prompt does not take the scale from the study: {{high}} is missing",
        "ours": "a function that is not told the scale; see `takes_scale`",
    }
    # The study asks for 21 written points already; the embedded model reads an expected grade.
    assert found["scale-21"].judges == ("small",)
    assert dict(found["scale-21"].left_out)["model"] == "the study itself asks for this scale"
    assert found["expected"].judges == ("model",)
    assert dict(found["expected"].left_out)["small"] == "the study itself reads its expected grade"
    assert found["prompt-1"].judges == ("model", "small")
    assert "which no shipped variant is made of" in dict(found["prompt-1"].left_out)["own"]
    assert found["paired"].judges == ("model", "small")
    assert (
        found["drift-d1"].judges == found["ensembles"].judges == ("model", "small", "own", "ours")
    )
    assert found["drift-d1"].settings.elicitation.run == "d1"
    assert {v.has_pilot for v in found.values() if v.kind == "granularity"} == {True}


def test_prompts_of_your_own(tmp_path):
    settings = '[variants]\nprompts = ["p.txt"]\nclaim_first = "c.txt"\npaired = "q.txt"'
    found = by_name(study_with(tmp_path, ALL, settings))
    prompts = {
        name: {judge.name: judge.prompt for judge in found[name].settings.judges if judge.model}
        for name in ("prompt-own-1", "claim-first", "paired")
    }
    assert prompts["prompt-own-1"] == {"model": "p.txt", "small": "p.txt", "own": "p.txt"}
    assert prompts["claim-first"]["own"] == "c.txt"
    assert prompts["claim-first"]["model"] == "judge_claim_first.v1"
    assert prompts["paired"] == {
        "model": "judge_paired.v1",
        "small": "judge_paired_completion.v1",
        "own": "q.txt",
    }


def test_self_consistency_samples_and_drops_what_would_repeat_one_answer(tmp_path):
    judge, small, _, call = by_name(study_with(tmp_path, ALL))["self-consistency"].settings.judges
    assert (judge.temperature, judge.repetitions, judge.seed) == (0.7, 5, None)
    assert small.elicitation == "written"
    assert (call.repetitions, call.temperature) == (5, 0.0)


def test_ensembles_are_those_named_or_all_judges(tmp_path):
    one = by_name(study_with(tmp_path, MODEL), "remedies")
    assert list(one) == ["self-consistency"]
    named = study_with(tmp_path, ALL, '[variants]\nensembles = { two = ["model", "own"] }')
    found = by_name(named, "remedies")["ensembles"]
    assert found.settings.profile.ensembles == {"two": ("model", "own")}


@pytest.mark.parametrize(("low", "high", "step"), [(0, 1, 1), (1, 5, 1), (0, 5, 0.25), (0, 100, 1)])
def test_the_prompt_says_the_scale_it_is_read_on_and_every_grade_is_read(tmp_path, low, high, step):
    study = study_with(tmp_path, MODEL + LOCAL, "[elicitation]\nscale = { low = 0, high = 4 }")
    wanted = (low, high, step)
    variants = plan_variants(study, ["granularity"])
    (variant,) = [v for v in variants if _ends(v) == wanted and v.name != "expected"]
    model, small = make_judges(variant.study(study))
    assert isinstance(model, ModelJudge)
    text = Text("t", "b", "The evidence.", "The claim.")
    system = model.request(text).messages[0]["content"]
    assert f"a number from {low} to {high} in steps of {step}" in system
    assert f"{high}: the evidence fully licenses" in system
    assert f"{low}: the claim goes far" in system
    shown = small.request(text)
    assert f"from {low} (not at all) to {high} (fully), in steps of {step}? Grade: " in shown.prompt
    assert shown.top_logprobs is None
    for grade in variant.settings.elicitation.scale.grades:
        told = f"{grade:g}"
        for reply in (f'{{"grade": {told}}}', told, f"{told}\n\nEvidence: In 120 mice, a diet"):
            found = read_grade(reply, variant.settings.elicitation.scale)
            assert (found.status, found.value, found.detail) == ("graded", grade, ""), reply
    beyond = read_grade(f'{{"grade": {high + 1}}}', variant.settings.elicitation.scale)
    assert beyond.status == "off_scale"


def _ends(variant):
    scale = variant.settings.elicitation.scale
    return scale.low, scale.high, scale.step


@pytest.mark.parametrize("name", SHIPPED)
def test_each_shipped_prompt_asks_for_the_same_things_as_the_one_it_stands_for(name):
    completion = "completion" in name
    original = load_template("judge_completion.v1" if completion else "judge.v1")
    prompt = load_template(name)
    more = {"second"} if "paired" in name else {"step"} if name == STEPS_PROMPT else set()
    assert prompt.places == original.places | more
    assert [role for role, _ in prompt.sections] == [role for role, _ in original.sections]
    text = prompt.sections[-1][1]
    if name in CLAIM_FIRST.values():
        assert text.rindex("{{claim}}") < text.rindex("{{evidence}}")
    else:
        assert text.rindex("{{evidence}}") < text.rindex("{{claim}}")
    if not completion:
        assert '{"grade": x}' in prompt.sections[0][1] or "paired" in name


def test_the_claim_first_prompt_differs_in_nothing_else():
    first, original = load_template("judge_claim_first.v1"), load_template("judge.v1")
    assert first.sections[0] == original.sections[0]
    blocks = [sorted(t.sections[1][1].split("\n\n")) for t in (first, original)]
    assert blocks[0] == blocks[1]


def test_the_paraphrases_are_five_different_texts_and_frozen():
    hashes = {name: load_template(name).hash[:12] for name in SHIPPED}
    assert len(set(hashes.values())) == len(SHIPPED)
    assert hashes == FROZEN


def test_a_folder_holds_the_settings_whole_and_is_a_study(tmp_path):
    study = study_with(tmp_path, ALL)
    for variant in plan_variants(study, KINDS, day="2027-01-05"):
        assert not is_as_planned(study, variant)
        found = write_folder(study, variant)
        assert found.settings == variant.settings
        assert is_as_planned(study, variant)
        assert found.root == study.folder
        assert found.interventions_path == study.interventions_path
        assert found.cache_dir == study.cache_dir
        assert found.grades_path.parent == study.folder / "variants" / variant.name
    assert day_folders(study) == ["2027-01-05"]


def test_a_label_that_is_no_folder_name_is_refused(tmp_path):
    study = study_with(tmp_path, MODEL)
    for label in ("", "../x", "a b", ".hidden", "x" * 41):
        with pytest.raises(StudyError, match="label of a repeated run"):
            plan_variants(study, ["drift"], day=label)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[variants]\nscale = []", r"unknown key `variants\.scale`; did you mean `scales`\?"),
        ("[variants]\nself_consistancy = {}", r"did you mean `self_consistency`\?"),
        ("[variants.self_consistency]\ntemprature = 1", r"did you mean `temperature`\?"),
        ("[variants.self_consistency]\ntemperature = 0", "greater than 0"),
        ("[variants]\nscales = [{ low = 0, high = 1, step = 1, n = 2 }]", "unknown key `n`"),
        (
            "[variants]\nscales = [{ high = 1, step = 1 }, { high = 2, step = 2 }]",
            "two scales have 2 points",
        ),
        ("[variants]\nexpected = { low = 0, high = 10, step = 1 }", "one digit each"),
        ("[variants]\nbars = [2]", "2 is no agreement bar"),
        ("[variants]\nmargin = 0", "greater than 0"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, text, message):
    folder = tmp_path / "s"
    folder.mkdir()
    top = '[study]\nname = "x"\nbase_items = "shipped"\n'
    (folder / "study.toml").write_text(top + text)
    with pytest.raises(StudyError, match=message):
        load_study(folder)


FROZEN = {
    "judge_paraphrase_1.v1": "566533314b69",
    "judge_completion_paraphrase_1.v1": "e5dafc0276f2",
    "judge_paraphrase_2.v1": "0ce18eea0606",
    "judge_completion_paraphrase_2.v1": "90d18eb195e9",
    "judge_paraphrase_3.v1": "8c25793b39a6",
    "judge_completion_paraphrase_3.v1": "2dd825c80e46",
    "judge_paraphrase_4.v1": "14716e75004f",
    "judge_completion_paraphrase_4.v1": "cc31d790f120",
    "judge_paraphrase_5.v1": "427a72d6f5f4",
    "judge_completion_paraphrase_5.v1": "a65990d5c84d",
    "judge_claim_first.v1": "632b86b73b97",
    "judge_completion_claim_first.v1": "9a13259efd6d",
    "judge_paired.v1": "818d1cdc3363",
    "judge_paired_completion.v1": "51a391d259c3",
    "judge_completion_steps.v1": "b508c5eb0888",
}
