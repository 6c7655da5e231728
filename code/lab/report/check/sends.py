"""Sends beside receives: which is said to take longer, held against the times of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.analysis.verdict import apart
from lab.report.check.comparing_words import ANY, Relation, relation_of
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence, size_of
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import group_of
from lab.report.check.times import CALLS, MARGIN, TIME, calls_named
from lab.report.claim import Claim

SEND, RECEIVE = "send", "receive"
_WAITS = re.compile(
    r"\b(?:waits?|waited|blocks?|lasts?) (?:\w+ )?longer\b|\b(?:as|so) (?:quick|cheap|short|fast|long)\b", re.I
)
_SOONER = re.compile(r"\b(?:over|done|finished|ready|complete\w*|returns?) (?:\w+ )?(?:sooner|earlier)\b", re.I)
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|hardly)\b|n't\b", re.I)
_NO_MATTER = re.compile(r"\bno matter\b", re.I)
_SIGNS = {Relation.MORE: 1, Relation.LESS: -1, Relation.EQUAL: 0}


def is_of_sends(part: Clause) -> bool:
    """Whether sends and receives are set against each other, over one transport or both."""
    return len(calls_named(part.words)[0]) == 2 and len({each.group for each in part.mentions}) < 2


def sends_compare(sentence: Sentence) -> Iterator[Objection]:
    """What a comparison says of sends and receives is what the means of their times say."""
    for part in sentence.parts:
        said = _WAITS.search(part.words) or _SOONER.search(part.words) or ANY.search(part.words)
        if said is None or not is_of_sends(part) or not part.is_stated or part.uses:
            continue
        sign = _sign(said, part)
        if (
            sign is not None
            and not _DENIED.search(_NO_MATTER.sub("", part.words))
            and (what := _wrong(part, said, sign))
        ):
            yield Objection(what, part.start + said.start())


def _sign(said: re.Match[str], part: Clause) -> int | None:
    """One where the call that is named first is said to be the quicker one."""
    if said.re is _WAITS:
        return 0 if said[0].lower().startswith(("as", "so")) else -1
    if said.re is _SOONER:
        return 1
    sign = _SIGNS.get(relation_of(said))
    near = part.words[said.start() : said.end() + 24].split(" than ")[0]
    turned = TIME.search(near) or (TIME.search(part.words[: said.start()]) and re.match(r"low|high|great", said[0]))
    return -sign if sign and turned else sign


def _wrong(part: Clause, said: re.Match[str], sign: int) -> str:
    """At most of the sizes, modes and transports that are meant it is not so."""
    places = sorted(
        (each.start(), name) for name, words in CALLS.items() for each in re.finditer(words, part.words, re.I)
    )
    ours = next((name for place, name in reversed(places) if place < said.start()), places[0][1])
    first, second = _means(part, ours), _means(part, RECEIVE if ours == SEND else SEND)
    wrong = [name for name in first.keys() & second.keys() if not _is_so(first[name], second[name], sign)]
    if len(wrong) * 2 <= len(first):
        return ""
    name = min(wrong)
    return against(first[name], second[name])


def _is_so(first: Claim, second: Claim, sign: int) -> bool:
    is_apart = apart(first.estimate, second.estimate, MARGIN)
    return is_apart and (first.estimate.value < second.estimate.value) is (sign > 0) if sign else not is_apart


def _means(part: Clause, call: str) -> dict[str, Claim]:
    ledger, (_, modes) = part.sentence.ledger, calls_named(part.words)
    groups = {each.group for each in part.mentions or part.sentence.mentions}
    names = {each.name for each in ledger.setting.strands if not groups or group_of(each) in groups}
    found = [each for each in ledger.values() if each.name.endswith(".mean") and f".{call}." in each.name]
    known = {size: size for each in found if (size := size_of(each))}
    sizes = sizes_meant(part, known) or list(known)
    return {
        each.name.replace(f".{call}.", "."): each
        for each in found
        if {*each.series} & names and size_of(each) in sizes and (not modes or {*each.name.split(".")} & {*modes})
    }
