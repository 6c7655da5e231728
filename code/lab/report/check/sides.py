"""Who is said to be more or less than whom: the two sides of a comparing word."""

from __future__ import annotations

import re

from lab.report.check.sentence import Clause
from lab.report.check.subjects import Mention

_SWITCH = re.compile(r"\b(?:switch|chang|mov|migrat|go|step)(?:e|es|ed|ing)?\b(?:\s+\w+)?\s+from\s+(?:the )?\Z", re.I)
_OTHER_SUBJECT = re.compile(r"\b(?:messages?|packets?|sizes?|one|data|requests?|rounds?)\s+(?:\w+ )?\Z", re.I)
_IT = re.compile(r"\A\s*(?:It|This|That|Its \w+)\b")
_LEAD_OF = re.compile(r"(?:lead|advantages?|superior\w*|domina\w*|victor\w*)\Z", re.I)
_A_LEAD = re.compile(r"\b(?:an?|the|this|that|its|their) (?:\w+ )?\Z", re.I)
_IS_THERE = re.compile(r"\s+(?:still |even |\w+ly )?(?:remains?|stays?|is|was|has|peaks?|persists?|exists?)\b", re.I)
_THAN_IT = re.compile(r"(?:behind|ahead of|faster than|slower than|above|below|beats|outperforms) it\b", re.I)
# `quicker than TCP, and quicker than Soft-RoCE`: the subject is the first one's.
_AND_ALSO = re.compile(r"\bthan\b[^.;]*\band (?:\w+ly |even |also |still |much |far |a (?:lot|bit) )*\Z", re.I)
_SYMMETRIC = re.compile(
    r"intervals?|bands?|overlap|difference|equal|about the same|"
    r"similar|alike|indistinguish|coincid|matter|irrelevant|cannot.* tell",
    re.I,
)


def sides_of(part: Clause, found: re.Match[str]) -> tuple[str, str | None] | None:
    """The program of which a word says something, and the one it is set against, if the clause names that."""
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
    if not own and _SYMMETRIC.search(found[0]) and len({each.group for each in after}) == 2:
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
    also = against and _AND_ALSO.search(part.sentence.words[part.start : place])
    ours = own[0].group if also or _pair(part, own) else own[-1].group
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
        r"\bthan\s+(?:MPI |over |with |via |using |by |in |that |those |of |our |the |an? |own |plain |software |"
        r"modelled |messages? |ones? |sends? |receives? |calls? |(?:half )?(?:round )?trips? )*\Z",
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
