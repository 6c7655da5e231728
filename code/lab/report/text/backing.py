"""Evidence in a discussion, and the typed numbers beside it: those that it shows, and queries for the others."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, combinations, islice, pairwise, permutations

from lab.errors import LabError
from lab.model.sizes import format_size, parse_size
from lab.report.errors import TextFault
from lab.report.query.judge import Stated, cut, judge, stated_numbers
from lab.report.query.numbers import Numbers
from lab.report.query.value import PER_SECOND, PURE, RATE, TIME, StatementResult, Truth, Value, exact
from lab.report.text.direction import is_reversed, words_of
from lab.report.text.macros import CITED, NAMES, Sentence, Use, sentences
from lab.report.text.typed import EXACTLY, Constant, TypedNumber, typed_numbers

DIMENSIONS = {"rate": RATE, "time": TIME, "messages": PER_SECOND}
_NAME = re.compile(r"[A-Za-z_]\w*(?:[.-]\w+)*(?:\[[^\[\]]*\](?:\.[A-Za-z_]\w*)*)?", re.ASCII)
_SIZE = re.compile(
    r"(?<![\d.])(\d+)[ ~-]?(?:([KMG])i)?(?:B|bytes?)\b(?!/)|\\size\{(\w+)\}|\b(?:one|an?|single)[ -]byte\b"
)
_AT = re.compile(r"(?:\b(?:at|from|to)|,|\.\.) ?(\d{1,9}) ?([KMG]?)(?![\w.]*\.\d)")
_AT_SIZE = re.compile(rf"(?i:\b(?:at|for|of))[ ~](?:{_SIZE.pattern})")
_BEHIND = re.compile(r"\W*\b(?:by|for|on|over|using|with)\b.*?(?=[,;:.\\]|\b(?:and|but|while)\b|\Z)", re.DOTALL)
# Where another clause begins, or evidence.
_BREAK = re.compile(
    r"\\[a-z]+\{[^{}]*\}|[,;:()]\s|\b(?:against|and|but|compared|than|to|versus|vs|where|whereas|while|with)\b"
)
_PROPER = re.compile(r"\b(?:[A-Z]{2,}|Soft)\b")  # TCP, READ, MPI
_NEAR = 300  # letters before and behind a number that are read for its direction and series
_CLAIM = re.compile(r"\\claim(?:\[\d+\])?\{([^{}]*)\}")
_MOST_PAIRS = 20  # of the claims of a sentence
_QUANTITY = re.compile(r"[\d.]+(?:e[-+]?\d+)? ?[%\w/ ]*")


@dataclass(frozen=True)
class Backing:
    """The evidence behind a macro: the value of a claim, or the judgement of a statement."""

    use: Use
    value: Value | None = None
    judged: StatementResult | None = None
    number: str = ""  # S1, S2 ... of a statement


def measured_numbers_typed(
    text: str, file: str, numbers: Numbers, backings: Collection[Backing] = ()
) -> Iterator[TextFault]:
    """Typed numbers that are neither constants of the plan nor shown by a statement, each with a query for it."""
    constants = [Constant(value.shown.value, kind) for value in numbers.constants() if (kind := _kind(value))]
    surroundings = _Surroundings(text, numbers, backings)
    return typed_numbers(text, file, constants, surroundings.suggest, surroundings.shows)


@dataclass(frozen=True)
class _Surroundings:
    """The sentences around typed numbers, and their evidence."""

    text: str
    numbers: Numbers
    backings: Collection[Backing]

    @cached_property
    def _sentences(self) -> list[Sentence]:
        return list(sentences(self.text))

    def _sentence(self, typed: TypedNumber) -> Sentence | None:
        at = bisect_right(self._sentences, typed.start, key=lambda sentence: sentence.start) - 1
        return self._sentences[at] if at >= 0 and typed.start < self._sentences[at].end else None

    def _evidence(self, typed: TypedNumber) -> list[Backing]:
        sentence = self._sentence(typed)
        starts = {use.start for use in sentence.evidence} if sentence else set()
        beside = [backing for backing in self.backings if backing.use.start in starts]
        is_comparison = typed.dimension in ("factor", "percent") or typed.is_change
        return [*beside, *self._pairs(beside)] if is_comparison else beside

    def _pairs(self, beside: Sequence[Backing]) -> Iterator[Backing]:
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
        evidence = [part for part in beside if self._is_about(part, typed)]
        stated = [number for part in evidence if part.judged for number in stated_numbers(part.judged)]
        answers, bounds = (
            [value for number in stated if number.is_typed is is_typed for value in _as_typed(number, typed)]
            for is_typed in (False, True)
        )
        if at_sizes := [
            value for part in evidence for number in self._ratios(part, typed) for value in _as_typed(number, typed)
        ]:
            answers = at_sizes
        if typed.is_one_of(answers + [value for part in evidence for value in self._compared(part, typed)]):
            return True
        # A bound without `at least` or the like is near the answer.
        is_hedged = typed.hedge != EXACTLY or len(typed.numbers) > 1
        is_near = is_hedged or replace(typed, hedge=(0.25, 0.25)).is_one_of(answers)
        return is_near and replace(typed, hedge=EXACTLY).is_one_of(bounds)

    def _is_about(self, backing: Backing, typed: TypedNumber) -> bool:
        """Whether a statement is true, and of the sizes, the series and the direction that the words around name."""
        judged, sentence = backing.judged, self._sentence(typed)
        if not judged or judged.truth is not Truth.TRUE or not sentence:
            return False
        names, sizes = _names(backing.use.body), {*judged.sizes, *_sizes_of(backing.use.body)}
        words = set[str]().union(*map(words_of, names))
        clause = self._clause(sentence, typed)
        others = words_of(" ".join(self.numbers.series)) & words_of(" ".join(_PROPER.findall(clause)))
        if others and not words & words_of(clause):
            return False
        named = set(_sizes_in(sentence.text))
        if named and sizes and not named & sizes:
            return False
        return not self._is_reversed(judged, typed, sentence, names)

    def _is_reversed(self, judged: StatementResult, typed: TypedNumber, sentence: Sentence, names: list[str]) -> bool:
        """Whether the words around a factor say the opposite of a statement about two series, values or sizes."""
        sizes = _sizes_of(judged.text)
        is_sized = len(names) == 1 and len(set(sizes)) > 1
        terms = [f"{names[0]} {size}" for size in dict.fromkeys(sizes)] if is_sized else names
        answers = [number for number in stated_numbers(judged) if not number.is_typed]
        if typed.dimension not in ("factor", "percent") or len(terms) != 2:
            return False
        if any(number.is_difference or number.dimension != PURE or number.value <= 0 for number in answers):
            return False
        near = max(sentence.start, typed.start - _NEAR), min(sentence.end, typed.end + _NEAR)
        ends = near[0], typed.start, typed.end, near[1]
        claimed = (_CLAIM.sub(_in_words, self.text[start:end]) for start, end in pairwise(ends))
        parts = (NAMES.sub(" ", part).replace("~", " ") for part in claimed)
        words = tuple(_SIZE.sub(lambda size: f" {_bytes_of(size)} " if is_sized else " ", part) for part in parts)
        tries = (f" at {format_size(size)}" for size in (*judged.sizes, *sizes)[:1])
        is_time = any(self.numbers.quick(names[0] + size, TIME) is not None for size in (*tries, ""))
        return all(is_reversed(typed, words, terms, number.value, is_time=is_time) for number in answers)

    def _compared(self, backing: Backing, typed: TypedNumber) -> Iterator[float]:
        """The values of what a statement compares, or their differences, at its sizes that it or its sentence names."""
        dimension, sentence = DIMENSIONS.get(typed.dimension, PURE), self._sentence(typed)
        if not backing.judged or not sentence or (typed.is_change and dimension == PURE):
            return
        unit, scale = ("percent", 100) if typed.dimension == "percent" else ("", 1)
        named = set(_sizes_in(sentence.text)) & set(backing.judged.sizes) | set(_sizes_of(backing.use.body))
        names = _names(backing.use.body)
        if typed.is_change:
            pieces, named = [" - ".join(pair) for pair in permutations(names, 2)], named or set(backing.judged.sizes)
        else:
            before, behind = self.text[sentence.start : typed.start], _BEHIND.match(self.text, typed.end, sentence.end)
            pieces = _meant(names, self._clause(sentence, typed), behind[0] if behind else "", before)
        for name in pieces:
            for query in (name, *(f"{name} at {format_size(size)}" for size in named)):
                with suppress(LabError):
                    value = self.numbers.ask(query)
                    if value.dimension == dimension and value.unit in (unit, "bit/s"):
                        yield from (scale * number for number in value.typable)

    def _ratios(self, backing: Backing, typed: TypedNumber) -> Iterator[Stated]:
        """The ratio of the two series of a statement, at the sizes that the clause of a factor names."""
        names, sentence = _names(backing.use.body), self._sentence(typed)
        if sentence and len(names) == 2 and typed.dimension in ("factor", "percent"):
            across = " across links" if backing.use.body.endswith("across links") else ""
            clause = self._clause(sentence, typed)
            for size in _sizes_in(" ".join(match[0] for match in _AT_SIZE.finditer(clause))):
                query = f"{names[0]} / {names[1]} at {format_size(size)}{across}"
                if (ratio := self.numbers.quick(query, PURE)) is not None:
                    yield Stated(ratio, PURE, is_typed=False, is_difference=False)

    def _clause(self, sentence: Sentence, typed: TypedNumber) -> str:
        """The words around a number, without evidence."""
        near = max(sentence.start, typed.start - _NEAR)
        text, at = self.text[near : min(sentence.end, typed.end + _NEAR)], typed.start - near
        breaks = [(0, 0), *(match.span() for match in _BREAK.finditer(text)), (len(text), len(text))]
        return text[max(end for _, end in breaks if end <= at) : min(start for start, _ in breaks if start >= at)]

    def suggest(self, typed: TypedNumber) -> str | None:
        """A query for a number, of what the sentence's evidence names or of any series; None if it is cited."""
        if typed.dimension == "frequency":
            return ""
        dimension = DIMENSIONS.get(typed.dimension, PURE)
        unit = r" in \%" if typed.dimension == "percent" else " in bit/s" if typed.is_in_bits else ""
        scale = 100 if typed.dimension == "percent" else 1
        sentence = self._sentence(typed)
        sizes = _sizes_in(sentence.text) if sentence else ()
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


def _as_typed(stated: Stated, typed: TypedNumber) -> Iterator[float]:
    """A number of a statement, as a text may type it: 1.55 is 155 %, or 55 % more."""
    value = stated.value
    if stated.dimension != DIMENSIONS.get(typed.dimension, PURE):
        return
    if typed.dimension != "percent":
        yield from (value, 1 / value) if typed.dimension == "factor" and value else (value,)
    elif stated.is_difference:
        yield 100 * value
    else:
        yield from (100 * abs(value - 1),) if typed.is_change else (100 * value, 100 * abs(value - 1))


def _in_words(claim: re.Match[str]) -> str:
    """A claim as the words that name its series and sizes."""
    return " ".join(("that of", *_names(claim[1]), *map(str, _sizes_of(claim[1]))))


def _bytes_of(match: re.Match[str]) -> int | None:
    size = match[3] or (match[1] or "1") + (match[2] or "")
    return parse_size(size) if re.fullmatch(r"\d{1,9}[KMG]?", size) else None


@lru_cache(64)
def _sizes_in(sentence: str) -> tuple[int, ...]:
    r"""The sizes that a sentence names: `64 KiB`, `one byte`, `\size{64K}`."""
    return tuple(size for match in _SIZE.finditer(sentence) if (size := _bytes_of(match)) is not None)


def sides_of(statement: str) -> tuple[list[str], str]:
    """The queries on the sides of a statement, and the sizes at its end."""
    head, sizes = cut(statement)
    sides = [re.sub(r" (within .*|in %)$", "", side.strip()) for side in re.split("[<>]=?|=", head)]
    return [side for side in sides if not _QUANTITY.fullmatch(side)], sizes


def _names(statement: str) -> list[str]:
    return list(dict.fromkeys(_NAME.findall(_AT.sub(" ", " ".join(sides_of(statement)[0])))))


def _meant(names: list[str], *texts: str) -> list[str]:
    """The series that the first text with words of their names means: by all of these or else by some."""
    parts = {name: words_of(name) for name in names}
    for words in map(words_of, texts):
        meant = [name for name in names if parts[name] <= words] or [name for name in names if parts[name] & words]
        if meant:
            return meant
    return names


def _sizes_of(statement: str) -> list[int]:
    """The sizes that a statement names, ends of ranges included."""
    return [parse_size("".join(size)) for size in _AT.findall(statement)]


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


def _kind(value: Value) -> str:
    """The dimension of a constant, by its name in the rule about typed numbers."""
    pure = "percent" if value.unit == "percent" else ""
    return next((kind for kind, dimension in DIMENSIONS.items() if dimension == value.dimension), pure)
