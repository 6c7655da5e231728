"""Numbers of a published report: what it says, and what its file holds."""

from __future__ import annotations

import re

from lab.report.check.numbers import Number
from lab.report.check.sentence import Clause

_SAID = re.compile(
    r"\b(?:says?|said|speaks?|claims?|claimed|writes?|wrote|states?|mentions?|not|instead|promis\w+)\b", re.I
)


def wrong_rows(number: Number, part: Clause) -> str:
    """What a published file holds, as against what its report says of it."""
    if not re.match(r"rows?|(?:data\s+)?points?|records?|measurements?|samples?", number.noun) or _SAID.search(
        part.words
    ):
        return ""
    found = [each for name, each in part.sentence.ledger.items() if re.fullmatch(r"report_\w+\.points", name)]
    if not found or any(each.estimate.value in number.values for each in found):
        return ""
    return f"their file has \\claim{{{found[0].name}}}"


def is_theirs(number: Number, part: Clause) -> bool:
    """`the published factor of 33`, `the factor of 33 of the published report`; `we cannot confirm the report's 33`."""
    words, place = part.words, number.start - part.start
    before, behind = words[max(place - 40, 0) : place], words[number.end - part.start :][:40]
    denied = re.search(
        r"\b(?:not|never|cannot|can't|unable to)\b(?: \w+)? (?:confirm|reproduc|support|find|see)\w*", words
    )
    named = re.search(r"\bpublished (?:\w+ ){0,3}\Z|\breport's (?:\w+ ){0,3}\Z", before)
    return bool(
        named
        or re.match(
            r"[^,;]{0,20}\b(?:of|in|from) (?:the|"
            r"that) (?:published )?report\b",
            behind,
        )
    ) or bool(denied and re.search(r"\bpublish|\breport\b", words))
