"""How does an audit's result become a page, and does text from files stay text?"""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.chromium import needs_chromium, open_page

from judgeprobe.audit.interval_chart import Bar, interval_chart
from judgeprobe.audit.page import (
    Page,
    Table,
    listed,
    number,
    p_value,
    page_html,
    page_markdown,
    write_page,
)

WILD = '<script>alert(1)</script> | `x` **b** & "q"'


def page(**more: Any) -> Page:
    fields: dict[str, Any] = {
        "title": WILD, "lead": WILD, "headline": WILD, "warn": True, "facts": (WILD,),
        "chart": interval_chart(WILD, WILD, [Bar(WILD, 0.1, 0.0, 0.2)], reference=0, legend=WILD),
        "tables": (Table(WILD, [WILD, "n"], [[WILD, "1.0"], ["", "–"]]),), "notes": (WILD,),
        "limits": (WILD,), "source": WILD, **more,
    }  # fmt: skip
    return Page(**fields)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_text_of_every_part_is_escaped_in_html() -> None:
    seen = Tags()
    seen.feed(page_html(page()))
    assert "script" not in seen.names
    assert seen.text.count("<script>alert(1)</script>") >= 12
    assert seen.names.count("circle") == 1


def test_text_of_every_part_is_escaped_in_markdown() -> None:
    told = page_markdown(page())
    assert "<script>" not in told
    assert "**b**" not in told
    rows = [line for line in told.splitlines() if line.startswith("|")]
    assert [line.replace("\\|", "").count("|") for line in rows] == [3] * len(rows)
    assert rows[1] == "|---|---:|"


def test_parts_that_are_empty_leave_no_heading() -> None:
    plain = page(chart=None, facts=(), notes=())
    assert "What was left out" not in page_html(plain) + page_markdown(plain)
    assert "svg" not in page_html(plain).split("</style>")[1]


def test_three_files_and_the_same_bytes_twice(tmp_path: Path) -> None:
    told = []
    for name in ("a", "b"):
        write_page(tmp_path / name, "audit", page(), {"x": None})
        told.append({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()})
    assert set(told[0]) == {"audit.json", "audit.md", "audit.html"}
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "–"), (-0.0004, "0.000"), (-0.0006, "-0.001"), (12.3456, "12.346")]
)
def test_numbers(value: float | None, shown: str) -> None:
    assert number(value) == shown


def test_a_p_value_is_never_rounded_to_zero() -> None:
    assert [p_value(p) for p in (1e-9, 0.0001, 0.5, None)] == ["<0.0001", "0.0001", "0.5000", "–"]


def test_names_in_a_sentence() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([str(i) for i in range(12)], most=2) == "0, 1 and 10 more"


@needs_chromium
@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_opens_it_without_a_problem_and_nothing_sticks_out(tmp_path: Path, width: int):
    wide = Table("wide", [f"column {i}" for i in range(14)], [["0.123"] * 14])
    write_page(tmp_path, "audit", page(tables=(wide,)), {})
    with open_page(width) as tab:
        tab.goto(tmp_path / "audit.html")
        assert tab.problems() == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        # The axis keeps a size that can be read; a narrow screen scrolls it.
        assert tab.evaluate("document.querySelector('svg').getBoundingClientRect().width") > 700
        assert tab.evaluate("document.querySelectorAll('script').length") == 0
