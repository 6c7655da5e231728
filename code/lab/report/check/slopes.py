"""Lines through times beside each other: the two of one program, and those of two programs, by what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.comparing_words import ANY, Relation, relation_of
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.times import names_of, told_apart
from lab.report.check.topics import groups, is_of_slopes
from lab.report.claim import Claim

BELOW, ABOVE = "below", "above"
_BELOW = re.compile(
    r"\b(?:below|before|up to|under)\b(?: (?:its|the|their|this|that))? ?(?:break|step)?|\b(?:first|lower|left) "
    r"(?:line|slope|one|fit)\b|\bthat of the first\b|\bsmall\w* (?:\w+ )?(?:messages|sizes|ones)\b",
    re.I,
)
_ABOVE = re.compile(
    r"\b(?:above|beyond|after|behind|past)\b(?: (?:its|the|their|this|that))? ?(?:break|step)?|\b(?:second|upper|"
    r"right) (?:line|slope|one|fit)\b|\bthat of the second\b|\blarge\w* (?:\w+ )?(?:messages|sizes|ones)\b",
    re.I,
)
_STEEP = re.compile(r"\bsteep|\bflat|\bslopes? (?:is|are|gets?|becomes?) |\btimes?\b", re.I)
_STEEPER = re.compile(r"\b(?:(?P<steep>steeper)|flatter|shallower|less steep)\b", re.I)  # more time a byte
_SAME = re.compile(r"\bthe same slope|\bas steep\b|\bparallel\b", re.I)
_EXCEEDS = re.compile(
    r"\b(?:rates?|messages?|bandwidths?|throughputs?)\b[^.;,]*\b(?:exceed\w*|surpass\w*|above|faster than|beat|"
    r"beats)\b[^.;,]*\bslope\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:no|not|never|none|neither|nor|hardly)\b|n't\b", re.I)
_WANTED = {Relation.MORE: 1, Relation.LESS: -1, Relation.EQUAL: 0}


def slopes_compare(sentence: Sentence) -> Iterator[Objection]:
    """What is said of one line against another is what their rates say; a claim of a line is of the one named."""
    for part in sentence.parts:
        yield from _of_claims(part)
        if not part.is_stated or part.uses or not is_of_slopes(part):
            continue
        if (found := _EXCEEDS.search(part.words)) and not _DENIED.search(part.words) and _names(part):
            yield Objection("a slope's rate lies above all that were measured", part.start + found.start())
        elif what := _wrong(part):
            yield Objection(what, part.start, groups(part))


def _of_claims(part: Clause) -> Iterator[Objection]:
    below, above = _BELOW.search(part.words), _ABOVE.search(part.words)
    for use in part.uses:
        said = ABOVE if above and not below else BELOW if below and not above else ""
        line = next((each for each in (BELOW, ABOVE) if f".fit.{each}." in use.name), "")
        if line and said and line != said and part.is_stated:
            yield Objection(f"\\claim{{{use.name}}} is of the line {line} the break", use.at)


def _wrong(part: Clause) -> str:
    if (steep := _STEEPER.search(part.words)) and not _DENIED.search(part.words):
        pair = _rates(part)
        is_so = pair is None or (pair[0].estimate.value < pair[1].estimate.value) is bool(steep["steep"])
        return "" if is_so or pair is None else against(*pair)
    said = _SAME.search(part.words) or ANY.search(part.words)
    if said is None or _STEEP.search(part.words.replace(said[0], "")) or _DENIED.search(part.words):
        return ""
    relation = relation_of(said, Relation.EQUAL)
    pair = _rates(part)
    if pair is None or relation not in _WANTED:
        return ""
    first, second = pair
    order = (first.estimate.value > second.estimate.value) - (first.estimate.value < second.estimate.value)
    found = order if told_apart(first.estimate, second.estimate) else 0
    wrong = against(first, second)
    return "" if found == _WANTED[relation] else wrong


def _rates(part: Clause) -> tuple[Claim, Claim] | None:
    """Of the line that is named first and the other; of two programs, each the line that is named."""
    named = groups(part) or groups(part.sentence.parts[0])
    if len(named) == 2:
        line = BELOW if _BELOW.search(part.words) and not _ABOVE.search(part.words) else ABOVE
        found = [each for group in named if (each := _rate(group, line, part))]
        return (found[0], found[1]) if len(found) == 2 else None
    lines = sorted([*((each.start(), BELOW) for each in _BELOW.finditer(part.words)),
                    *((each.start(), ABOVE) for each in _ABOVE.finditer(part.words))])  # fmt: skip
    if len(named) != 1 or not lines:
        return None
    first, second = (lines[0][1], ABOVE if lines[0][1] == BELOW else BELOW)
    rates = _rate(named[0], first, part), _rate(named[0], second, part)
    return (rates[0], rates[1]) if rates[0] and rates[1] else None


def _rate(group: str, line: str, part: Clause) -> Claim | None:
    ledger = part.sentence.ledger
    names = sorted(names_of(group, part), key=len)
    found = (ledger.get(f"{name}.fit{kind}.rate") for name in names for kind in (f".{line}", ""))
    return next(filter(None, found), None)


def _names(part: Clause) -> list[str]:
    """The series of the programs meant through whose times two lines go."""
    every = {name for group in groups(part) for name in names_of(group, part)}
    return [each for each in every if f"{each}.fit.above.rate" in part.sentence.ledger]
