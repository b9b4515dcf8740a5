"""How does a drawn SVG become one that can be read aloud and stand beside others on a page?

Matplotlib's output is parsed and written again: a title and a description that a screen reader
finds (`role="img"`), ids that differ from figure to figure, no comments, no metadata, no style
element that would reach the page around it.
"""

import re
from xml.etree import ElementTree as ET

__all__ = ["finish_svg"]

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def finish_svg(text: str, *, name: str, title: str, description: str) -> str:
    """The accessible form of a figure.

    Args:
        text: SVG as matplotlib writes it.
        name: Put before every id; unique on a page.
        title: One line, read first.
        description: What the figure shows, with its numbers.

    Returns:
        One `<svg>` element without an XML declaration, ready to be a file or to be put into HTML.
    """
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    root = ET.fromstring(text)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _rename_ids(element, name)
    for attribute in ("width", "height"):
        root.attrib.pop(attribute, None)
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    # In place of matplotlib's style element, which would apply to everything on the page.
    root.set("stroke-linejoin", "round")
    told = ET.Element(f"{{{SVG}}}title", {"id": f"{name}-title"})
    told.text = title
    more = ET.Element(f"{{{SVG}}}desc", {"id": f"{name}-desc"})
    more.text = description
    root.insert(0, told)
    root.insert(1, more)
    return ET.tostring(root, encoding="unicode") + "\n"


def _rename_ids(element: "ET.Element[str]", name: str) -> None:
    for attribute, value in list(element.attrib.items()):
        if attribute == "id":
            element.set(attribute, f"{name}-{value.removeprefix('matplotlib.')}")
        elif attribute in ("href", f"{{{XLINK}}}href") and value.startswith("#"):
            element.set(attribute, f"#{name}-{value[1:]}")
        elif "url(#" in value:
            element.set(attribute, _REFERENCE.sub(rf"url(#{name}-\1)", value))
