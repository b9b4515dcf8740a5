"""What is in a bundle, and what is refused by name."""

import json
import shutil
import tomllib

import pandas as pd
import pytest

from judgeprobe import resources
from judgeprobe.bundle import make_bundle
from judgeprobe.errors import InputError, MixedArtifactsError, StudyError
from judgeprobe.files import read_jsonl, write_json, write_jsonl, write_parquet
from judgeprobe.profile import profile_study
from judgeprobe.records import BaseItem, Intervention
from judgeprobe.study import load_study
from judgeprobe.taxonomy import load_taxonomy

from .conftest import PEOPLE, annotation_of, read, scripted_labels

SECRET = "zq8-Jx4kfW0pLmN7"
FORGED = "sk-" + "a1B2c3D4e5F6g7H8i9J0"


def test_what_the_profile_is_made_from_is_there_byte_for_byte(make):
    study = make()
    made = make_bundle(study)
    for name in ("interventions.jsonl", "grades.parquet", "profile.json", "base_items.jsonl"):
        assert made.files[name] == (study.folder / name).read_bytes()
    assert {"DATA_CARD.md", "CHECKLIST.md", "croissant.json", "study.toml"} <= set(made.files)
    listed = read(made, "bundle.json")["files"]
    assert set(listed) == set(made.files) - {"bundle.json"}


def test_the_same_study_gives_the_same_bytes(make):
    study = make()
    assert make_bundle(study).files == make_bundle(load_study(study.folder)).files


def test_the_taxonomy_in_it_is_the_one_in_force(make, tmp_path):
    made = make_bundle(make())
    for name, data in made.files.items():
        target = tmp_path / "out" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    found = load_taxonomy("taxonomy/claim-calibration.toml", relative_to=tmp_path / "out")
    assert found.hash == load_taxonomy("claim-calibration").hash


def test_people_are_pseudonyms_that_names_do_not_tell(make):
    study = make(human=True)
    rows = read_jsonl(study.interventions_path, Intervention)
    made = make_bundle(study, labels=scripted_labels(rows), people=PEOPLE)
    labels = pd.read_json(pd.io.common.BytesIO(made.files["item_labels.jsonl"]), lines=True)
    assert sorted(labels["annotator"].unique()) == ["a1", "a2", "a3"]
    everything = b"\n".join(made.files.values())
    for name in PEOPLE:
        assert name.encode() not in everything
    # The same answers under other names give the same bytes: a name decides nothing.
    others = ("Zoe Example", "aaron@example.org", "annotator-1")
    write_json(study.annotation_path, annotation_of(others))
    again = make_bundle(study, labels=scripted_labels(rows, others), people=others)
    assert again.files == made.files


def test_lists_are_not_in_the_order_of_the_names(make):
    study = make(human=True)
    rows = read_jsonl(study.interventions_path, Intervention)
    made = make_bundle(study, labels=scripted_labels(rows), people=PEOPLE)
    found = read(made, "annotation.json")
    assert [row["annotator"] for row in found["self_consistency"]] == ["a1", "a2", "a3"]
    pairs = [(row["a"], row["b"]) for row in found["agreement"]["annotator_pairs"]]
    assert pairs == sorted(pairs)
    assert all(a < b for a, b in pairs)


def test_a_name_in_the_settings_is_refused(make):
    study = make(human=True, settings='[bundle]\ndescription = "Labelled by Ada Example in May."\n')
    with pytest.raises(InputError, match=r"study.toml: names the annotator `Ada Example`"):
        make_bundle(study, people=PEOPLE)


@pytest.mark.parametrize(
    "name", ["interventions.jsonl", "base_items.jsonl", "rejections.jsonl", "predictions.toml"]
)
def test_the_value_of_a_key_variable_is_refused_in_any_file(make, monkeypatch, name):
    study = make()
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    path = study.folder / name
    before = path.read_text() if path.exists() else ""
    path.write_text(
        before.replace("Seen.", SECRET, 1).replace("Twelve plots", SECRET, 1)
        if before
        else f'# {SECRET}\n[[prediction]]\nkey = "k"\nvalue = 1\nbasis = "b"\n'
        if name.endswith(".toml")
        else json.dumps(rejection(SECRET)) + "\n"
    )
    if name == "interventions.jsonl":
        profile_study(study)
    with pytest.raises(InputError) as error:
        make_bundle(load_study(study.folder))
    assert str(error.value).startswith(f"{name}: holds what must not leave: the value of SOME_API")
    assert SECRET not in str(error.value)


def rejection(text):
    return {"base_id": "b1", "slot": "s", "stage": "gate", "gate": "g", "reason": "r", "text": text}


@pytest.mark.parametrize("shape", [FORGED, "AKIAABCDEFGHIJKL1234", "hf_" + "abcdEFGH12345678ijkl"])
def test_what_has_the_shape_of_a_key_is_refused_unless_it_is_named_as_none(make, shape):
    study = make()
    (study.folder / "rejections.jsonl").write_text(json.dumps(rejection(f"a {shape} b")) + "\n")
    with pytest.raises(InputError, match=r"rejections.jsonl: holds what must not leave") as error:
        make_bundle(study)
    assert shape not in str(error.value)
    allowed = make(settings=f'[bundle]\nnot_secret = ["{shape}"]\n')
    (allowed.folder / "rejections.jsonl").write_text(json.dumps(rejection(f"a {shape} b")) + "\n")
    assert "rejections.jsonl" in make_bundle(allowed).files


def test_words_that_only_look_like_a_key_are_let_through(make):
    study = make()
    text = "sk-learning and hf_tokenizers are words"
    (study.folder / "rejections.jsonl").write_text(json.dumps(rejection(text)) + "\n")
    assert make_bundle(study).files


def test_a_secret_in_a_table_cell_is_found(make):
    study = make()
    frame = pd.read_parquet(study.grades_path)
    frame.loc[0, "detail"] = f"the server said {FORGED}"
    write_parquet(study.grades_path, frame, {"taxonomy": study.taxonomy.hash})
    profile_study(study)
    with pytest.raises(InputError, match=r"grades.parquet: holds what must not leave"):
        make_bundle(study)


def test_a_key_in_the_settings_is_refused_by_its_place(make):
    study = make(settings="")
    path = study.folder / "study.toml"
    path.write_text(
        path.read_text().replace(
            'call = "m:f"\n', 'model = "openai/x"\nextra_body = { api_key = "12345678" }\n', 1
        )
    )
    with pytest.raises(InputError, match=r"`judges.extra_body.api_key` holds what its name calls"):
        make_bundle(load_study(study.folder))


def test_hosts_and_folders_of_ones_own_are_left_out_and_told(make):
    study = make()
    path = study.folder / "study.toml"
    (study.folder / "p.txt").write_text("=== user\n{{evidence}} {{claim}}\n")
    text = path.read_text().replace(
        'call = "m:f"\n',
        'model = "openai/x"\nbase_url = "http://10.1.2.3:8000/v1"\nprompt = "../study/p.txt"\n',
        1,
    )
    path.write_text(text.replace('"shipped"', '"/data/mine/items.csv"'))
    made = make_bundle(load_study(study.folder))
    settings = tomllib.loads(made.files["study.toml"].decode())
    assert settings["study"]["base_items"] == "items.csv"
    assert "base_url" not in settings["judges"][0]
    assert settings["judges"][0]["prompt"] == "prompts/p.txt"
    assert b"10.1.2.3" not in b"".join(made.files.values())
    assert len(made.dropped) == 2


def test_a_host_in_the_grades_is_refused(make):
    study = make()
    path = study.folder / "study.toml"
    path.write_text(
        path.read_text().replace(
            'call = "m:f"\n', 'model = "openai/x"\nbase_url = "http://judge.example:8000/v1"\n', 1
        )
    )
    frame = pd.read_parquet(study.grades_path)
    frame.loc[0, "detail"] = "cannot connect to judge.example:8000"
    write_parquet(study.grades_path, frame, {"taxonomy": study.taxonomy.hash})
    profile_study(load_study(study.folder))
    with pytest.raises(InputError, match=r"grades.parquet: names a host of your own"):
        make_bundle(load_study(study.folder))


def test_a_public_host_may_be_kept_and_a_private_one_may_not(make):
    for host, kept in (("api.example.org", True), ("10.0.0.7", False)):
        study = make(settings=f'[bundle]\nkeep_hosts = ["{host}"]\n')
        path = study.folder / "study.toml"
        path.write_text(
            path.read_text().replace(
                'call = "m:f"\n', f'model = "openai/x"\nbase_url = "https://{host}/v1"\n', 1
            )
        )
        made = make_bundle(load_study(study.folder))
        settings = tomllib.loads(made.files["study.toml"].decode())
        assert ("base_url" in settings["judges"][0]) is kept
        assert "keep_hosts" not in made.files["study.toml"].decode()


def test_a_folder_of_this_machine_in_a_file_is_refused(make):
    study = make()
    (study.folder / "rejections.jsonl").write_text(
        json.dumps(rejection(f"see {study.folder.resolve()}/x")) + "\n"
    )
    with pytest.raises(InputError, match=r"rejections.jsonl: holds a folder of this machine"):
        make_bundle(study)


def test_private_items_are_refused_by_name_and_row(make):
    study = make()
    items = read_jsonl(study.base_items_path, BaseItem)
    write_jsonl(
        study.base_items_path,
        [items[0], items[1].model_copy(update={"licence": "Private"}), *items[2:]],
    )
    with pytest.raises(InputError, match=r"base_items.jsonl, row 2: the item `b2` is marked priv"):
        make_bundle(study)


def test_private_files_stay_behind_or_stop_the_release(make):
    study = make(settings='[bundle]\nprivate = ["rejections.*"]\n')
    (study.folder / "rejections.jsonl").write_text(json.dumps(rejection("x")) + "\n")
    made = make_bundle(study)
    assert "rejections.jsonl" not in made.files
    assert any("rejections.jsonl" in line for line in made.dropped)
    study = make(settings='[bundle]\nprivate = ["*.parquet"]\n')
    with pytest.raises(InputError, match=r"grades.parquet: is marked private"):
        make_bundle(study)


def test_keys_caches_and_reports_never_enter(make):
    study = make()
    for name in ("annotation/keys/secret", "cache/x", "report.html", ".env", "labels.jsonl"):
        path = study.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("anything")
    assert not {"labels.jsonl", ".env", "report.html"} & set(make_bundle(study).files)
    assert not any("keys" in name or "cache" in name for name in make_bundle(study).files)


def test_a_profile_of_other_grades_is_refused(make):
    study = make()
    frame = pd.read_parquet(study.grades_path)
    frame.loc[0, "value"] = 0.0
    write_parquet(study.grades_path, frame, {"taxonomy": study.taxonomy.hash})
    with pytest.raises(MixedArtifactsError, match="judgeprobe profile"):
        make_bundle(study)
    study.profile_path.unlink()
    with pytest.raises(InputError, match="make it with: judgeprobe profile"):
        make_bundle(study)


def test_the_checklist_says_what_was_done_and_what_was_not(make, tmp_path):
    lines = make_bundle(make()).checklist
    assert [line["holds"] for line in lines] == ["yes", *["not done"] * 3, "yes", "yes"]
    assert "no person has set it" in lines[0]["fact"]
    assert "6 construct and 3 surface edits" in lines[4]["fact"]
    study = make(human=True, settings='[bundle]\nlabel_audit = "labels.json"\n')
    audit = {"checklist": [{"line": 2, "holds": "yes", "fact": "length_only reaches kappa 0.100"}]}
    write_json(study.folder / "labels.json", audit)
    rows = read_jsonl(study.interventions_path, Intervention)
    lines = make_bundle(study, labels=scripted_labels(rows), people=PEOPLE).checklist
    assert lines[0]["fact"].startswith("direction by the majority of 3 annotators, 27 labels")
    assert lines[1]["holds"] == "yes"
    assert lines[1]["fact"].startswith("length_only reaches kappa 0.100")
    assert "0.900 of the edits (interval 0.800 to 0.950" in lines[2]["fact"]
    assert lines[2]["holds"] == "not done"


def test_the_licence_is_told_or_said_to_be_missing(make):
    assert "Items and their edits: CC-BY-4.0." in make_bundle(make()).files["DATA_CARD.md"].decode()
    made = make_bundle(make(licence=""))
    assert "Items and their edits: not stated." in made.files["DATA_CARD.md"].decode()
    assert "licence" in made.missing
    made = make_bundle(make(licence="", settings='[bundle]\nlicence = "GPL-3.0-only"\n'))
    assert read(made, "croissant.json")["license"] == "GPL-3.0-only"


def own_taxonomy(study, lists="markers"):
    """The shipped taxonomy as a file of the study's own, with its lists where `lists` says."""
    text = resources.read_text("probes", "claim-calibration.toml")
    folder = study.folder / "mine"
    folder.mkdir(exist_ok=True)
    (folder / "claims.toml").write_text(text.replace('"markers/', f'"{lists}/'))
    shutil.copytree(resources.path("probes", "markers"), folder / lists, dirs_exist_ok=True)
    path = study.folder / "study.toml"
    path.write_text(
        path.read_text().replace("seed = 3\n", 'seed = 3\ntaxonomy = "mine/claims.toml"\n')
    )
    return load_study(study.folder)


def test_a_taxonomy_of_ones_own_travels_with_its_lists(make):
    study = own_taxonomy(make())
    files = make_bundle(study).files
    assert (
        files["taxonomy/claim-calibration.toml"] == (study.folder / "mine/claims.toml").read_bytes()
    )
    assert "taxonomy/markers/hedges.txt" in files
    with pytest.raises(InputError, match="lies outside the taxonomy's folder"):
        make_bundle(own_taxonomy(make(), lists="../outside"))


def test_an_unknown_key_of_the_settings_names_the_nearest(make):
    with pytest.raises(StudyError, match=r"unknown key `bundle.licens`; did you mean `licence`"):
        make(settings='[bundle]\nlicens = "MIT"\n')


def test_a_variant_of_a_study_is_released_as_a_study_of_its_own(make):
    study = make()
    folder = study.folder / "variants" / "finer"
    folder.mkdir(parents=True)
    text = (study.folder / "study.toml").read_text()
    tie = '[variant]\nof = "../.."\nname = "finer"\nkind = "granularity"\n'
    (folder / "study.toml").write_text(text + tie)
    shutil.copyfile(study.grades_path, folder / "grades.parquet")
    profile_study(load_study(folder))
    made = make_bundle(load_study(folder))
    assert made.files["interventions.jsonl"] == study.interventions_path.read_bytes()
    assert made.files["profile.json"] == (folder / "profile.json").read_bytes()
    assert "variant" not in tomllib.loads(made.files["study.toml"].decode())
    assert any("[variant]" in line for line in made.dropped)
