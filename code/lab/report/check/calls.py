"""Blocking calls beside non-blocking ones: which is said to take longer, held against the times of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.analysis.verdict import Verdict, apart
from lab.report.check.comparing_words import ANY, Relation
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence, size_of, sizes_in
from lab.report.check.subjects import group_of
from lab.report.check.times import MARGIN, TIME, calls_named
from lab.report.claim import Claim

MODE = re.compile(r"\b(?P<late>non-?blocking|I(?:send|recv))\b|(?<!non-)(?<!non)\bblock(?:ing|s)\b(?! or not)", re.I)
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|nowhere|hardly|cannot)\b|n't\b", re.I)
_TURNED = {Relation.MORE: Relation.LESS, Relation.LESS: Relation.MORE}
NON_BLOCKING, BLOCKING = "non-blocking", "blocking"


def calls_compare(sentence: Sentence) -> Iterator[Objection]:
    """What a comparison says of the two kinds of calls is what their times say."""
    for part in sentence.parts:
        modes = list(MODE.finditer(part.words))
        found = ANY.search(part.words) if modes and part.is_stated else None
        if found is None or part.uses:
            continue
        relation = Relation[next(name for name, text in found.groupdict().items() if text)]
        before = [each for each in modes if each.end() <= found.start()]
        first = bool((before or modes)[-1]["late"] if before else modes[0]["late"])
        if what := _wrong(_of_time(relation, part.words, found), part, found, of_late=first):
            yield Objection(what, part.start + found.start(), tuple(each.group for each in part.mentions))


def _of_time(relation: Relation, words: str, found: re.Match[str]) -> Relation:
    """Less time is more speed."""
    near = re.split(r"\bthan\b", words[found.start() : found.end() + 30])[0]
    lower = re.match(r"low|high|great", found[0], re.I) and TIME.search(words[: found.start()])
    return _TURNED.get(relation, relation) if TIME.search(near) or lower else relation


def _wrong(relation: Relation, part: Clause, found: re.Match[str], *, of_late: bool) -> str:
    """`more` is quicker."""
    verdicts = list(_verdicts(part, of_late=of_late))
    if not verdicts:
        return ""
    wanted = {Relation.MORE: Verdict.MORE, Relation.LESS: Verdict.LESS}.get(relation, Verdict.CANT_TELL)
    share = sum(each is wanted for each in verdicts) / len(verdicts)
    denied = len(_DENIED.findall(part.words[: found.start()])) % 2 == 1
    if relation in (Relation.NOT_LESS, Relation.NOT_MORE) or (share <= 0.5 if denied else share > 0.5):
        return ""
    counted = ", ".join(f"{each.value} at {verdicts.count(each)} of {len(verdicts)}" for each in dict.fromkeys(verdicts))
    return f"the times say otherwise: {counted}"


def _verdicts(part: Clause, *, of_late: bool) -> Iterator[Verdict]:
    """At each size, whether the first-named kind was quicker; sends and receives, and transports, as named."""
    late, early = _means(part, NON_BLOCKING), _means(part, BLOCKING)
    for name in late.keys() & early.keys():
        first, second = (late[name], early[name]) if of_late else (early[name], late[name])
        if not apart(first.estimate, second.estimate, MARGIN):
            yield Verdict.CANT_TELL
        else:
            yield Verdict.MORE if first.estimate.value < second.estimate.value else Verdict.LESS


def _means(part: Clause, mode: str) -> dict[str, Claim]:
    ledger, (calls, _) = part.sentence.ledger, calls_named(part.words)
    groups, sizes = {each.group for each in part.mentions or part.sentence.mentions}, sizes_in(part)
    names = {each.name for each in ledger.setting.strands if not groups or group_of(each) in groups}
    return {
        claim.name.replace(f".{mode}.", "."): claim
        for claim in ledger.values()
        if claim.name.endswith(".mean")
        and f".{mode}." in claim.name
        and {*claim.series} & names
        and (not calls or {*claim.name.split(".")} & {*calls})
        and (not sizes or size_of(claim) in sizes)
    }
