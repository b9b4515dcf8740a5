"""How do a study's files become tables, figures and one page?

Reads profile.json and the study's files, writes `tables/`, `figures/`, `report.html` and
`missed.html`. The same inputs give the same bytes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from judgeprobe.files import file_hash, write_bytes, write_csv, write_text
from judgeprobe.report import charts, plane, style
from judgeprobe.report.breakdown import breakdown_tables
from judgeprobe.report.checks import check_tables
from judgeprobe.report.contents import control_rows, result_tables
from judgeprobe.report.evidence import Evidence, read_evidence
from judgeprobe.report.fresh import is_fresh, made_of, output_hashes, remove_stale
from judgeprobe.report.missed import MissedBy, missed_edits
from judgeprobe.report.missed_page import all_missed_rows, missed_page
from judgeprobe.report.page import Drawn, Page, render, report_page
from judgeprobe.report.plain import plain
from judgeprobe.report.predicted import (
    PREDICTED,
    Predicted,
    predicted_values,
    predictions_table,
    require_register,
)
from judgeprobe.report.sources import source_tables
from judgeprobe.report.style import Picture
from judgeprobe.report.svg import finish_svg
from judgeprobe.report.tabulate import Table
from judgeprobe.report.view import ProfileView, read_profile
from judgeprobe.study import Study

__all__ = ["Report", "make_report"]

CONSTRUCTION = "direction by construction"
MISSED_TABLE = "missed_all.csv"


@dataclass(frozen=True)
class Report:
    """What was made.

    Attributes:
        page: Path of the page.
        missed: Path of the page that lists the edits each judge missed; None without grades.
        tables: Names of the tables, each a .csv, .md and .tex file.
        figures: Names of the figures, each an .svg and .png file.
        notice: What every table and figure says of its numbers, or "".
        controls_missed: Control judges that did not measure what they must.
    """

    page: Path
    missed: Path | None
    tables: tuple[str, ...]
    figures: tuple[str, ...]
    notice: str
    controls_missed: tuple[str, ...]


def make_report(study: Study) -> Report:
    """Write the report of a profiled study, or leave it where it was made of the same files.

    Raises:
        InputError: There is no profile, a file cannot be read, or the profile shows a prediction
            that predictions.toml does not explain.
        MixedArtifactsError: Edits or grades were made under another taxonomy, or the profile was
            made from other edits or grades.
        StorageError: The folder cannot be written.
    """
    view = read_profile(study.profile_path)
    key = made_of(study)
    entry = is_fresh(study, key)
    if entry is not None:
        return _report(study, view, entry["tables"], entry["figures"])
    evidence = read_evidence(study, [judge.judge for judge in view.judges])
    require_one_making(study, view, evidence)
    require_register(study, view)
    notice, predicted = notice_of(view), predicted_values(view)
    missed = missed_edits(view, evidence.interventions, evidence.grades)
    tables = {
        table.name: table
        for table in (
            *result_tables(view, notice, predicted),
            *breakdown_tables(view, notice, predicted),
            *check_tables(view, notice),
            *source_tables(view, evidence, missed, notice),
            *_registers(view, notice),
        )
    }
    figures = draw(_pictures(view, notice, predicted), study.figures_dir)
    for table in tables.values():
        write_table(table, study.tables_dir)
    page = report_page(study, view, evidence, tables, figures, missed)
    write_text(_page_path(study), render(page))
    if evidence.grades is not None:
        _write_missed(study, view, missed, page)
    outputs = output_hashes(study, _outputs(study, tables, figures))
    remove_stale(study, outputs)
    study.record(
        "report",
        {
            "made_of": key,
            "tables": list(tables),
            "figures": list(figures),
            "outputs": outputs,
        },
    )
    return _report(study, view, tables, figures)


def _write_missed(
    study: Study, view: ProfileView, missed: tuple[MissedBy, ...], page: Page
) -> None:
    write_text(
        _missed_path(study),
        render(missed_page(study, view, missed, page.boxes), "missed.html.j2"),
    )
    columns, rows = all_missed_rows(view, missed)
    write_csv(study.tables_dir / MISSED_TABLE, columns, rows)


def _report(
    study: Study, view: ProfileView, tables: Iterable[str], figures: Iterable[str]
) -> Report:
    missed = (str(row["judge"]) for row in control_rows(view) if row["met"] is False)
    return Report(
        page=_page_path(study),
        missed=_missed_path(study) if study.grades_path.exists() else None,
        tables=tuple(tables),
        figures=tuple(figures),
        notice=notice_of(view),
        controls_missed=tuple(missed),
    )


def _page_path(study: Study) -> Path:
    return study.folder / "report.html"


def _missed_path(study: Study) -> Path:
    return study.folder / "missed.html"


def _outputs(study: Study, tables: Iterable[str], figures: Iterable[str]) -> list[Path]:
    missed = [_missed_path(study), study.tables_dir / MISSED_TABLE]
    return [
        _page_path(study),
        *(missed if study.grades_path.exists() else []),
        *(study.tables_dir / f"{name}.{end}" for name in tables for end in ("csv", "md", "tex")),
        *(study.figures_dir / f"{name}.{end}" for name in figures for end in ("svg", "png")),
    ]


def notice_of(view: ProfileView) -> str:
    """What every table and figure must say; "" where people set the direction."""
    if view.watermark:
        return view.watermark
    return CONSTRUCTION if view.direction == "construction" else ""


def require_one_making(study: Study, view: ProfileView, evidence: Evidence) -> None:
    """Refuse a profile that was not made from the files that lie beside it.

    Raises:
        MixedArtifactsError: The profile, the edits or the grades were made under another taxonomy,
            or the profile was made from other edits or grades.
    """
    expected = study.taxonomy.hash
    for edit in evidence.interventions:
        study.require_same(
            "taxonomy",
            edit.made_under.get("taxonomy", expected),
            expected,
            file=study.interventions_path,
            remedy="build the edits again under the taxonomy in force, or name the old one",
        )
    now = {"taxonomy": expected}
    for what, path in (("interventions", study.interventions_path), ("grades", study.grades_path)):
        if path.exists():
            now[what] = file_hash(path)
    for what, found in view.made_under.items():
        study.require_same(
            what,
            found,
            now.get(what, found),
            file=study.profile_path,
            remedy=f"make it again with: judgeprobe profile {study.folder}",
        )


def _registers(view: ProfileView, notice: str) -> Iterable[Table]:
    if view.predictions:
        rows = [one.model_dump() for one in view.predictions]
        yield predictions_table(rows, direction=view.direction, notice=notice)


def _pictures(view: ProfileView, notice: str, predicted: Predicted) -> tuple[Picture, ...]:
    marks = style.marks_for([judge.judge for judge in view.judges])
    found = (
        plane.plane(view, marks, _with_predicted(notice, predicted), predicted.point),
        plane.plane_near_floor(view, marks, notice),
        charts.axis_contrast(view, notice),
        charts.slot_rates(view, notice),
        charts.instrument(view, notice),
    )
    return tuple(picture for picture in found if picture is not None)


def _with_predicted(notice: str, predicted: Predicted) -> str:
    """The watermark of a figure that may hold a predicted point."""
    if predicted.point is None:
        return notice
    return f"{notice}; {PREDICTED}" if notice else PREDICTED


def draw(pictures: Iterable[Picture], folder: Path) -> dict[str, Drawn]:
    """Draw figures and write each as SVG and PNG.

    Raises:
        StorageError: The folder cannot be written.
    """
    drawn = {}
    with style.figure_settings():
        for picture in pictures:
            figure = style.new_figure(picture.size)
            picture.draw(figure)
            svg = finish_svg(
                style.svg_text(figure),
                name=picture.name,
                title=plain(picture.title),
                description=plain(picture.description),
            )
            write_text(folder / f"{picture.name}.svg", svg)
            write_bytes(folder / f"{picture.name}.png", style.png_bytes(figure))
            said = picture.notice
            told = f"{said[:1].upper()}{said[1:]}." if said else ""
            drawn[picture.name] = Drawn(picture.name, picture.title, picture.caption, told, svg)
    return drawn


def write_table(table: Table, folder: Path) -> None:
    """Write a table as CSV, Markdown and LaTeX.

    Raises:
        StorageError: The folder cannot be written.
    """
    write_csv(folder / f"{table.name}.csv", table.csv_columns(), table.csv_rows())
    write_text(folder / f"{table.name}.md", table.markdown())
    write_text(folder / f"{table.name}.tex", table.latex())
