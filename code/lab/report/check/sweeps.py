"""Effects of parameters beside each other: at which size one is largest, which one matters most, where it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection, against
from lab.report.check.parameters import NAMES, best_value, gains, parameters_in, sweeps
from lab.report.check.sentence import Clause, Sentence, size_of
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import CARD, RDMA, group_of
from lab.report.claim import Claim
from lab.report.moves import is_alike
from lab.report.setting import Strand

CLOSE = 0.1  # of the largest gain: gains that nobody tells apart
_MOST = re.compile(r"\b(?:largest|greatest|strongest|biggest|highest|most|main|dominant|decisive)\b", re.I)
_LEAST = re.compile(r"\b(?:smallest|weakest|least|lowest)\b(?! (?:size|message))", re.I)
_MORE = re.compile(r"\b(?:more|stronger|larger|greater|bigger|higher|better)\b[^.;,]*\bthan\b", re.I)
_LESS = re.compile(r"\b(?:less|weaker|smaller|lower)\b[^.;,]*\bthan\b", re.I)
_ALIKE = re.compile(r"\b(?:as (?:much|strongly|little) [^.;,]*\bas|the same|equally|alike)\b", re.I)
_OF_ALL = re.compile(r"\b(?:parameters?|settings?|knobs?|of all|influence|effects?|impact|factor)\b|\bmatters?\b", re.I)
_BEYOND = re.compile(
    r"\b(?:beyond|above|after|past|more than|over|deeper than)\b(?: (?:a |the )?(?:depth|queue|list)s? of)?\s+\Z", re.I
)
_RISES = re.compile(
    r"\b(?:keeps? (?:ris|grow|increas|improv|climb)\w+|(?:still|further|continues? to)\s+(?:ris|grow|increas|improv|"
    r"gain)\w*|"
    r"(?:ris|grow|increas|improv|gain)\w* (?:further|still|again))\b",
    re.I,
)
_TO_END = re.compile(
    r"\b(?:up to|until|to) (?:the )?(?:very )?(?:deepest|longest|largest|highest|last|end)\b|\bto the end\b|"
    r"\bonly\b[^.;]*\bwith the (?:deepest|longest|largest|highest)\b",
    re.I,
)
_ENDS = re.compile(
    r"\b(?:no(?:thing)? (?:more|further|longer)?|nothing|flat|level|constant|saturat\w+|same|enough|suffic\w+|"
    r"not)\b",
    re.I,
)


def gains_compare(sentence: Sentence) -> Iterator[Objection]:
    """What is said of one gain beside others is what the sweeps show."""
    for part in sentence.parts:
        named = parameters_in(part.words)
        if named and part.is_stated and not part.uses and (swept := [each for each in named if sweeps(each, part)]):
            for judge in (_by_size, _by_parameter, _by_program, _beyond):
                what = judge(swept, part)
                if what:
                    yield Objection(what, part.start)
                if what is not None:
                    break


def gains_are_of_the_parameter(sentence: Sentence) -> Iterator[Objection]:
    """What one parameter gains is not said of another."""
    for use in sentence.uses:
        part = sentence.part_at(use.at)
        named = parameters_in(part.words)
        strand = sentence.ledger.setting.strand(use.name.rpartition(".")[0].rpartition(".")[0])
        if not use.name.endswith(".gain") or not named or strand is None or not part.is_stated:
            continue
        if not {*strand.varied} & {each for name in named for each in NAMES.get(name, (name,))}:
            yield Objection(f"\\claim{{{use.name}}} is what {' and '.join(strand.varied)} gains", use.at)


def sets_against(part: Clause) -> bool:
    """Whether one parameter is set against another."""
    if re.search(r"\bneither\b", part.words, re.I):
        return False
    return len(parameters_in(part.words)) == 2 and bool(_MORE.search(part.words) or _LESS.search(part.words))


def _top(name: str, part: Clause) -> Claim | None:
    """The largest gain of a parameter."""
    found = [each for strand in sweeps(name, part)[:1] for each in gains(strand, part).values()]
    return max(found, key=lambda each: each.estimate.value, default=None)


def _by_size(named: list[str], part: Clause) -> str | None:
    by_size = gains(sweeps(named[0], part)[0], part)
    if (than := re.search(r"\bthan\b", part.words)) and (
        what := _of_two_sizes(by_size, part, than.start())
    ) is not None:
        return what
    there, most, least = sizes_meant(part, by_size), _MOST.search(part.words), _LEAST.search(part.words)
    if not there or len(by_size) < 2 or bool(most) == bool(least) or (_OF_ALL.search(part.words) is None and not most):
        return None
    choose = max if most else min
    best = choose(by_size, key=lambda size: by_size[size].estimate.value)
    top = by_size[best].estimate.value
    close = abs(max(by_size[each].estimate.value for each in there) - top) <= CLOSE * max(top - 1, CLOSE)
    return "" if best in there or close else f"that is elsewhere: \\claim{{{by_size[best].name}}}"


def _of_two_sizes(by_size: dict[int, Claim], part: Clause, than: int) -> str | None:
    """`helps large messages more than small ones`: the largest gain on either side of `than`."""
    sides = [[by_size[size] for size in sizes_meant(each, by_size)] for each in part.cut(than)]
    more, less = _MORE.search(part.words), _LESS.search(part.words)
    if not all(sides) or bool(more) == bool(less):
        return None
    first, second = (max(each, key=lambda claim: claim.estimate.value) for each in sides)
    return "" if (first.estimate.value > second.estimate.value) is bool(more) else against(first, second)


def _by_parameter(named: list[str], part: Clause) -> str | None:
    """`the depth has the strongest influence`, or more than another parameter."""
    tops = {name: top for name in named if (top := _top(name, part))}
    more, less = _MORE.search(part.words), _LESS.search(part.words)
    if len(tops) == 2 and bool(more) != bool(less) and not re.search(r"\bneither\b", part.words, re.I):
        first, second = tops.values()
        above = first.estimate.value > second.estimate.value
        return "" if above is bool(more) else against(first, second)
    if len(tops) != 1 or not (_MOST.search(part.words) and _OF_ALL.search(part.words)):
        return None
    every = [top for name in ("depth", "warmup", "iterations", "post_list", "inline") if (top := _top(name, part))]
    best = max(every, key=lambda each: each.estimate.value)
    (own,) = tops.values()
    return "" if own.estimate.value >= 0.95 * best.estimate.value else f"\\claim{{{best.name}}} is more"


def _by_program(named: list[str], part: Clause) -> str | None:
    """`matters more for Soft-RoCE than for the card`."""
    more, less = _MORE.search(part.words), _LESS.search(part.words)
    tops = _tops_by_place(named[0], part)
    if len(tops) != 2 or not tops[0] or not tops[1]:
        return None
    if bool(more) == bool(less):
        return _unlike(tops[0], tops[1]) if _ALIKE.search(part.words) else None
    above = tops[0].estimate.value > tops[1].estimate.value
    wrong = against(tops[0], tops[1])
    return "" if above is bool(more) else wrong


def _unlike(first: Claim, second: Claim) -> str | None:
    """`as much on the cable as on the card`."""
    ratio = first.estimate.value / second.estimate.value
    return "" if is_alike(ratio) else against(first, second)


def _tops_by_place(name: str, part: Clause) -> list[Claim | None]:
    """The largest gain of each program, or of one on the cable and over the card, in their order."""
    groups = list(dict.fromkeys(each.group for each in part.mentions))
    if len(groups) < 2 and (found := re.search(r"\bcable\b", part.words)) and CARD in groups:
        card = next(each.start for each in part.mentions if each.group == CARD)
        groups = [RDMA, CARD] if part.start + found.start() < card else [CARD, RDMA]
    return [_top_of(each, name, part) for each in groups]


def _top_of(group: str, name: str, part: Clause) -> Claim | None:
    strands = [each for each in part.sentence.ledger.setting.strands if group_of(each) == group]
    wanted = {*NAMES.get(name, (name,))}
    found = [each for strand in strands if {*strand.varied} & wanted for each in gains(strand, part).values()]
    return max(found, key=lambda each: each.estimate.value, default=None)


def _beyond(named: list[str], part: Clause) -> str | None:
    """`beyond 16 requests nothing is gained`: the smallest of the best values is not beyond."""
    at = [each.values[0] for each in part.numbers if _BEYOND.search(part.sentence.words[: each.start])]
    rises, ends = _RISES.search(part.words), _ENDS.search(part.words)
    strand = sweeps(named[0], part)[0]
    best = list(best_value(strand, named[0], part))
    there = sizes_meant(part, gains(strand, part))
    own = [each for each in best if not there or (each.sizes or (size_of(each),))[0] in there] or best
    if own and (_TO_END.search(part.words) and (rises or re.search(r"\bonly\b", part.words))):
        early = [each for each in own if each.estimate.value < _most(strand, part)]
        return f"the best value is \\claim{{{early[0].name}}}" if len(early) == len(own) else ""
    if not at or not own or bool(rises) == bool(ends):
        return None
    later = [each for each in own if each.estimate.value > at[0]]
    if bool(later) is bool(rises) and (rises is None or len(later) == len(own)):
        return ""
    return f"the best value is \\claim{{{(later or own)[0].name}}}"


def _most(strand: Strand, part: Clause) -> float:
    """The largest value that was tried."""
    tried = (re.match(rf"{re.escape(strand.name)}\.(\d+)\.", name) for name in part.sentence.ledger)
    return max((float(each[1]) for each in tried if each), default=0)
