"""A small study folder as the stages before `report` leave it, from seeded grades.

The figures of its profile are counted here by plain loops over the seeded grades, so a table or a
picture of it shows numbers that belong together.
"""

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from judgeprobe.files import file_hash, write_json, write_parquet
from judgeprobe.records import content_hash, text_id
from judgeprobe.taxonomy import load_taxonomy

JUDGES = (
    "claude-haiku-4.5",
    "nemotron-3-nano-30b-a3b",
    "gemini-2.5-flash-lite",
    "mistral-small-3.2-24b-instruct",
    "deepseek-v4-flash",
    "glm-4.7-flash",
    "llama-4-scout",
)
# Share of construct edits that a judge notices, share of invariance edits it trips over, and how
# many grades it uses.
KINDS = ((0.7, 0.10, 12), (0.5, 0.12, 9), (0.45, 0.03, 7), (0.35, 0.05, 5), (0.3, 0.1, 10),
         (0.18, 0.02, 3), (0.1, 0.02, 6))  # fmt: skip
FLOOR = 0.90


def build_study(
    folder: Path,
    *,
    judges: Sequence[str] = JUDGES,
    direction: str = "construction",
    n_base: int = 16,
    seed: int = 1,
    controls_missed: bool = False,
    claim: str = "The treatment may lower the rate of {} in some of the plots.",
) -> Path:
    """Write study.toml, interventions, rejections, grades, profile and manifest into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    source = "construction" if direction == "construction" else "three annotators"
    (folder / "study.toml").write_text(_toml(judges, direction))
    taxonomy = load_taxonomy("claim-calibration")
    pairs = _interventions(taxonomy, n_base, claim, source)
    (folder / "interventions.jsonl").write_text(
        "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
    )
    (folder / "rejections.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in _rejections(taxonomy))
    )
    grades = _grades(pairs, judges, seed)
    write_parquet(folder / "grades.parquet", pd.DataFrame(grades), {"taxonomy": taxonomy.hash})
    made_under = {
        "taxonomy": taxonomy.hash,
        "interventions": file_hash(folder / "interventions.jsonl"),
        "grades": file_hash(folder / "grades.parquet"),
    }
    profile = _profile(pairs, grades, judges, direction, n_base, controls_missed, made_under)
    write_json(folder / "profile.json", profile)
    write_json(
        folder / "manifest.json",
        {
            "judgeprobe": "0.1.0",
            "schema": 1,
            "settings": content_hash("settings"),
            "stages": {
                "build": {"taxonomy": taxonomy.hash},
                "sweep": {"taxonomy": taxonomy.hash, "prompt": content_hash("prompt")},
                "profile": {"taxonomy": taxonomy.hash, "seed": 7},
            },
        },
    )
    return folder


def _toml(judges: Sequence[str], direction: str) -> str:
    lines = [
        "[study]",
        'name = "made for a test"',
        "seed = 7",
        'base_items = "shipped"',
        f'direction = "{direction}"',
        "[elicitation]",
        "scale = { low = 0, high = 5, step = 0.25 }",
    ]
    for judge in judges:
        lines += ["[[judges]]", f"name = {json.dumps(judge)}", 'model = "local/none"']
    return "\n".join(lines) + "\n"


def _interventions(taxonomy: Any, n_base: int, claim: str, source: str) -> list[dict[str, Any]]:
    pairs = []
    for base in range(n_base):
        original = claim.format(f"blight {base}")
        for slot in taxonomy.slots:
            edited = f"{original[:-1]} ({slot.name.replace('_', ' ')} {base})."
            pairs.append(
                {
                    "id": content_hash([base, slot.name])[:16],
                    "base_id": f"b{base:03d}",
                    "slot": slot.name,
                    "axis": slot.axis,
                    "arm": slot.arm,
                    "domain": ("earth science", "biomedicine")[base % 2],
                    "document": f"d{base // 2}",
                    "evidence": f"Twelve plots were watched for a year; blight {base} fell in 4.",
                    "original": original,
                    "edited": edited,
                    "generator": "rules",
                    "family": "rules",
                    "attempts": 1,
                    "gates": {"no_op": {"passed": True, "detail": ""}},
                    "verifier": None,
                    "length_change": (len(edited) - len(original)) / len(original),
                    "direction_source": source,
                    "made_under": {"taxonomy": taxonomy.hash},
                }
            )
    return pairs


def _rejections(taxonomy: Any) -> list[dict[str, Any]]:
    rows = []
    for number, slot in enumerate(taxonomy.slots):
        for gate in ("no_op", "length", "numbers")[: number % 4]:
            rows.append(
                {
                    "base_id": f"b{number:03d}",
                    "slot": slot.name,
                    "stage": "gate",
                    "gate": gate,
                    "reason": f"{gate} was not passed",
                    "text": "A refused text.",
                    "attempt": 1,
                }
            )
    return rows


def _grades(pairs: list[dict[str, Any]], judges: Sequence[str], seed: int) -> list[dict[str, Any]]:
    rows = []
    for number, judge in enumerate(judges):
        rng = random.Random(f"{seed}/{number}")
        notice, trip, levels = KINDS[number % len(KINDS)]
        kinds = [round(5 * i / (levels - 1) * 4) / 4 for i in range(levels)]
        given: dict[str, float] = {}
        for pair in pairs:
            first = text_id(pair["evidence"], pair["original"])
            if first not in given:
                given[first] = rng.choice(kinds[levels // 2 :])
            chance = trip if pair["arm"] == "invariance" else notice
            chance *= 1.3 if pair["axis"] == "scope" else 0.8 if pair["axis"] == "strength" else 1
            lower = [g for g in kinds if g < given[first]] or kinds[:1]
            moved = rng.random() < chance
            value = rng.choice(lower) if moved else given[first]
            given[text_id(pair["evidence"], pair["edited"])] = value
        rows += [
            {
                "judge": judge,
                "text_id": text,
                "base_id": "",
                "repetition": 0,
                "value": value,
                "status": "graded",
                "elicitation": "written",
                "reply_key": content_hash([judge, text]),
                "served_model": "not disclosed",
                "served_provider": "not disclosed",
                "served_fingerprint": "not disclosed",
                "served_quantization": "not disclosed",
                "detail": "",
            }
            for text, value in given.items()
        ]
    return rows


def _weighted(changes: list[tuple[str, bool]]) -> float | None:
    """Equation 6: base items equal, their edits equal within."""
    shares: dict[str, list[bool]] = {}
    for base, changed in changes:
        shares.setdefault(base, []).append(changed)
    if not shares:
        return None
    return sum(sum(s) / len(s) for s in shares.values()) / len(shares)


def _profile(
    pairs: list[dict[str, Any]],
    grades: list[dict[str, Any]],
    judges: Sequence[str],
    direction: str,
    n_base: int,
    controls_missed: bool,
    made_under: dict[str, str],
) -> dict[str, Any]:
    rows = [_judge(judge, pairs, grades) for judge in judges]
    points = [r["operating_point"] for r in rows if r["operating_point"]]
    names = ("S", "R", "R_scope", "R_strength")
    mean: dict[str, Any] | None = None
    if points:
        mean = {name: sum(p[name] for p in points) / len(points) for name in names}
        mean |= {f"{n}_interval": [max(0, mean[n] - 0.04), min(1, mean[n] + 0.04)] for n in names}
        mean["n_judges"] = len(points)
    gap = mean["R_scope"] - mean["R_strength"] if mean else None
    return {
        "schema": 1,
        "direction": direction,
        "floor": FLOOR,
        "rule": "cut",
        "n_base": n_base,
        "judges": rows,
        "mean": mean,
        "gap": {
            "estimate": gap,
            "low": None if gap is None else gap - 0.07,
            "high": None if gap is None else gap + 0.07,
            "axes": ["scope", "strength"],
            "method": "percentile bootstrap over base items, 100 resamples, at the fixed cut",
            "n_judges": len(points),
            "bca": None if gap is None else {"low": gap - 0.06, "high": gap + 0.08},
            "n_base": n_base,
            "positive_judges": sum(p["R_scope"] > p["R_strength"] for p in points),
            "permutation_p": 0.0021,
            "largest_null": 0.101,
            "reselected": {"low": -0.01, "high": 0.21},
        },
        "slots": _slots(pairs, grades, rows),
        "controls": _controls(controls_missed),
        "made_under": made_under,
        "excluded": [
            {"what": "elaboration", "reason": "agreement 0.40, below the bar 0.75", "n": 16},
            {"what": "pairs", "reason": "original or edited text not graded", "n": 3},
        ],
    }  # fmt: skip


def _judge(judge: str, pairs: list[dict[str, Any]], grades: list[dict[str, Any]]) -> dict[str, Any]:
    given = {g["text_id"]: g["value"] for g in grades if g["judge"] == judge}
    values = sorted(set(given.values()))
    cuts = [(a + b) / 2 for a, b in itertools.pairwise(values)]
    frontier = []
    for tau in cuts:
        by: dict[str, list[tuple[str, bool]]] = {}
        for pair in pairs:
            before = given[text_id(pair["evidence"], pair["original"])] >= tau
            after = given[text_id(pair["evidence"], pair["edited"])] >= tau
            for key in (pair["arm"], pair["axis"]):
                by.setdefault(key, []).append((pair["base_id"], before != after))
        flips = _weighted(by["invariance"])
        frontier.append(
            {
                "tau": tau,
                "S": 1 - (flips or 0.0),
                "R": _weighted(by["construct"]),
                "R_scope": _weighted(by["scope"]),
                "R_strength": _weighted(by["strength"]),
            }
        )
    allowed = [c for c in frontier if c["S"] >= FLOOR]
    best = max(allowed, key=lambda c: (c["R"], c["S"], -c["tau"])) if allowed else None
    point = None
    if best is not None:
        point = {
            **best,
            "S_interval": [max(0, best["S"] - 0.03), min(1, best["S"] + 0.03)],
            "R_interval": [max(0, best["R"] - 0.08), min(1, best["R"] + 0.08)],
            **{
                f"{axis}_interval": [max(0, best[axis] - 0.1), min(1, best[axis] + 0.1)]
                for axis in ("R_scope", "R_strength")
            },
        }
    return {
        "judge": judge,
        "status": "frontier" if best else "uninterpretable",
        "n_graded": len(given),
        "n_ungraded": 2,
        "n_pairs": {
            arm: sum(pair["arm"] == arm for pair in pairs) for arm in ("construct", "invariance")
        },
        "distinct_grades": len(values),
        "usable_points": max(len(values) - 2, 1),
        "regrade": round(1 - 0.55 / len(values) * 3, 3),
        "operating_point": point,
        "frontier": [
            {**{k: c[k] for k in ("tau", "S", "R")}, "hull": not _beaten(i, frontier)}
            for i, c in enumerate(frontier)
        ],
    }


def _beaten(place: int, frontier: list[dict[str, Any]]) -> bool:
    """Whether another cut is at least as good in S and R, and better or earlier."""
    one = frontier[place]
    for i, other in enumerate(frontier):
        as_good = other["S"] >= one["S"] and other["R"] >= one["R"]
        better = other["S"] > one["S"] or other["R"] > one["R"]
        if as_good and (better or i < place):
            return True
    return False


def _controls(missed: bool) -> list[dict[str, Any]]:
    rows = []
    for name, s, r, expected in (
        ("constant", 1.0, 0.25 if missed else 0.0, (1.0, 0.0)),
        ("flip", 0.0, 1.0, (0.0, 1.0)),
        ("planted(0.9, 0.4)", 0.904, 0.391, (0.9, 0.4)),
        ("length", 0.93, 0.12, None),
    ):
        rows.append(
            {
                "judge": name,
                "status": "single point",
                "reason": None,
                "tau": 2.5,
                "S": s,
                "R": r,
                "S_interval": [max(0, s - 0.02), min(1, s + 0.02)],
                "R_interval": [max(0, r - 0.03), min(1, r + 0.03)],
                "expected": expected and {"S": expected[0], "R": expected[1]},
                "passed": None if expected is None else name != "constant" or not missed,
            }
        )
    return rows


def _slots(
    pairs: list[dict[str, Any]], grades: list[dict[str, Any]], rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    slots: dict[str, str] = {pair["slot"]: pair["axis"] for pair in pairs}
    found = []
    for slot, axis in slots.items():
        chosen = [pair for pair in pairs if pair["slot"] == slot]
        rates = []
        for row in rows:
            if row["operating_point"] is None:
                continue
            tau = row["operating_point"]["tau"]
            given = {g["text_id"]: g["value"] for g in grades if g["judge"] == row["judge"]}
            changed = [
                (given[text_id(p["evidence"], p["original"])] >= tau)
                != (given[text_id(p["evidence"], p["edited"])] >= tau)
                for p in chosen
            ]
            rates.append(sum(changed) / len(changed))
        rate = sum(rates) / len(rates) if rates else None
        found.append(
            {
                "slot": slot,
                "axis": axis,
                "n": len(chosen),
                "rate": rate,
                "low": None if rate is None else max(0, rate - 0.06),
                "high": None if rate is None else min(1, rate + 0.06),
            }
        )
    return found
