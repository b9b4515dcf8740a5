"""A small study whose judges are Python functions with planted behaviour.

A construct edit of a judge's module is "noticed" where a hash of its text falls below a share, so
that the planted R is known up to the hash's own chance and the same in every run.
"""

from collections.abc import Sequence
from pathlib import Path

from judgeprobe.files import write_jsonl
from judgeprobe.records import Direction, Intervention, content_hash
from judgeprobe.study import Study, load_study
from judgeprobe.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy("claim-calibration")
SLOTS = ("domain_extension", "hedging_removal", "format_shift", "reordering")
CONSTRUCT = sorted(slot.name for slot in TAXONOMY.slots if slot.arm == "construct")

# What every module of planted judges begins with. `slot` is "" for an original.
HEAD = '''
import hashlib, threading
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
CONSTRUCT = CONSTRUCT_SLOTS
LOCK = threading.Lock()
SEEN = Counter()

def chance(*words):
    return int(hashlib.sha256("|".join(map(str, words)).encode()).hexdigest()[:12], 16) / 16**12

def slot(claim):
    return claim.rsplit("(", 1)[1].rstrip(").") if "(" in claim else ""

def noticed(claim, share):
    return slot(claim) in CONSTRUCT and chance("notice", claim) < share

def again(claim):
    """How often the claim was asked about before in this process; each asking is logged."""
    with LOCK:
        SEEN[claim] += 1
        with (HERE / "calls.log").open("a") as file:
            file.write(claim + "\\n")
        return SEEN[claim]
'''.replace("CONSTRUCT_SLOTS", repr(CONSTRUCT))


def edits(n_base: int, slots: Sequence[str] = SLOTS, source: str = "construction"):
    """Edits of `n_base` claims, one a slot, in four domains."""
    rows = []
    for number in range(n_base):
        original = f"Claim {number} may hold in some of the plots seen."
        for name in slots:
            slot = TAXONOMY.slot(name)
            edited = f"Claim {number} may hold in some of the plots seen ({name})."
            rows.append(
                Intervention(
                    id=content_hash([number, name])[:16],
                    base_id=f"b{number:03d}",
                    slot=name,
                    axis=slot.axis,
                    arm=slot.arm,
                    domain=f"domain {number % 4}",
                    evidence=f"In trial {number} plots were watched for one season.",
                    original=original,
                    edited=edited,
                    generator="rules",
                    family="rules",
                    length_change=0.1,
                    direction_source=source,
                    made_under={"taxonomy": TAXONOMY.hash},
                )
            )
    return rows


def make_study(
    folder: Path,
    judges: str,
    body: str = "",
    *,
    n_base: int = 30,
    direction: str = "construction",
    settings: str = "",
    slots: Sequence[str] = SLOTS,
) -> Study:
    """Write a study folder; `judges` is TOML, `body` the module `planted_NAME` of its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    module = module_of(folder)
    (folder / f"{module}.py").write_text(HEAD + body, encoding="utf-8")
    (folder / "study.toml").write_text(
        f'[study]\nname = "planted"\nseed = 3\nbase_items = "shipped"\ndirection = "{direction}"\n'
        f"[profile]\nresamples = 300\npermutations = 100\n{settings}\n"
        + judges.replace("MODULE", module),
        encoding="utf-8",
    )
    source = direction if direction == "construction" else "human"
    write_jsonl(folder / "interventions.jsonl", edits(n_base, slots, source))
    return load_study(folder)


def module_of(folder: Path) -> str:
    """A module name of its own, since Python keeps imported modules by name."""
    return f"planted_{content_hash(str(folder.resolve()))[:12]}"


def asked(study: Study) -> int:
    """Calls that the planted judges have logged."""
    log = study.folder / "calls.log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def label(study: Study, disagree: Sequence[str] = ()) -> None:
    """Scripted directions: each edit enters; those of some slots without unanimity."""
    rows = [
        Direction(
            intervention_id=edit.id,
            majority="edited" if edit.arm == "construct" else "neither",
            votes={"edited": 3},
            unanimous=edit.slot not in disagree,
            matches_intent=True,
            status="enters",
        )
        for edit in edits(_bases(study), source="human")
    ]
    write_jsonl(study.directions_path, rows)


def _bases(study: Study) -> int:
    lines = study.interventions_path.read_text().splitlines()
    return len({line.split('"base_id":')[1].split(",")[0] for line in lines})
