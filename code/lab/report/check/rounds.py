"""Rounds that agree: where they are said to at every size, no size may be left at which some did not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.latex import MARK
from lab.report.check.meant import meant
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.subjects import CARD, RDMA, SOFTWARE, group_of, link_named, link_of
from lab.report.claim import Claim

_ALL_SERIES = r"\b(?:all|every|each) (?:of )?(?:the |our )?(?:series|transports?|programs?|curves?|measurements?)\b"
_ROUNDS = re.compile(rf"\brounds?\b|\bthroughputs?\b|\b(?:all|every|each)\b[^.;]*\bsizes?\b|{_ALL_SERIES}", re.I)
_AGREE = re.compile(
    r"\b(?:agree[ds]?|settle[ds]?|calm(?:ed|s)? down|stabili[sz]ed?|(?:is|are|was|were|became|got) stable|converged?|"
    r"(?:was|were|are|"
    r"is) enough|suffic\w+)\b",
    re.I,
)
_EVERY = re.compile(rf"\b(?:all|every|each|any)\b[^.;]*\bsizes?\b|\balways\b|\beverywhere\b|{_ALL_SERIES}", re.I)
_SOME = re.compile(rf"{MARK} of (?:the )?(?:{MARK}|\d+) sizes")
_SOFTWARE = re.compile(rf"{SOFTWARE.pattern}|\bcable\b", re.I)
_CAPPED = re.compile(
    r"\b(?:went|go|goes|kept|keeps?|continued?) (?:on )?(?:varying|changing|fluctuating)\b|"
    r"\b(?:did not|didn't|do not|failed to) (?:agree|settle|converge)\b|"
    r"\b(?:until|till|up to|at|into|by|reach\w*|hits?) the cap\b|\bdisagreed? at (?:most|all|many|every)\b|"
    r"\bthe cap (?:put|ended|stopped|was reached|cut)\b|"
    r"\bnever (?:settled?|agreed?|converged?|stabili[sz]ed?|(?:became|got|were|was) stable)\b",
    re.I,
)
_NONE = re.compile(r"\b(?:not|never|no|none|without|hardly)\b|n't\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|no|hardly|nowhere|fail(?:s|ed)? to)\b|n't\b", re.I)


def rounds_agree(sentence: Sentence) -> Iterator[Objection]:
    """`The rounds agreed at every size` is false where the cap ended the search at one."""
    for part in sentence.parts:
        found = _AGREE.search(part.words)
        left = next(_left(part), None) if found and _is_of_all(part) else None
        if found and left:
            yield Objection(f"at \\claim{{{left.name}}} sizes they did not", part.start + found.start())


def caps_are_reached(sentence: Sentence) -> Iterator[Objection]:
    """`Its rounds varied until the cap` is false of a series whose rounds agreed at every size."""
    for part in sentence.parts:
        found = _CAPPED.search(part.words)
        if found is None or not part.is_stated or part.uses or _NONE.search(part.words[: found.start()]):
            continue
        counted = list(_counted(part))
        if counted and not any(each.estimate.value for each in counted):
            name = counted[0].name.removesuffix("unsettled")
            yield Objection(f"they agreed at \\claim{{{name}agreed}} sizes, which are all", part.start + found.start())


def _is_of_all(part: Clause) -> bool:
    words = _SOME.sub("some", part.words)
    return part.is_stated and bool(_ROUNDS.search(words) and _EVERY.search(words)) and not _DENIED.search(words)


_MOST = re.compile(r"\bmost (?:of the )?(?:message )?sizes\b", re.I)


def most_agree(sentence: Sentence) -> Iterator[Objection]:
    """`Most sizes became stable` is true where more of them agreed than did not."""
    for part in sentence.parts:
        found = _AGREE.search(part.words)
        if found and part.is_stated and _MOST.search(part.words):
            few = [each for each in _counted(part) if not _is_most(each, part)]
            if few:
                yield Objection(f"at \\claim{{{few[0].name}}} sizes they did not", part.start + found.start())


_AT_MORE = re.compile(
    r"\b(?:agree[ds]?|settle[ds]?|stabili[sz]ed?|stable|converged?) (?:at|for|with) (?:(?P<more>more)|fewer|less) "
    r"(?:\w+ )?sizes\b[^.;]*?\bthan\b",
    re.I,
)


def more_agree(sentence: Sentence) -> Iterator[Objection]:
    """`settled at more sizes on the cable than on the Ethernet`: by how many sizes each agreed at."""
    for part in sentence.parts:
        found = _AT_MORE.search(part.words)
        if found is None or not part.is_stated or part.uses or _DENIED.search(part.words):
            continue
        first, second = (_agreed(each) for each in part.cut(found.end()))
        if first and second and (first.estimate.value > second.estimate.value) is not bool(found["more"]):
            yield Objection(against(first, second), part.start + found.start())


def _agreed(part: Clause) -> Claim | None:
    """Of the one series that is meant, among those with as many sizes as any."""
    ledger, setting = part.sentence.ledger, part.sentence.ledger.setting
    left = [each.name.removesuffix("unsettled") for each in _counted(part)]
    most = max((len(each.sizes) for each in setting.strands), default=0)
    found = [each for name in left if (each := ledger.get(f"{name}agreed")) and len(each.sizes) == most]
    return found[0] if len(found) == 1 else None


def _is_most(left: Claim, part: Clause) -> bool:
    agreed = part.sentence.ledger[left.name.removesuffix("unsettled") + "agreed"].estimate.value
    return (agreed > left.estimate.value) is not bool(_DENIED.search(part.words))


def _left(part: Clause) -> Iterator[Claim]:
    """The same where some size was left."""
    return (each for each in _counted(part) if each.estimate.value)


def _counted(part: Clause) -> Iterator[Claim]:
    """The number of sizes without agreement, of each series that is meant."""
    ledger, setting = part.sentence.ledger, part.sentence.ledger.setting
    link = link_named(part.words) or link_named(part.sentence.words)
    groups = {each.group for each in part.mentions or part.sentence.mentions}
    if RDMA in groups and setting.card and not _SOFTWARE.search(part.words):
        groups = groups - {RDMA} | {CARD}  # where there is a card, RDMA by itself is its
    for strand in meant(part) or setting.strands:
        claim = ledger.get(f"{strand.name}.unsettled")
        is_named = not groups or group_of(strand) in groups
        if claim and is_named and (not link or link_of(claim, setting) in ("", link)):
            yield claim
