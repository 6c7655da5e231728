"""WRITE, READ and SEND beside each other: which is said to take less time, held against the times of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.analysis.verdict import apart
from lab.report.check.calls import OPERATION, is_of_operations
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import CARD, RDMA, SOFTWARE, group_of
from lab.report.check.times import MARGIN, round_trips
from lab.report.claim import Claim

_LESS = re.compile(
    r"\b(?:fast(?:er|est)|quick(?:er|est)|sooner|soonest|earli(?:er|est)|less time|least(?: time)?|short(?:er|est)|"
    r"low(?:er|est)|cheap(?:er|est)|beats?|wins?|ahead|better|best|outperforms?)\b",
    re.I,
)
_MORE = re.compile(
    r"\b(?:slow(?:er|est)|lat(?:er|est)|more time|most(?: time)?|long(?:er|est)|high(?:er|est)|costli(?:er|"
    r"est)|behind|loses?|lags?|trails?|worse|worst)\b",
    re.I,
)
_AND_NOT = re.compile(r"(?:,|\band\b|\bbut\b)?\s*not (?:the |a )?(?:WRITE|READ|SEND)\b")
_DENIED = re.compile(r"\b(?:not|never|no|nowhere|neither|nor)\b|n't\b", re.I)


def operations_compare(sentence: Sentence) -> Iterator[Objection]:
    """The operation that is said to be faster takes less time at every size that is meant."""
    for part in sentence.parts:
        less, more = _LESS.search(part.words), _MORE.search(part.words)
        said = less or more
        if not part.is_stated or part.uses or not is_of_operations(part) or said is None or (less and more):
            continue
        times = _times(part)
        before, _, behind = part.words.partition(" than ")
        own = [each for each in _named(_AND_NOT.sub(" ", before)) if each in times]
        if own and len(times) > 1:
            others = _named(behind) or [each for each in times if each not in own]
            wrong = (_wrong(times, each, others, part, less=bool(less)) for each in own)
            if what := next(filter(None, wrong), ""):
                yield Objection(what, part.start + said.start())


def _named(words: str) -> list[str]:
    return list(dict.fromkeys(each.rstrip("s").lower() for each in OPERATION.findall(words)))


def _wrong(times: dict[str, dict[int, Claim]], own: str, others: list[str], part: Clause, *, less: bool) -> str:
    wanted = less is not bool(_DENIED.search(_AND_NOT.sub(" ", part.words)))
    for other in others:
        for size in sizes_meant(part, times[own]) or times[own]:
            first, second = times[own][size], times.get(other, {}).get(size)
            if second and not _is_so(first, second, less=wanted):
                return against(first, second)
    return ""


def _is_so(first: Claim, second: Claim, *, less: bool) -> bool:
    return apart(first.estimate, second.estimate, MARGIN) and (first.estimate.value < second.estimate.value) is less


def _times(part: Clause) -> dict[str, dict[int, Claim]]:
    """The round trips of each operation by size: over the card where the clause speaks of it."""
    ledger, wanted = part.sentence.ledger, {each.group for each in part.mentions or part.sentence.mentions}
    if wanted == {RDMA} and CARD in part.sentence.groups and not SOFTWARE.search(part.words):
        wanted = {CARD}  # what the sentence speaks of, where the clause names operations alone
    found: dict[str, dict[int, Claim]] = {}
    for strand in ledger.setting.strands:
        name = strand.name.partition(".")[0]
        if name in ("write", "read", "send") and group_of(strand) in wanted:
            found[name] = round_trips(strand, ledger)
    return {name: each for name, each in found.items() if each}
