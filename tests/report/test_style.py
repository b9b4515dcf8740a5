import itertools

import matplotlib as mpl
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.report import style


def lightness(colour):
    """CIE L* of an sRGB colour, 0 to 100."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_seven_colours_differ_in_grey():
    levels = sorted(lightness(colour) for colour in style.COLOURS)
    assert min(b - a for a, b in itertools.pairwise(levels)) >= 7.5


def test_every_colour_is_dark_enough_on_white():
    # Relative luminance at most 0.3 gives a contrast of at least 3 to 1 (WCAG 1.4.11).
    assert max(lightness(colour) for colour in style.COLOURS) <= 62


def test_seven_judges_differ_in_marker_and_dash_as_well():
    marks = style.marks_for([f"judge {i}" for i in range(7)])
    assert len({(m.marker, m.dashes) for m in marks.values()}) == 7
    assert len({m.marker for m in marks.values()}) == 7
    assert len(set(style.marks_for([str(i) for i in range(385)]).values())) == 385


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=12),
    st.floats(0.01, 0.2),
)
def test_spread_keeps_order_gap_and_range(wanted, gap):
    placed = style.spread(wanted, gap=gap, low=0, high=1)
    room = min(gap, 1 / max(len(wanted) - 1, 1))
    ordered = sorted(placed)
    assert all(b - a >= room - 1e-9 for a, b in itertools.pairwise(ordered))
    assert ordered[0] >= -1e-9
    assert ordered[-1] <= 1 + 1e-9
    by_wish = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    assert [placed[i] for i in by_wish] == ordered


def test_spread_leaves_labels_where_there_is_room():
    assert style.spread([0.2, 0.8], gap=0.1, low=0, high=1) == [0.2, 0.8]
    assert style.spread([], gap=0.1, low=0, high=1) == []


def test_a_long_name_loses_its_middle_and_fits():
    name = "organisation/a-very-long-model-name-2027-01-01-instruct"
    shown = style.fit(name, points=8.5, width=1.5)
    assert style.text_width(shown, 8.5) <= 1.5
    assert shown.startswith("org")
    assert shown.endswith("ruct")
    assert "…" in shown


def test_a_character_without_glyph_is_named():
    assert style.visible("a\u202e") == "aU+202E"
    assert style.visible("模型") == "U+6A21U+578B"
    assert style.visible("é") == "é"


def test_settings_do_not_leak():
    before = dict(mpl.rcParams)
    with style.figure_settings():
        assert mpl.rcParams["svg.hashsalt"] == "judgeprobe"
    assert dict(mpl.rcParams) == before


def test_settings_hold_whatever_the_user_set():
    with mpl.rc_context({"font.size": 33, "axes.facecolor": "red"}):
        with style.figure_settings():
            assert mpl.rcParams["font.size"] == 9
            assert mpl.rcParams["axes.facecolor"] == "white"
        assert mpl.rcParams["font.size"] == 33
