"""Was anything moved after the score was seen? A commitment, written before it and checked later.

The file holds every constant, what the features are, a hash of the label, groups and features, and
the eligibility decision. Its own hash covers all of it, so an edited commitment is found out.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from judgeprobe.audit.residual_input import ResidualColumns, ResidualTable
from judgeprobe.errors import InputError
from judgeprobe.files import read_json, write_json
from judgeprobe.records import content_hash
from judgeprobe.stats.residual_types import Eligibility, Gates

__all__ = ["check_commitment", "commitment", "write_commitment"]


def commitment(
    table: ResidualTable,
    columns: ResidualColumns,
    gates: Gates,
    representation: str,
    seed: int,
    found: Eligibility,
) -> dict[str, Any]:
    """Everything that is decided before the score is read."""
    body: dict[str, Any] = {
        "file": table.file,
        "rows": len(table.labels),
        "data": table.data_hash,
        "columns": {key: value for key, value in asdict(columns).items() if key != "score"},
        "score": columns.score,
        "representation": representation,
        "constants": {**asdict(gates), "seed": seed},
        "eligibility": {
            # Ten digits: another BLAS may differ in the last ones.
            "auc": round(found.auc, 10),
            "passed": found.passed,
            "slice": int(found.slice_rows.sum()),
        },
    }
    # As JSON has it: tuples are lists there.
    body = _plain(body)
    return {**body, "hash": content_hash(body)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def write_commitment(path: Path, made: dict[str, Any]) -> None:
    """Write a commitment; an existing file is never overwritten.

    Raises:
        InputError: The file is there already.
    """
    if path.exists():
        raise InputError("is there already", file=path, remedy="choose another name")
    write_json(path, made)


def check_commitment(path: Path, now: dict[str, Any]) -> dict[str, Any]:
    """Compare a run with its commitment.

    Returns:
        hash, intact (the file's own hash fits its content), moved (names of what differs).

    Raises:
        InputError: The file is missing or is no commitment.
    """
    kept = read_json(path)
    if not isinstance(kept, dict) or "hash" not in kept:
        raise InputError("is no commitment", file=path, remedy="make one with --commit")
    body = {key: value for key, value in kept.items() if key != "hash"}
    moved = []
    for key in now:
        if key == "hash" or kept.get(key) == now[key]:
            continue
        if isinstance(now[key], dict) and isinstance(kept.get(key), dict):
            moved += [f"{key}.{k}" for k in now[key] if kept[key].get(k) != now[key][k]]
        else:
            moved.append(key)
    return {"hash": kept["hash"], "intact": content_hash(body) == kept["hash"], "moved": moved}
