"""`judgeprobe cache ls | verify | export | import | merge | prune`: a study's cached replies."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgeprobe.cli.common import (
    FOUND,
    JsonOption,
    QuietOption,
    StudyArgument,
    finish,
    note,
    print_json,
    print_table,
    verb,
)

if TYPE_CHECKING:
    from judgeprobe.llm.cache import ReplyCache
    from judgeprobe.study import Study

__all__ = ["cache"]

cache = typer.Typer(help="A study's cached replies: list, check, carry elsewhere.")

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="File of replies (.jsonl.gz).")]


def _open(folder: Path) -> "ReplyCache":
    from judgeprobe.llm.cache import ReplyCache
    from judgeprobe.study import load_study

    return ReplyCache(load_study(folder).cache_dir)


def _wanted(study: "Study") -> set[str]:
    """Keys of the replies that the plan of the sweep and the files of the pressure arm need."""
    from judgeprobe.pressure.reply_keys import reply_keys
    from judgeprobe.sweep.stage import planned_keys

    return set(planned_keys(study)) | reply_keys(study)


@cache.command("ls")
@verb
def ls(folder: StudyArgument, as_json: JsonOption = False) -> None:
    """Count the replies by model and by what answered."""
    from judgeprobe.llm.merge import regrade_count
    from judgeprobe.llm.portable import contents

    with _open(folder) as replies:
        found = contents(replies)
        notes = replies.notes
        further = regrade_count(replies.folder)
    if as_json:
        print_json(
            {
                "replies": found.replies,
                "further_replies": further,
                "unreadable": list(found.unreadable),
                "models": found.models,
                "served": found.served,
                "usd": round(found.usd, 8),
                "unpriced": found.unpriced,
                "notes": notes,
            }
        )
        return
    rows = [["asked", name, str(count)] for name, count in found.models.items()]
    rows += [["served", name, str(count)] for name, count in found.served.items()]
    print_table(f"{found.replies} replies", ["", "model", "replies"], rows)
    unpriced = f", {found.unpriced} without a known price" if found.unpriced else ""
    note(f"known cost: ${found.usd:.4f}{unpriced}")
    if further:
        note(f"{further} further replies to questions asked more than once")
    for line in notes:
        note(f"note: {line}")


@cache.command("verify")
@verb
def verify(folder: StudyArgument, as_json: JsonOption = False) -> None:
    """Read every entry; exit status 3 where one is unreadable or one of the plan is missing."""
    from judgeprobe.llm.portable import contents
    from judgeprobe.study import load_study

    wanted = _wanted(load_study(folder))
    with _open(folder) as replies:
        found = contents(replies)
        missing = len(wanted - set(replies.keys()))
        notes = replies.notes
    if as_json:
        print_json(
            {
                "replies": found.replies,
                "unreadable": list(found.unreadable),
                "planned": len(wanted),
                "missing": missing,
                "notes": notes,
            }
        )
    else:
        print(
            f"{found.replies} replies are whole, {len(found.unreadable)} unreadable; "
            f"{len(wanted) - missing} of {len(wanted)} planned replies are there"
        )
        for line in notes:
            note(f"note: {line}")
    finish(FOUND if found.unreadable or missing or notes else 0)


@cache.command("export")
@verb
def export(
    folder: StudyArgument,
    file: FileArgument,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write the replies that the study's plan needs to one file."""
    from judgeprobe.llm.portable import export_cache
    from judgeprobe.study import load_study

    wanted = _wanted(load_study(folder))
    with _open(folder) as replies:
        count = export_cache(replies, file, wanted)
    if as_json:
        print_json({"file": str(file), "replies": count, "planned": len(wanted)})
    elif not quiet:
        print(f"{file}: {count} of {len(wanted)} planned replies")


@cache.command("import")
@verb
def import_(
    folder: StudyArgument,
    file: FileArgument,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Take in the replies of a file; what is there already is kept."""
    from judgeprobe.llm.portable import import_cache

    with _open(folder) as replies:
        counts = import_cache(replies, file)
    if as_json:
        print_json({"added": counts.added, "present": counts.present, "kept": counts.kept})
    elif not quiet:
        print(f"{counts.added} added, {counts.present} were there")
    if counts.kept and not quiet:
        note(f"{counts.kept} were there with another reply, which was kept")


@cache.command("merge")
@verb
def merge(
    shards: Annotated[
        list[Path],
        typer.Argument(metavar="SHARD...", help="Cache folders, studies, files of `cache export`."),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="Study or cache folder that takes every reply in.")
    ],
    of: Annotated[
        Path | None,
        typer.Option("--study", help="Study whose judges read the grades; else --out or a SHARD."),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Make one cache of several; exit status 3 where a question has two answers or a row is bad."""
    from judgeprobe.sweep.regrades import merge_caches

    report = merge_caches(shards, out, of)
    if as_json:
        print_json(report.as_json())
    elif not quiet:
        counts = report.merged
        print(
            f"{report.folder}: {report.replies} replies; {counts.added} added, "
            f"{counts.present} were there, {counts.kept} further replies kept"
        )
        if report.table is not None:
            print(
                f"{report.table}: {report.repeated} questions asked more than once, "
                f"{report.conflicts} of them answered differently"
            )
    if not quiet:
        for line in report.notes:
            note(f"note: {line}")
    for line in report.merged.unreadable:
        note(f"finding: {line}")
    if report.conflicts:
        note(
            f"finding: {report.conflicts} questions have different replies; the earliest is in "
            "use, all are kept"
        )
    finish(FOUND if report.conflicts or report.merged.unreadable else 0)


@cache.command("prune")
@verb
def prune(
    folder: StudyArgument,
    yes: Annotated[
        bool, typer.Option("--yes", help="Remove them; without it, only count.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove replies that the study's plan does not need, and unreadable entries."""
    from judgeprobe.llm.portable import contents
    from judgeprobe.study import load_study

    wanted = _wanted(load_study(folder))
    with _open(folder) as replies:
        bad = set(contents(replies).unreadable)
        surplus = sorted((set(replies.keys()) - wanted) | bad)
        removed = replies.delete(surplus) if yes else 0
    if as_json:
        print_json({"surplus": len(surplus), "removed": removed})
        return
    print(f"{removed} of {len(surplus)} surplus replies removed")
    if surplus and not yes:
        note("nothing was removed; add --yes to remove them")
