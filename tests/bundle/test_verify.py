"""Is every change of a bundle named, and can it be read elsewhere?"""

import hashlib
import io
import json
import shutil
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgeprobe.bundle import check_bundle, make_bundle, opened, write_bundle
from judgeprobe.bundle.archive import zipped
from judgeprobe.bundle.verify import SELF, bundle_hash
from judgeprobe.errors import InputError
from judgeprobe.files import read_jsonl
from judgeprobe.records import Intervention
from judgeprobe.study import load_study

from .conftest import PEOPLE, scripted_labels


@pytest.fixture
def files(make):
    study = make(human=True)
    rows = read_jsonl(study.interventions_path, Intervention)
    return dict(make_bundle(study, labels=scripted_labels(rows), people=PEOPLE).files)


def changed_at(data, place):
    place %= len(data)
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def named(path):
    problems, _ = check_bundle(path)
    return {problem.file for problem in problems}


def test_whole_as_a_zip_and_as_a_folder(files, tmp_path):
    for out in (tmp_path / "b.zip", tmp_path / "b"):
        write_bundle(files, out)
        assert check_bundle(out)[0] == []
        with opened(out) as folder:
            assert load_study(folder).settings.study.name == "small"


def test_every_file_tampered_in_turn_is_named_and_no_other(files, tmp_path):
    for name, data in files.items():
        path = tmp_path / "one.zip"
        path.write_bytes(zipped({**files, name: changed_at(data, len(data) // 2)}))
        assert named(path) == {name}
        with pytest.raises(InputError, match=name.replace(".", r"\.")), opened(path):
            pass


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_flipped_byte_is_named(files, tmp_path, data):
    name = data.draw(st.sampled_from(sorted(files)))
    place = data.draw(st.integers(0, len(files[name]) - 1))
    bit = 1 << data.draw(st.integers(0, 7))
    content = bytearray(files[name])
    content[place] ^= bit
    path = tmp_path / "flipped.zip"
    path.write_bytes(zipped({**files, name: bytes(content)}))
    assert name in (listed_or_refused(path) if name == "bundle.json" else named(path))


def listed_or_refused(path):
    """A list that is no JSON any more is no bundle: it is refused by its name."""
    try:
        return named(path)
    except InputError as error:
        return {name for name in ("bundle.json",) if name in str(error)}


def test_a_file_that_is_missing_or_added_is_named(files, tmp_path):
    path = tmp_path / "b.zip"
    for name in set(files) - {"bundle.json"}:
        path.write_bytes(zipped({k: v for k, v in files.items() if k != name}))
        assert [str(p) for p in check_bundle(path)[0]] == [f"{name} is missing"]
    path.write_bytes(zipped({**files, "extra.txt": b"x"}))
    assert [str(p) for p in check_bundle(path)[0]] == ["extra.txt is not of this bundle"]


def test_damage_inside_the_zip_is_named(files, tmp_path):
    path = tmp_path / "b.zip"
    write_bundle(files, path)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        entry = archive.getinfo("interventions.jsonl")
    # Past the local header and the name, into the packed bytes.
    data[entry.header_offset + 30 + len(entry.filename) + 40] ^= 0xFF
    path.write_bytes(bytes(data))
    assert "interventions.jsonl" in named(path)
    path.write_bytes(bytes(data[: len(data) // 2]))
    with pytest.raises(InputError, match="damaged or no zip file"):
        check_bundle(path)


def test_a_name_that_leads_out_is_named_and_not_unpacked(files, tmp_path):
    path = tmp_path / "b.zip"
    path.write_bytes(zipped({**files, "../out.txt": b"x"}))
    assert named(path) == {"../out.txt"}
    with pytest.raises(InputError), opened(path):
        pass
    assert not (tmp_path / "out.txt").exists()


def test_what_was_listed_anew_and_cannot_be_loaded_is_named(files, tmp_path):
    """Somebody changes a file and its hash: the list holds, the reading does not."""
    for name, data in (
        ("interventions.jsonl", b'{"id": 1}\n'),
        ("item_labels.jsonl", b'{"annotator": "Ada"}\n'),
        ("study.toml", b"[study]\nnam = 1\n"),
        ("grades.parquet", b"nothing"),
    ):
        content = json.loads(files["bundle.json"])
        content["files"][name]["sha256"] = hashlib.sha256(data).hexdigest()
        content[SELF] = bundle_hash(content)
        path = tmp_path / "b.zip"
        path.write_bytes(zipped({**files, name: data, "bundle.json": json.dumps(content).encode()}))
        assert name in named(path)


def test_a_newer_form_and_something_else_are_refused(files, tmp_path):
    content = json.loads(files["bundle.json"]) | {"version": 2}
    path = tmp_path / "b.zip"
    path.write_bytes(zipped({**files, "bundle.json": json.dumps(content).encode()}))
    with pytest.raises(InputError, match="has version 2; this judgeprobe reads 1"):
        check_bundle(path)
    path.write_bytes(zipped({"a.txt": b"x"}))
    with pytest.raises(InputError, match=r"holds no bundle\.json"):
        check_bundle(path)


def test_a_folder_that_holds_something_is_not_written_into(files, tmp_path):
    out = tmp_path / "b"
    out.mkdir()
    (out / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="choose another folder"):
        write_bundle(files, out)
    shutil.rmtree(out)
    write_bundle(files, out)
    (out / "profile.json").write_text("{}")
    assert named(out) == {"profile.json"}
