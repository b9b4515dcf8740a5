"""What are the words of a claim, and how is one replaced?

A sentence is its text and its tokens; each token has the tag that `rules.tagger` gives it and its
place in the text, so that an operator can cut and put words without touching anything else.
"""

import functools
import re
from dataclasses import dataclass

from judgeprobe.build.rules.tagger import NOMINAL, tag_words

__all__ = ["NOMINAL", "Sentence", "Token", "parse"]

_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|[^\W_](?:[\w'’.-]*[^\W_])?|[^\w\s]|_")


@dataclass(frozen=True)
class Token:
    """A word or a mark.

    Attributes:
        text: As written.
        start: Offset of its first character in the sentence.
        end: Offset after its last.
        tag: See the module.
    """

    text: str
    start: int
    end: int
    tag: str

    @property
    def low(self) -> str:
        """In small letters."""
        return self.text.lower()


@dataclass(frozen=True)
class Sentence:
    """A claim with its tokens."""

    text: str
    tokens: tuple[Token, ...]

    def find(self, *tags: str) -> list[int]:
        """Indices of the tokens with one of the tags."""
        return [i for i, token in enumerate(self.tokens) if token.tag in tags]

    def tag(self, index: int) -> str:
        """The tag at an index, "" outside the sentence."""
        return self.tokens[index].tag if 0 <= index < len(self.tokens) else ""

    def low(self, index: int) -> str:
        """The word at an index in small letters, "" outside the sentence."""
        return self.tokens[index].low if 0 <= index < len(self.tokens) else ""

    def replace(self, first: int, last: int, text: str) -> str:
        """The sentence with tokens first..last (inclusive) replaced."""
        return self.text[: self.tokens[first].start] + text + self.text[self.tokens[last].end :]


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Sentence:
    """Tokens and tags of one sentence."""
    spans = [match.span() for match in _TOKEN.finditer(text)]
    forms = [text[a:b] for a, b in spans]
    tags = tag_words(forms)
    tokens = (Token(f, a, b, t) for f, (a, b), t in zip(forms, spans, tags, strict=True))
    return Sentence(text, tuple(tokens))
