"""Whether a clause denies a shape, or speaks of something else than a rate."""

from __future__ import annotations

import re

from lab.report.check.lexicon import NEXT
from lab.report.check.sentence import Clause

_DENIED = re.compile(r"\b(?:no|not|never|nowhere|neither|nor|without|cannot|hardly)\b|n't\b", re.I)
_WAY = re.compile(r"\bwithout (?:inlin\w+|(?:the |a )?card|delay|Nagle\w*|(?:a )?rate)\b", re.I)  # denies no shape
_ABSENT = re.compile(
    r"\b(?:is|are|was) (?:\w+ )?(?:not|nowhere) (?:to be )?"
    r"(?:there|visible|present|seen|found|observed|noticeable)\b|"
    r"\b(?:is|are|was) (?:absent|missing)\b|\bdo(?:es)? not (?:appear|exist|show|occur)\b|"
    r"\bcannot be (?:seen|found|observed)\b|\b(?:never|nowhere) (?:appears?|occurs?)\b",
    re.I,
)
NO_RATE = re.compile(
    r"\b(?:gaps?|speed-?ups?|ratios?|differences?|advantages?|leads?|overheads?|costs?|times?|latenc\w+|shares?|factors?|instructions?|"
    r"intervals?|residuals?|messages? rates?|rate of messages|impact|influence|effect)\b",
    re.I,
)


def is_denied(part: Clause, found: re.Match[str]) -> bool:
    """By a word before it, or by what says that it is not there."""
    before = _WAY.sub(" ", NEXT.split(part.words[: found.start()])[-1])
    return (len(_DENIED.findall(before)) + len(_ABSENT.findall(part.words, found.end()))) % 2 == 1
