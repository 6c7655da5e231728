"""A claim stands beside a word for what it is: a knee is no time, and a gain is no rate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection
from lab.report.check.sentence import Sentence

# The end of a claim's name, and what its sentence speaks of.
_OF_NAME = (
    (r"\.knee", r"knee|bend|kink|break|changes? (?:its )?slope|segment|turn|corner", "a knee: where the curve bends"),
    (r"\.fit\.break(?:\.from|"
    r"\.to)?", r"break|line|bend|step|change|between|from|beyond|below|until|up to|above|fall|drop|"
     r"jump", "where two lines break"),
    (r"\.jump", r"jump|steep|step|leap|grow|ris|multipl|factor|increas|climb|doubl", "a step between two sizes"),
    (r"\.fall", r"fall|drop|fell|step|lose|lost|lowest|decreas|dip|multipl|factor|down|less|los|sink|declin|before",
     "a step between two sizes"),
    (r"\.last", r"last|end|step|grow|still|level|flat|saturat|factor|multipl|converg|increas|plateau|double",
     "the last step between two sizes"),
    (r"\.gain", r"gain|factor|multipl|times|help|improv|effect|bring|increas|faster|rais|influenc|matter|depend|more|"
     r"differ|chang|better|speed|best|benefit|profit|boost|advantage|impact", "what a parameter gains"),
    (r"\.filled", r"fill|us(?:es?|ing|ed)\b|link|wire|capacity|carr|rate|limit|utili|occup|share|part|header|exploit",
     "how much of a link is used"),
    (r"\.share", r"share|correct|subtract|control|overhead|taken|part|portion|take|percent|correction|off\b|fraction|"
     r"account|time", "what is taken off"),
    (r"\.spread", r"spread|differ|var|apart|scatter|factor|disagree|range|between|lie", "how far rounds lie apart"),
    (r"\.unsettled", r"un(?:settled|stable)|not|never|other|left|fail|cap|rest|remain|without|disagree|no\b|n't",
     "how many sizes did not agree"),
    (r"\.agreed", r"agree|settle|stab|converg|enough|equal|same|suffic", "how many sizes agreed"),
)  # fmt: skip


def quantities_are_named(sentence: Sentence) -> Iterator[Objection]:
    """`RDMA needs \\claim{verbs.knee}` says nothing of a knee; in a table the heads say what a cell is."""
    for use in sentence.uses:
        for name, words, what in _OF_NAME:
            if use.claim and re.search(rf"{name}\Z", use.name) and not re.search(words, sentence.words, re.I):
                yield Objection(f"\\claim{{{use.name}}} is {what}, and the sentence does not say so", use.at)
