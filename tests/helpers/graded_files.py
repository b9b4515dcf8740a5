"""Files of graded pairs with everything that goes wrong in real ones, in every format."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from judgeprobe.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy("claim-calibration")
SLOTS = [slot.name for slot in TAXONOMY.slots]
CONTROL = {slot.name for slot in TAXONOMY.slots if slot.arm == "invariance"}
OPTIONAL = ("unanimous", "domain", "regrade_original", "length_original", "length_edited")


def random_frame(rng: np.random.Generator) -> pd.DataFrame:
    """Unequal edits, judges that graded a part, ungraded cells, repeated and unusable rows.

    One judge grades in numbers of its own (as from token probabilities), one may be a control
    judge, one may give a single grade; names are in no order.
    """
    n_base, rows = int(rng.integers(2, 30)), int(rng.integers(40, 500))
    names = [f"{name}{i}" for i, name in enumerate(rng.permutation(["é", "b", "z", "=c"]))]
    names += list(rng.choice(["constant", "flip", "planted(0.9, 0.4)", "length", "q"], 1))
    judge = rng.choice(names, rows)
    slot = rng.choice(SLOTS, rows)
    steps = rng.integers(8, 21, (len(names), n_base)) / 4
    base = rng.integers(0, n_base, rows)
    before = steps[[names.index(name) for name in judge], base]
    often = np.where(np.isin(slot, list(CONTROL)), 0.05, 0.6)
    after = np.where(rng.random(rows) < often, rng.integers(0, 21, rows) / 4, before)
    own = judge == names[0]
    after = np.where(own, np.clip(after + rng.normal(0, 0.01, rows), 0, 5), after)
    one = judge == names[1]
    if rng.random() < 0.3:
        before, after = np.where(one, 3.0, before), np.where(one, 3.0, after)
    missing = rng.choice([0.0, 0.1])
    frame = pd.DataFrame(
        {
            "judge": judge,
            "base_id": [f"base {i * 7919 % 101}" for i in base],
            "slot": slot,
            "grade_original": np.where(rng.random(rows) < missing, np.nan, before),
            "grade_edited": np.where(rng.random(rows) < missing, np.nan, after),
            "unanimous": rng.choice(["true", "false", ""], rows, p=[0.6, 0.2, 0.2]),
            "domain": rng.choice(["earth", "bio", ""], rows),
            "regrade_original": np.where(rng.random(rows) < 0.5, before, np.nan),
            "length_original": rng.integers(50, 99, rows).astype(float),
            "length_edited": rng.integers(50, 99, rows).astype(float),
        }
    )
    if rng.random() < 0.5:
        frame = frame.drop_duplicates(["judge", "base_id", "slot"]).reset_index(drop=True)
    spoiled = rng.choice(len(frame), 4, replace=False)
    frame.loc[spoiled[0], "slot"] = "no_such_slot"
    frame.loc[spoiled[1], "grade_edited"] = 77.0
    frame.loc[spoiled[2], "judge"] = ""
    frame.loc[spoiled[3], ["base_id", "judge"]] = ["", "only in a refused row"]
    left_out = [name for name in OPTIONAL if rng.random() < 0.4]
    return frame.drop(columns=left_out)


def write_frame(folder: Path, frame: pd.DataFrame, how: str) -> Path:
    """As "csv", "tsv", "jsonl", "parquet", or "folder" (three Parquet files and a CSV)."""
    if how == "folder":
        path = folder / "parts"
        path.mkdir()
        cuts = np.linspace(0, len(frame), 5).astype(int)
        for i, (start, stop) in enumerate(pairwise(cuts)):
            part = frame.iloc[start:stop]
            if i == 2:
                part.to_csv(path / f"part-{i}.csv", index=False)
            else:
                part.to_parquet(path / f"part-{i}.parquet", row_group_size=17)
        return path
    path = folder / f"pairs.{how}"
    if how == "parquet":
        frame.to_parquet(path, row_group_size=37)
    elif how == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if how == "tsv" else ",")
    return path
