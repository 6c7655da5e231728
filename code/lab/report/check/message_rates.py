"""How many messages pass in a second: what is said of its way over the sizes, held against rates over sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.curves import curves_of
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import group_of
from lab.report.claim import Claim
from lab.report.moves import LEVEL, is_level

_RATE = re.compile(
    r"\bmessage[\s-]rates?\b|\brates? of (?:the )?messages\b|\bmessages (?:per|a|each|every|in (?:a|one|each)) second\b"
    r"|"
    r"\b(?:collect|handle|process|carr|send|deliver|transmit|mov)\w* messages at\b",
    re.I,
)
_GROWS = re.compile(r"\b(?:grow|ris|rose|increas|climb|scal|improv)\w*\b|\bgoes up\b", re.I)
_FALLS = re.compile(r"\b(?:fall|fell|drop|decreas|declin|sink|shrink|diminish)\w*\b|\bgo(?:es)? down\b", re.I)
_LEVEL = re.compile(
    r"\b(?:constant|unchanged|level|flat|independent|"
    r"the same (?:for|at|number|rate)|hardly (?:depend|chang|var)\w*|stays|remains)\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor)\b|n't\b", re.I)


def is_of_messages(part: Clause) -> bool:
    """Whether messages are counted, and not bytes."""
    return bool(_RATE.search(part.words))


def message_rates_hold(sentence: Sentence) -> Iterator[Objection]:
    """`The rate of messages falls with their size` is true where the last of the sizes has fewer than the first."""
    for part in sentence.parts:
        if is_of_messages(part) and part.is_stated and not part.uses and not _DENIED.search(part.words):
            for curve in curves_of(part):
                if what := _wrong(curve.rates, part):
                    yield Objection(what, part.start, (group_of(curve.strand),))
                    break


def _wrong(rates: dict[int, Claim], part: Clause) -> str:
    sizes = sorted(sizes_meant(part, rates) or rates)
    messages = [rates[size].estimate.value / size for size in sizes]
    if len(messages) < 2:
        return ""
    there = f"from \\claim{{{rates[sizes[0]].name}}} to \\claim{{{rates[sizes[-1]].name}}}"
    change = messages[-1] / messages[0]
    if _LEVEL.search(part.words):
        return "" if is_level(messages) else f"the messages of a second do not stay as many {there}"
    if _GROWS.search(part.words) and change < LEVEL:
        return f"the messages of a second get no more {there}"
    return f"the messages of a second get no fewer {there}" if _FALLS.search(part.words) and change > 1 else ""
