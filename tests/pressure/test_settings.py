"""The [pressure] table: what is asked for, what is refused, and by which words."""

import pytest

from judgeprobe import resources
from judgeprobe.errors import InputError, StudyError
from judgeprobe.families import VERIFIER, pressure_members
from judgeprobe.llm.templates import load_template
from judgeprobe.pressure.prompts import generator_prompts
from judgeprobe.study import load_study

HEAD = '[study]\nname = "s"\nbase_items = "items.jsonl"\n'
WRITER = '[[pressure.generators]]\nname = "w"\nmodel = "openai/gpt-4o"\n'


def study(folder, text):
    (folder / "study.toml").write_text(HEAD + text)
    return load_study(folder)


def test_defaults(tmp_path):
    found = study(tmp_path, WRITER).settings.pressure
    assert found.conditions == ("neutral", "accuracy", "brevity")
    assert (found.seeds, found.both_orders, found.generators[0].temperature) == (3, True, 0.7)
    without = study(tmp_path, "[pressure]\nbrevity = false\n" + WRITER).settings.pressure
    assert without.conditions == ("neutral", "accuracy")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[pressure]\nseed = 2\n" + WRITER, "unknown key `pressure.seed`; did you mean `seeds`"),
        (WRITER + "temprature = 1\n", "did you mean `temperature`"),
        (WRITER + '[pressure.verifier]\nmodel = "m"\nprompt_par = "x"\n', "`prompt_pair`"),
        (WRITER + WRITER, "two generators are named `w`"),
        ("[pressure]\nseeds = 1\nannotated_seeds = 2\n" + WRITER, "there are 1 `seeds`"),
        ("[pressure]\nseeds = 2\n", "generators"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, words):
    with pytest.raises(StudyError) as error:
        study(tmp_path, text)
    assert words in str(error.value)


def test_a_study_without_the_table_is_told_so(tmp_path):
    with pytest.raises(StudyError, match=r"no table \[pressure\]"):
        pressure_members(study(tmp_path, ""))


def test_a_judge_may_share_the_generators_family_and_the_verifier_may_not(tmp_path):
    judge = '[[judges]]\nname = "j"\nmodel = "openai/gpt-4o-mini"\n'
    other = '[pressure.verifier]\nmodel = "anthropic/claude-3"\n'
    assert set(pressure_members(study(tmp_path, WRITER + other + judge))) == {"w", VERIFIER}
    same = '[pressure.verifier]\nmodel = "azure/gpt-4.1"\n'
    with pytest.raises(StudyError, match=r"azure/gpt-4.1, family openai.*generator `w`"):
        pressure_members(study(tmp_path, WRITER + same))


def test_the_shipped_prompts_differ_in_the_instruction_alone():
    for form in ("", "_completion"):
        texts = {
            name: load_template(f"pressure_{name}{form}.v1").sections
            for name in ("neutral", "accuracy", "brevity")
        }
        neutral = texts["neutral"][-1][1].splitlines()
        for name in ("accuracy", "brevity"):
            assert texts[name][:-1] == texts["neutral"][:-1]
            lines = texts[name][-1][1].splitlines()
            if form:
                pairs = zip(lines, neutral, strict=True)
                assert all(a.startswith(b) for a, b in pairs)
            else:
                assert lines[:-1] == neutral
        assert "accura" not in texts["neutral"][-1][1].lower()


def test_no_verifier_prompt_names_an_instruction():
    for name in ("pair", "evidence"):
        text = resources.read_text("prompts", f"pressure_verifier_{name}.v1.txt")
        body = text.split("===", 1)[1].lower()
        assert not any(word in body for word in ("accura", "brief", "neutral", "pressed"))


def test_a_model_without_a_chat_format_gets_the_completion_form(tmp_path):
    text = WRITER.replace("openai/gpt-4o", "text-completion-openai/gpt-x")
    found = study(tmp_path, text)
    templates = generator_prompts(found, found.settings.pressure.generators[0])
    assert all(template.is_completion for template in templates.values())


def test_two_conditions_with_one_prompt_are_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("=== user\n{{evidence}}\n")
    found = study(tmp_path, WRITER + 'prompts = { accuracy = "mine.txt", brevity = "mine.txt" }\n')
    with pytest.raises(InputError, match="prompts of `accuracy` and `brevity`"):
        generator_prompts(found, found.settings.pressure.generators[0])
