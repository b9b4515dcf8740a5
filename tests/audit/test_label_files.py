import sys
import types
from pathlib import Path
from typing import Any

import pytest

from judgeprobe.audit.label_columns import Columns
from judgeprobe.audit.label_files import load_source, locate
from judgeprobe.errors import InputError

ITEM = {"prompt": "p", "response": "r", "helpfulness": 1}


def a_hub(monkeypatch: pytest.MonkeyPatch, found: Any) -> list[tuple[Any, ...]]:
    asked: list[tuple[Any, ...]] = []

    def load_dataset(name: str, *, revision: str | None, split: str | None) -> Any:
        asked.append((name, revision, split))
        if isinstance(found, Exception):
            raise found
        return found if split is None else found[split]

    module = types.ModuleType("datasets")
    module.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)
    return asked


def test_a_hub_set_is_read_with_its_revision_and_split(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = a_hub(monkeypatch, {"train": [ITEM, ITEM], "validation": [ITEM]})
    source, located = load_source("hf:nvidia/HelpSteer2@abc:validation", "helpsteer2", None)
    assert asked == [("nvidia/HelpSteer2", "abc", "validation")]
    assert (len(source.items), located.revision) == (1, "abc")
    assert len(locate("hf:nvidia/HelpSteer2").rows) == 3


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError, match="pip install datasets"):
        locate("hf:nvidia/HelpSteer2")


def test_a_hub_that_refuses_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    a_hub(monkeypatch, RuntimeError("no such set\nand more"))
    with pytest.raises(InputError, match=r"cannot be loaded \(no such set\)"):
        locate("hf:x/y")
    with pytest.raises(InputError, match="write hf:OWNER/NAME"):
        locate("hf:")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_the_three_endings_give_one_set(tmp_path: Path, ending: str) -> None:
    import pandas as pd

    frame = pd.DataFrame({"t": ["one, two", "three\nfour"], "l": [1.0, 0.0]})
    path = tmp_path / f"set.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    source, located = load_source(str(path), None, Columns("t", label="l"))
    assert [(item.text, item.label) for item in source.items] == [
        ("one, two", "1"), ("three\nfour", "0"),
    ]  # fmt: skip
    assert located.sha256 is not None
    assert len(located.sha256) == 64


def test_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_text("t,l\na,1\n")
    with pytest.raises(InputError, match="give --text and --label, or --reader"):
        load_source(str(path), None, None)
