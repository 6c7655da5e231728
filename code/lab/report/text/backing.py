"""Evidence in a discussion, and the typed numbers beside it: those that it shows, and queries for the others."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, islice, pairwise, permutations
from math import copysign, exp, inf, log

from lab.errors import LabError
from lab.model.sizes import format_size, parse_size
from lab.report.errors import TextFault
from lab.report.evidence.labels import label
from lab.report.query.judge import Stated, cut, judge, stated_numbers
from lab.report.query.measures import MEASURES
from lab.report.query.numbers import Numbers
from lab.report.query.value import PER_SECOND, PURE, RATE, TIME, StatementResult, Truth, Value, exact
from lab.report.text.direction import LABEL, SIZE, Compared, is_reversed, sizes_in, words_of
from lab.report.text.macros import CITED, Sentence, Use, sentences
from lab.report.text.typed import EXACTLY, TypedNumber, typed_numbers

DIMENSIONS = {"rate": RATE, "time": TIME, "messages": PER_SECOND}
_NAME = re.compile(r"[A-Za-z_]\w*(?:[.-]\w+)*(?:\[[^\[\]]*\](?:\.[A-Za-z_]\w*)*)?", re.ASCII)
_AT = re.compile(r"(?:\b(?:at|from|to)|,(?![^\[]*\])|\.\.) ?(\d{1,9}) ?([KMG]?)(?![\w.]*\.\d)")
_AT_SIZE = re.compile(rf"(?i:\b(?:at|for|of))[ ~](?:{SIZE.pattern})")
_BEHIND = re.compile(r"\W*\b(?:by|for|on|over|using|with)\b.*?(?=[,;:.\\]|\b(?:and|but|while)\b|\Z)", re.DOTALL)
# Where another clause begins, or evidence.
_BREAK = re.compile(
    r"\\[a-z]+\{[^{}]*\}|[,;:()]\s|\b(?:against|and|but|compared|than|to|versus|vs|where|whereas|while|with)\b"
)
_PROPER = re.compile(r"\b(?:[A-Z]{2,}|Soft)\b")  # TCP, READ, MPI
NEAR = 300  # letters before and behind a number or a comparison that are read for its direction and series
_CLAIM = re.compile(r"\\claim(?:\[\d+\])?\{([^{}]*)\}")
POSITION = re.compile(r"(.* (?:saturate[ds] from|jumps at|=) )(\d+(?: ?[KMG](?:iB)?)?)")
_LIMITED = re.compile(rf"(?i:\b(?:above|below|beyond|over|under|until)[ ~])(?:{SIZE.pattern})")
EVERYWHERE = re.compile(r"\b(?i:at|for) (?:all|each|every)(?: message)? sizes?\b|\beverywhere\b")
_DATA = re.compile(r"[ ~](?:(?:as (?:many|much)|more|the) (?:bytes|data|payload|size)|as big|as large|bigger|larger)\b")
_DATA_IS = re.compile(r"\b(?:data|payload|sizes?)(?: \w+){0,3} (?:is|are|was|were) \Z")
_SAME = 0.05  # of a claim: what a value at another size may differ by
_MOST_PAIRS = 20  # of the claims of a sentence
_FACTOR = re.compile(r"^[\d.]+ \* | (?:falls|jumps|rises)$")
_QUANTITY = re.compile(r"[\d.]+(?:e[-+]?\d+)? ?[%\w/ ]*")


@dataclass(frozen=True)
class Backing:
    """The evidence behind a macro: the value of a claim, or the judgement of a statement."""

    use: Use
    value: Value | None = None
    judged: StatementResult | None = None
    number: str = ""  # S1, S2 ... of a statement


@dataclass(frozen=True)
class Surroundings:
    """The sentences of a text, and their evidence."""

    text: str
    numbers: Numbers
    backings: Collection[Backing] = ()

    @cached_property
    def sentences(self) -> list[Sentence]:
        return list(sentences(self.text))

    def _sentence(self, typed: TypedNumber) -> Sentence | None:
        at = bisect_right(self.sentences, typed.start, key=lambda sentence: sentence.start) - 1
        return self.sentences[at] if at >= 0 and typed.start < self.sentences[at].end else None

    @cached_property
    def _by_start(self) -> dict[int, Backing]:
        return {backing.use.start: backing for backing in self.backings}

    def beside(self, sentence: Sentence | None) -> list[Backing]:
        return [self._by_start[use.start] for use in sentence.evidence] if sentence and self.backings else []

    def _evidence(self, typed: TypedNumber) -> list[Backing]:
        beside = self.beside(self._sentence(typed))
        is_comparison = typed.dimension in ("factor", "percent") or typed.is_change
        return [*beside, *self.pairs(beside)] if is_comparison else beside

    def measured_numbers_typed(self, file: str) -> Iterator[TextFault]:
        """Typed numbers that are neither constants of the plan nor shown by a statement, each with a query for it."""
        kinds = {dimension: kind for kind, dimension in DIMENSIONS.items()}
        chosen = [value for value in self.numbers.constants() if value.dimension in kinds or value.unit == "percent"]
        constants = [(value.shown.value, kinds.get(value.dimension, "percent")) for value in chosen]
        return typed_numbers(self.text, file, constants, self.suggest, self.shows)

    def pairs(self, beside: Sequence[Backing]) -> Iterator[Backing]:
        """The comparisons of two claims of one measure, and of a claimed ratio with 1."""
        claimed = [(re.sub(r" in \S+$", "", part.use.body), part.value) for part in beside if part.value]
        against_1 = [(claim, ("1", exact(1.0))) for claim in claimed if "/" in claim[0]]
        for (left, value), (right, other) in islice(chain(against_1, combinations(claimed, 2)), _MOST_PAIRS):
            statement = f"{left} {'>' if value.estimate.value > other.estimate.value else '<'} {right}"
            with suppress(LabError):
                judged = replace(judge(self.numbers, statement), truth=Truth.TRUE)  # the sign is that of the values
                yield Backing(replace(beside[0].use, body=statement), judged=judged)

    def shows(self, typed: TypedNumber) -> bool:
        """Whether a true statement of the sentence has the number: in its words, its answer, or one of its series."""
        beside = self._evidence(typed)
        if typed.is_in_words and not any(part.judged or part.value for part in beside):
            return True
        if self._is_of_sizes(typed):
            return True
        about = [part for part in beside if self._is_about(part, typed)]
        ends = (replace(typed, numbers=(number,)) for number in typed.numbers)
        return all(any(self._has(part, end) for part in about) for end in ends)

    def _has(self, part: Backing, typed: TypedNumber) -> bool:
        """Whether a statement has the number: in its answer, in one of its series, or as a bound near its answer."""
        stated = list(stated_numbers(part.judged)) if part.judged else []
        answers, bounds = (
            [value for number in stated if number.is_typed is is_typed for value in _as_typed(number, typed)]
            for is_typed in (False, True)
        )
        answers = [value for number in self._ratios(part, typed) for value in _as_typed(number, typed)] or answers
        if typed.is_one_of(answers) or typed.is_one_of(list(self._compared(part, typed))):
            return True
        share = 0.25 if typed.hedge != EXACTLY else 0.15  # of the number: how far the answer may be from it
        is_near = inf not in typed.hedge and replace(typed, hedge=(share, share)).is_one_of(answers)
        return (is_near or not answers) and replace(typed, hedge=EXACTLY).is_one_of(bounds)

    def _is_of_sizes(self, typed: TypedNumber) -> bool:
        """Whether a factor is that of the sizes of its sentence: "16 times as much data"."""
        sentence = self._sentence(typed)
        if typed.dimension != "factor" or not sentence:
            return False
        before = self.text[sentence.start : typed.start]
        if not (_DATA.match(self.text, typed.end) or _DATA_IS.search(before)):
            return False
        sizes = {*sizes_in(sentence.text), *(size for part in self.beside(sentence) for size in placed(part))} - {0}
        return typed.is_one_of([large / small for large, small in permutations(sizes, 2)])

    def _is_about(self, backing: Backing, typed: TypedNumber) -> bool:
        """Whether a statement is true, and of the sizes, the series and the direction that the words around name."""
        judged, sentence = backing.judged, self._sentence(typed)
        if not judged or judged.truth is not Truth.TRUE or not sentence:
            return False
        names, sizes = _names(backing.use.body), {*judged.sizes, *_sizes_of(backing.use.body)}
        words = set[str]().union(*(words_of(self.labelled(name)) for name in names)) - set(MEASURES)
        clause = self._clause(sentence, typed)
        rivals = words_of(" ".join(self.numbers.series)) & words_of(" ".join(_PROPER.findall(clause)))
        if EVERYWHERE.search(clause) and self.has_truth(backing, f"{cut(judged.text)[0]} everywhere"):
            return False
        if rivals and not words & words_of(clause):
            return False
        others = {size for part in self.beside(sentence) if part != backing for size in placed(part)} - sizes
        named = set(sizes_in(_LIMITED.sub("", sentence.text))).difference(others)
        if named and sizes and not named & sizes:
            return False
        return not self._is_reversed(judged, typed, sentence)

    def _is_reversed(self, judged: StatementResult, typed: TypedNumber, sentence: Sentence) -> bool:
        """Whether the words around a factor say the opposite of a statement about two series, values or sizes."""
        compared = self.compared_terms(judged)
        if not compared or not (typed.dimension in ("factor", "percent") or typed.is_change):
            return False
        near = max(sentence.start, typed.start - NEAR), min(sentence.end, typed.end + NEAR)
        ends = near[0], typed.start, typed.end, near[1]
        claimed = (_CLAIM.sub(_in_words, self.text[start:end]) for start, end in pairwise(ends))
        words = tuple(compared.words(part) for part in claimed)
        return all(is_reversed(typed, words, compared, ratio) for ratio in compared.ratios)

    def compared_terms(self, judged: StatementResult) -> Compared | None:
        """The two series, values or sizes of a statement, and the ratio of the first to the second."""
        names, sizes = _names(judged.text), sorted({*judged.sizes, *_sizes_of(judged.text)})
        if (shape := re.search(" has no effect on |( jumps at )", judged.text)) and judged.series:
            axis = "rate" if self.numbers.series[judged.series[0]].measure == "throughput" else "time"
            ratio = 1 / judged.points[0].value.estimate.value if shape[1] else 1.0
            return Compared(["small", "large"], [ratio], axis, is_sized=True)
        if ends := _ends(judged.text, sizes):
            with suppress(LabError, ValueError):
                first, last = (log(self.numbers.ask(end).estimate.value) for end in ends)
                terms, axis = [f"{names[0]} {_sizes_of(end)[0]}" for end in ends], self._axis(ends[1])
                return Compared(terms, [exp(first - last)], axis, is_sized=True, gap=abs(last) - abs(first))
        answers = [number for number in stated_numbers(judged) if not number.is_typed]
        is_measured = all(number.is_difference != (number.dimension == PURE) for number in answers)
        if len(names) != 2 or ends or not is_measured or not re.search("[<>=]", cut(judged.text)[0]):
            return None
        # Of a difference only the sign is of interest.
        ratios = [exp(copysign(1, number.value)) if number.is_difference else number.value for number in answers]
        if min(ratios, default=0) <= 0:
            return None
        axis = self._axis(" at ".join((names[0], *map(format_size, sizes[:1])))) or self._axis(names[0])
        return Compared(list(map(self.labelled, names)), ratios, axis, is_sized=False)

    def _axis(self, query: str) -> str:
        axes = (("time", TIME), ("rate", RATE), ("messages", PER_SECOND))
        return next((axis for axis, dimension in axes if self.numbers.quick(query, dimension) is not None), "")

    def labelled(self, name: str) -> str:
        """The name of a series with the words of its transport, such as RDMA WRITE."""
        known = [run for run in self.numbers.series.values() if re.match(rf"{re.escape(run.name)}(?![\w-])", name)]
        series = max(known, key=lambda run: len(run.name), default=None)
        proper, _, link = label(series).partition(" (") if series else ("", "", "")
        rdma = ["RDMA", *(["Soft"] if "card" not in link else [])] if series and series.tool.rdma else []
        return LABEL.join((name, *_PROPER.findall(proper), *rdma))

    def has_truth(self, part: Backing, query: str, truth: Truth = Truth.FALSE) -> bool:
        """Whether a statement is false, or has another truth, or a query has another value than a claim."""
        with suppress(LabError):
            if part.judged:
                return judge(self.numbers, query).truth is truth
            value, claimed = self.numbers.ask(query).estimate.value, part.value.estimate.value if part.value else 0.0
            return truth is Truth.FALSE and abs(value - claimed) > _SAME * abs(claimed)
        return False

    def _compared(self, backing: Backing, typed: TypedNumber) -> Iterator[float]:
        """The values of what a statement compares, or their differences, at its sizes that it or its sentence names."""
        dimension, sentence = DIMENSIONS.get(typed.dimension, PURE), self._sentence(typed)
        if not backing.judged or not sentence or (typed.is_change and dimension == PURE):
            return
        unit, scale = ("percent", 100) if typed.dimension == "percent" else ("", 1)
        named = set(sizes_in(sentence.text)) & set(backing.judged.sizes) | set(_sizes_of(backing.use.body))
        names = _names(backing.use.body)
        if typed.is_change:
            pieces, named = [" - ".join(pair) for pair in permutations(names, 2)], named or set(backing.judged.sizes)
        else:
            before, behind = self.text[sentence.start : typed.start], _BEHIND.match(self.text, typed.end, sentence.end)
            words = {name: words_of(self.labelled(name)) for name in names}
            pieces = _meant(words, self._clause(sentence, typed), behind[0] if behind else "", before)
        for name in pieces:
            for query in (name, *(f"{name} at {format_size(size)}" for size in named)):
                with suppress(LabError):
                    value = self.numbers.ask(query)
                    if value.dimension == dimension and value.unit in (unit, "bit/s"):
                        yield from (scale * number for number in value.typable)

    def _ratios(self, backing: Backing, typed: TypedNumber) -> Iterator[Stated]:
        """The ratio of the two series of a statement, at the sizes that the clause of a factor names."""
        names, sentence = _names(backing.use.body), self._sentence(typed)
        if sentence and len(names) == 2 and " - " not in backing.use.body and typed.dimension in ("factor", "percent"):
            across = " across links" if backing.use.body.endswith("across links") else ""
            clause = self._clause(sentence, typed)
            for size in sizes_in(" ".join(match[0] for match in _AT_SIZE.finditer(clause))):
                query = f"{names[0]} / {names[1]} at {format_size(size)}{across}"
                if (ratio := self.numbers.quick(query, PURE)) is not None:
                    yield Stated(ratio, PURE, is_typed=False, is_difference=False)

    def _clause(self, sentence: Sentence, typed: TypedNumber) -> str:
        """The words around a number, without evidence."""
        near = max(sentence.start, typed.start - NEAR)
        text, at = self.text[near : min(sentence.end, typed.end + NEAR)], typed.start - near
        breaks = [(0, 0), *(match.span() for match in _BREAK.finditer(text)), (len(text), len(text))]
        ends = (start for start, _ in breaks if start >= typed.end - near)
        return text[max(end for _, end in breaks if end <= at) : min(ends)]

    def suggest(self, typed: TypedNumber) -> str | None:
        """A query for a number, of what the sentence's evidence names or of any series; None if it is cited."""
        if typed.dimension == "frequency":
            return ""
        dimension = DIMENSIONS.get(typed.dimension, PURE)
        unit = r" in \%" if typed.dimension == "percent" else " in bit/s" if typed.is_in_bits else ""
        scale = 100 if typed.dimension == "percent" else 1
        sentence = self._sentence(typed)
        sizes = sizes_in(sentence.text) if sentence else ()
        queries = [query for part in self._evidence(typed) for query in _queries(part, sizes, typed)]
        near = self.numbers.first(queries, dimension, lambda value: typed.is_one_of((scale * value,)))
        if not near and sentence and CITED.search(sentence.text):
            return None
        value, step = (part / scale for part in typed.numbers[0])
        # Hundreds of ratios agree with a word, or with two digits.
        is_by_chance = dimension == PURE and (typed.is_in_words or value == float(f"{value:.2g}"))
        if not near and not is_by_chance and typed.dimension != "instructions":
            near = self.numbers.suggest(value, dimension, 0.5 * step, sizes)
        near = near or self.numbers.first(queries, dimension, lambda _: True)
        return near and near + unit


def placed(backing: Backing) -> Iterator[int]:
    """The sizes of evidence, and the size that a statement has as a position on a curve."""
    yield from _sizes_of(backing.use.body)
    yield from backing.judged.sizes if backing.judged else ()
    if position := POSITION.fullmatch(backing.use.body):
        yield parse_size(position[2].replace(" ", "").removesuffix("iB"))


def _as_typed(stated: Stated, typed: TypedNumber) -> Iterator[float]:
    """A number of a statement, as a text may type it: 1.55 is 155 %, or 55 % more."""
    value = stated.value
    if stated.dimension != DIMENSIONS.get(typed.dimension, PURE):
        return
    if typed.dimension != "percent":
        is_turned = typed.dimension == "factor" and value and (value < 1) != (typed.numbers[0][0] < 1)
        yield 1 / value if is_turned else value
    elif stated.is_difference:
        yield 100 * value
    else:
        if not typed.is_change:
            yield 100 * value
        if typed.is_change or (inf not in typed.hedge and not typed.is_share):
            yield 100 * abs(value - 1)


def _in_words(claim: re.Match[str]) -> str:
    """A claim as the words that name its series and sizes."""
    return " ".join(("that of", *_names(claim[1]), *map(str, _sizes_of(claim[1]))))


def sides_of(statement: str) -> tuple[list[str], str]:
    """The queries on the sides of a statement, and the sizes at its end."""
    head, sizes = cut(statement) if " at " not in cut(statement)[0] else (statement, "")  # of the last side
    sides = [re.sub(r" (within .*|in %)$", "", side.strip()) for side in re.split("[<>]=?|=", head)]
    return [side for side in sides if not _QUANTITY.fullmatch(side)], sizes


def claim_of(numbers: Numbers, judged: StatementResult) -> str:
    """The hint to claim the ratio of a statement's sides instead; empty if that has no number."""
    sides, sizes = sides_of(judged.text)
    ratio = " / ".join(_FACTOR.sub("", side) for side in sides)
    across = " across links" if judged.text.endswith(" across links") else ""
    for place in (sizes, *(f"at {format_size(size)}{across}" for size in judged.sizes)):
        with suppress(LabError):
            numbers.ask(query := f"{ratio} {place}".strip())
            return rf"\claim{{{query}}}, which prints the number without a verdict"
    return ""


def _names(statement: str) -> list[str]:
    return list(dict.fromkeys(_NAME.findall(_AT.sub(" ", " ".join(sides_of(statement)[0])))))


def _meant(parts: dict[str, set[str]], *texts: str) -> list[str]:
    """The series that the first text with words for them means: by all of the words of its name, or else by some."""
    for words in map(words_of, texts):
        meant = [name for name in parts if words_of(name) <= words] or [name for name in parts if parts[name] & words]
        if meant:
            return meant
    return list(parts)


def _sizes_of(statement: str) -> list[int]:
    """The sizes that a statement names, ends of ranges included."""
    return [parse_size("".join(size)) for size in _AT.findall(statement)]


def _ends(statement: str, sizes: Sequence[int]) -> list[str]:
    """The queries at the smallest and the largest size of a statement about one series or one ratio."""
    sides, _ = sides_of(statement)
    if trend := re.fullmatch("(.*) (?:rises|falls)", cut(statement)[0]):
        return [f"{trend[1]} at {format_size(size)}" for size in (sizes[0], sizes[-1])]
    sides = [_FACTOR.sub("", side) for side in (sides if len(sides) > 1 else "".join(sides).split(" / "))]
    is_one = len(set(sides)) == 2 and len({_AT.sub("", side) for side in sides}) == 1
    return sorted(sides, key=_sizes_of) if len(sides) == 2 and is_one else []


def _queries(backing: Backing, sizes: tuple[int, ...], typed: TypedNumber) -> Iterator[str]:
    """What the evidence names, at the sentence's sizes and then at its own."""
    sides, _ = sides_of(backing.use.body)
    names = _names(backing.use.body)
    bare = dict.fromkeys(_AT.sub(" ", side).strip() for side in sides[:2])
    pieces = [*sides, *(f"{left} / {right}" for left, right in permutations(bare, 2) if " " not in left + right)]
    pieces += names
    pieces += [f"{left} - {right}" for left, right in permutations(names[:4], 2)]
    if typed.dimension == "percent":
        changes = [change for piece in pieces for change in (f"{piece} - 1", f"1 - {piece}")]
        pieces = changes if typed.is_change else pieces + changes
    judged = backing.judged.sizes if backing.judged else ()
    for size in dict.fromkeys((*sizes, *(judged or _sizes_of(backing.use.body)))):
        yield from (f"{piece} at {format_size(size)}" for piece in pieces if " at " not in piece)
    yield from (*pieces, *(f"{name}.jump" for name in names if " jumps at " in backing.use.body))
