"""Fixtures that several parts share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public data beside the checkout; not part of the project."""
    folder = Path(os.environ.get("JUDGEPROBE_SHARED", ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(
            f"no real data at {folder}; set JUDGEPROBE_SHARED to the folder that holds data/"
        )
    return folder
