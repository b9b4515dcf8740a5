"""A profile of a table read in parts is the profile of the same table in memory."""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.helpers.graded_files import CONTROL, SLOTS, TAXONOMY, random_frame, write_frame
from tests.helpers.pair_tables import options

from judgeprobe.errors import InputError
from judgeprobe.profile import ProfileOptions, block_sums, profile_pairs
from judgeprobe.profile.remedies import with_remedies
from judgeprobe.profile.run import facts_of
from judgeprobe.profile.streamed import facts_of_blocks, streamed_profile
from judgeprobe.tables import pairs_from_file, pairs_in_blocks, part_files, way_of

NEEDS_ROWS = "needs rows: not computed from a streamed table"
TOLERANCE = 1e-12
# Facts that need the pairs, or that a streamed table names as missing.
APART = {"crossed", "crossed_all", "table", "lengths", "permutations", "needs_rows"}
APART |= {"test", "tests"}


def differences(one: Any, two: Any, where: str = "") -> list[str]:
    """Where two results differ by more than the tolerance."""
    if is_dataclass(one):
        names = [field.name for field in fields(one) if field.name not in APART]
        return [d for n in names for d in differences(getattr(one, n), getattr(two, n), where + n)]
    if isinstance(one, dict):
        if one.keys() != two.keys():
            return [f"{where}: {one.keys() ^ two.keys()}"]
        return [d for key in one for d in differences(one[key], two[key], f"{where}.{key}")]
    if isinstance(one, list | tuple):
        if len(one) != len(two):
            return [f"{where}: {len(one)} and {len(two)}"]
        both = enumerate(zip(one, two, strict=True))
        return [d for i, (a, b) in both for d in differences(a, b, f"{where}[{i}]")]
    if isinstance(one, np.ndarray | float) and two is not None:
        a, b = np.asarray(one, dtype=float), np.asarray(two, dtype=float)
        same = a.shape == b.shape and np.allclose(a, b, rtol=0, atol=TOLERANCE, equal_nan=True)
        return [] if same else [f"{where}: {one} and {two}"]
    return [] if one == two else [f"{where}: {one!r} and {two!r}"]


def random_options(rng: np.random.Generator, frame: pd.DataFrame) -> ProfileOptions:
    judges = sorted(set(frame["judge"]) - {"", "only in a refused row"})
    construct = [name for name in SLOTS if name not in CONTROL]
    changes: dict[str, Any] = {
        "floor": float(rng.choice([0.5, 0.8, 0.9])),
        "rule": str(rng.choice(["cut", "shift"])),
        "level": float(rng.choice([0.8, 0.95])),
        "adjust": str(rng.choice(["bh", "holm"])),
        "seed": int(rng.integers(0, 9)),
        "matched": (0.7, 0.95),
        "usable_share": float(rng.choice([0.01, 0.1])),
        "groupings": {"half": {name: "ab"[i % 2] for i, name in enumerate(construct)}},
    }
    if rng.random() < 0.5:
        changes["ensembles"] = {"some": tuple(judges[:3]), "two": tuple(judges[-2:])}
    return options(**changes)


@pytest.mark.parametrize("seed", range(24))
def test_every_fact_is_the_same_to_1e_12(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng([11, seed])
    frame = random_frame(rng)
    how = ("csv", "jsonl", "parquet", "folder", "tsv")[seed % 5]
    path = write_frame(tmp_path, frame, how)
    settings = random_options(rng, frame)
    table = with_remedies(pairs_from_file(path, TAXONOMY, settings.scale), settings.ensembles, {})
    expected = facts_of(table, settings)
    with pairs_in_blocks(path, TAXONOMY, settings.scale, shares=int(rng.integers(1, 9))) as blocks:
        found = facts_of_blocks(blocks, settings)
    assert differences(expected, found) == []
    assert found.table.excluded == expected.table.excluded
    for one, two in zip(expected.readings, found.readings, strict=True):
        np.testing.assert_array_equal(one.crossed.taus, two.crossed.taus)
        assert one.crossed.n_cuts_before_thinning == two.crossed.n_cuts_before_thinning


def both(path: Path, settings: ProfileOptions, shares: int) -> tuple[Any, Any]:
    """The two profiles, without what the streamed one says that it lacks."""
    memory = profile_pairs(path, TAXONOMY, settings, direction_source="two readers", way="memory")
    streamed = streamed_profile(
        path,
        TAXONOMY,
        settings,
        direction="human",
        direction_source="two readers",
        made_under=memory["made_under"],
        shares=shares,
    )
    lacking = {row["field"] for row in streamed.pop("needs_rows")}
    assert memory.pop("needs_rows") == []
    if "lengths" in lacking:
        assert streamed["lengths"]["known"] == memory["lengths"]["known"] > 0
        assert streamed.pop("lengths")["reason"] == NEEDS_ROWS
        memory.pop("lengths")
    for profile in (memory, streamed):
        del profile["permutations"]
        profile.pop("bars", None), profile.pop("predictions", None)
        if "gap.permutation_p" in lacking:
            del profile["gap"]["permutations"]
        for name in ("permutation_p", "largest_null"):
            if f"gap.{name}" in lacking:
                value = profile["gap"].pop(name)
                assert value is None or profile is memory
        for judge in profile["judges"]:
            for name in ("permutation_p", "adjusted_p", "adjustment"):
                if "judges[].gap.permutation_p" in lacking and judge["gap"] is not None:
                    value = judge["gap"].pop(name, None)
                    assert value is None or profile is memory
    return memory, streamed


@pytest.mark.parametrize("seed", range(8))
def test_the_same_json(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng([12, seed])
    frame = random_frame(rng)
    path = write_frame(tmp_path, frame, ("parquet", "folder")[seed % 2])
    memory, streamed = both(path, random_options(rng, frame), shares=3)
    # Ten decimals are written; a last bit may turn the tenth.
    assert (
        json.dumps(memory) == json.dumps(streamed)
        or differences(
            json.loads(json.dumps(memory), parse_float=lambda x: round(float(x), 9)),
            json.loads(json.dumps(streamed), parse_float=lambda x: round(float(x), 9)),
        )
        == []
    )


def test_several_passes_over_the_blocks_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(13)
    frame = random_frame(rng)
    path = write_frame(tmp_path, frame, "parquet")
    settings = options(floor=0.5, seed=4)
    with pairs_in_blocks(path, TAXONOMY, settings.scale, shares=4) as blocks:
        once = facts_of_blocks(blocks, settings)
        monkeypatch.setattr(block_sums, "_SUM_CELLS", 3000)
        monkeypatch.setattr(block_sums, "_WEIGHT_CELLS", 40)
        assert len(list(blocks.tables(most=2))) > 1
        again = facts_of_blocks(blocks, settings)
    assert differences(once, again) == []


def test_what_needs_rows_is_named_only_where_there_is_something_to_compute(tmp_path: Path) -> None:
    rows = [
        ("a", "b1", "domain_extension", 4, 1),
        ("a", "b1", "format_shift", 4, 4),
        ("a", "b2", "hedging_removal", 4, 3),
        ("a", "b2", "reordering", 4, 4),
    ]
    names = ["judge", "base_id", "slot", "grade_original", "grade_edited"]
    frame = pd.DataFrame(rows, columns=names)
    path = write_frame(tmp_path, frame, "csv")
    found = profile_pairs(path, TAXONOMY, options(usable_share=0.0), way="stream")
    fields_named = [row["field"] for row in found["needs_rows"]]
    assert fields_named == [
        "gap.permutation_p",
        "gap.largest_null",
        "judges[].gap.permutation_p",
        "judges[].gap.adjusted_p",
    ]
    assert found["gap"]["permutation_p"] is None
    assert found["lengths"] == {"known": 0, "reason": "no lengths are given"}
    only_control = write_frame(tmp_path, frame[frame["slot"] == "reordering"], "tsv")
    found = profile_pairs(only_control, TAXONOMY, options(), way="stream")
    assert found["needs_rows"] == []
    assert found["judges"][0]["reason"] == "no graded construct pair"


def test_large_tables_are_streamed_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = random_frame(np.random.default_rng(14))
    path = write_frame(tmp_path, frame, "parquet")
    assert way_of(path) == "memory"
    assert way_of(path, "stream") == "stream"
    monkeypatch.setattr(part_files, "STREAM_ROWS", len(frame) - 1)
    assert way_of(path) == "stream"
    assert way_of(path, "memory") == "memory"
    monkeypatch.setattr(part_files, "STREAM_ROWS", len(frame))
    assert way_of(path) == "memory"


def test_no_usable_row_is_an_error_that_names_the_first(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("judge,base_id,slot,grade_original,grade_edited\na,b,nowhere,1,2\n")
    with pytest.raises(InputError, match=r"unknown slot `nowhere` \(row 1\)"):
        profile_pairs(path, TAXONOMY, options(), way="stream")
