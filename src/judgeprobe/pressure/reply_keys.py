"""Which cached replies do the arm's files rest on?"""

from judgeprobe.files import read_jsonl
from judgeprobe.records import Comparison, PressureClaim
from judgeprobe.study import Study

__all__ = ["reply_keys"]


def reply_keys(study: Study) -> set[str]:
    """Cache keys of every reply that claims.jsonl and verifier.jsonl were read from.

    Raises:
        InputError: One of the files cannot be read.
    """
    found: set[str] = set()
    claims, answers = (study.pressure_dir / name for name in ("claims.jsonl", "verifier.jsonl"))
    if claims.exists():
        found |= {row.reply_key for row in read_jsonl(claims, PressureClaim)}
    if answers.exists():
        found |= {row.reply_key for row in read_jsonl(answers, Comparison)}
    return found - {""}
