"""Comparing words: who is said to be more or less than whom, at which sizes, and whether that is denied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from lab.report.check.comparing_words import ANY, Relation, relation_of
from lab.report.check.lexicon import NEXT
from lab.report.check.no_comparison import COST, GAIN, is_no_comparison
from lab.report.check.sentence import Clause, sizes_in
from lab.report.check.sides import sides_of


class Scope(Enum):
    """The sizes of which it is said."""

    EVERY = "every size"
    NONE = "no size"
    MOST = "most sizes"
    SOME = "some size"
    OPEN = "no size named"


@dataclass(frozen=True)
class Compared:
    """One comparison of a clause; without a second side, all others are meant."""

    ours: str
    base: str | None
    relation: Relation
    scope: Scope
    denied: bool
    at: int
    word: str


_TURNED = {Relation.MORE: Relation.LESS, Relation.LESS: Relation.MORE, Relation.NOT_LESS: Relation.NOT_MORE}
_TURNED |= {Relation.NOT_MORE: Relation.NOT_LESS, Relation.EQUAL: Relation.EQUAL, Relation.UNKNOWN: Relation.UNKNOWN}
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?|got|becomes?)\s+(?:[\w-]+\s+){0,2}\Z",
    re.I,
)
_PARTICIPLE = re.compile(r"\w*(?:ed|run|beaten|done|taken)(?: out)?\Z", re.I)
# What follows it is not said, only that nobody can say it.
_UNDECIDED = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't) (?:\w+ )?(?:tell|say|decide) (?:whether|which|"
    r"who)\b[^,;:]*\Z",
    re.I,
)
_NOBODY = re.compile(
    r"\b(?:nothing|nobody|no (?:other )?(?:program|transport|protocol|one)|"
    r"none of the others)\s+\Z",
    re.I,
)
_MESSAGES_A_SECOND = re.compile(
    r"(?:\s+(?:number|count|amount))? of (?:messages|requests) (?:per|a|each|every) second\b", re.I
)
_LEVELLING = re.compile(r"match|c(?:at|aught)|anywhere|even", re.I)
_BURDENS = re.compile(
    r"\b(?:cost|burden|tax|load|strain|occup|keep)\w*\b[^,;]*\b(?:processors?|CPUs?|cores?|kernel)\b[^,;]*\Z", re.I
)
_NEGATION = re.compile(
    r"\b(?:not(?! even\b)|never|no(?![\s-]?delay)|none|nowhere|neither|nor|without(?= (?:ever|being|\w+ing)\b)|cannot|"
    r"fails? to|hardly|isn't|doesn't|didn't|don't|aren't|can't|won't|unable)\b|n't\b",
    re.I,
)
_SUBORDINATE = re.compile(r"\s*(?:because|since|as|for|when|while|although|though|given|with|without)\b[^,]*,", re.I)
_NONE = re.compile(
    r"\b(?:never|nowhere|(?:at|for|with|in) none|not once|(?:at|for|with|in|there is|"
    r"there are)\s+no\s+(?:\w+\s+)?(?:sizes?|"
    r"messages?|points?|case)|"
    r"no\s+(?:single\s+)?(?:message\s+)?(?:sizes?|messages?|point)|not\s+(?:\w+\s+){0,4}at any|"
    r"any\s+(?:\w+\s+)?sizes?|under no)\b",
    re.I,
)
_EVERY = re.compile(
    r"\b(?:always|everywhere|throughout|consistently|invariably|(?:at|for|with|over|in|on|across)\s+(?:each|"
    r"every|all|any)|"
    r"(?:every|all|each|whatever)\s+(?:of\s+)?(?:the\s+)?(?:\S+\s+)?(?:message\s+)?sizes?|whole range|"
    r"without exception|of all\b)",
    re.I,
)
_MOST = re.compile(
    r"\b(?:(?:at|for) (?:most|nearly all|almost all) (?:\w+ )?sizes|mostly|usually|majority|in most)\b", re.I
)
_SOME = re.compile(
    r"\b(?:at|for) (?:some|several|a few|certain) (?:\w+ )?sizes\b|\bsometimes\b|\bat least once\b", re.I
)


def comparisons(part: Clause) -> Iterator[Compared]:
    """Each comparing word of a clause with its sides; a word without a program compares none of ours."""
    for found in ANY.finditer(part.words):
        relation = relation_of(found)
        if compared := _compared(part, relation, found):
            yield compared


def _compared(part: Clause, relation: Relation, found: re.Match[str]) -> Compared | None:
    words, place = part.words, part.start + found.start()
    sides = None if is_no_comparison(words, found) else sides_of(part, found)
    if sides is None or _is_within_one(part, found) or _is_of_two_sizes(part, found):
        return None
    ours, base = sides
    if _PARTICIPLE.match(found[0]) and _PASSIVE.search(words[: found.start()]):
        relation = _TURNED[relation]
    if _is_of_cost(words, found):
        relation = _TURNED[relation]
    scope, denied = _scope(words[: found.start()] + words[found.end() :]), _is_denied(words, found)
    if (
        _NOBODY.search(words[: found.start()]) and sides[1] is None and relation is Relation.MORE
    ):  # `nothing beats RDMA`
        relation, denied = Relation.NOT_LESS, False
    if denied and (turned := _turned_by_denial(relation, found[0])):
        relation, denied = turned, False
        scope = Scope.EVERY if scope is Scope.NONE else scope
    if _UNDECIDED.search(words[: found.start()]):
        relation, denied = Relation.UNKNOWN, False
    if re.search(r"\bneither\b(?! (?:the|a)\b)", words[: found.start()], re.I) and _is_pair(sides, part):
        relation, scope, denied = Relation.UNKNOWN, Scope.EVERY, False
    if scope is Scope.NONE and len(_NEGATION.findall(words)) == 2:  # `no size at which it is not`
        scope, denied = Scope.EVERY, False
    return Compared(ours, base, relation, scope, denied, place, found[0])


def _is_within_one(part: Clause, found: re.Match[str]) -> bool:
    """Of one program's sizes: `with one byte and with 4 KiB alike`, `the same number of messages a second`; or of it
    alone, in a clause without a name: `we cannot say that it is saturated`."""
    if relation_of(found) is Relation.UNKNOWN and not part.mentions and len(part.sentence.groups) == 1:
        return True
    if found[0].lower() == "alike":
        return len({each.group for each in part.mentions}) == 1
    return bool(_MESSAGES_A_SECOND.match(part.words, found.end())) and len(part.sentence.groups) == 1


def _is_of_two_sizes(part: Clause, found: re.Match[str]) -> bool:
    """`over TCP 4 KiB take longer than 1 B`: one program at two sizes."""
    than = re.compile(r"\bthan\b").search(part.words, found.end())
    if than is None or len({each.group for each in part.mentions}) != 1:
        return False
    return all(sizes_in(each) for each in part.cut(than.start()))


def _turned_by_denial(relation: Relation, word: str) -> Relation | None:
    """`no size gives a clear winner` says that nobody can tell, and `cannot match` that it is less."""
    if re.match(r"winner", word, re.I):
        return Relation.UNKNOWN
    return Relation.LESS if relation is Relation.EQUAL and _LEVELLING.match(word) else None


def _is_pair(sides: tuple[str, str | None], part: Clause) -> bool:
    """`neither is faster` says that nobody can tell."""
    return {each.group for each in part.mentions} == {*sides}


def _is_of_cost(words: str, found: re.Match[str]) -> bool:
    """Less time is more speed."""
    near = words[found.start() : found.end() + 30]
    if re.match(r"los|wast|longer", found[0], re.I):
        return False  # time that is lost
    if re.match(r"advantage|benefit|edge|lead|win", found[0], re.I):
        return False  # an advantage in time is one
    if COST.search(near.split(" than ")[0]):
        return True
    before = words[max(found.start() - 60, 0) : found.start()]
    if re.match(r"more|fewer", found[0], re.I) and _BURDENS.search(before):
        return True
    return (
        bool(COST.search(before))
        and not GAIN.search(before)
        and bool(
            re.match(
                r"low|high|less|great|short|long|larger|below|above|beneath|better|worse|bigger|"
                r"small",
                found[0],
                re.I,
            )
        )
    )


def _scope(words: str) -> Scope:
    for scope, pattern in ((Scope.MOST, _MOST), (Scope.SOME, _SOME), (Scope.NONE, _NONE), (Scope.EVERY, _EVERY)):
        if pattern.search(words):
            return scope
    return Scope.OPEN


def _is_denied(words: str, found: re.Match[str]) -> bool:
    """Whether the clause denies the word, once and not twice: `no size at which TCP is not faster` denies nothing."""
    before = _own_words(words[: found.start()])
    return len(_NEGATION.findall(before)) % 2 == 1 and not re.match(r"\Ano |\Acan", found[0], re.I)


def _own_words(before: str) -> str:
    """Without the subordinate clause in front: `because no copy is needed, RDMA is faster` denies nothing."""
    own = before[found.end() :] if (found := _SUBORDINATE.match(before)) else before
    return NEXT.split(own)[-1]
