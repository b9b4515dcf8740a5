from pathlib import Path

import pytest

from judgeprobe.errors import MixedArtifactsError, StudyError
from judgeprobe.study import Study, load_study

MINIMAL = '[study]\nname = "x"\nbase_items = "shipped"\n'


def load(folder: Path, text: str) -> Study:
    (folder / "study.toml").write_text(text)
    return load_study(folder)


def test_defaults_come_from_the_taxonomy(tmp_path: Path) -> None:
    study = load(tmp_path, MINIMAL)
    assert study.floor == 0.90
    assert study.bar == 0.75
    assert study.settings.elicitation.scale.grades[:3] == (0.0, 0.25, 0.5)
    assert study.settings.study.direction == "human"


def test_a_missing_study_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"there is no study\.toml; make one with: judgeprobe new"):
        load_study(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINIMAL + "sead = 3\n", r"unknown key `study\.sead`; did you mean `seed`\?"),
        (MINIMAL + "[elicitation]\nscael = 1\n", r"`elicitation\.scael`; did you mean `scale`\?"),
        (MINIMAL + '[[judges]]\nname = "a"\nmodle = "m"\n', r"did you mean `model`\?"),
        (MINIMAL + "[bugdet]\n", r"unknown key `bugdet`; did you mean `budget`\?"),
        (MINIMAL + '[[judges]]\nname = "a"\n', "needs either `model` or `call`"),
        (MINIMAL + '[[judges]]\nname = "flip"\nmodel = "m"\n', "taken by a control judge"),
        (
            MINIMAL + '[[judges]]\nname="a"\nmodel="m"\n[[judges]]\nname="a"\nmodel="n"\n',
            "two judges",
        ),
        ('[study]\nname = "x"\n', "give either `base_items` or `pairs`"),
        ('[study]\nname = "x"\npairs = "p.csv"\n', "needs `direction_source`"),
        (MINIMAL + "[elicitation]\nscale = { low = 0, high = 5, step = 0.3 }\n", "must divide"),
        (MINIMAL + "[elicitation]\nscale = { low = 5, high = 0 }\n", "`low` must be below `high`"),
        (MINIMAL + "[elicitation]\nscale = { lo = 0 }\n", "unknown key `lo`"),
        (MINIMAL + "[profile]\nresamples = 1\n", "greater than or equal to 100"),
        ("[study\n", "is not TOML"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_it(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(StudyError, match=message) as caught:
        load(tmp_path, text)
    assert "\n" not in str(caught.value)
    assert "study.toml" in str(caught.value)


def test_two_hashes_and_a_remedy_when_artifacts_do_not_mix(tmp_path: Path) -> None:
    study = load(tmp_path, MINIMAL)
    with pytest.raises(MixedArtifactsError, match=r"taxonomy aaaa, but bbbb is in force; rebuild"):
        study.require_same(
            "taxonomy", "aaaa", "bbbb", file=study.interventions_path, remedy="rebuild"
        )


def test_the_manifest_is_the_same_twice(tmp_path: Path) -> None:
    study = load(tmp_path, MINIMAL)
    study.record("build", {"taxonomy": study.taxonomy.hash})
    first = study.manifest_path.read_bytes()
    study.record("build", {"taxonomy": study.taxonomy.hash})
    assert study.manifest_path.read_bytes() == first
