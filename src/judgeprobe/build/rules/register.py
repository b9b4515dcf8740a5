"""register_shift: how does a textbook put the same claim?

Everyday words are replaced by formal ones of the same meaning, from probes/rules/register.toml:
contractions, phrasal verbs, verbs (their tense and agreement kept) and other words. All that apply
are replaced, so that the register of the whole sentence moves and nothing else does.
"""

import re
from collections.abc import Mapping

from judgeprobe.build.rules.grammar import tidy
from judgeprobe.build.rules.sentence import Sentence, parse
from judgeprobe.build.rules.tables import table
from judgeprobe.inflection import verb_form, verb_lemma

__all__ = ["formal_register"]

_VERB_TAGS = ("VBD", "VBZ", "VBP", "VBN", "VBG", "VB")


def formal_register(text: str) -> str | None:
    """The claim in formal words, or None where no entry applies."""
    edited = _contractions(text)
    edited = _verbs(edited)
    edited = _replace(edited, table("register")["words"])
    return tidy(edited, text) if edited != text else None


def _contractions(text: str) -> str:
    text = text.replace("’", "'") if re.search(r"n’t\b", text) else text
    return _replace(text, table("register")["contractions"])


def _replace(text: str, entries: Mapping[str, str]) -> str:
    """Each key of a table by its value, longer keys first, the first capital kept."""
    ordered = sorted(entries, key=lambda key: (-len(key), key))
    # A key may begin with the comma before its word; only a letter needs a boundary.
    branches = (rf"(?<![\w-]){re.escape(k)}" if k[0].isalnum() else re.escape(k) for k in ordered)
    return re.sub(
        rf"(?:{'|'.join(branches)})(?![\w-])",
        lambda match: _case(match.group(), entries[match.group().lower()]),
        text,
        flags=re.IGNORECASE,
    )


def _case(old: str, new: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _verbs(text: str) -> str:
    sentence = parse(text)
    edits = []
    skip = -1
    for i, token in enumerate(sentence.tokens):
        if token.tag not in _VERB_TAGS or i <= skip:
            continue
        base = verb_lemma(token.low, token.tag)
        if base is None:
            continue
        phrase = table("register")["phrasal"].get(f"{base} {sentence.low(i + 1)}")
        if phrase is not None:
            skip = i + 1
            edits.append((token.start, sentence.tokens[i + 1].end, _inflect(phrase, token.tag)))
            continue
        new = table("register")["verbs"].get(base)
        if new is not None and _plain(sentence, i):
            edits.append((token.start, token.end, _case(token.text, _inflect(new, token.tag))))
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text


def _inflect(phrase: str, tag: str) -> str:
    first, _, rest = phrase.partition(" ")
    return f"{verb_form(first, tag)} {rest}".strip()


def _plain(sentence: Sentence, i: int) -> bool:
    """Whether the verb takes an object or nothing: no particle or infinitive changes its sense."""
    after = sentence.low(i + 1)
    if after in ("to", "up", "down", "out", "off", "over", "on", "back", "away", "apart", "rise"):
        return False
    if sentence.low(i) in ("used",) and (after == "to" or sentence.low(i - 1) in ("got", "get")):
        return False
    base = verb_lemma(sentence.low(i), sentence.tag(i))
    if sentence.tag(i) == "VBG" and sentence.tag(i - 1) in ("NN", "NNS"):
        return False  # "cholesterol lowering treatment"
    if sentence.tag(i + 1) == "PRON" and base in table("register")["not_before_pronouns"]["verbs"]:
        return False
    objects = ("DET", "NN", "NNS", "ADJ", "QUANT", "PRON", "NAME", "NUM", "VBG")
    if base in table("register")["with_object"]["verbs"]:
        passive = sentence.tag(i) == "VBN" and sentence.tag(i - 1) in ("BE", "ADV")
        return passive or sentence.tag(i + 1) in objects
    if base in table("register")["without_object"]["verbs"]:
        return sentence.tag(i + 1) not in objects
    return True
