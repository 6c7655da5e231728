"""A verb between two programs that no list knows: it may compare them, so a text says it in a word that is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lab.report.check.comparing_words import ANY
from lab.report.check.factors import misjudged
from lab.report.check.lines import FILLS
from lab.report.check.objection import Objection
from lab.report.check.parameters import parameters_in
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.shapes import SHAPES
from lab.report.check.topics import is_of_processors

_ADVERB = r"(?:\w+ly\s+|still\s+|even\s+|never\s+|always\s+|just\s+|far\s+)*"
_OBJECT = r"(?:(?:our|the|plain|ordinary|all|its|kernel's|own)\s+)*"
_ACTIVE = re.compile(
    rf"(?:\s+(?:WRITE|program|simply|transport|protocol))*\s+{_ADVERB}(?P<verb>[a-z]+(?:s|ed|d))"
    rf"(?:\s+(?:out|over|down|away|off|past|up|aside))?\s+{_OBJECT}"
)
_PASSIVE = re.compile(
    rf"\s+(?:is|are|was|were|gets?|got|has been)\s+{_ADVERB}(?P<verb>[a-z]+(?:ed|en|un|"
    rf"t))(?:\s+\w+)?\s+by\s+{_OBJECT}"
)
_HARMLESS = frozenset(
    """uses used replaces replaced needs needed runs resembles includes wraps follows followed precedes preceded calls
    called shares shared joins joined avoids adds carries carried supports requires required measures measured compares
    compared means is was has does versus plus minus times across as its this emulates emulated imitates implements
    bypasses differs wants serves serviced accompanies produces accompanied and had did""".split()  # noqa: SIM905
)


_NEUTRAL = re.compile(
    r"\b(?:measur|compar|shar|start|show|us(?:e|es|ed|ing)\b|emulat|agree|told apart|differ|disturb|test|stud|examin|"
    r"discuss|consider|"
    r"look|descri|writ|compil|implement|explain|reason|cop(?:y|ies)|packet|system call|choose|limit|same|plot|"
    r"figure|draw|no matter|regardless|break|knee|intercept|slope|follow|lines?\b|headers|"
    r"r[au]n\b|runs\b|clos(?:e|er|est)\b|busy|between|both (?:ends|sides)|mean|median|profit|kernel|curve|ratio|gap)",
    re.I,
)


_MATTERS = re.compile(r"\b(?:matter|influenc|effect|affect|gain|help|depend)\w*\b", re.I)


def words_are_known(sentence: Sentence) -> Iterator[Objection]:
    """`RDMA obliterates TCP`: what the check cannot read, it cannot hold against the data."""
    for first, second in pairwise(sentence.mentions):
        between = sentence.words[first.end : second.start]
        found = _ACTIVE.fullmatch(between) or _PASSIVE.fullmatch(between)
        part = sentence.part_at(first.end)
        if found is None or first.group == second.group or not part.is_stated or part.uses:
            continue
        verb = found["verb"]
        compared = ANY.search(sentence.words, first.end)
        if verb not in _HARMLESS and not (compared and compared.start() < second.end):
            yield Objection(
                f"{verb!r} may compare them, and is no word of the check: say faster, slower or ahead",
                first.end + found.start("verb"),
                (first.group, second.group),
            )
    yield from _unread(sentence)


def _unread(sentence: Sentence) -> Iterator[Objection]:
    """A clause about two programs in which no rule finds a comparison, a shape or a word that compares nothing."""
    for part in sentence.parts:
        groups = tuple(dict.fromkeys(each.group for each in part.mentions))
        if len(groups) == 2 and part.is_stated and not part.uses and not _is_read(part):
            yield Objection(
                "no rule can read what this says of the two: say faster, slower or ahead", part.start, groups
            )


def _is_read(part: Clause) -> bool:
    """Whether some rule reads it, or it is too short to say anything, as a table's cell."""
    if is_of_processors(part) or (parameters_in(part.words) and _MATTERS.search(part.words)):
        return True
    patterns = (ANY, _NEUTRAL, FILLS, *(each for each, _ in SHAPES))
    if any(misjudged(each, part) is not None for each in part.numbers):
        return True
    return any(each.search(part.words) for each in patterns) or len(re.findall(r"\b[a-z]{3,}", part.words)) < 3
