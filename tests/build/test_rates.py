import json
import re
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from judgeprobe.build.gates import GATES
from judgeprobe.build.rates import GatePair, gate_rates, read_gate_pairs
from judgeprobe.cli.app import app
from judgeprobe.errors import InputError
from judgeprobe.taxonomy import load_taxonomy

FIXTURE = Path(__file__).parent / "fixtures" / "gate_pairs.jsonl"
DOCS = Path(__file__).parents[2] / "docs" / "gates.md"
TAXONOMY = load_taxonomy("claim-calibration")


def test_the_fixture_holds_enough_pairs_of_each_gate_and_near_misses() -> None:
    pairs = read_gate_pairs(FIXTURE, TAXONOMY)
    counts = Counter(pair.gate for pair in pairs)
    assert len(pairs) >= 150
    assert set(counts) == {None, *(gate.name for gate in GATES)}
    assert all(count >= 10 for count in counts.values())
    assert counts[None] >= 60
    assert all(pair.note for pair in pairs)
    assert {pair.slot for pair in pairs} == {slot.name for slot in TAXONOMY.slots}


def test_rates_count_what_the_labels_say() -> None:
    claim = "Some lakes may lose water."
    pairs = [
        GatePair(original=claim, edited=claim, slot="register_shift", gate="no_op"),
        GatePair(original=claim, edited="Some lakes lose water.", slot="hedging_removal",
                 gate=None),
        # Labelled wrong on purpose: one false accept of `numbers`, one false reject of `anchor`.
        GatePair(original=claim, edited="Some lakes lost water.", slot="elaboration",
                 gate="numbers", also=("other_axis",)),
        GatePair(original=claim, edited="We find some lakes may lose water.", slot="elaboration",
                 gate=None),
    ]  # fmt: skip
    rates = gate_rates(pairs, TAXONOMY)
    by_name = {rate.gate: rate for rate in rates.gates}
    assert (by_name["no_op"].must_refuse, by_name["no_op"].accepted) == (1, ())
    assert by_name["numbers"].accepted == (3,)
    assert by_name["numbers"].false_accept == 1.0
    assert by_name["anchor"].refused == (4,)
    assert by_name["anchor"].false_reject == 0.25
    assert by_name["other_axis"].must_pass == 3
    assert by_name["length"].false_accept is None
    assert (rates.together.must_refuse, rates.together.accepted) == (2, ())
    assert (rates.together.must_pass, rates.together.refused) == (2, (4,))


def test_the_gates_err_no_more_than_their_page_says() -> None:
    rates = gate_rates(read_gate_pairs(FIXTURE, TAXONOMY), TAXONOMY)
    table = re.search(r"<!-- table -->\n(.*)<!-- /table -->", DOCS.read_text("utf-8"), re.DOTALL)
    assert table is not None
    rows = [line.strip("|").split("|") for line in table.group(1).splitlines()[2:]]
    printed = [[cell.strip() for cell in row] for row in rows]
    assert printed == [
        [
            rate.gate,
            str(rate.must_refuse),
            str(len(rate.accepted)),
            f"{rate.false_accept:.3f}",
            str(rate.must_pass),
            str(len(rate.refused)),
            f"{rate.false_reject:.3f}",
        ]
        for rate in (*rates.gates, rates.together)
    ]


def test_every_gate_is_on_the_page() -> None:
    page = DOCS.read_text("utf-8")
    for gate in GATES:
        assert f"| `{gate.name}` |" in page


def test_the_command_prints_json_and_nothing_else() -> None:
    result = CliRunner().invoke(app, ["gates", "--fixture", str(FIXTURE), "--json"])
    assert result.exit_code == 0
    content = json.loads(result.stdout)
    assert [entry["gate"] for entry in content["gates"]] == [gate.name for gate in GATES]
    assert content["pairs"] == len(FIXTURE.read_text("utf-8").splitlines())


def test_the_command_prints_a_table_and_names_the_rows() -> None:
    result = CliRunner().invoke(app, ["gates", "--fixture", str(FIXTURE)])
    assert result.exit_code == 0
    assert "false rejects" in result.stdout
    assert "epistemic passes it and must not" in result.stderr


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"gate": "nonsense"}, "there is no gate `nonsense`"),
        ({"slot": "nonsense"}, "has no slot `nonsense`"),
        ({"edited": 3}, "`edited`"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: dict[str, object], message: str) -> None:
    good = {"original": "Ice melts.", "edited": "Ice melted.", "slot": "reordering", "gate": None}
    path = tmp_path / "pairs.jsonl"
    path.write_text(f"{json.dumps(good)}\n{json.dumps(good | row)}\n", encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_gate_pairs(path, TAXONOMY)
    assert caught.value.row == 2


def test_an_empty_fixture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="holds no pair"):
        read_gate_pairs(path, TAXONOMY)
