"""Comparing words: who is said to be more or less than whom, at which sizes, and whether that is denied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from lab.report.check.comparing_words import ANY, Relation, relation_of
from lab.report.check.lexicon import NEXT
from lab.report.check.no_comparison import COST, GAIN, is_no_comparison
from lab.report.check.sentence import Clause
from lab.report.check.subjects import Mention


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
_SWITCH = re.compile(r"\b(?:switch|chang|mov|migrat|go|step)(?:e|es|ed|ing)?\b(?:\s+\w+)?\s+from\s+(?:the )?\Z", re.I)
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
_OTHER_SUBJECT = re.compile(r"\b(?:messages?|packets?|sizes?|one|data|requests?|rounds?)\s+(?:\w+ )?\Z", re.I)
_NOBODY = re.compile(
    r"\b(?:nothing|nobody|no (?:other )?(?:program|transport|protocol|one)|"
    r"none of the others)\s+\Z",
    re.I,
)
_IT = re.compile(r"\A\s*(?:It|This|That|Its \w+)\b")
_LEAD_OF = re.compile(r"(?:lead|advantages?|superior\w*|domina\w*|victor\w*)\Z", re.I)
_A_LEAD = re.compile(r"\b(?:an?|the|this|that|its|their) (?:\w+ )?\Z", re.I)
_IS_THERE = re.compile(r"\s+(?:still |even |\w+ly )?(?:remains?|stays?|is|was|has|peaks?|persists?|exists?)\b", re.I)
_MESSAGES_A_SECOND = re.compile(
    r"(?:\s+(?:number|count|amount))? of (?:messages|requests) (?:per|a|each|every) second\b", re.I
)
_LEVELLING = re.compile(r"match|c(?:at|aught)|anywhere|even", re.I)
_THAN_IT = re.compile(r"(?:behind|ahead of|faster than|slower than|above|below|beats|outperforms) it\b", re.I)
_SYMMETRIC = re.compile(
    r"intervals?|bands?|overlap|difference|equal|similar|alike|indistinguish|coincid|matter|irrelevant", re.I
)
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
    if is_no_comparison(words, found):
        return None
    sides = _sides(part, found)
    if sides is None or _is_within_one(part, found):
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
    """Of one program's sizes: `with one byte and with 4 KiB alike`, `the same number of messages a second`."""
    if found[0].lower() == "alike":
        return len({each.group for each in part.mentions}) == 1
    return bool(_MESSAGES_A_SECOND.match(part.words, found.end())) and len(part.sentence.groups) == 1


def _turned_by_denial(relation: Relation, word: str) -> Relation | None:
    """`no size gives a clear winner` says that nobody can tell, and `cannot match` that it is less."""
    if re.match(r"winner", word, re.I):
        return Relation.UNKNOWN
    return Relation.LESS if relation is Relation.EQUAL and _LEVELLING.match(word) else None


def _is_pair(sides: tuple[str, str | None], part: Clause) -> bool:
    """`neither is faster` says that nobody can tell."""
    return {each.group for each in part.mentions} == {*sides}


def _sides(part: Clause, found: re.Match[str]) -> tuple[str, str | None] | None:
    place = part.start + found.start()
    before = [each for each in part.mentions if each.end <= place]
    after = [each for each in part.mentions if each.start >= place]
    against = _against(part, before, after)
    if against and len(part.mentions) > 1 and {each.group for each in part.mentions} == {against.group}:
        against = None  # `verbs over Soft-RoCE` is one program
    own = [each for each in before if each is not against]
    if len(own) == 2 and _SWITCH.search(part.sentence.words[: own[0].start]):
        return own[1].group, own[0].group
    if re.match(r"(?:in )?favou?r|(?:speak|talk)s? for", found[0], re.I) and after:
        return after[0].group, None
    if re.match(r"winner", found[0], re.I) and not own and after:
        return after[0].group, None
    if (
        _LEAD_OF.match(found[0])
        and after
        and re.fullmatch(
            r"\s+(?:of|for|that) (?:our )?", part.sentence.words[part.start + found.end() : after[0].start]
        )
    ):
        return after[0].group, None
    if not own and not after and against and re.search(r"\b[Oo]ver (?:the )?\Z", part.sentence.words[: against.start]):
        return against.group, None  # `over TCP it takes longer`: than at other sizes
    if not own and not against and _SYMMETRIC.search(found[0]) and len({each.group for each in after}) == 2:
        return after[0].group, after[-1].group
    if own and any(each.group == own[-1].group for each in after) and len({each.group for each in part.mentions}) == 1:
        return None  # one program in two places
    if own and _is_lead_of_before(part, found):
        own, against = own[:1], own[-1]
    return _of_subject(part, own, after, against, place) if own else _without_subject(part, after, against, place)


def _of_subject(
    part: Clause, own: list[Mention], after: list[Mention], against: Mention | None, place: int
) -> tuple[str, str | None] | None:
    """The last of those before the word; of a pair the first, and of two where it is followed by `it`."""
    if len(own) == 2 and against is None and _THAN_IT.match(part.sentence.words[place:]):
        return own[0].group, own[1].group
    ours = own[-1].group if not _pair(part, own) else own[0].group
    base = against.group if against else next((each.group for each in after if each.group != ours), None)
    others = {each.group for each in own} - {ours}
    if base == ours:
        return None
    return ours, base or (others.pop() if len(others) == 1 and _pair(part, own) else None)


def _is_lead_of_before(part: Clause, found: re.Match[str]) -> bool:
    """`TCP is ahead of iperf3, and this lead remains`: whose it is was said before."""
    before, behind = part.words[: found.start()], part.words[found.end() :]
    return bool(_LEAD_OF.match(found[0]) and _A_LEAD.search(before) and _IS_THERE.match(behind))


def _pair(part: Clause, own: list[Mention]) -> bool:
    """`RDMA and TCP are equally fast`."""
    between = part.sentence.words[own[0].end : own[-1].start]
    return len({each.group for each in own}) == 2 and bool(
        re.fullmatch(r"(?:'s)?\s*(?:and|or|nor|to)?\s*(?:our\s*)?", between)
    )


def _against(part: Clause, before: list[Mention], after: list[Mention]) -> Mention | None:
    """The side behind `than`, `over`, `compared with`, wherever it stands."""
    words = part.sentence.words
    behind = re.compile(
        r"\b(?:than|over|against|versus|vs\.?|compared (?:with|to)|unlike|to|with|by|from|as|of)\s+(?:our |"
        r"that of |the )*\Z"
    )
    strong = re.compile(r"\b(?:over|against|compared (?:with|to)|unlike|than)\s+(?:our |that of |the )*\Z", re.I)
    than = re.compile(
        r"\bthan\s+(?:over |with |via |using |by |in |that |those |of |our |the |an? |"
        r"messages? )*\Z",
        re.I,
    )
    for preposition, named in ((than, after), (strong, after), (behind, after), (strong, before)):
        if found := next((each for each in named if preposition.search(words[part.start : each.start])), None):
            return found
    return None


def _without_subject(
    part: Clause, after: list[Mention], against: Mention | None, place: int
) -> tuple[str, str | None] | None:
    """`it is faster than TCP`: the subject is of the sentence before, or the only other one."""
    inherited = [each for each in part.sentence.mentions if each.end <= part.start and not _is_beside(each, part)]
    if inherited and after and re.search(r"\bit\b", part.sentence.words[part.start : place], re.I):
        return (inherited[0].group, after[0].group) if inherited[0].group != after[0].group else None
    if inherited and (against or not after):
        base = against.group if against else None
        ours = [each.group for each in inherited if each.group != base]
        return (ours[0], base) if ours else None
    if against and after and after[0] is not against:
        return after[0].group, against.group
    if after and not against:
        if "," in part.sentence.words[place : after[0].start] and _OTHER_SUBJECT.search(part.sentence.words[:place]):
            return None  # `whenever a message exceeds the MTU, RDMA ...`
        return None if len({each.group for each in after}) > 1 else (after[0].group, None)
    before = [each for each in part.sentence.before if not against or each != against.group]
    if against and len(before) == 1:
        return before[0], against.group
    if _IT.match(part.words) and before and not after:
        return before[0], next(iter(before[1:]), None)
    return ("", against.group) if against and place else None


def _is_beside(mention: Mention, part: Clause) -> bool:
    """`compared with TCP, RDMA ...: it` means RDMA."""
    before = part.sentence.words[: mention.start]
    return bool(re.search(r"\b(?:compared (?:with|to)|unlike|against|than)\s+(?:our |the )*\Z", before, re.I))


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
