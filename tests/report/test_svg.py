from xml.etree import ElementTree as ET

from judgeprobe.report.svg import finish_svg

DRAWN = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 width="10pt" height="10pt" viewBox="0 0 10 10"><metadata>when and by what</metadata>
<defs><style type="text/css">*{stroke-linejoin: round}</style>
<clipPath id="c1"><rect width="1" height="1"/></clipPath><path id="glyph" d="M 0 0"/></defs>
<!-- a <hostile> comment -->
<g id="figure_1" clip-path="url(#c1)"><use xlink:href="#glyph"/></g></svg>"""


def finished():
    return finish_svg(DRAWN, name="plane", title="A <b> & c", description="S = 0.9 < 1")


def test_title_and_description_are_found_by_a_screen_reader():
    root = ET.fromstring(finished())
    assert root.get("role") == "img"
    ids = root.get("aria-labelledby").split()
    texts = {e.get("id"): e.text for e in root.iter() if e.get("id")}
    assert [texts[i] for i in ids] == ["A <b> & c", "S = 0.9 < 1"]


def test_ids_are_renamed_with_every_reference():
    text = finished()
    assert 'id="plane-c1"' in text
    assert 'clip-path="url(#plane-c1)"' in text
    assert 'href="#plane-glyph"' in text
    assert 'id="c1"' not in text


def test_nothing_reaches_the_page_around_it():
    text = finished()
    for gone in ("<style", "metadata", "hostile", "when and by what", "<?xml", 'width="10pt"'):
        assert gone not in text
