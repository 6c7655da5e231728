"""What is taken off a round's time: where it is most, and whether it changes much."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.model.sizes import format_size
from lab.report.check.lexicon import LITTLE
from lab.report.check.meant import meant
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import group_of, link_named, sort_of
from lab.report.claim import Claim, Ledger
from lab.report.setting import Strand

_TAKEN = re.compile(
    r"(?<!trip is )(?<!trip )\b(?:correct(?:ion|ed|ing)|subtract\w*|taken off|control (?:message|"
    r"trip)|(?:overhead|answer)(?:'s)? (?:share|part)|half (?:of )?(?:the |a )?round trip"
    r"(?= (?:is|are|was|weighs|matters|changes|dominates)))\b|"
    r"\bround trip (?:a |the |is )*(?:bigger|larger|greater|smaller|lesser) (?:share|part)\b|"
    r"\b(?:share|part) of the (?:overhead|answer|round trip|way back|control)",
    re.I,
)
_WHERE = re.compile(r"\b(?:matters?|counts?|changes?|weighs?|largest|greatest|highest|biggest|most|least)\b", re.I)
_LITTLE = re.compile(
    rf"\b(?:{LITTLE}|nothing(?! (?:is |was )?taken off| off)|"
    r"no (?:\w+ )?(?:difference|effect|influence))\b",
    re.I,
)
_MUCH = re.compile(
    r"\b(?:much|strongly|considerabl\w+|decisive\w*|drastic\w*|dominat\w*|big|large)\b(?! (?:message|size|one))", re.I
)
_MOST_OF = re.compile(
    r"\b(?:most|half|the (?:larger|largest|greater|biggest) part|majority|bulk) of (?:the|a|its|each|every) "
    r"(?:round's )?(?:time|round)(?! trip)\b",
    re.I,
)
_LOWERS = re.compile(
    r"\b(?:correct|subtract)\w*\b[^.;,]*\b(?:lower|reduc|decreas|diminish|worsen|deflat)\w* (?:\w+ ){0,3}?"
    r"(?:throughput|rates?|results?|values?|bandwidth|curve)\b|"
    r"\b(?:plain|uncorrected|raw)\b[^.;,]*\b(?:overestimat\w*|overstat\w*|too (?:high|large))\b|"
    r"\bcorrected\b[^.;,]*\b(?:below|lower|less|smaller)\b[^.;,]*\b(?:plain|uncorrected|raw)\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:no|not|never|hardly)\b|n't\b", re.I)
_ACCEPTED = re.compile(
    r"\b(?P<yes>accepted|allowed|possible|(?:could|can) be (?:made|done|used|applied))\b|"
    r"\b(?:refused|rejected|too large)\b",
    re.I,
)
_ROUND = re.compile(
    r"\b(?:single|one|1|few|short)\b (?:\w+ )?(?:messages? )?(?:per|in (?:a|each|every)|a|every|each)? ?rounds?\b", re.I
)
_LONGER_ROUNDS = re.compile(
    r"\b(?:the )?more messages (?:\w+ ){0,6}?rounds?\b|\b(?:longer|larger|bigger) rounds?\b|"
    r"\brounds? (?:hold|contain|have|get|become|grow)\w* (?:more messages|longer|larger|bigger)?",
    re.I,
)
_GROWS = re.compile(r"\b(?:larger|greater|bigger|higher|grow\w*|rises?|increas\w*)\b", re.I)
_FALLS = re.compile(r"\b(?:smaller|lower|less|shrink\w*|falls?|decreas\w*|drops?|vanish\w*)\b", re.I)
HALF = 50.0  # percent of a round's time
SMALL = 5.0  # percent of a round's time: a correction that changes little


def shares_hold(sentence: Sentence) -> Iterator[Objection]:
    """A correction is largest where the share of the control message is, and small where that share is."""
    for part in sentence.parts:
        found = _TAKEN.search(part.words) or _LOWERS.search(part.words)
        if found and part.is_stated and not part.uses:
            shares = _shares(part)
            what = _of_two(part) or _unaccepted(part, shares) or _against_length(part, found)
            what = what or (_wrong(part, shares) if shares else "")
            if what:
                yield Objection(what, part.start + found.start())


def _of_two(part: Clause) -> str:
    """`is bigger for TCP than for the card`: the largest shares of both, at the sizes that are meant."""
    than = re.search(r"\bthan\b", part.words)
    grows, falls = _GROWS.search(part.words), _FALLS.search(part.words)
    if than is None or bool(grows) == bool(falls):
        return ""
    sides = part.cut(than.start())
    if len({each.group for side in sides for each in side.mentions}) != len(sides):
        return ""
    first, second = (max(_shares(each).values(), key=_value, default=None) for each in sides)
    if first is None or second is None or (first.estimate.value > second.estimate.value) is bool(grows):
        return ""
    return against(first, second)


def _value(share: Claim) -> float:
    return share.estimate.value


def _unaccepted(part: Clause, shares: dict[int, Claim]) -> str:
    """A correction that is said to be accepted at a size is no larger there than the limit."""
    limit, said = part.sentence.ledger.get("share.limit"), _ACCEPTED.search(part.words)
    if limit is None or said is None or not (there := sizes_meant(part, shares)):
        return ""
    wanted = bool(said["yes"]) is not bool(_DENIED.search(part.words))
    wrong = [each for each in there if (shares[each].estimate.value <= limit.estimate.value) is not wanted]
    return f"there it is \\claim{{{shares[wrong[0]].name}}} of a round" if wrong else ""


def _against_length(part: Clause, found: re.Match[str]) -> str:
    """`the more messages a round holds, the larger is the share of the round trip`."""
    longer = _LONGER_ROUNDS.search(part.words)
    rest = part.words[longer.end() :] if longer and longer.end() <= found.start() else ""
    grows, falls = bool(_GROWS.search(rest)), bool(_FALLS.search(rest))
    by_length = _shares_by_length(part.sentence.ledger) if grows != falls else []
    if len(by_length) < 2 or (by_length[-1].estimate.value > by_length[0].estimate.value) == grows:
        return ""
    return f"it is \\claim{{{by_length[0].name}}}, and with the longest rounds \\claim{{{by_length[-1].name}}}"


def _shares_by_length(ledger: Ledger) -> list[Claim]:
    """Of a sweep over the length of rounds, from the shortest on."""
    for strand in ledger.setting.strands:
        found = {int(each[1]): claim for claim in ledger.values()
                 if (each := re.fullmatch(rf"{re.escape(strand.name)}\.(\d+)\.\w+\.share", claim.name))}  # fmt: skip
        if found and "iterations" in strand.varied:
            return [found[length] for length in sorted(found)]
    return []


def _wrong(part: Clause, shares: dict[int, Claim]) -> str:
    largest = max(shares.values(), key=_value)
    there = sizes_meant(part, shares)
    if _LOWERS.search(part.words) and not _DENIED.search(part.words):
        return "what is taken off a round's time makes its throughput larger"
    if _MOST_OF.search(part.words):
        return "" if largest.estimate.value > HALF else f"it is at most \\claim{{{largest.name}}}"
    if _LITTLE.search(part.words) or _MUCH.search(part.words):
        own = max(shares[each].estimate.value for each in there or shares)
        return f"it is up to \\claim{{{largest.name}}}" if (own > SMALL) is bool(_LITTLE.search(part.words)) else ""
    word = _WHERE.search(part.words)
    if not there or word is None:
        return ""
    value = min if re.search(r"\bleast\b", part.words) else max
    best = value(shares, key=lambda size: shares[size].estimate.value)
    return "" if best in there else f"that is elsewhere: \\claim{{{shares[best].name}}}"


def _shares(part: Clause) -> dict[int, Claim]:
    """Of the series that is meant; else of the first one on the link that has any; of short rounds, in their sweep."""
    if _ROUND.search(part.words) and (of_rounds := _shares_of_rounds(part)):
        return of_rounds
    return next(filter(None, (_shares_of(strand, part.sentence.ledger) for strand in _strands(part))), {})


def _shares_of_rounds(part: Clause) -> dict[int, Claim]:
    """Of the shortest rounds of a sweep over their length."""
    by_length = _shares_by_length(part.sentence.ledger)
    return {by_length[0].sizes[0]: by_length[0]} if by_length else {}


def _shares_of(strand: Strand, ledger: Ledger) -> dict[int, Claim]:
    found = ((size, ledger.get(f"{strand.name}.{format_size(size)}.share")) for size in strand.sizes)
    return {size: claim for size, claim in found if claim}


def _strands(part: Clause) -> list[Strand]:
    setting, groups = part.sentence.ledger.setting, {each.group for each in part.mentions}
    link = link_named(part.words) or link_named(part.sentence.words)
    own = [
        each
        for each in setting.strands
        if (not groups or group_of(each) in groups) and (not link or sort_of(each, setting) in ("", link))
    ]
    return list(meant(part)) or own
