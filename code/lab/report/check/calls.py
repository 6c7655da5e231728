"""Blocking calls beside non-blocking ones: which is said to take longer, held against the times of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.analysis.verdict import Verdict, apart
from lab.report.check.comparing_words import ANY, Relation, relation_of
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence, size_of, sizes_in
from lab.report.check.sizes import sizes_counted
from lab.report.check.subjects import CARD, RDMA, group_of
from lab.report.check.times import MARGIN, TIME, calls_named
from lab.report.claim import Claim

MODE = re.compile(r"\b(?P<late>non-?blocking|I(?:send|recv))\b|(?<!non-)(?<!non)\bblock(?:ing|s)\b(?! or not)", re.I)
OPERATION = re.compile(r"\b(?:WRITE|READ|SEND)s?\b")
_OF_ALL = re.compile(
    r"\bof (?:all|the (?:three|four))\b|\boperations?\b|\b(?:least|most) time\b|\b(?:the|is|are) \w+est\b|\bwins\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|nowhere|hardly|cannot)\b|n't\b", re.I)
_LESSENS = re.compile(
    r"\b(?:reduc|shorten|sav|cut|lower|shav)\w* (?:[\w-]+ ){0,6}?(?=time\b|latenc)|"
    r"\b(?:is|are) (?:\w+ly )?(?:shortened|reduced|lowered)\b",
    re.I,
)
_APART = re.compile(r"\b(?:lies?|are|stays?) (?:\w+ )?apart\b|\bdiffer by more than the margin\b", re.I)
_TAKES = re.compile(
    r"\b(?:takes?|took|costs?|needs?|lasts?)\b[^;]*?\b(?:(?P<LESS>more|longer)|(?P<MORE>less|shorter))\b", re.I
)
_TURNED = {Relation.MORE: Relation.LESS, Relation.LESS: Relation.MORE}
NON_BLOCKING, BLOCKING = "non-blocking", "blocking"


def is_of_calls(part: Clause) -> bool:
    """Whether kinds of calls are set against each other, over one transport or both."""
    return bool(MODE.search(part.words)) and len({each.group for each in part.mentions}) < 2


def is_of_operations(part: Clause) -> bool:
    """Whether operations of RDMA are set against each other, and no other program."""
    named = set(OPERATION.findall(part.words))
    others = {each.group for each in part.mentions} - {RDMA, CARD}
    return not others and (len(named) > 1 or (len(named) == 1 and bool(_OF_ALL.search(part.words))))


def calls_compare(sentence: Sentence) -> Iterator[Objection]:
    """What a comparison says of the two kinds of calls is what their times say."""
    for part in (each for each in sentence.parts if is_of_calls(each) and each.is_stated):
        if not part.uses and (lie := _APART.search(part.words)):
            yield from _not_apart(part, lie)
        if (found := _compared(part)) is None:
            continue
        modes = list(MODE.finditer(part.words))
        before = [each for each in modes if each.end() <= found.start()]
        first = bool((before or modes)[-1]["late"] if before else modes[0]["late"])
        relation = _of_time(relation_of(found, Relation.MORE), part.words, found)
        if what := _wrong(relation, part, found, of_late=first):
            yield Objection(what, part.start + found.start(), tuple(each.group for each in part.mentions))


def _compared(part: Clause) -> re.Match[str] | None:
    """The word that sets the calls against each other; beside a claim only what their difference is said to be."""
    if part.uses:
        return _TAKES.search(part.words) if all(each.name.endswith(".difference") for each in part.uses) else None
    return _LESSENS.search(part.words) or ANY.search(part.words)


def _not_apart(part: Clause, found: re.Match[str]) -> Iterator[Objection]:
    """`they lie apart` is false where the intervals tell them apart at less than half of the sizes."""
    margin = MARGIN if "margin" in part.words else 0.0
    verdicts = list(_verdicts(part, margin, of_late=True))
    denied = bool(_DENIED.search(part.words[: found.start()]))
    own = [each is not Verdict.CANT_TELL for each in verdicts]
    if (counted := sizes_counted(part)) is not None:
        if own and sum(own) != counted:
            yield Objection(f"the data tell them apart at {sum(own)} of {len(own)}", part.start + found.start())
        return
    if own and (sum(own) * 2 < len(own)) is not denied:
        said = f"the data can't tell them apart at {own.count(False)} of {len(own)}"
        yield Objection(said, part.start + found.start())


def _of_time(relation: Relation, words: str, found: re.Match[str]) -> Relation:
    """Less time is more speed."""
    if found.re in (_LESSENS, _TAKES):
        return relation
    near = re.split(r"\bthan\b", words[found.start() : found.end() + 30])[0]
    lower = re.match(r"low|high|great", found[0], re.I) and TIME.search(words[: found.start()])
    return _TURNED.get(relation, relation) if TIME.search(near) or lower else relation


def _wrong(relation: Relation, part: Clause, found: re.Match[str], *, of_late: bool) -> str:
    """`more` is quicker."""
    wanted = {Relation.MORE: Verdict.MORE, Relation.LESS: Verdict.LESS}.get(relation, Verdict.CANT_TELL)
    verdicts = list(_verdicts(part, MARGIN if wanted is Verdict.CANT_TELL else 0.0, of_late=of_late))
    if not verdicts:
        return ""
    share = sum(each is wanted for each in verdicts) / len(verdicts)
    denied = len(_DENIED.findall(part.words[: found.start()])) % 2 == 1
    if relation in (Relation.NOT_LESS, Relation.NOT_MORE) or (share <= 0.5 if denied else share > 0.5):
        return ""
    counts = {each.value: verdicts.count(each) for each in dict.fromkeys(verdicts)}
    counted = ", ".join(f"{name} at {count} of {len(verdicts)}" for name, count in counts.items())
    return f"the times say otherwise: {counted}"


def _verdicts(part: Clause, margin: float, *, of_late: bool) -> Iterator[Verdict]:
    """At each size, whether the first-named kind was quicker; sends and receives, and transports, as named."""
    late, early = _means(part, NON_BLOCKING), _means(part, BLOCKING)
    for name in (each for each in late if each in early):
        first, second = (late[name], early[name]) if of_late else (early[name], late[name])
        if not apart(first.estimate, second.estimate, margin):
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
