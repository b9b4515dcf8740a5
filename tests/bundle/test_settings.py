"""The settings that travel: every prompt in force is named, and nothing of one machine is."""

import tomllib
from pathlib import Path

import pytest

from judgeprobe.bundle.settings import public_model, public_settings
from judgeprobe.study import load_study

STUDY = """
[study]
name = "s"
base_items = "../elsewhere/items.csv"
direction = "construction"

[generator]
model = "anthropic/claude-haiku-4.5"

[verifier]
model = "mistral/small"

[elicitation]
scale = { low = 0, high = 1, step = 1, words = { yes = 1, no = 0 } }

[[judges]]
name = "chat"
model = "openai/x"

[[judges]]
name = "local"
model = "local//home/me/models/m.gguf"

[[judges]]
name = "own"
model = "openai/y"
prompt = "a/judge.txt"

[[judges]]
name = "other"
model = "openai/z"
prompt = "b/judge.txt"

[profile]
groupings = { g = { hedging_removal = "x" } }
"""


@pytest.fixture
def public(tmp_path: Path):
    (tmp_path / "study.toml").write_text(STUDY)
    return public_settings(load_study(tmp_path))


def test_every_prompt_in_force_is_named_once(public):
    table = tomllib.loads(public.text)
    assert table["elicitation"]["prompt"] == "prompts/judge.v1.txt"
    assert [judge.get("prompt") for judge in table["judges"]] == [
        None,
        "prompts/judge_completion.v1.txt",
        "prompts/judge.txt",
        "prompts/judge-2.txt",
    ]
    assert table["generator"]["prompt"] == "prompts/generator.v1.txt"
    assert table["verifier"]["prompt_control"] == "prompts/verifier_control.v1.txt"
    assert sorted(public.prompts.values()) == sorted(set(public.prompts.values()))


def test_paths_are_names_and_it_is_said(public):
    table = tomllib.loads(public.text)
    assert table["study"]["base_items"] == "items.csv"
    assert table["judges"][1]["model"] == "local/m.gguf"
    assert "/home" not in public.text
    assert len(public.dropped) == 2


def test_what_a_profile_is_made_under_stays(public, tmp_path):
    before = load_study(tmp_path).settings
    other = tmp_path / "other"
    other.mkdir()
    (other / "study.toml").write_text(public.text)
    after = load_study(other).settings
    assert after.profile == before.profile
    assert after.elicitation.scale == before.elicitation.scale
    assert (after.study.seed, after.study.direction) == (0, "construction")
    assert [judge.name for judge in after.judges] == [judge.name for judge in before.judges]


def test_a_model_by_its_name_stays():
    assert public_model("local/gemma-3-270m") == "local/gemma-3-270m"
    assert public_model("openrouter/a/b") == "openrouter/a/b"
