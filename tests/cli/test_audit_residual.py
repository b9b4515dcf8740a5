"""`judgeprobe audit residual` and `residual-model` as a user runs them."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from judgeprobe.cli.app import app
from judgeprobe.stats.residual_models import controlled_model

run = CliRunner().invoke
FAST = ["--resamples", "100"]
FEATURES = [f"phi_{i}" for i in range(4)]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def rows_of(rho: float, n: int = 400) -> list[dict[str, Any]]:
    model = controlled_model(np.random.default_rng(0), rho=rho, n=n, n_features=4)
    return [
        {
            "score": model.scores[i],
            "label": int(model.labels[i]),
            "q": f"q{i // 4}",
            "again": int(model.labels[i]),
            "text": "word " * (i % 7 + 1) + "<script>",
            **{name: model.features[i, k] for k, name in enumerate(FEATURES)},
        }
        for i in range(n)
    ]


def arguments(path: Path) -> list[str]:
    return [
        "audit", "residual", str(path), "--score", "score", "--label", "label", "--group", "q",
        "--features", ",".join(FEATURES), *FAST,
    ]  # fmt: skip


@pytest.fixture
def loaded(tmp_path: Path) -> Path:
    return written(tmp_path / "loaded.csv", rows_of(0.6))


def test_the_named_fields(loaded: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    stated = ["--label-provenance", "unit tests", "--shared-risk", "<b>none</b>"]
    result = run(
        app,
        [*arguments(loaded), "--json", *stated, "--out", str(out), "--controls",
         "--second-label", "again", "--sensitivity", "gates,alpha",
         "--triage", str(out / "triage.csv")],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["outcome"] == "measured slice gain"
    assert "slice-restricted" in found["claim"]
    assert found["eligibility"]["passed"] is True
    assert (
        found["eligibility"]["low"] <= found["eligibility"]["auc"] <= found["eligibility"]["high"]
    )
    assert found["screen"]["passed"] is True
    assert {"n", "raw", "adjusted", "gain", "low", "high"} == set(found["slice"])
    assert {"raw", "adjusted", "change", "low", "high"} == set(found["full"])
    assert {"raw", "adjusted"} == set(found["flagged"])
    assert {"mrr_raw", "mrr_adjusted"} <= set(found["ranking"])
    assert {"raw", "adjusted", "low", "high", "met"} <= set(found["decorrelation"])
    assert {"raw", "adjusted"} <= set(found["probe"])
    assert {row["name"] for row in found["controls"]} >= {
        "nested split-half", "placebo of matched AUC", "disjoint second label", "slice from phi_0",
    }  # fmt: skip
    assert len(found["sensitivity"]["alpha"]) == 4
    assert found["triage"]["rows"] == 400
    page = (out / "residual.html").read_text(encoding="utf-8")
    assert "<b>none</b>" not in page
    assert "&lt;b&gt;none" in page
    assert "<b>" not in (out / "residual.md").read_text(encoding="utf-8")
    with (out / "triage.csv").open(encoding="utf-8", newline="") as file:
        ranked = list(csv.DictReader(file))
    original = rows_of(0.6)
    assert float(ranked[0]["score"]) == original[int(ranked[0]["row"]) - 1]["score"]


def test_a_claim_without_provenance_is_withheld_and_a_refusal_is_a_result(
    loaded: Path, tmp_path: Path
) -> None:
    result = run(app, [*arguments(loaded), "--json"])
    assert json.loads(result.stdout)["claim"].startswith("Withheld")
    path = written(tmp_path / "none.csv", rows_of(0.0))
    refused = run(app, [*arguments(path), "--json"])
    assert refused.exit_code == 0
    found = json.loads(refused.stdout)
    assert found["outcome"] == "no usable slice"
    assert found["claim"].startswith("None.")
    assert found["slice"] is None
    assert found["full"] is None
    assert found["screen"]["delta_slice"] is None
    assert set(found["reasons"]) >= {"eligibility", "screen", "slice", "full", "probe"}
    watched = run(app, [*arguments(path), "--fail-on", "no usable slice"])
    assert watched.exit_code == 3
    assert "Outcome: no usable slice" in watched.stdout
    wrong = run(app, [*arguments(path), "--fail-on", "success"])
    assert wrong.exit_code == 1
    assert "there is no outcome 'success'" in wrong.stderr


def test_a_commitment_is_written_before_the_score_and_checked_after(
    loaded: Path, tmp_path: Path
) -> None:
    commit = tmp_path / "commit.json"
    unscored = written(tmp_path / "later.csv", [{**row, "score": ""} for row in rows_of(0.6)])
    first = run(app, [*arguments(unscored), "--commit", str(commit), "--commit-only", "--json"])
    assert first.exit_code == 0, first.output
    assert json.loads(first.stdout)["eligibility"]["passed"] is True
    unscored.write_bytes(loaded.read_bytes())
    second = run(app, [*arguments(unscored), "--commit", str(commit), "--json"])
    assert json.loads(second.stdout)["commitment"]["moved"] == []
    assert json.loads(second.stdout)["commitment"]["intact"] is True
    moved = run(
        app,
        [*arguments(unscored), "--commit", str(commit), "--json", "--representation",
         "rank_gauss", "--resamples", "150", "--fail-on", "moved"],
    )  # fmt: skip
    assert moved.exit_code == 3
    assert json.loads(moved.stdout)["commitment"]["moved"] == [
        "representation", "constants.resamples",
    ]  # fmt: skip
    edited = json.loads(commit.read_text())
    edited["constants"]["eligibility"] = 0.5
    commit.write_text(json.dumps(edited))
    last = run(app, [*arguments(unscored), "--commit", str(commit)])
    assert "edited: its hash does not fit" in last.stderr


def test_the_designed_branch(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        {
            "score": level[u] + 0.6 * (edit != "terse") - (state == "buggy") + 0.2 * rng.normal(),
            "u": f"u{u}",
            "edit": edit,
            "state": state,
            "text": "code " * {"terse": 3, "verbose": 12, "padded": 8}[edit],
        }
        for level in [rng.normal(size=40)]
        for u in range(40)
        for edit in ("terse", "verbose", "padded")
        for state in ("correct", "buggy")
    ]
    path = written(tmp_path / "designed.csv", rows)
    base = [
        "audit", "residual", str(path), "--score", "score", "--features", "@length", "--text",
        "text", "--pairs-by", "u", "--edit", "edit", "--construct", "state", *FAST,
    ]  # fmt: skip
    unnamed = run(app, base)
    assert unnamed.exit_code == 1
    assert "--good VALUE" in unnamed.stderr
    options = ["--good", "correct", "--plain", "terse", "--margin", "0.5", "--assignment"]
    result = run(app, [*base, *options, "--json", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["outcome"] == "measured format attenuation"
    assert found["claim"].startswith("Withheld")
    effects = [c for c in found["contrasts"] if c["kind"] == "format effect"]
    assert len(effects) == 4
    assert all(c["raw"]["value"] > 0.4 and c["attenuated"] for c in effects)
    assert all(each["equivalent"] for each in found["equivalence"])
    assert {(t["fitted_on"], t["applied_to"]) for t in found["transfer"]} == {
        (a, b) for a in ("padded", "verbose") for b in ("padded", "verbose")
    }
    assert {each["form"] for each in found["length_only"]} == {
        "linear", "isotonic", "spline", "boosted",
    }  # fmt: skip
    assert found["assignment"][-1]["rho"] == pytest.approx(1)
    assert "Paired contrasts" in (tmp_path / "out" / "residual.md").read_text(encoding="utf-8")


def test_published_rates_of_an_edit_are_the_raw_effects(shared_data: Path, tmp_path: Path) -> None:
    """120 LLM-judge grades of texts before and after a label-preserving overlap edit."""
    folder = shared_data / "residualization_audit"
    with (folder / "overlap_edit_llm_check.csv").open(encoding="utf-8", newline="") as file:
        given = list(csv.DictReader(file))
    published = json.loads((folder / "overlap_edit_llm_check_published.json").read_text())
    long = [
        {"u": row["item"], "edit": edit, "label": row["label"], "edited": int(edit == "edit"),
         "score": row[f"{edit}_contains"]}
        for row in given
        for edit in ("orig", "edit")
    ]  # fmt: skip
    path = written(tmp_path / "long.csv", long)
    result = run(
        app,
        ["audit", "residual", str(path), "--score", "score", "--features", "edited", "--pairs-by",
         "u", "--edit", "edit", "--plain", "orig", "--construct", "label", "--good", "1", *FAST,
         "--json"],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    raw = {c["name"]: c["raw"]["value"] for c in json.loads(result.stdout)["contrasts"]}
    for label, kind in (("1", "down"), ("0", "up")):
        rates = published[kind]
        expected = rates["edit_contains_rate"] - rates["orig_contains_rate"]
        assert raw[f"edit against orig, given {label}"] == pytest.approx(expected)


def test_refusals_are_one_line(loaded: Path, tmp_path: Path) -> None:
    for change, message in (
        (["--representation", "log"], "there is no representation 'log'"),
        (["--sensitivity", "colour"], "there is no sweep 'colour'"),
        (["--pairs-by", "q"], "needs --pairs-by and --edit together"),
        (["--features", "phi_9"], "did you mean 'phi_"),
    ):
        result = run(app, [*arguments(loaded), *change])
        assert result.exit_code == 1
        assert message in result.stderr
        assert result.stderr.count("\n") == 1


def test_a_controlled_model_and_its_draw(tmp_path: Path) -> None:
    data = tmp_path / "draw.csv"
    result = run(
        app,
        ["audit", "residual-model", "gaussian", "--rho", "0.8", "--rows", "400", "--json",
         "--resamples", "30", "--data", str(data), "--label-noise", "symmetric:0.1"],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["truth"]["full"]["adjusted"] < found["truth"]["full"]["raw"]
    assert found["truth"]["declared_slice"]["adjusted"] > found["truth"]["declared_slice"]["raw"]
    assert len(data.read_text().splitlines()) == 401
    for wrong in (["spiral"], ["gaussian", "--label-noise", "some:lot"]):
        assert run(app, ["audit", "residual-model", *wrong]).exit_code == 1
