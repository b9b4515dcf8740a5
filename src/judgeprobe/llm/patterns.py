"""What does a grade look like in free text?

The regular expressions of `judgeprobe.llm.fields`, each built from named pieces. They are applied
to text that has passed `plain_text`, so digits, signs and quotation marks are ASCII.
"""

import re

from judgeprobe.llm.numerals import NUMBER, WORD

__all__ = [
    "ANY_NUMBER",
    "ASSIGNED",
    "BAD_AFTER",
    "BOX",
    "FENCE",
    "FIELD",
    "LABELS",
    "LEAD",
    "OTHER_THINGS",
    "QUOTED_FIELD",
    "STARTS_JSON",
    "TAG",
    "WHOLE_GRADE",
]

LABELS = (
    "grade|score|rating|mark|verdict|answer|evaluation|assessment|judge?ment"
    "|bewertung|punktzahl|puntuación|calificación|оценка|评分|得分|分数"
)
# A word before the label that makes it the rating of something else.
OTHER_THINGS = (
    "mean|median|average|avg|max|maximum|min|minimum|highest|lowest|possible|baseline|risk|pain"
    "|test|apgar|confidence|previous|prior|initial|passing|example|z|t|p|f1|no|not|minus"
)

_NUM = rf"(?P<num>{NUMBER}|{WORD})"
_CLOSE = r"[ \t*_`\"')\]]*"
_OVER = rf"(?P<over>{_CLOSE}[(\[]?(?:/|\bout of\b|\bof\b)[ ]?[ *_`\"']*(?P<max>{NUMBER}|{WORD}))?"
_UNIT = r"(?: ?(?:points?|pts?|stars?|分))?"
# "Score (0-5):", "Score out of 5:", "Score on a scale of 0 to 5:"
_SCALE_NOTE = (
    r"(?:[ ]?\([^()\n]{0,60}\)|[ ]out of [\d.,]+"
    r"|[ ]on (?:a|the) (?:scale (?:of|from) )?[\d.,]+ ?(?:to|-|–) ?[\d.,]+(?: scale)?)?"
)
_SIGN = r":|=>|->|→|=|\||[ ]-(?=[ ])|[ ][–—](?=[ ])"
# A heading with the number alone on the next line; or "Score 4" alone on its line.
_NEXT_LINE = rf"[ ]?\n(?=[#*_ \t\n]*{NUMBER}[*_`\"']*[ ]*(?:\n|\Z|/))"
_SAME_LINE = rf"(?=[ ]{NUMBER}[*_`\"']*(?:/|[.]?[ ]*(?:\n|\Z)))"
_OPEN = r"[ \t\n#*_`\"'$(\[{]*(?:\\boxed\{)?"

FIELD = re.compile(
    rf"(?<![\w\-./\\])(?P<label>{LABELS})[\"'`]?[*_]*{_SCALE_NOTE}(?:[ ]for (?:this|the) \w+)?"
    rf"{_CLOSE}(?:{_SIGN}|{_NEXT_LINE}|{_SAME_LINE}){_OPEN}{_NUM}{_OVER}",
    re.IGNORECASE,
)

_I_RATE = (
    r"\b(?:I|we)(?:'d|'ll)?[ ](?:would[ ]|will[ ]|can[ ])?(?:therefore[ ]|thus[ ])?"
    r"(?:rate|grade|score|give|assign|award|choose|select)[ ]"
    r"(?:(?:this|it|that|the)(?: claim| sentence| statement)? )?"
    r"(?:(?:with |as |at |a |an |the |final |overall |grade |score |rating |of )*)"
)
_GRADE_IS = (
    r"(?:\A|[\n.;] ?)[ \t*_#>-]*(?:so,? |thus,? |therefore,? |hence,? )?(?:the |my |a |this )?"
    rf"(?:final |overall )?(?:{LABELS})(?: (?:for|of) (?:this|the) \w+)?"
    r"(?: (?:I|we) (?:would )?(?:give|assign|choose)(?: \w+){0,2})?"
    r" (?:is|of|would be|will be) (?:a |an )?"
)
_SENTENCE_ENDS = (
    r"(?=[ ]*(?:[.;!](?:\s|\Z)|\n|\Z)"
    r"|,? (?:because|since|as|given|due to|overall|on (?:a|the) scale)\b)"
)
ASSIGNED = re.compile(
    rf"(?:{_I_RATE}|{_GRADE_IS})[*_`\"']*{_NUM}{_OVER}[*_`\"')\]]*{_UNIT}{_SENTENCE_ENDS}",
    re.IGNORECASE,
)
LEAD = re.compile(
    rf"\A[ \t*_`\"'$(\[{{]*{_NUM}{_OVER}[*_`\"')\]}}$]*"
    r"(?=[ ]?[-–—:][ ]+\S|,? (?:because|since|as)\b)",
    re.IGNORECASE,
)
TAG = re.compile(
    rf"<(?P<label>(?:final_|overall_)?(?:{LABELS}))>(?P<inner>[^<>]{{0,60}})</(?P=label)>", re.I
)
BOX = re.compile(r"\\boxed\{(?P<inner>[^{}]{0,40})\}")
WHOLE_GRADE = re.compile(rf"{_NUM}{_OVER}[)\]]?[.]?{_UNIT}[.]?", re.IGNORECASE)
ANY_NUMBER = re.compile(rf"\d|[½¼¾]|\b(?:{WORD})", re.IGNORECASE)

# What may not follow a labelled number, because it then is no plain grade: a letter or unit, a
# percentage, a date, a range or choice, a list, an equation, an inequality, or a noun it counts.
_GLUED = r"[A-Za-z0-9_%‰°+^×]|[.,:/]\d"
_RANGE = r"[ ]?[-–—~][ ]?[+-]?[.,]?\d|[ ](?:to|or|and|through|until|±|\+-)[ ][+-]?[.,\w]|[ ]?±"
_LIST = r"[ ]?[,;][ ]?\d"
_RELATION = r"[ ]?=|[ ]?[<>≤≥~]|[ ]?\+/-|[ ]?(?:%|percent\b|per cent\b)"
_NOUN = r"[ ](?!(?:because|since|as|given|due|out|points?|pts?|stars?|for|with|on)\b)(?-i:[a-z])"
BAD_AFTER = re.compile(
    rf"[*_`\"')\]}}]*(?:{_GLUED}|{_RANGE}|{_LIST}|{_RELATION}|{_NOUN})", re.IGNORECASE
)

STARTS_JSON = re.compile(r"\{\s*[\"']")
QUOTED_FIELD = re.compile(
    rf"(?<!\\)(?P<q>[\"'])(?P<label>[\w -]{{1,40}})(?P=q)\s*:\s*[\"']?{_NUM}{_OVER}", re.I
)
FENCE = re.compile(r"(?:```|~~~)[A-Za-z]*")
