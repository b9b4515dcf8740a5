"""How many operators of an axis does a claim carry, and how many a sentence of its evidence?

The free readout: closed word lists and no model. The score of a text on an axis is the number of
words that raise the axis, minus the number that lower it (`probes/pressure_operators.toml`). A use
under a negation ("not always") or in quotation marks counts nothing. The evidence is scored per
sentence, because a claim is one sentence and its evidence several.

It is a lower bound on movement. It sees no population that is widened, no domain that is added, no
condition that is dropped, no tense that makes a rule of one case, and no hedge outside the list.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property

from judgeprobe import resources
from judgeprobe.markers import marker_list
from judgeprobe.records import content_hash
from judgeprobe.taxonomy import Taxonomy

__all__ = ["Operators", "axis_operators", "count_sentences"]

_FILE = "pressure_operators.toml"
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?=\s+[A-Z0-9\"'(]|\s*$)")
_ABBREVIATION = re.compile(
    r"\b(?:(?i:e\.g|i\.e|et al|vs|cf|approx)|[A-Z]|(?i:no|fig)(?=\.\s*\d))\."
)


@dataclass(frozen=True)
class Operators:
    """The signed operators of every axis.

    Attributes:
        signs: By axis: +1 for a word that raises it, -1 for one that lowers it.
        entries: Every word of the axes' lists, also those that count nothing: read as one list, the
            longest entry decides ("not all" is no use of "all").
    """

    signs: dict[str, dict[str, int]]
    entries: tuple[str, ...]

    @cached_property
    def hash(self) -> str:
        """SHA-256 of signs and entries."""
        return content_hash([self.signs, list(self.entries)])

    def score(self, text: str) -> dict[str, int]:
        """Signed operators of a text, by axis."""
        used = marker_list(self.entries).count(text)
        return {
            axis: sum(
                signs.get(marker.entry, 0) * count
                for marker, count in used.items()
                if marker.use == "plain"
            )
            for axis, signs in self.signs.items()
        }

    def per_sentence(self, text: str) -> dict[str, float]:
        """Signed operators per sentence of a text, by axis."""
        sentences = count_sentences(text)
        return {axis: score / sentences for axis, score in self.score(text).items()}


def count_sentences(text: str) -> int:
    """Sentences of a text, at least 1."""
    body = _ABBREVIATION.sub(lambda hit: hit[0][:-1], text)
    return max(1, len(_SENTENCE_END.findall(body)))


def axis_operators(taxonomy: Taxonomy) -> Operators | None:
    """The operators of a taxonomy's axes; None where it does not mark scope and strength.

    A taxonomy whose lists hold words beyond the shipped ones counts those of hedges and
    intensifiers; a quantifier that the signs do not name counts nothing.
    """
    content = tomllib.loads(resources.read_text("probes", _FILE))
    scope, strength = content["scope"], content["strength"]
    wanted = {scope["list"], *strength["raise_lists"], *strength["lower_lists"]}
    if not {"scope", "strength"} <= set(taxonomy.construct_axes) or not wanted <= set(
        taxonomy.lists
    ):
        return None
    known = set(taxonomy.lists[scope["list"]])
    signs = {
        "scope": {
            **{word: 1 for word in scope["raises"] if word in known},
            **{word: -1 for word in scope["lowers"] if word in known},
        },
        "strength": {
            **{word: 1 for name in strength["raise_lists"] for word in taxonomy.lists[name]},
            **{word: -1 for name in strength["lower_lists"] for word in taxonomy.lists[name]},
        },
    }
    entries = tuple(dict.fromkeys(word for name in sorted(wanted) for word in taxonomy.lists[name]))
    return Operators(signs, entries)
