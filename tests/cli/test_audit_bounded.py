"""`judgeprobe audit bounded` as a user runs it."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from judgeprobe.cli.app import app

run = CliRunner().invoke
BASE = [
    "--item", "stim", "--response", "resp", "--arm", "prof", "--rating", "score", "--low", "1",
    "--high", "5", "--treated", "advanced", "--control", "novice", "--positive", "high",
    "--resamples", "200", "--simulations", "100",
]  # fmt: skip


def made(items: int = 12, *, fall: int = 1) -> pd.DataFrame:
    """The low response sits on the floor of every other item; both latent values fall alike."""
    rows = []
    for i in range(items):
        low = 1 if i % 2 else 2
        for arm in ("novice", "advanced", "none"):
            gone = fall if arm == "advanced" else 0
            for response, latent in (("high", 4), ("low", low)):
                score = max(1, latent - gone)
                rows += [
                    {"stim": f"s{i}", "resp": response, "prof": arm, "score": score,
                     "other": min(5, score + 1), "run": f"r{i // 3}", "clear": i % 5}
                ] * 2  # fmt: skip
    return pd.DataFrame(rows)


def audit(path: Path, *more: str) -> dict[str, Any]:
    result = run(app, ["audit", "bounded", str(path), *BASE, *more, "--json"])
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def refused(path: Path, *more: str) -> str:
    result = run(app, ["audit", "bounded", str(path), *BASE, *more])
    assert result.exit_code == 1, result.output
    return result.stderr


def test_the_named_fields(tmp_path: Path) -> None:
    made().to_csv(tmp_path / "r.csv", index=False)
    found = audit(
        tmp_path / "r.csv", "--cluster", "run", "--field", "other", "--evidence", "clear",
        "--effect", "0.5", "--ordinal",
    )  # fmt: skip
    whole = found["endpoint"]
    assert (whole["n_items"], whole["n_clusters"], whole["nonzero"]) == (12, 4, 4)
    assert whole["estimate"] == pytest.approx(-0.5)
    assert whole["p"] == whole["smallest_p"] == 2.0**-3
    assert found["pinned"]["n_items"] == 6
    assert found["pinned"]["responses"] == {"high": 0, "low": 6}
    assert (found["split"]["pinned"]["n"], found["split"]["pinned"]["estimate"]) == (6, -1.0)
    assert (found["split"]["free"]["n"], found["split"]["free"]["estimate"]) == (6, 0.0)
    assert found["reconstructed"]["share"] == pytest.approx(1.0)
    assert found["reconstructed"]["rounded_share"] == pytest.approx(1.0)
    assert (found["reconstructed"]["from"], found["reconstructed"]["onto"]) == ("high", "low")
    room = found["headroom"]
    assert room["down"] - room["up"] == pytest.approx(2 * room["separation"])
    assert found["fragility"]["changes_past_zero"] == found["fragility"]["changes_to_zero"] + 1
    assert [each["field"] for each in found["fields"]] == ["score", "other"]
    assert {(m["response"], m["arm"]) for m in found["manipulation"]} == {
        ("high", "advanced"), ("low", "advanced"), ("high", "none"), ("low", "none"),
    }  # fmt: skip
    assert found["gradient"]["endpoint"]["n"] == 4
    assert found["power"]["power"] is not None or found["power"]["reason"]
    assert found["ordinal"]["reason"].startswith("a response is wholly at a bound")
    assert "de-censored" not in json.dumps(found)


def test_tables_and_sentences_and_the_same_bytes_twice(tmp_path: Path) -> None:
    made().to_csv(tmp_path / "r.csv", index=False)
    ask = ["audit", "bounded", str(tmp_path / "r.csv"), *BASE]
    shown = run(app, ask)
    assert shown.exit_code == 0, shown.output
    assert "alone give -0.500, 100% of it" in shown.stdout
    assert "Difference in differences" in shown.stdout
    assert run(app, [*ask, "--json"]).stdout == run(app, [*ask, "--json"]).stdout


def test_without_a_fall_there_is_no_share(tmp_path: Path) -> None:
    made(fall=0).to_csv(tmp_path / "r.csv", index=False)
    found = audit(tmp_path / "r.csv")
    assert (found["endpoint"]["estimate"], found["endpoint"]["p"]) == (0.0, 1.0)
    assert found["reconstructed"]["share"] is None
    assert found["reconstructed"]["reason"] == "the endpoint is zero: there is no share"


def test_incomplete_items_and_empty_ratings_are_counted(tmp_path: Path) -> None:
    frame = made().astype({"score": "object"})
    frame.loc[(frame.stim == "s3") & (frame.prof == "novice") & (frame.resp == "low"), "score"] = ""
    frame.to_csv(tmp_path / "r.csv", index=False)
    found = audit(tmp_path / "r.csv")
    assert found["excluded"] == {"rows_without_rating": 2, "incomplete_items": 1}
    assert found["endpoint"]["n_items"] == 11


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        ({"score": 6}, [], "row 1: `score` is 6, which is not on the scale 1 to 5"),
        ({"resp": "third"}, [], "`resp` has 3 values"),
        ({"run": "r9"}, ["--cluster", "run"], "`run` of item 's0' differs"),
        ({"prof": ""}, [], "row 1: `prof` is empty"),
        ({}, ["--treated", "expert"], "`prof` never is 'expert'"),
        ({}, ["--control", "advanced"], "the same arm"),
        ({}, ["--positive", "best"], "`resp` never is 'best'"),
        ({}, ["--low", "5", "--high", "1"], "low < high"),
        ({}, ["--field", "nothing"], "lacks the column `nothing`"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, change: dict[str, Any], more: list[str], message: str
) -> None:
    frame = made().astype("object")
    for column, value in change.items():
        frame.loc[0, column] = value
    frame.to_csv(tmp_path / "r.csv", index=False)
    assert message in refused(tmp_path / "r.csv", *more)


def test_peoples_ratings_stand_beside_the_judges(tmp_path: Path) -> None:
    frame = made()
    frame["key"] = [f"k{i}" for i in range(len(frame))]
    frame.to_csv(tmp_path / "r.csv", index=False)
    people = frame[["key"]].assign(people=3)[::-1]
    people.to_csv(tmp_path / "p.csv", index=False)
    ask = ["--gold", "people", "--gold-file", str(tmp_path / "p.csv"), "--id", "key"]
    found = audit(tmp_path / "r.csv", *ask, "--out", str(tmp_path / "out"))
    judge, gold = found["fields"]
    assert (judge["people"], gold["people"], gold["field"]) == (False, True, "people")
    assert (gold["estimate"], gold["n"]) == (0.0, 12)
    assert judge["reconstructed_estimate"] == found["reconstructed"]["estimate"]
    page = (tmp_path / "out/bounded.html").read_text("utf-8")
    assert "people (people)" in page
    assert "p.csv (SHA-256" in page
    assert json.loads((tmp_path / "out/bounded.json").read_text("utf-8")) == found
    people.assign(key="k0").to_csv(tmp_path / "p.csv", index=False)
    assert "p.csv, row 2: `key` 'k0' stands in row 1 too" in refused(tmp_path / "r.csv", *ask)


def test_ratings_from_what_a_tool_wrote(tmp_path: Path) -> None:
    rows = made(4).to_dict("records")
    results = [
        {"testIdx": i, "promptIdx": 0, "provider": {"id": "judge"}, "score": row["score"],
         "success": True, "response": {"output": "x"},
         "vars": {"stim": row["stim"], "resp": row["resp"], "prof": row["prof"]}}
        for i, row in enumerate(rows)
    ]  # fmt: skip
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"results": {"results": results}}), "utf-8")
    made(4).to_csv(tmp_path / "r.csv", index=False)
    named = ["--item", "vars.stim", "--response", "vars.resp", "--arm", "vars.prof"]
    found = audit(path, "--reader", "promptfoo", *named)
    assert found["endpoint"] == audit(tmp_path / "r.csv")["endpoint"]
    assert found["reader"] == "promptfoo"


def test_what_the_sentences_say(tmp_path: Path) -> None:
    frame = made()
    frame.to_csv(tmp_path / "r.csv", index=False)
    ask = ["audit", "bounded", str(tmp_path / "r.csv"), *BASE, "--evidence", "clear"]
    told = run(app, ask).stdout
    assert "moved: high by -1.000 and low by -0.500: both the same way, as a common shift" in told
    assert "if it shrank where evidence is clearer, rho would be positive" in told
    assert "high bound moved inwards" not in told
    assert "low: 0 of 6 at the low bound moved inwards, 0 of 6 others moved that way" in told
    made(fall=0).to_csv(tmp_path / "still.csv", index=False)
    told = run(app, ["audit", "bounded", str(tmp_path / "still.csv"), *BASE]).stdout
    assert "the condition did not reach it, and no preference could show" in told
    assert "No share is given: the endpoint is zero" in told
    # On nine items low falls by 2 where high falls by 1, on three it is pinned: +1 and -1. High's
    # fall clipped onto low gives 0 and -1.
    free = (frame.resp == "low") & ~frame.stim.isin(["s1", "s3", "s5"])
    frame.loc[free, "score"] = [2 if arm == "advanced" else 4 for arm in frame.prof[free]]
    frame.to_csv(tmp_path / "up.csv", index=False)
    told = run(app, ["audit", "bounded", str(tmp_path / "up.csv"), *BASE]).stdout
    assert "Endpoint 0.500" in told
    assert "The bounds and a common shift alone give -0.250, the other way." in told


def test_the_level_is_that_of_every_interval(tmp_path: Path) -> None:
    frame = made()
    frame["score"] = [1 + i * i % 5 for i in range(len(frame))]
    frame.to_csv(tmp_path / "r.csv", index=False)
    wide, narrow = (
        audit(tmp_path / "r.csv", "--ordinal", "--level", level) for level in ("0.95", "0.5")
    )
    for name in ("endpoint", "ordinal"):
        assert narrow[name]["high"] - narrow[name]["low"] < wide[name]["high"] - wide[name]["low"]
