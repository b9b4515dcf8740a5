"""Base items from Hugging Face data sets: exports in a folder, and a hub that is not there."""

import json

import pytest

from judgeprobe.build import datasets as reader
from judgeprobe.build.items import base_items
from judgeprobe.build.run import run_build
from judgeprobe.errors import InputError
from judgeprobe.study import load_study

ROWS = [
    {
        "key": f"k{number}",
        "abstract": f"Pain fell in {number + 3} of 20 patients who walked daily.",
        "sentence": "Daily walking may reduce pain in some patients when it is kept up.",
        "pixels": [number] * 3,
    }
    for number in range(4)
]
COLUMNS = 'columns = { id = "key", evidence = "abstract", claim = "sentence" }\n'


@pytest.fixture
def library(tmp_path, monkeypatch):
    found = pytest.importorskip("datasets", reason="the extra `datasets` is not installed")
    monkeypatch.setattr(found.config, "HF_DATASETS_CACHE", tmp_path / "hf")
    found.disable_progress_bars()
    return found


def study(folder, text):
    (folder / "study.toml").write_text(f'[study]\nname = "d"\ndirection = "construction"\n{text}')
    return load_study(folder)


def test_an_exported_data_set_is_read_by_its_columns(library, tmp_path):
    library.Dataset.from_list(ROWS).save_to_disk(tmp_path / "export")
    found = base_items(study(tmp_path, f'base_items = "export"\nlimit = 3\n{COLUMNS}'))
    assert [item.id for item in found.items] == ["k0", "k1", "k2"]
    assert found.items[1].evidence == ROWS[1]["abstract"]
    assert (found.rows_left, found.source) == (1, "export")


def test_a_split_is_chosen_and_a_missing_one_named(library, tmp_path):
    parts = library.DatasetDict(
        {"dev": library.Dataset.from_list(ROWS[:1]), "test": library.Dataset.from_list(ROWS[1:])}
    )
    parts.save_to_disk(tmp_path / "export")
    top = f'base_items = "export"\n{COLUMNS}'
    chosen = base_items(study(tmp_path, f'{top}[study.dataset]\nsplit = "test"\n'))
    assert [item.id for item in chosen.items] == ["k1", "k2", "k3"]
    with pytest.raises(InputError, match=r"no split `train`.* dev, test"):
        base_items(study(tmp_path, top))


def test_a_folder_of_data_files_is_a_data_set(library, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    found = base_items(study(tmp_path, f'base_items = "files"\n{COLUMNS}'))
    assert len(found.items) == 4


def test_the_same_export_builds_the_same_bytes(library, tmp_path):
    made = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        library.Dataset.from_list(ROWS).save_to_disk(folder / "export")
        run_build(study(folder, f'base_items = "export"\n{COLUMNS}'))
        made.append({p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()})
    assert made[0] == made[1]
    assert json.loads(made[0]["manifest.json"])["stages"]["build"]["inputs"]["base_items"]["sha256"]


def test_a_row_that_cannot_be_used_is_named(library, tmp_path):
    library.Dataset.from_list([*ROWS, {**ROWS[0], "sentence": ""}]).save_to_disk(
        tmp_path / "export"
    )
    with pytest.raises(InputError, match=r"export, row 5: `claim` is missing|row 5"):
        base_items(study(tmp_path, f'base_items = "export"\n{COLUMNS}'))


def test_a_missing_column_is_named_with_the_remedy(library, tmp_path):
    library.Dataset.from_list(ROWS).save_to_disk(tmp_path / "export")
    with pytest.raises(InputError, match=r"no column `id` .* the file has key, abstract"):
        base_items(study(tmp_path, 'base_items = "export"\n'))


def test_a_data_set_that_cannot_be_had_is_one_line(library, tmp_path, monkeypatch):
    def gone(name, config, *, revision):
        raise ConnectionError(f"Couldn't reach {name} ({config}, {revision})\nTraceback")

    monkeypatch.setattr(library, "load_dataset", gone)
    text = 'base_items = "hf:acme/claims"\n[study.dataset]\nconfig = "en"\nrevision = "abc"\n'
    with pytest.raises(InputError) as error:
        base_items(study(tmp_path, text))
    assert "hf:acme/claims: cannot be read as a data set" in str(error.value)
    assert "acme/claims (en, abc)" in str(error.value)


def test_a_hub_data_set_keeps_its_name_in_the_manifest(library, tmp_path, monkeypatch):
    parts = library.DatasetDict({"train": library.Dataset.from_list(ROWS)})
    monkeypatch.setattr(library, "load_dataset", lambda *_, **__: parts)
    made = study(tmp_path, f'base_items = "hf:acme/claims"\n{COLUMNS}')
    run_build(made)
    assert made.manifest()["stages"]["build"]["inputs"]["base_items"]["file"] == "hf:acme/claims"


def test_without_the_extra_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(reader.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"judgeprobe\[datasets\]"):
        base_items(study(tmp_path, 'base_items = "hf:acme/claims"\n'))


def test_a_table_has_no_data_set_settings(tmp_path):
    with pytest.raises(InputError, match=r"\[study.dataset\]"):
        base_items(study(tmp_path, 'base_items = "shipped"\n[study.dataset]\nsplit = "x"\n'))
