"""Where points lie in the panels, and what is marked as predicted."""

import pytest

from judgeprobe.pressure.figure import WIDTH, panels
from judgeprobe.pressure.readings import READOUTS, UNITS

PREDICTION = {
    "prediction": [
        {"axis": "scope", "value": -0.09},
        {"axis": "strength", "value": 0.14},
    ]
}


def row(readout, axis, estimate, low=None, high=None, name="w"):
    return {
        "generator": name,
        "readout": readout,
        "condition": "accuracy",
        "axis": axis,
        "estimate": estimate,
        "low": low,
        "high": high,
    }


def drawn(rows):
    found = panels({"effects": rows, "prediction": PREDICTION}, UNITS)
    return {panel.readout: panel for panel in found}


def test_a_readout_that_was_not_taken_shows_the_prediction_hollow_and_watermarked():
    found = drawn([row("markers", "scope", -0.2, -0.3, -0.1)])
    assert set(found) == set(READOUTS)
    assert found["markers"].watermark == ""
    assert not found["markers"].lines[0].hollow
    for readout in READOUTS[1:]:
        panel = found[readout]
        assert panel.watermark == "predicted, not measured"
        assert all(line.hollow and line.low is None for line in panel.lines)
        assert panel.described.startswith("predicted, not measured: ")


def test_points_lie_on_their_side_of_zero_and_inside_the_panel():
    rows = [row("markers", "scope", -2.0, -3.0, -1.0), row("markers", "strength", 0.5, 0.1, 0.9)]
    panel = drawn(rows)["markers"]
    scope, strength = panel.lines
    assert 0 < scope.low < scope.x < scope.high < panel.zero < strength.low < strength.high < WIDTH
    # One scale for the panel: three units to the left are six times as far as half a unit.
    left, right = panel.zero - scope.low, strength.x - panel.zero
    assert left == pytest.approx(6 * right, rel=1e-3)
    assert [tick.label for tick in panel.ticks] == ["-2", "-1", "0", "+1", "+2"]


def test_no_movement_at_all_is_drawn_at_zero():
    panel = drawn([row("markers", "scope", 0.0, 0.0, 0.0)])["markers"]
    assert panel.lines[0].x == panel.zero


def test_a_long_name_is_cut_in_the_picture_and_whole_in_words():
    panel = drawn([row("markers", "scope", 0.1, 0.0, 0.2, name="x" * 80)])["markers"]
    assert len(panel.lines[0].label) == 48
    assert "x" * 80 in panel.described


@pytest.mark.parametrize("reach", [0.013, 0.1, 0.83, 1.0, 7.7])
def test_the_axis_is_told_in_round_numbers_within_the_panel(reach):
    panel = drawn([row("markers", "scope", 0.0, -reach, reach)])["markers"]
    labels = [float(tick.label) for tick in panel.ticks]
    assert labels[2] == 0
    step = labels[3]
    assert labels == pytest.approx([-2 * step, -step, 0, step, 2 * step])
    assert f"{step:.0e}"[0] in "125"
    assert all(0 <= tick.x <= WIDTH for tick in panel.ticks)
