"""Two curves that are said to draw near or to drift apart, and a distance of theirs that is called small."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lab.report.check.lexicon import SMALL_GAP
from lab.report.check.objection import Objection
from lab.report.check.ratios import distances
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import RDMA, TCP
from lab.report.moves import LEVEL

STEP = 1.02  # what two neighbours may differ by
_NEAR = re.compile(
    r"\bapproach(?:es|ed|ing)?\b|\bclos(?:e|es|ing) (?:in|up) (?:on|to)\b|\bdraw\w* (?:near|level|closer)\b|"
    r"\b(?:com|gett?|mov|grow|creep|edg)\w* (?:\w+ )?(?:closer|nearer)\b|\bcloser\b[^.;]*\b(?:comes?|gets?|is|are)\b|"
    r"\bmake\w* up ground\b",
    re.I,
)
_APART = re.compile(
    r"\bdiverg\w*|\bdrift\w* apart\b|\b(?:further|farther) (?:apart|away|behind)\b|\bpart(?:s|ed)? (?:ways|company)\b|"
    r"\bpull\w* away\b|\b(?:mov|gett?|grow|com|spread)\w* apart\b",
    re.I,
)
_TOUCH = re.compile(r"\b(?:touch|meet|merge|coincide|overlap|are (?:one|the same))\b", re.I)
_THROUGHOUT = re.compile(
    r"\b(?:steadily|always|continuously|constantly|throughout|(?:whole|entire|full) range|every (?:size|step))\b", re.I
)
_SMALL = re.compile(
    r"\b(?:gap|difference|distance|margin)(?: (?:between|of|in|over|for|at|to) [^.;,]{1,60}?)? "
    rf"(?:is|are|was|stays?|remains?|lies?|falls?) (?:\w+ ){{0,2}}?(?:{SMALL_GAP}|"
    r"within (?:the )?(?:\w+ )?(?:noise|margin|errors?|uncertaint\w+|intervals?|spread))\b",
    re.I,
)
_PAIR = re.compile(r"\b(?:each other|one another|curves|lines|transports|protocols|programs|two|both|they)\b", re.I)
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|hardly|without|instead of)\b|n't\b", re.I)


def trends_hold(sentence: Sentence) -> Iterator[Objection]:
    """`The two approach each other` needs a last distance that is less than the first, at the sizes meant."""
    for part in sentence.parts:
        found = next((each for pattern in (_SMALL, _NEAR, _APART) if (each := pattern.search(part.words))), None)
        pair = _pair(part)
        if found is None or pair is None or not part.is_stated or part.uses or _DENIED.search(part.words):
            continue
        by_size = distances(*pair, part)
        heights = [by_size[size] for size in sorted(sizes_meant(part, by_size) or by_size)]
        if len(heights) > 1 and (what := _wrong(found, heights, part.words)):
            yield Objection(what, part.start + found.start(), pair)


def _pair(part: Clause) -> tuple[str, str] | None:
    """The two that are named; without any, the two transports."""
    named = list(dict.fromkeys(each.group for each in part.mentions or part.sentence.mentions))
    if len(named) == 2:
        return named[0], named[1]
    return (RDMA, TCP) if not named and _PAIR.search(part.words) else None


def _wrong(found: re.Match[str], heights: Sequence[float], words: str) -> str:
    if found.re is _SMALL:
        return f"one is {max(heights):.2g} times the other" if max(heights) > LEVEL else ""
    near = found.re is _NEAR
    if near and _TOUCH.search(words) and heights[-1] > LEVEL:
        return f"one is still {heights[-1]:.2g} times the other"
    steps = [after / before for before, after in pairwise(heights)]
    if not _THROUGHOUT.search(words):
        steps = [heights[-1] / heights[0]]
    wrong = [each for each in steps if (each > STEP if near else each < 1 / STEP)]
    return f"the distance goes from {heights[0]:.2g} times to {heights[-1]:.2g} times, not so" if wrong else ""
