import errno
import json
import os
from pathlib import Path

import pytest

from judgeprobe.build.run import run_build
from judgeprobe.errors import InputError, MixedArtifactsError, StorageError
from judgeprobe.files import read_jsonl
from judgeprobe.records import BaseItem, Intervention, Rejection
from judgeprobe.study import Study, load_study
from judgeprobe.taxonomy import load_taxonomy

SHIPPED = '[study]\nname = "x"\nbase_items = "shipped"\ndirection = "construction"\n'
ITEMS = [
    {
        "id": "a",
        "domain": "clinic",
        "evidence": "Pain fell in 12 of 20 patients who walked daily. Others were not asked.",
        "claim": "Daily walking may reduce pain in some patients when it is kept up.",
    },
    {
        "id": "b",
        "domain": "clinic",
        "evidence": "Sleep was longer on 9 of 14 nights without screens. Naps were not noted.",
        "claim": "Without screens, sleep was often longer, which suggests that screens matter.",
    },
]


def small(folder: Path, extra: str = "") -> Study:
    text = SHIPPED.replace('"shipped"', '"items.jsonl"') + extra
    (folder / "study.toml").write_text(text)
    (folder / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    return load_study(folder)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The shipped items, built once."""
    folder = tmp_path_factory.mktemp("shipped")
    (folder / "study.toml").write_text(SHIPPED)
    study = load_study(folder)
    run_build(study)
    return study


def test_every_slot_has_at_least_twenty_accepted_on_the_shipped_items(built: Study) -> None:
    edits = read_jsonl(built.interventions_path, Intervention)
    for slot in built.taxonomy.slots:
        assert len([edit for edit in edits if edit.slot == slot.name]) >= 20, slot.name


def test_what_is_accepted_is_an_edit_that_passed_every_gate(built: Study) -> None:
    items = {item.id: item for item in read_jsonl(built.base_items_path, BaseItem)}
    edits = read_jsonl(built.interventions_path, Intervention)
    assert len({edit.id for edit in edits}) == len(edits)
    assert len({(edit.base_id, edit.edited) for edit in edits}) == len(edits)
    for edit in edits:
        item, slot = items[edit.base_id], built.taxonomy.slot(edit.slot)
        assert (edit.original, edit.evidence) == (item.claim, item.evidence)
        assert (edit.domain, edit.document) == (item.domain, item.document)
        assert edit.edited != edit.original
        assert (edit.axis, edit.arm) == (slot.axis, slot.arm)
        assert edit.gates
        assert all(gate.passed for gate in edit.gates.values())
        assert edit.direction_source == "construction"
        assert edit.made_under["taxonomy"] == built.taxonomy.hash
        change = (len(edit.edited) - len(edit.original)) / len(edit.original)
        assert edit.length_change == pytest.approx(change)


def test_what_is_refused_names_its_gate_and_its_reason(built: Study) -> None:
    for row in read_jsonl(built.rejections_path, Rejection):
        assert row.gate
        assert row.reason
        assert built.taxonomy.slot(row.slot)


def test_a_second_build_writes_the_same_bytes(tmp_path: Path) -> None:
    study = small(tmp_path)
    first_result = run_build(study)
    first = files(tmp_path)
    assert run_build(load_study(tmp_path)) == first_result
    assert files(tmp_path) == first
    assert str(tmp_path).encode() not in b"".join(first.values())


def test_counts_add_up_and_equal_the_files(tmp_path: Path) -> None:
    study = small(tmp_path)
    result = run_build(study)
    assert result.accepted == len(read_jsonl(study.interventions_path, Intervention))
    assert result.rejected == len(read_jsonl(study.rejections_path, Rejection))
    for row in (*result.slots, *result.axes):
        assert row.generated == row.accepted + sum(row.rejected.values())
    assert result.accepted > 0
    assert result.base_items == 2


def test_slots_can_be_chosen_and_an_unknown_one_is_named(tmp_path: Path) -> None:
    result = run_build(small(tmp_path, '[generator]\nslots = ["format_shift"]\n'))
    assert {row.name for row in result.slots if row.generated} == {"format_shift"}
    with pytest.raises(InputError, match="has no slot `fromat_shift`"):
        run_build(small(tmp_path, '[generator]\nslots = ["fromat_shift"]\n'))


def own_taxonomy(folder: Path) -> Study:
    """The same study under a taxonomy whose one gloss differs."""
    shipped = load_taxonomy("claim-calibration")
    lines = ['name = "own"', "version = 1", 'measures = "m"', 'question = "q"', "[axes]"]
    lines += [f'{name} = "{gloss}"' for name, gloss in shipped.axes.items()]
    for slot in shipped.slots:
        lines += ["[[slots]]", f'name = "{slot.name}"', f'axis = "{slot.axis}"']
        lines += [f'arm = "{slot.arm}"', f'length = "{slot.length}"', 'gloss = "other"']
    (folder / "own.toml").write_text("\n".join(lines))
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text + 'taxonomy = "own.toml"\n')
    return load_study(folder)


def test_interventions_of_another_taxonomy_are_not_replaced(tmp_path: Path) -> None:
    old = small(tmp_path)
    run_build(old)
    before = files(tmp_path)
    new = own_taxonomy(tmp_path)
    with pytest.raises(MixedArtifactsError) as caught:
        run_build(new)
    line = str(caught.value)
    assert old.taxonomy.hash[:12] in line
    assert new.taxonomy.hash[:12] in line
    assert line.endswith(f"or replace them with: judgeprobe build {tmp_path} --replace")
    after = files(tmp_path)
    assert {k: v for k, v in after.items() if k in before and k != "study.toml"} == {
        k: v for k, v in before.items() if k != "study.toml"
    }
    run_build(new, replace=True)
    edits = read_jsonl(new.interventions_path, Intervention)
    assert {edit.made_under["taxonomy"] for edit in edits} == {new.taxonomy.hash}


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_folder_that_refuses_is_one_line_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    study = small(tmp_path)
    before = files(tmp_path)

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(code, os.strerror(code))

    # A full disk shows when the bytes are flushed; a read-only folder when a file is made.
    name = "os.fsync" if code == errno.ENOSPC else "tempfile.mkstemp"
    monkeypatch.setattr(f"judgeprobe.files.{name}", refuse)
    with pytest.raises(StorageError, match=os.strerror(code).lower()):
        run_build(study)
    assert files(tmp_path) == before


def test_the_table_cannot_be_the_file_that_is_written(tmp_path: Path) -> None:
    study = small(tmp_path)
    text = (tmp_path / "study.toml").read_text().replace("items.jsonl", "base_items.jsonl")
    (tmp_path / "items.jsonl").rename(tmp_path / "base_items.jsonl")
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(InputError, match="is what the build writes"):
        run_build(load_study(study.folder))
