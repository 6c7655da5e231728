"""Advice: a program that is recommended for some sizes is not the slower one there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.analysis.verdict import Verdict
from lab.report.check.calls import OPERATION
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import CARD, FREE, RDMA, SOFTWARE, link_named
from lab.report.check.topics import is_of_processors, rival_of
from lab.report.check.verdicts import verdicts

_ADVISED = re.compile(
    r"\b(?:should|ought|recommend\w*|advis\w*|advice|prefer\w*|would|better|must|choose|pick)\b", re.I
)
_TAKE = re.compile(
    r"\b(?:us(?:e|ing)|choos(?:e|ing)|tak(?:e|ing)|pick|prefer|recommend|go (?:for|with)|opt for|rely on|"
    r"bet on|switch to|stick (?:to|with)|advise|favou?r|avoid)\s+(?:\w+\s+){0,2}?\Z",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:not|never|nobody|no one|none|no (?:reason|size|case|situation)|avoid\w*|against)\b|n't\b", re.I
)
_ELSEWHERE = re.compile(
    r"\b(?:real|hardware|published|reports?|literature|other (?:machines?|sites?|systems?))\b", re.I
)
_NO_OBJECT = re.compile(r"'s\b| as (?:a|the)\b| (?:to|in order) \w+ (?:whether|if|how)\b")


def advice_is_sound(sentence: Sentence) -> Iterator[Objection]:
    """`For bulk data one should use RDMA` is false where RDMA is the slower one."""
    for part in sentence.parts:
        if len({*OPERATION.findall(part.words)}) > 1 or is_of_processors(part):
            continue
        if not _ADVISED.search(part.words) or _ELSEWHERE.search(part.words) or part.uses or "?" in part.words:
            continue
        for mention in part.mentions:
            before = sentence.words[part.start : mention.start]
            if _TAKE.search(before) and not _NO_OBJECT.match(sentence.words[mention.end :]):
                if what := _wrong(mention.group, part, denied=bool(_AGAINST.search(before))):
                    yield Objection(what, mention.start, (mention.group,))
                break


def _wrong(group: str, part: Clause, *, denied: bool) -> str:
    has_card = part.sentence.ledger.setting.card
    if group == RDMA and has_card and not SOFTWARE.search(part.words) and link_named(part.words) != FREE:
        group = CARD  # what a report with a card advises by the name of RDMA
    others = [each.group for each in part.mentions if each.group != group] or [rival_of(group, part)]
    found = verdicts(group, others[0], part) or {}
    sizes = sizes_meant(part, found) or list(found)
    unsound = [size for size in sizes if found[size] is (Verdict.MORE if denied else Verdict.LESS)]
    return "the data advise the other one there" if len(unsound) * 2 > len(sizes) else ""
