"""What does the page say, in which order? Plain objects in, one self-contained HTML text out.

The page asks for nothing from a network and holds no script. Everything that comes from a file is
escaped by the template; only figures, which are our own SVG, go in as they are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe import __version__
from judgeprobe.records import content_hash
from judgeprobe.report.contents import control_rows
from judgeprobe.report.evidence import Evidence
from judgeprobe.report.methods import method_lines
from judgeprobe.report.missed import MissedBy
from judgeprobe.report.missed_page import (
    MissedPage,
    MissedSection,
    missed_section,
    missed_words,
)
from judgeprobe.report.plain import plain
from judgeprobe.report.tabulate import Table
from judgeprobe.report.view import ProfileView
from judgeprobe.study import Study

__all__ = ["Box", "Drawn", "Page", "Section", "render", "report_page"]

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Drawn:
    """A figure ready for the page: its SVG and what stands below it."""

    name: str
    title: str
    caption: str
    notice: str
    svg: str


@dataclass(frozen=True)
class Box:
    """Something to be read before any number.

    Attributes:
        broken: Whether no number counts.
        everywhere: Whether it stands on every page of the report and not on the first alone.
    """

    title: str
    lines: tuple[str, ...]
    broken: bool = False
    everywhere: bool = False


@dataclass(frozen=True)
class Section:
    """A part of the page; what is empty is not shown."""

    name: str
    title: str
    paragraphs: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    figures: tuple[Drawn, ...] = ()
    missed: tuple[MissedSection, ...] = ()
    methods: tuple[tuple[str, str], ...] = ()
    hashes: tuple[tuple[str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing would stand below its heading."""
        return not (
            self.paragraphs
            or self.facts
            or self.tables
            or self.folded
            or self.figures
            or self.missed
            or self.methods
            or self.hashes
        )


@dataclass(frozen=True)
class Page:
    """One page."""

    name: str
    lead: str
    boxes: tuple[Box, ...]
    sections: tuple[Section, ...]
    kind: str = "Validity profile"
    version: str = __version__


def render(page: Page | MissedPage, template: str = "report.html.j2") -> str:
    """The page as HTML."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["plain"] = plain
    environment.filters["ours"] = Markup
    return environment.get_template(template).render(page=page).lstrip()


def report_page(
    study: Study,
    view: ProfileView,
    evidence: Evidence,
    tables: Mapping[str, Table],
    figures: Mapping[str, Drawn],
    missed: Sequence[MissedBy],
) -> Page:
    """The page of one study.

    Args:
        study: Its settings and manifest.
        view: Its profile.
        evidence: Its edits and replies, counted.
        tables: By name.
        figures: By name.
        missed: What each judge missed.
    """

    def tabled(*names: str) -> tuple[Table, ...]:
        return tuple(tables[name] for name in names if name in tables)

    def pictured(*names: str) -> tuple[Drawn, ...]:
        return tuple(figures[name] for name in names if name in figures)

    sections = (
        Section(
            "profiles",
            "The profile",
            paragraphs=_reasons(view),
            tables=tabled("profiles"),
            figures=pictured("plane", "plane_near_floor"),
        ),
        Section(
            "matched",
            "Judges compared at one S",
            tables=tabled("matched", "remedies"),
            folded=tabled("dominance"),
        ),
        Section(
            "axes",
            "Which axis is noticed",
            tables=tabled("axes", "gap", "gap_checks", "gap_by_judge", "bars"),
            figures=pictured("axis_contrast"),
        ),
        Section(
            "slots",
            "Which edits are noticed",
            tables=tabled("slots", "groupings", "reported_apart"),
            folded=tabled("domains", "lengths"),
            figures=pictured("slot_rates"),
        ),
        Section(
            "missed",
            "What was not noticed",
            paragraphs=missed_words(missed),
            missed=tuple(missed_section(by) for by in missed),
        ),
        Section(
            "predictions",
            "Predicted values",
            paragraphs=_PREDICTED if "predictions" in tables else (),
            tables=tabled("predictions"),
        ),
        Section(
            "people",
            "Judges against people" if view.direction == "human" else "Which way verdicts changed",
            tables=tabled("human_direction", "direction_of_change"),
        ),
        Section("controls", "Control judges", tables=tabled("controls")),
        Section(
            "instrument",
            "The judges as instruments",
            tables=tabled("instrument", "length_grades", "ungraded"),
            figures=pictured("instrument"),
        ),
        Section(
            "measured",
            "What was measured, on what",
            facts=_facts(study, view, evidence),
            tables=tabled("yields"),
        ),
        Section(
            "excluded",
            "What was left out",
            paragraphs=_left_out_words(tables),
            tables=tabled("excluded"),
        ),
        Section("methods", "How each number was made", methods=tuple(method_lines(view))),
        Section("hashes", "Made under", _HASH_WORDS, hashes=tuple(_hashes(study))),
    )
    return Page(
        name=study.settings.study.name,
        lead=_lead(study, view),
        boxes=tuple(_boxes(study, view, has_predicted=any(t.marked for t in tables.values()))),
        sections=tuple(section for section in sections if not section.is_empty),
    )


_PREDICTED = (
    "Registered in predictions.toml before the measurement, with what would refute them. A "
    "prediction that stands is not a measurement.",
)
_HASH_WORDS = (
    "SHA-256 of what every artifact was made from. The same inputs give the same bytes, this page "
    "included.",
)


def _reasons(view: ProfileView) -> tuple[str, ...]:
    """Why a judge is read off something else than a frontier."""
    return tuple(
        f"{judge.judge} is {'a ' if judge.status == 'single point' else ''}{judge.status}: "
        f"{judge.reason}."
        for judge in view.judges
        if judge.reason
    )


def _lead(study: Study, view: ProfileView) -> str:
    what = f"Do judges notice {study.taxonomy.measures}?"
    if not view.compared:
        return (
            f"{what} Of {_count(len(view.judges), 'judge')} none has a frontier with a cut at "
            f"S ≥ {view.floor:.2f}; why is said below."
        )
    points = [judge.operating_point for judge in view.compared if judge.operating_point]
    s = sum(point.S for point in points) / len(points)
    r = sum(point.R for point in points) / len(points)
    if len(points) == 1:
        return (
            f"{what} Holding its verdict on {s:.1%} of the edits that should not move it (S), "
            f"{view.compared[0].judge} changes it on {r:.1%} of those that should (R)."
        )
    return (
        f"{what} {len(points)} of {_count(len(view.judges), 'judge')} can be read at "
        f"S ≥ {view.floor:.2f}. There they hold their verdict on {s:.1%} of the edits that should "
        f"not move it (mean S) and change it on {r:.1%} of those that should (mean R)."
    )


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _boxes(study: Study, view: ProfileView, *, has_predicted: bool) -> Iterable[Box]:
    controls = control_rows(view)
    broken = [row for row in controls if row["met"] is False]
    if broken:
        lines = [
            f"{row['judge']} must measure ({_rate(row['expected_S'])}, {_rate(row['expected_R'])}) "
            f"and measured ({_rate(row['S'])}, {_rate(row['R'])})."
            for row in broken
        ]
        yield Box(
            "Broken instrument: a control judge missed its known profile. No other number on this "
            "page counts.",
            tuple(lines),
            broken=True,
            everywhere=True,
        )
    if view.direction == "construction":
        yield Box(
            "Direction by construction.",
            (
                "No person has said which edits change the construct: the direction of every edit "
                "is what its generator intended. Every table and figure says so.",
            ),
            everywhere=True,
        )
    elif view.direction == "human":
        source = study.settings.study.direction_source or view.direction_source
        yield Box(
            "Direction set by people.",
            (f"Set by: {source}." if source else "The majority of the study's own annotators.",),
            everywhere=True,
        )
    else:
        yield Box(
            "Direction not stated.",
            ("The profile does not say who set the direction.",),
            everywhere=True,
        )
    if has_predicted:
        yield Box(
            "Predicted values.",
            ("What bears a dagger is predicted, not measured; the register is below.",),
        )
    met = [row["judge"] for row in controls if row["met"]]
    if not controls:
        yield Box("No control judge was run.", ("Nothing shows that the instrument works.",))
    elif met and not broken:
        yield Box("The control judges measured what they must.", (f"{', '.join(met)}: see below.",))


def _rate(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _facts(study: Study, view: ProfileView, evidence: Evidence) -> tuple[tuple[str, str], ...]:
    settings = study.settings
    scale = settings.elicitation.scale
    facts = [
        ("Construct", f"{study.taxonomy.measures} (taxonomy {study.taxonomy.name})"),
        ("Judges were asked", study.taxonomy.question),
        ("Grades", f"{scale.low:g} to {scale.high:g} in steps of {scale.step:g}"),
        ("Items from", Path(settings.study.pairs or settings.study.base_items or "").name),
        ("Base items", f"{view.n_base} in the profile{_listed(evidence.domains, ' from ')}"),
        ("Source documents", str(evidence.documents) if evidence.documents else ""),
        ("Edits", _listed({k.replace("_", " "): v for k, v in evidence.arms.items()})),
        ("Edits made by", _listed(evidence.generators)),
        ("Direction set by", _listed(evidence.directions) or view.direction),
        ("Judges", ", ".join(_judge_told(judge) for judge in settings.judges)),
        ("Seed", str(settings.study.seed)),
    ]
    return tuple((name, value) for name, value in facts if value)


def _judge_told(judge: Any) -> str:
    return f"{judge.name} ({judge.model or judge.call})"


def _listed(counts: Mapping[str, int], before: str = "") -> str:
    return before + ", ".join(f"{name} {n}" for name, n in counts.items()) if counts else ""


def _left_out_words(tables: Mapping[str, Table]) -> tuple[str, ...]:
    if "excluded" in tables:
        return ()
    return ("Nothing was left out after the edits had been accepted.",)


def _hashes(study: Study) -> Iterable[tuple[str, str]]:
    manifest = study.manifest()
    yield "taxonomy", study.taxonomy.hash
    yield "settings", content_hash(study.settings.model_dump(mode="json"))
    for stage, entry in manifest.get("stages", {}).items():
        # The report's own entry is written after the page.
        if stage != "report" and isinstance(entry, dict):
            yield from ((f"{stage}: {key}", value) for key, value in _flat(entry))


def _flat(entry: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, str]]:
    for key, value in entry.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key} ")
        elif isinstance(value, str | int | float | bool):
            yield f"{before}{key}", str(value)
