"""How does a data-set catalogue read a bundle? Croissant 1.0 metadata (mlcommons.org/croissant).

Every file is a FileObject with its SHA-256; the tables that readers load are RecordSets, each field
with its type and the column it is taken from.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgeprobe.settings import BundleSettings

__all__ = ["croissant", "croissant_problems"]

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
_TEXT, _NUMBER, _COUNT, _TRUTH = "sc:Text", "sc:Float", "sc:Integer", "sc:Boolean"
_FORMATS = {
    ".jsonl": "application/jsonlines",
    ".json": "application/json",
    ".parquet": "application/x-parquet",
    ".toml": "application/toml",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".gz": "application/gzip",
}
# The terms of the vocabulary; fixed by the format (its appendix "JSON-LD context").
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataBiases": "cr:dataBiases",
    "dataCollection": "cr:dataCollection",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "personalSensitiveInformation": "cr:personalSensitiveInformation",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


@dataclass(frozen=True)
class _Field:
    name: str
    kind: str
    what: str


_TABLES: dict[str, tuple[str, str, tuple[_Field, ...]]] = {
    "base_items.jsonl": (
        "base_items",
        "Claims with the evidence they may rest on, before any edit.",
        (
            _Field("id", _TEXT, "Unique in the file"),
            _Field("domain", _TEXT, "Field that the claim comes from"),
            _Field("document", _TEXT, "Source document; folds split on it"),
            _Field("evidence", _TEXT, "What the claim may rest on"),
            _Field("claim", _TEXT, "The claim"),
            _Field("source", _TEXT, "Who wrote it, or where it was taken from"),
            _Field("licence", _TEXT, "Its licence"),
        ),
    ),
    "interventions.jsonl": (
        "interventions",
        "Accepted edits: an original, its edit, and how the pair came about.",
        (
            _Field("id", _TEXT, "Unique"),
            _Field("base_id", _TEXT, "Base item that was edited"),
            _Field("slot", _TEXT, "Kind of edit (taxonomy)"),
            _Field("axis", _TEXT, "Axis of the construct that the edit moves, or control"),
            _Field("arm", _TEXT, "construct, invariance or reported_apart"),
            _Field("domain", _TEXT, "Field that the claim comes from"),
            _Field("document", _TEXT, "Source document"),
            _Field("evidence", _TEXT, "Evidence shown with both texts"),
            _Field("original", _TEXT, "Text before the edit"),
            _Field("edited", _TEXT, "Text after the edit"),
            _Field("generator", _TEXT, "Who wrote the edit"),
            _Field("family", _TEXT, "Vendor family of the generator"),
            _Field("length_change", _NUMBER, "(edited - original) / original, in characters"),
            _Field("direction_source", _TEXT, "Who set the direction"),
        ),
    ),
    "grades.parquet": (
        "grades",
        "One row for each judge, unique text and repetition.",
        (
            _Field("judge", _TEXT, "Judge"),
            _Field("text_id", _TEXT, "Unique pair of evidence and text"),
            _Field("base_id", _TEXT, "Base item"),
            _Field("repetition", _COUNT, "0 for the grade; later ones measure repeatability"),
            _Field("value", _NUMBER, "Grade in scale units; empty unless the status is graded"),
            _Field("status", _TEXT, "graded, or why there is no grade"),
            _Field("elicitation", _TEXT, "written, expected or computed"),
            _Field("served_model", _TEXT, "What answered, as far as it says"),
        ),
    ),
    "item_labels.jsonl": (
        "item_labels",
        "One row for each annotator and edit; annotators are pseudonyms.",
        (
            _Field("intervention_id", _TEXT, "The edit"),
            _Field("base_id", _TEXT, "Base item"),
            _Field("slot", _TEXT, "Kind of edit"),
            _Field("axis", _TEXT, "Axis of the edit"),
            _Field("annotator", _TEXT, "Pseudonym"),
            _Field("direction", _TEXT, "Which text claims more: edited, original, neither, "
                   "cannot_tell"),
            _Field("shown_first", _TEXT, "Which text the annotator saw first"),
            _Field("role", _TEXT, "main, or repeat for a pair seen a second time"),
            _Field("same_facts", _TRUTH, "Whether both texts assert the same facts"),
        ),
    ),
    "directions.jsonl": (
        "directions",
        "What the annotators' majority says of each edit.",
        (
            _Field("intervention_id", _TEXT, "The edit"),
            _Field("majority", _TEXT, "edited, original, neither, cannot_tell, or empty"),
            _Field("unanimous", _TRUTH, "Whether all planned annotators agree"),
            _Field("status", _TEXT, "enters, or why the edit enters no arm"),
        ),
    ),
}  # fmt: skip


def croissant(
    name: str, settings: BundleSettings, licence: str, files: Mapping[str, bytes]
) -> dict[str, Any]:
    """croissant.json of a bundle.

    Args:
        name: Name of the study.
        settings: Who releases it, where and when.
        licence: Of the items.
        files: The bundle's other files.
    """
    told = {
        "license": licence,
        "url": settings.url,
        "datePublished": settings.published,
        "citeAs": settings.citation,
    }
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": name,
        "description": settings.description or _DESCRIPTION,
        "version": settings.version,
        **{key: value for key, value in told.items() if value},
        **_creators(settings.creators),
        "distribution": [_file(path, data) for path, data in sorted(files.items())],
        "recordSet": [
            _record_set(path, *_TABLES[path]) for path in _TABLES if files.get(path, b"").strip()
        ],
    }


_DESCRIPTION = (
    "An intervention set for the validity of LLM judges: minimal edits that change a construct and "
    "edits that change only wording, with the grades of the judges measured on them."
)


def _creators(names: Sequence[str]) -> dict[str, Any]:
    return {"creator": [{"@type": "sc:Person", "name": name} for name in names]} if names else {}


def _file(path: str, data: bytes) -> dict[str, Any]:
    ending = f".{path.rpartition('.')[2]}"
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{len(data)} B",
        "encodingFormat": _FORMATS.get(ending, "application/octet-stream"),
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _record_set(path: str, name: str, what: str, fields: Sequence[_Field]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": what,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{field.name}",
                "name": field.name,
                "description": f"{field.what}.",
                "dataType": field.kind,
                "source": {"fileObject": {"@id": path}, "extract": {"column": field.name}},
            }
            for field in fields
        ],
    }


_NEEDED = ("@context", "@type", "conformsTo", "name", "description", "distribution", "recordSet")


def croissant_problems(content: Mapping[str, Any], files: Mapping[str, bytes]) -> Iterator[str]:
    """What a catalogue could not read: a field of the format that is missing, or a wrong hash."""
    for key in _NEEDED:
        if not content.get(key):
            yield f"lacks `{key}`"
            return
    known = {}
    for entry in content["distribution"]:
        path = entry.get("@id", "")
        known[path] = entry
        if path not in files:
            yield f"lists {path}, which is not there"
        elif entry.get("sha256") != hashlib.sha256(files[path]).hexdigest():
            yield f"has another SHA-256 of {path}"
    for record_set in content["recordSet"]:
        for field in record_set.get("field", ()):
            source = field.get("source", {}).get("fileObject", {}).get("@id")
            if source not in known:
                yield f"takes {field.get('@id')} from {source}, which it does not list"
