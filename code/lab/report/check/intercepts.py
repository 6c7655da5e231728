"""Lines through times: their intercepts beside a small message and beside each other, and how well they fit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.times import names_of, told_apart
from lab.report.claim import Claim

_INTERCEPT = re.compile(r"\bintercepts?\b", re.I)
_SMALL = re.compile(r"\b(?:1|one|single)[\s-](?:B|bytes?)\b|\bsmall\w* messages?\b", re.I)
_BELOW = re.compile(r"\b(?:below|under|beneath|(?:less|lower|smaller) than)\b(?! (?:the|its|their|a) break)", re.I)
_ABOVE = re.compile(
    r"\b(?:above|exceeds?|(?:more|higher|larger|greater) than)\b(?! (?:the|its|their|a) break)(?= [^.;,]*\b"
    r"(?:1|one|single|small\w*)\b)",
    re.I,
)
_LOWER_LINE = re.compile(r"\b(?:below|before) (?:the|its|their|a) break\b", re.I)
_UPPER_LINE = re.compile(r"\b(?:above|behind|beyond|after) (?:the|its|their|a) break\b", re.I)
_KEPT = re.compile(
    r"\b(?:the same|unchanged|no influence|does not (?:change|depend)|independent|no matter|regardless)\b", re.I
)
_IS_TIME = re.compile(
    r"\b(?:is|equals|gives|tells|means|says) (?:\w+ )?(?:the|what|how) (?:\w+ )?(?:time|latency|long|a\b)", re.I
)
_FITS = re.compile(r"\bR[\s-]squared\b[^.;,]*\b(?:near|close to|almost|nearly) (?:one|1|unity|perfect)\b", re.I)
_EVERY = re.compile(r"\b(?:all|every|each|without (?:an )?exception|always)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|neither|nor|hardly)\b|n't\b", re.I)
NEAR_ONE = 0.95  # an R squared that may be called near one


def intercepts_hold(sentence: Sentence) -> Iterator[Objection]:
    """An intercept lies where it is said to, moves with the sizes of its line, and every line fits that is said to."""
    for part in sentence.parts:
        found = _INTERCEPT.search(part.words)
        if found and (what := _is_a_small_time(part)):
            yield Objection(what, part.start + found.start())
        if found and not part.uses and (what := _beside_small(part) or _kept(part)):
            yield Objection(what, part.start + found.start())
        if (found := _FITS.search(part.words)) and _EVERY.search(part.words) and not _DENIED.search(part.words):
            fits = [each for name, each in part.sentence.ledger.items() if name.endswith(".r2")]
            worst = min(fits, key=lambda each: each.estimate.value, default=None)
            if worst and worst.estimate.value < NEAR_ONE:
                yield Objection(f"it is \\claim{{{worst.name}}}", part.start + found.start())


def _beside_small(part: Clause) -> str:
    """Below or above the time of a message of one byte."""
    below, above = _BELOW.search(part.words), _ABOVE.search(part.words)
    if not _SMALL.search(part.words) or bool(below) == bool(above):
        return ""
    wanted = bool(above) is not bool(_DENIED.search(part.words))
    wrong = [each for each in _over_small(part) if (each.estimate.value > 1) is not wanted]
    return f"it is \\claim{{{wrong[0].name}}} times that" if wrong else ""


def _is_a_small_time(part: Clause) -> str:
    """An intercept that is given as what a message of one byte takes, which its data rule out."""
    if not (_SMALL.search(part.words) and _IS_TIME.search(part.words)) or _DENIED.search(part.words):
        return ""
    for use in part.uses:
        over = part.sentence.ledger.get(f"{use.name.removesuffix('.intercept')}.over_small")
        interval = over.estimate.interval if over else None
        if over and use.name.endswith(".intercept") and interval and not interval.contains(1.0):
            return f"it is \\claim{{{over.name}}} times that"
    return ""


def _over_small(part: Clause) -> Iterator[Claim]:
    """Intercepts over the time of a small message, of the line and the programs that are named."""
    line = ".below" if _LOWER_LINE.search(part.words) else ".above" if _UPPER_LINE.search(part.words) else ""
    names = {name for each in part.mentions or part.sentence.mentions for name in names_of(each.group, part)}
    found = (part.sentence.ledger.get(f"{name}.fit{line}.over_small") for name in sorted(names))
    return (each for each in found if each)


def _kept(part: Clause) -> str:
    """Of the published times, whose line was laid through all sizes and through the larger half."""
    if not _KEPT.search(part.words):
        return ""
    for name, whole in part.sentence.ledger.items():
        half = part.sentence.ledger.get(name.replace(".fit.", ".upper."))
        if re.fullmatch(r"report_\w+\.fit\.intercept", name) and half and told_apart(whole.estimate, half.estimate):
            return against(whole, half)
    return ""
