"""The programs in an order, without a verb: `verbs first, then TCP, and iperf3 last`, held against their ratios."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise

from lab.analysis.verdict import Verdict
from lab.report.check.objection import Objection
from lab.report.check.sentence import Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import CARD, RDMA, TCP
from lab.report.check.verdicts import verdicts

_ORDER = re.compile(
    r"\bfirst\b[^.]*\b(?:then|second|next|last|followed|third|behind|end)\b|\bfollowed by\b|\b(?:order|ranking|podium|"
    r"field|places?)\b(?! (?:turns?|changes?|flips?|revers\w+|is reversed))[^.]*[:,]|"
    r"\bfast(?:est)? to slow(?:est)?\b|\bbest to worst\b|\bslow(?:est)? to fast(?:est)?\b|"
    r"\s>\s",
    re.I,
)
_UPWARDS = re.compile(
    r"\bslow(?:est)? to fast(?:est)?\b|\bworst to best\b|\b(?:ascending|increasing|rising) order\b", re.I
)
# What was done in some order says nothing of who is faster.
_DONE = re.compile(
    r"\b(?:measur|ran\b|run\b|runs\b|start|test|describ|look|discuss|present|show|sent|sends?\b|warm|explain|consider|compil|"
    r"configur|install|compar|we\b|I\b|read|plot|draw|connect|wait|copies|copy|posts?\b)",
    re.I,
)


_CHANGES = re.compile(
    r"\b(?:ranking|order) (?:of the \w+ )?(?:changes|depends|varies|flips|reverses|turns|is another|is not the same)\b",
    re.I,
)


def orders_change(sentence: Sentence) -> Iterator[Objection]:
    """`The ranking changes with the size` is false where no two of the three transports ever change places."""
    whole, found = sentence.whole, _CHANGES.search(sentence.words)
    if found is None or not whole.is_stated or sentence.mentions:
        return
    groups = (RDMA, TCP, CARD) if sentence.ledger.setting.card else (RDMA, TCP)
    pairs = [{*(verdicts(*two, whole) or {}).values()} for two in combinations(groups, 2)]
    if any(pairs) and not any({Verdict.MORE, Verdict.LESS} <= each for each in pairs):
        yield Objection("it is the same at every size", found.start())


def rankings_hold(sentence: Sentence) -> Iterator[Objection]:
    """Of two neighbours of a ranking, the first is the faster one wherever the data tell them apart."""
    whole = sentence.whole
    if not _ORDER.search(sentence.words) or _DONE.search(sentence.words) or not whole.is_stated:
        return
    order = list(sentence.groups)[:: -1 if _UPWARDS.search(sentence.words) else 1]
    for first, second in pairwise(order):
        found = verdicts(first, second, whole) or {}
        wrong = [size for size in sizes_meant(whole, found) or found if found[size] is Verdict.LESS]
        if wrong:
            yield Objection("the data give another order", sentence.mentions[0].start, (first, second))
