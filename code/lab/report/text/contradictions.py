"""Sentences that contradict their own evidence: a comparison the wrong way round, a claim that is given to another
series, a size at which the evidence is false."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from lab.model.sizes import format_size
from lab.report.errors import FaultKind, TextFault
from lab.report.query.judge import cut
from lab.report.query.value import Truth
from lab.report.text.backing import NEAR, POSITION, SIZE, Backing, Compared, Surroundings, claim_of, placed, sizes_in
from lab.report.text.direction import PLAIN, opposite_of, plain_sense, words_of
from lab.report.text.latex import blank, fault
from lab.report.text.macros import NAMES, Sentence

_EVIDENCE = re.compile(r"\\(?:claim|shows|given)(?:\[\d+\])?\{[^{}]*\}")
_PLACE = re.compile(rf"(?i:\b(?:at|for|from)[ ~](?:messages of )?)(?:{SIZE.pattern})")
_MOVES = re.compile(
    r"\b((?:[A-Z][\w-]*|[Tt]he card)(?:'s \w+)?) (?:achieves|gets|has|moves|needs|reaches|sends|takes)(?: \w+){0,2} \Z"
)


def contradictions(around: Surroundings, file: str) -> Iterator[TextFault]:
    for sentence, beside in around.with_answers():
        yield from _turned(around, file, sentence, beside)
        yield from _elsewhere(around, file, sentence, beside)
        yield from _swapped(around, file, sentence, beside)


def _turned(around: Surroundings, file: str, sentence: Sentence, beside: Sequence[Backing]) -> Iterator[TextFault]:
    """Comparisons without a number that say the opposite of all evidence about them."""
    typed = around.text[sentence.start : sentence.end]
    text = blank(typed, NAMES)
    found = list(PLAIN.finditer(text))
    compared = [
        (part, pair)
        for part in (chain(beside, around.pairs(beside)) if found else ())
        if part.judged and part.judged.truth is Truth.TRUE and (pair := around.compared_terms(part.judged))
    ]
    for match in found:
        before, behind = text[max(0, match.start() - NEAR) : match.start()], text[match.end() : match.end() + NEAR]
        senses = [(_sense(pair, before, match, behind), part) for part, pair in compared]
        if any(sense > 0 for sense, _ in senses):
            continue
        if against := next((part for sense, part in senses if sense < 0), None):
            what = f"{match[0]!r} is the opposite of its evidence {against.use.body!r}"
            hint = typed[: match.start()] + opposite_of(match[0]) + typed[match.end() :]
            if hint == typed and against.judged:
                hint = claim_of(around.numbers, against.judged)
            yield fault(around.text, file, sentence.start + match.start(), FaultKind.STATEMENT, what, hint)


def _sense(pair: Compared, before: str, match: re.Match[str], behind: str) -> float:
    """The sense of a comparison, by the ratio that agrees most with it."""
    words = pair.words(before), pair.words(behind)
    return max(plain_sense(words, match, pair.terms, ratio, is_time=pair.is_time) for ratio in pair.ratios)


def _swapped(around: Surroundings, file: str, sentence: Sentence, beside: Sequence[Backing]) -> Iterator[TextFault]:
    """Claims that the sentence gives to another series: "TCP moves" before a claim of the card."""
    series = around.numbers.series
    known = words_of(" ".join(series))
    for use, names in ((part.use, part.value.series) for part in beside if part.value and part.value.series):
        match = _MOVES.search(around.text, max(sentence.start, use.start - NEAR), use.start)
        named = known & words_of(match[1]) if match else set[str]()
        if not match or not named or named & words_of(" ".join(map(around.labelled, names))):
            continue
        others = [run for name, run in series.items() if named <= words_of(name)]
        claimed = {(series[name].program, series[name].operation) for name in names}
        if others and not claimed & {(run.program, run.operation) for run in others}:
            link = series[names[0]].link
            other = min(others, key=lambda run: (run.link != link, len(run.name))).name
            what = f"{match[1]!r} is not a series of the claim {use.body!r}"
            hint = rf"\claim{{{use.body.replace(names[0], other)}}}"
            yield fault(around.text, file, use.start, FaultKind.CLAIM, what, hint)


def _elsewhere(around: Surroundings, file: str, sentence: Sentence, beside: Sequence[Backing]) -> Iterator[TextFault]:
    """The only size of a sentence, if all of its evidence is of other sizes and false at that size."""
    text = blank(around.text[sentence.start : sentence.end], _EVIDENCE)
    sizes = {size for part in beside for size in placed(part)}
    found, match = sizes_in(text), _PLACE.search(text)
    if not match or not sizes or len(found) != 1 or found[0] in sizes:
        return
    size = found[0]
    moved = [_moved(part.use.body, size) for part in beside]
    if all(around.is_false(part, query) for part, query in zip(beside, moved, strict=True)):
        part = beside[0]
        hint = rf"\claim{{{moved[0]}}}" if part.value else rf"\size{{{format_size(min(sizes))}}}"
        what = f"{match[0]!r} is not a size of its evidence {part.use.body!r}, which is false there"
        yield fault(around.text, file, sentence.start + match.start(), FaultKind.STATEMENT, what, hint)


def _moved(query: str, size: int) -> str:
    """A query or a statement at another size."""
    if position := POSITION.fullmatch(query):
        return position[1] + format_size(size)
    head, sizes = cut(query)
    unit = re.search(r" in \S+\Z", sizes)
    return f"{head} at {format_size(size)}{unit[0] if unit else ''}" if sizes and " at " not in head else ""
