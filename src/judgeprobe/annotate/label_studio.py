"""How does a sheet of pairs go into Label Studio?

The project's XML lies in annotation/label_studio.xml. One project an annotator, because each has
its own sequence and orders.
"""

from typing import Any

from judgeprobe.annotate.sheet import Sheet
from judgeprobe.forms.page import template
from judgeprobe.taxonomy import AnnotatorWords

__all__ = ["project_xml", "tasks"]


def project_xml(words: AnnotatorWords | None = None) -> str:
    """The labelling interface; what is asked is that of claim calibration where `words` is None."""
    return template("label_studio.xml").render(words=words or AnnotatorWords())


def tasks(sheet: Sheet) -> list[dict[str, Any]]:
    """Tasks to import into a project."""
    return [
        {
            "data": {
                "unit_id": unit.unit_id,
                "evidence": unit.evidence,
                "sentence_a": unit.a,
                "sentence_b": unit.b,
            }
        }
        for unit in sheet.units
    ]
