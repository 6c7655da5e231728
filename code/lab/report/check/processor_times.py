"""What messages take of the processors: of two programs, two sizes, two links, or of one program beside all others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lab.model.sizes import format_size
from lab.report.check.calls import BLOCKING, MODE, NON_BLOCKING, OPERATION
from lab.report.check.links import strands_on
from lab.report.check.objection import Objection, against
from lab.report.check.parameters import parameters_in, sweeps
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import GROUPS
from lab.report.check.times import chosen_names
from lab.report.check.topics import ENDS, ends_named, groups, is_of_processors, links, rival_of
from lab.report.claim import Claim, Ledger
from lab.report.moves import is_alike
from lab.report.setting import Strand

APART = 1.005  # times as much: may be called more
_MORE = re.compile(
    r"\b(?:more|busier|higher|larger|greater|bigger|longer|most|highest|largest|greatest|(?:ris|grow|increas|climb|explod|soar|"
    r"rocket)\w*|rose|grew|goes up)\b",
    re.I,
)
_LESS = re.compile(
    r"\b(?:less|lower|fewer|smaller|shorter|least|lowest|smallest|(?:fall|drop|sink|shrink|decreas)\w*|fell|sank|"
    r"spar(?:es?|ed|ing)|sav(?:es?|ed|ing))\b",
    re.I,
)
_SAME = re.compile(
    r"\b(?:as (?:much|little)|(?:the|about|nearly) same|equal\w*|similar\w*|alike|constant|unchanged)\b", re.I
)
_MOST = re.compile(r"\b(?:most|highest|largest|greatest|least|lowest|smallest)\b", re.I)
_OF_SIZES = re.compile(r"\b(?:messages?|sizes?|queues?|they) (?:grow|gets?|becom|increas|ris)\w*(?: \w+er)?\b", re.I)
_VERBS = {"read": re.compile(r"\breads?\b|\breading\b"), "write": re.compile(r"\bwrites?\b|\bwriting\b")}
_IT_IS = re.compile(r"\bit is\b[^.;]*\b(?:that|which|who) \w+ (?:more|less)\b", re.I)
_FROM = re.compile(r"\b(?:from|between)\b[^.;,]*\b(?:to|and)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|no|neither|nor|hardly|barely)\b|n't\b", re.I)


@dataclass(frozen=True)
class Side:
    """Of which series, at which sizes; without sizes, at all."""

    strands: tuple[Strand, ...]
    sizes: tuple[int, ...] = ()


def processor_times_hold(sentence: Sentence) -> Iterator[Objection]:
    """`takes less processor time than` is what the data say, at most of the sizes and ends that are meant."""
    for part in sentence.parts:
        if not is_of_processors(part) or not part.is_stated or part.uses or len(ends_named(part)) > 1:
            continue
        words = _OF_SIZES.sub(" ", part.words)
        more, less, same = (each.search(words) for each in (_MORE, _LESS, _SAME))
        found = more or less or same
        if found is None or (more and less):
            continue
        sign = 1 if more else -1 if less else 0
        pairs = list(_of_ways(part)) or list(_of_sides(part))
        if what := _wrong(pairs, _judge(part, sign)):
            yield Objection(what, part.start + found.start(), groups(part))


Judge = Callable[[float], bool]  # of a ratio, the first over the second


def _judge(part: Clause, sign: int) -> Judge:
    """Whether a ratio is as the words say."""
    if _DENIED.search(part.words):
        return (lambda ratio: ratio <= APART) if sign > 0 else (lambda ratio: ratio >= 1 / APART)
    if sign == 0:
        return is_alike
    return (lambda ratio: ratio > APART) if sign > 0 else (lambda ratio: ratio < 1 / APART)


def _sides(part: Clause) -> tuple[Side, Side] | None:
    """The first is the one of which something is said."""
    before, behind = _around_than(part)
    named, sizes = groups(part), sizes_in(part)
    if len(links(part)) == 2 and len(named) < 2:
        first, second = (strands_on(link, next(iter(named), ""), part) for link, _ in links(part))
        return Side(_of_the_lab(first)), Side(_of_the_lab(second))
    if behind and len(named) == 2 and groups(before) and groups(behind):
        return Side(_strands(before, groups(before)[:1])), Side(_strands(behind, groups(behind)[:1]))
    if behind and len({*OPERATION.findall(part.words)}) == 2:
        return Side(_strands(before, groups(before) or named)), Side(_strands(behind, groups(behind) or named))
    if len(named) == 1 and len(sizes) == 2 and not parameters_in(part.words):
        return _of_sizes(part, before, behind, _strands(part, named))
    if len(named) == 1 and not behind and _IT_IS.search(part.words):
        return Side(_strands(part, named)), Side(_strands(part, (rival_of(named[0], part),)))
    if len(named) == 1 and not behind and _MOST.search(part.words):
        own = _strands(part, named)
        every = _of_the_lab(part.sentence.ledger.setting.strands)
        return Side(own), Side(tuple(each for each in every if each not in own))
    return None


def _of_sizes(
    part: Clause, before: Clause, behind: Clause | None, strands: tuple[Strand, ...]
) -> tuple[Side, Side] | None:
    small, large = sorted(sizes_in(part))
    if behind and len(sizes_in(behind)) == 1:
        return Side(strands, sizes_in(before)), Side(strands, sizes_in(behind))
    return (Side(strands, (large,)), Side(strands, (small,))) if _FROM.search(part.words) else None


def _around_than(part: Clause) -> tuple[Clause, Clause | None]:
    """What stands before `than`, or before the second `as`, and what behind."""
    found = re.search(
        r"\bthan\b|(?<=\bmuch )as\b|(?<=\blittle )as\b|(?<=\btime )as\b|\bas (?=on|over|for|with)", part.words
    )
    if found is None:
        return part, None
    return part.cut(found.start())


def _of_the_lab(strands: Iterable[Strand]) -> tuple[Strand, ...]:
    return tuple(each for each in strands if each.program in GROUPS and {*each.varied} <= {"calls"})


def _strands(part: Clause, named: tuple[str, ...]) -> tuple[Strand, ...]:
    """The series of programs that the clause means, by the verb of an operation if it has one."""
    names = {name for group in named for name in chosen_names(group, part)}
    of_verb = {each for each in names if each.partition(".")[0] in _done(part.words)}
    return _of_the_lab(each for each in part.sentence.ledger.setting.strands if each.name in (of_verb or names))


def _done(words: str) -> set[str]:
    """Operations by their verbs: `a client that reads`."""
    return {name for name, pattern in _VERBS.items() if pattern.search(words)}


def _of_ways(part: Clause) -> Iterator[tuple[Claim, Claim]]:
    """Of one program: with a deeper queue beside a shallower one, by one kind of calls beside the other."""
    named, wanted = groups(part), ends_named(part) or ENDS
    modes = {NON_BLOCKING if each["late"] else BLOCKING for each in MODE.finditer(part.words)}
    parameters = parameters_in(part.words)
    strands = sweeps(parameters[0], part)[:1] if len(parameters) == 1 else _strands(part, named) if modes else ()
    if len(named) > 1 or (parameters and modes):
        return
    for strand in strands:
        times = processor_times(strand, part.sentence.ledger)
        sizes = sizes_meant(part, dict.fromkeys(strand.sizes)) or strand.sizes
        for first, second in _two_ways({way for way, _, _ in times}, modes):
            for way, size, end in times:
                if way == first and size in sizes and end in wanted and (second, size, end) in times:
                    yield times[way, size, end], times[second, size, end]


def _two_ways(ways: set[str], modes: set[str]) -> Iterator[tuple[str, str]]:
    """The one that is named, or the largest value of a sweep; and the other, or the smallest."""
    values = sorted(int(each) for each in ways if each.isdigit())
    if NON_BLOCKING in modes:
        yield NON_BLOCKING, BLOCKING
    elif modes:
        yield BLOCKING, NON_BLOCKING
    elif len(values) > 1:
        yield str(values[-1]), str(values[0])


def _wrong(found: Iterable[tuple[Claim, Claim]], is_so: Judge) -> str:
    pairs = [pair for pair in found if pair[1].estimate.value]
    wrong = [pair for pair in pairs if not is_so(pair[0].estimate.value / pair[1].estimate.value)]
    return against(*wrong[0]) if len(wrong) * 2 > len(pairs) else ""


def _of_sides(part: Clause) -> Iterator[tuple[Claim, Claim]]:
    """Of two programs, sizes or links, or of one program and all others."""
    first, second = _sides(part) or (Side(()), Side(()))
    wanted = ends_named(part) or ENDS
    for own in first.strands:
        for other in second.strands:
            ours, theirs = processor_times(own, part.sentence.ledger), processor_times(other, part.sentence.ledger)
            if first.sizes or second.sizes:
                sizes = [(each, another) for each in first.sizes for another in second.sizes]
            else:
                both = {each: each for each in own.sizes if each in other.sizes}
                sizes = [(each, each) for each in sizes_meant(part, both) or both]
            for way, size, end in ours:
                for another in (each for one, each in sizes if one == size):
                    if end in wanted and (way, another, end) in theirs:
                        yield ours[way, size, end], theirs[way, another, end]


def processor_times(strand: Strand, ledger: Ledger) -> dict[tuple[str, int, str], Claim]:
    """Of a series, by the value that it varies, the size and the end; where none was measured, instructions."""
    sizes = {format_size(each): each for each in strand.sizes}
    found = {}
    for claim in ledger.values():
        if claim.series == (strand.name,) and claim.name.endswith(".processor"):
            *way, size, end, _ = claim.name.removeprefix(f"{strand.name}.").split(".")
            if size in sizes:
                found[".".join(way), sizes[size], end] = claim
    return found or dict(_counted(strand, sizes, ledger))


def _counted(strand: Strand, sizes: dict[str, int], ledger: Ledger) -> Iterator[tuple[tuple[str, int, str], Claim]]:
    for name, size in sizes.items():
        for end in ENDS:
            if claim := ledger.get(f"causes.{strand.name}.{name}.{end}"):
                yield ("", size, end), claim
