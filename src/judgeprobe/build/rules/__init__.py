"""The rules generator: deterministic, model-free edits of a claim, family `rules`.

One module holds the operators of a slot; `engine` says which operators a slot has and in which
order they are tried. Word tables are data, in probes/rules/.
"""

from judgeprobe.build.rules.engine import OPERATORS, Candidate, generate

__all__ = ["OPERATORS", "Candidate", "generate"]
