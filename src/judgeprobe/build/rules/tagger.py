"""What part of speech is each word of a claim?

A shallow tagger: closed classes from a table, open classes from lemminflect's dictionary, and a
short list of context rules. It reads one sentence and finds its finite verbs. Where it cannot
decide it says so (the tag "?"), and an operator that needs the word yields nothing.

Tags: DET QUANT NUM PREP SUB REL CONJ PRON MODAL BE HAVE DO NOT ADV TO PUNCT NAME; NN NNS ADJ; and
for verbs VB (base), VBP and VBZ (present), VBD (past), VBN (participle), VBG, or "?".
"""

import functools

from judgeprobe.build.rules.tables import table, words
from judgeprobe.inflection import (
    can_be,
    is_plural_noun,
    is_singular_noun,
    lemma,
    verb_lemma,
)

__all__ = ["NOMINAL", "tag_words"]

NOMINAL = frozenset({"NN", "NNS", "NAME"})
_NOUNS = NOMINAL | {"nn", "s"}
_NP_LEFT = frozenset({"DET", "QUANT", "NUM", "ADJ", "PREP"})
_CLAUSE_EDGE = frozenset({"SUB", "REL", "PUNCT"})


def tag_words(forms: list[str]) -> list[str]:
    """One tag a word or mark of a sentence, in order."""
    return _Tagger(forms).run()


@functools.cache
def _closed() -> dict[str, str]:
    found: dict[str, str] = {}
    for tag, members in table("closed_class")["tags"].items():
        for word in members:
            found.setdefault(word, tag)
    return found


class _Tagger:
    def __init__(self, forms: list[str]) -> None:
        self.forms = forms
        self.low = [form.lower() for form in forms]
        self.tags = [""] * len(forms)

    def run(self) -> list[str]:
        for i in range(len(self.forms)):
            self.tags[i] = self._closed(i)
        for i in range(len(self.forms)):
            if not self.tags[i]:
                self.tags[i] = self._open(i)
        self._settle_participles()
        self._settle_presents()
        return self.tags

    def _before(self, i: int) -> int:
        """Index of the word before, adverbs and negations skipped; -1 at the beginning."""
        i -= 1
        while i >= 0 and self.tags[i] in ("ADV", "NOT"):
            i -= 1
        return i

    def _tag(self, i: int) -> str:
        return self.tags[i] if 0 <= i < len(self.tags) else ""

    def _closed(self, i: int) -> str:
        word = self.low[i]
        if not word[0].isalnum():
            return "PUNCT"
        if word[0].isdigit():
            return "NUM" if word.replace(",", "").replace(".", "").isdigit() else "ADJ"
        if word == "that":
            return self._that(i)
        if word == "to":
            return "TO" if i + 1 < len(self.low) and self._base_follows(i + 1) else "PREP"
        if self.forms[i] == "May" and i > 0:
            return "NAME"
        if word in ("after", "before", "since", "until") and not self._clause_follows(i + 1):
            return "PREP"
        if word in ("there",) and i + 1 < len(self.low):
            return "PRON" if self.low[i + 1] in ("is", "are", "was", "were") else "ADV"
        if word == "well" and i and self.low[i - 1] in ("a", "the"):
            return "NN"
        return _closed().get(word, "")

    def _base_follows(self, i: int) -> bool:
        while i < len(self.low) and self.low[i].endswith("ly"):
            i += 1
        if i >= len(self.low):
            return False
        word = self.low[i]
        if word in ("be", "have", "do"):
            return True
        if _closed().get(word) or verb_lemma(word, "VB") != word:
            return False
        if word.endswith("er") and lemma(word, "ADJ") not in (None, word):
            return False  # a comparative: "linked to better sleep"
        if self.low[i - 2] in words("closed_class", "before_to"):
            return True
        # "to work" against "linked to work": a verb that is also a noun needs an object or a verb
        # before it; a plain noun list decides the rest.
        return word not in words("closed_class", "nouns_only") or (
            i + 1 < len(self.low) and _closed().get(self.low[i + 1]) == "DET"
        )

    def _clause_follows(self, i: int) -> bool:
        """Whether a finite verb stands before the next comma."""
        for j in range(i, len(self.low)):
            word = self.low[j]
            if not word[0].isalnum():
                return False
            tag = _closed().get(word, "")
            if word in ("is", "are", "was", "were", "had", "has", "have") or tag in ("MODAL", "DO"):
                return True
            if (
                j > i
                and verb_lemma(word, "VBD")
                and not _closed().get(self.low[j - 1], "")
                and (not can_be(word, "ADJ"))
            ):
                return word not in words("closed_class", "nouns_only")
        return False

    def _that(self, i: int) -> str:
        if i == 0:
            return "DET"
        before = self.low[i - 1]
        if i == 1 or _closed().get(self.low[i - 2]) in ("DET", "PREP", "QUANT", "NUM"):
            return "REL" if can_be(before, "NOUN") else "SUB"
        verb = any(verb_lemma(before, tag) for tag in ("VBZ", "VBD", "VB"))
        if verb and (not is_plural_noun(before) or verb_lemma(before, "VBZ")):
            return "REL" if before in words("closed_class", "nouns_only") else "SUB"
        if before in ("provided", "so", "suggesting", "showing", "indicating", "such", "likely"):
            return "SUB"
        return "DET" if _closed().get(before) in ("PREP", "CONJ") else "REL"

    def _open(self, i: int) -> str:
        word, form = self.low[i], self.forms[i]
        before = self._before(i)
        left = self._tag(before)
        if word.endswith("ly") and not can_be(word, "NOUN") and can_be(word, "ADV"):
            return "ADV"
        if (
            left in ("MODAL", "DO")
            or (left == "TO" and before == i - 1)
            or self._tag(i - 1) == "TO"
        ):
            return "VB" if verb_lemma(word, "VB") == word else "?"
        if left == "BE":
            return self._after_be(i)
        if left == "HAVE" and verb_lemma(word, "VBN"):
            return "VBN"
        if i > 0 and form[0].isupper() and not self._sentence_start(i):
            return "NAME"
        if word in words("closed_class", "pasts_first") and self._tells(i, left):
            return "VBD"
        if word in words("closed_class", "nouns_only"):
            if left in ("NNS", "PRON", "REL") and verb_lemma(word, "VB") == word:
                return "nn"
            return "NNS" if is_plural_noun(word) else "NN"
        return self._lexical(i, left)

    def _tells(self, i: int, left: str) -> bool:
        """Whether a past tense fits after what stands before: a noun, or a first past and "and"."""
        if left == "CONJ":
            return "VBD" in self.tags[:i] or "ed" in self.tags[:i]
        return left in ("NN", "NNS", "NAME", "PRON", "REL", "VBG", "NUM", "nn", "s")

    def _sentence_start(self, i: int) -> bool:
        return all(not form[0].isalnum() for form in self.forms[:i])

    def _after_be(self, i: int) -> str:
        word = self.low[i]
        if verb_lemma(word, "VBN") and (word.endswith("ed") or not can_be(word, "NOUN")):
            return "VBN"
        if word.endswith("ing") and verb_lemma(word, "VBG"):
            return "VBG"
        if can_be(word, "ADJ") and not self._noun_next(i):
            return "ADJ"
        return self._lexical(i, "BE")

    def _noun_next(self, i: int) -> bool:
        if i + 1 >= len(self.low):
            return False
        word = self.low[i + 1]
        known = can_be(word, "NOUN") or word in words("closed_class", "nouns_only")
        return word[0].isalpha() and not _closed().get(word) and known

    def _lexical(self, i: int, left: str) -> str:
        word = self.low[i]
        last = word.rsplit("-", 1)[-1]
        if "-" in word and not can_be(word, "VERB"):
            if self._noun_next(i) or not can_be(last, "NOUN"):
                return "ADJ"
            return "NNS" if is_plural_noun(last) else "NN"
        past = verb_lemma(word, "VBD")
        participle = verb_lemma(word, "VBN")
        if past and past != word and (word.endswith("ed") or not is_singular_noun(word)):
            if past and not participle:
                return "VBD"
            return "ed" if participle else "VBD"
        if participle and not past and not can_be(word, "NOUN") and not can_be(word, "ADJ"):
            return "VBN"
        if word.endswith("ing") and verb_lemma(word, "VBG"):
            return self._ing(i, left)
        if can_be(word, "ADJ") and (self._noun_next(i) or not can_be(word, "NOUN")):
            return "ADJ"
        if can_be(word, "ADV") and not can_be(word, "NOUN") and not can_be(word, "VERB"):
            return "ADV"
        third = verb_lemma(word, "VBZ")
        if third:
            return "s" if is_plural_noun(word) else "VBZ"
        if verb_lemma(word, "VB") == word:
            if not can_be(word, "NOUN"):
                return "base"
            return "NN" if left in _NP_LEFT or left == "" else "nn"
        return "NNS" if is_plural_noun(word) else "NN"

    def _ing(self, i: int, left: str) -> str:
        if left in ("DET", "ADJ", "QUANT") and can_be(self.low[i], "NOUN"):
            return "NN"
        return "ADJ" if left in ("DET", "QUANT") and self._noun_next(i) else "VBG"

    def _settle_participles(self) -> None:
        """An -ed form: before a noun an adjective, after a noun a past unless one follows."""
        for i, tag in enumerate(self.tags):
            if tag != "ed":
                continue
            before, left = self._before(i), self._tag(self._before(i))
            starts = before < 0 or left in ("PUNCT", "SUB")
            noun_next = self._tag(i + 1) in ("NN", "NNS", "nn", "s", "ADJ", "NAME")
            verb_before = left in ("VBG", "VBD", "VBZ", "VBP", "VB")
            if (left in _NP_LEFT or verb_before or starts) and noun_next:
                self.tags[i] = "ADJ"
            elif left in ("CONJ",):
                self.tags[i] = self._coordinated(i, noun_next=noun_next)
            elif left in (
                "NN",
                "NNS",
                "PRON",
                "REL",
                "NAME",
                "nn",
                "s",
                "NUM",
                "QUANT",
                "DET",
                "VBG",
            ):
                modifies = not self._opens_relative(i) and (
                    self._reduced(i) or self._clause_has_verb(i)
                )
                self.tags[i] = "VBN" if modifies else "VBD"
            elif left in ("VBN", "VBD") and "REL" in self.tags[:i]:
                self.tags[i] = "VBD"  # "women who had borrowed bought"
            elif starts or left in ("PREP", "ADJ"):
                self.tags[i] = "VBN" if left != "ADJ" or self._reduced(i) else "VBD"
            else:
                self.tags[i] = "VBN" if left in ("BE", "HAVE") else "?"

    def _coordinated(self, i: int, *, noun_next: bool) -> str:
        first = self._before(self._before(i))
        joined = self._tag(first)
        if joined in ("VBN", "BE"):
            return "VBN"
        told = "VBD" in self.tags[:i] or any(w in ("was", "were") for w in self.low[:i])
        predicate = joined == "ADJ" and self._tag(self._before(first)) == "BE"
        if predicate:
            return "VBD" if noun_next or self._tag(i + 1) in ("DET", "QUANT") else "VBN"
        if told and not (noun_next and joined == "ADJ"):
            return "VBD"
        return "ADJ" if noun_next else "?"

    def _opens_relative(self, i: int) -> bool:
        """Whether it is the first verb of a relative clause: "drifts that lidar mapped"."""
        for j in range(i - 1, -1, -1):
            if self.tags[j] == "REL":
                return True
            if self.tags[j] not in ("DET", "ADJ", "ADV", "QUANT", "NUM", "PRON", *_NOUNS):
                return False
        return False

    def _clause_has_verb(self, i: int) -> bool:
        """Whether a finite verb stands before in the clause: "programmes aimed at"."""
        if self._tag(self._before(i)) in ("PRON", "REL"):
            return False
        found = 0
        for j in range(i - 1, -1, -1):
            # One verb after the pronoun is its own: "factors that were seen included".
            if self.tags[j] == "REL" and found == 1:
                return False
            if self.tags[j] in ("PUNCT", "SUB", "REL", "CONJ"):
                # "according to work published in": the phrase has no subject of its own.
                # "work, identifying 42 loci linked to"; but "tingling in the feet improved".
                opener, following = self.tags[j + 1], self._tag(j + 2)
                bare = opener == "PREP" or (opener == "VBG" and following not in ("PREP", "CONJ"))
                return found > 0 or (self.tags[j] == "PUNCT" and bare)
            finite = self.tags[j] in ("BE", "HAVE", "MODAL", "DO", "VBD", "VBZ")
            found += finite and self.low[j] not in ("be", "been", "being", "having")
        return found > 0

    def _reduced(self, i: int) -> bool:
        """Whether the participle modifies the noun before it: a later verb needs that noun."""
        if self._tag(self._before(i)) in ("PRON", "REL"):
            return False
        for j in range(i + 1, len(self.tags)):
            tag = self.tags[j]
            late = tag == "SUB" and self.low[j] in ("after", "before", "than", "until")
            if (tag in _CLAUSE_EDGE and not late) or (tag == "CONJ" and self.low[j] == "but"):
                return False
            late_past = tag == "ed" and self._tag(j + 1) != "PREP" and self._tag(j - 1) in _NOUNS
            if late_past or (
                tag in ("BE", "HAVE", "MODAL", "DO", "VBD", "VBZ") and self._tag(j - 1) != "CONJ"
            ):
                return self.low[j] not in ("be", "been", "being", "have", "having")
        return False

    def _settle_presents(self) -> None:
        """A noun or a present verb by its form is the verb only where its clause has no other."""
        for i, tag in enumerate(self.tags):
            if tag not in ("s", "nn", "base"):
                continue
            noun = "NNS" if is_plural_noun(self.low[i]) else "NN"
            left = self._tag(self._before(i))
            if tag == "base":
                self.tags[i] = "VBP" if left in ("NNS", "PRON", "REL", "NAME", "CONJ") else "?"
            elif left in ("PRON", "REL") or self._verbless(i):
                verb = "VBZ" if tag == "s" else "VBP"
                agrees = left in ("PRON", "REL", "CONJ") or (left == "NNS") == (verb == "VBP")
                follows = self._tag(i + 1) not in ("VBD", "BE", "HAVE", "MODAL", "VBZ", "s", "")
                fits = agrees and follows and left not in _NP_LEFT and left not in ("", "PUNCT")
                self.tags[i] = verb if fits and self._tag(i + 1) != "PUNCT" else noun
            else:
                self.tags[i] = noun

    def _verbless(self, i: int) -> bool:
        finite = {"BE", "HAVE", "MODAL", "DO", "VBD", "VBZ", "VBP"}
        for step in (-1, 1):
            j = i + step
            while 0 <= j < len(self.tags) and self.tags[j] not in _CLAUSE_EDGE:
                if self.tags[j] in finite and self.low[j] not in ("be", "been", "being", "having"):
                    return False
                j += step
        return True
