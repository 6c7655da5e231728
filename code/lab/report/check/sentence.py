"""One sentence with all that is read in it: words, claims, programs, numbers, and whose statement it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lab.model.sizes import format_size
from lab.report.check.cards import with_card
from lab.report.check.latex import MARK, Plain, numerals
from lab.report.check.numbers import Number, Sort, numbers
from lab.report.check.speaker import is_published, is_stated
from lab.report.check.subjects import CARD, Mention, groups_of, mentions
from lab.report.claim import Claim, Ledger

_PARTS = re.compile(
    r";|:(?=\s)|,?(?<!\ball)\s+(?:but|whereas|while|although|though|yet|however)\s|,\s+(?=and\s+(?:the|it|they|we|our)\s|"
    r"which\s+(?:is|was|are|were)\s|(?:ours|theirs)\s|with(?:out)? inlin|"
    r"(?:at|for|with) (?:\S+ ){1,3}(?:it|they|both|the two|however)\s|(?:and )?(?:so|thus|hence|"
    r"therefore)\s(?!far\b|that\b|its\b|their\b|do\b|does\b|did\b|is\b|are\b|has\b))|"
    r"\s+(?=and\s+(?:the\s)?(?:RDMA|TCP|verbs|sockets|iperf3?|Soft-RoCE|WRITE)\s(?:is|does|do|did|was|has|can|are)\s?n[o']t\s*(?:[,.;]|\Z))|—|–\s"
)
_THERE = re.compile(r"\bthere\b(?! (?:is|are|was|were)\b)|\bat (?:that|this) (?:size|point|length)\b", re.I)
_WHILE = re.compile(r"\s*(?:While|Whereas|Although|Though|Even though)\b[^,;:]*,")
_FRAGMENT = re.compile(
    r"\s*,?\s*(?:but|though|although|yet|however|while)\s+(?:only |just |not |merely )?"
    r"(?:on|in|with|for|from|over|under|by|of|to|without) [^,]*\Z"
)
_UNITS = (
    (r"\b(?:for|with|at|of|in) an? (?:single )?ki(?:lo|bi)byte\b", 1024),
    (r"\b(?:for|with|at|of|in) an? (?:single )?me(?:ga|bi)byte\b", 1024**2),
)
_SEGMENTS = re.compile(r"[,;()]|:(?=\s)|\b(?:and|while|whereas|but|against|versus|vs|than|compared|instead)\b")


@dataclass(frozen=True)
class Use:
    """A claim at its place in the sentence."""

    name: str
    claim: Claim | None
    at: int
    digits: str | None


@dataclass(frozen=True)
class Clause:
    """A clause that states something by itself."""

    sentence: Sentence
    start: int
    end: int

    @property
    def words(self) -> str:
        return self.sentence.words[self.start : self.end]

    @property
    def mentions(self) -> tuple[Mention, ...]:
        return tuple(each for each in self.sentence.mentions if self.start <= each.start < self.end)

    @property
    def uses(self) -> tuple[Use, ...]:
        return tuple(each for each in self.sentence.uses if self.start <= each.at < self.end)

    @property
    def numbers(self) -> tuple[Number, ...]:
        return tuple(each for each in self.sentence.numbers if self.start <= each.start < self.end)

    @property
    def is_stated(self) -> bool:
        """Whether it says what was measured, and not what others say or what is expected."""
        return is_stated(self.words) if (before := self._carrier) is None else before.is_stated

    @property
    def is_published(self) -> bool:
        """Whether it speaks of a published report alone."""
        return is_published(self.words) if (before := self._carrier) is None else before.is_published

    def cut(self, at: int) -> tuple[Clause, Clause]:
        """What stands before a place in its words, and what behind."""
        place = self.start + at
        return Clause(self.sentence, self.start, place), Clause(self.sentence, place, self.end)

    @property
    def _carrier(self) -> Clause | None:
        """The clause before, of one that begins with a preposition: `they saw more, but on a card`."""
        return self.before if _FRAGMENT.match(self.words) else None

    @property
    def before(self) -> Clause | None:
        """The one before it in its sentence."""
        earlier = [each for each in self.sentence.parts if each.end <= self.start] if self.start else []
        return earlier[-1] if earlier else None


@dataclass(frozen=True)
class Sentence:
    """The words of a sentence beside the data."""

    plain: Plain
    ledger: Ledger
    before: tuple[str, ...] = ()  # the programs of the sentence before, in their order
    head: str = ""  # of its table's row and column

    @cached_property
    def words(self) -> str:
        return numerals(self.head + self.plain.text).replace("\n", " ")

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        return tuple(
            Use(found["name"], self.ledger.get(found["name"]), place.start(), found["digits"])
            for place in re.finditer(MARK, self.words)
            if (found := self.plain.claims.get(place[0]))
        )

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        found = mentions(self.words, self.ledger.setting, self.before)
        if not self.ledger.setting.card:
            return found
        claimed = any(each.claim and CARD in self.groups_of(each.claim) for each in self.uses)
        return tuple(with_card(found, self.words, _cut(self.words, _PARTS), claimed=claimed))

    @cached_property
    def groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.group for each in self.mentions))

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        return tuple(numbers(self.words))

    @cached_property
    def parts(self) -> tuple[Clause, ...]:
        found = [Clause(self, *ends) for ends in _cut(self.words, _PARTS)]
        aside = _WHILE.match(self.words)
        if aside is None or found[0].end <= aside.end():
            return tuple(found)
        return (Clause(self, 0, aside.end()), Clause(self, aside.end(), found[0].end), *found[1:])

    @cached_property
    def segments(self) -> tuple[Clause, ...]:
        return tuple(Clause(self, *ends) for ends in _cut(self.words, _SEGMENTS))

    @cached_property
    def whole(self) -> Clause:
        return Clause(self, 0, len(self.words))

    def part_at(self, place: int) -> Clause:
        return next((each for each in self.parts if each.start <= place < each.end), self.parts[-1])

    def groups_of(self, claim: Claim) -> tuple[str, ...]:
        return groups_of(claim, self.ledger.setting)


def sizes_in(part: Clause) -> tuple[int, ...]:
    """The sizes of messages that a clause names, or those of the clause before, to which its `there` points."""
    before = [each for each in part.sentence.parts if each.end <= part.start]
    return _sizes_in(part) or (_sizes_in(before[-1]) if before and _THERE.search(part.words) else ())


def _sizes_in(part: Clause) -> tuple[int, ...]:
    """Typed, or by a claim of a size."""
    known = {size for each in part.sentence.ledger.setting.strands for size in each.sizes}
    typed = [int(value) for each in part.numbers for value in as_size(each, part) if value in known]
    claimed = [int(each.claim.estimate.value) for each in part.uses if each.claim and each.claim.unit == "size"]
    named = [size for words, size in _extremes(known) if re.search(words, part.words, re.I)]
    return tuple(dict.fromkeys([*typed, *claimed, *named]))


def as_size(number: Number, part: Clause) -> tuple[float, ...]:
    """The bytes of a number, whose unit may stand behind the next one: `between 1 and 16 KiB`."""
    if number.sort is Sort.SIZE:
        return number.values
    after = next((each for each in part.numbers if each.start >= number.end), None)
    if number.sort is not Sort.BARE or after is None or after.sort is not Sort.SIZE:
        return ()
    if not re.fullmatch(r"\s*(?:,|and|to|or|through|-|–)\s*", part.sentence.words[number.end : after.start]):
        return ()
    last = float(re.sub(r"[^\d.].*", "", after.typed) or 1)
    return tuple(number.values[0] * each / last for each in after.values)


def _extremes(known: set[int]) -> Iterator[tuple[str, int]]:
    yield from ((words, size) for words, size in _UNITS if size in known)
    if known:
        yield r"\b(?:smallest|shortest) (?:size|message)\b|\bsingle[\s-]bytes?\b", min(known)
        yield r"\b(?:largest|longest|biggest) (?:size|message)\b", max(known)


def size_of(claim: Claim) -> int | None:
    """The one size of a message that a claim is of, if its name says so."""
    parts = claim.name.split(".")
    return next((size for size in claim.sizes if len(claim.sizes) == 1 and format_size(size) in parts), None)


def _cut(words: str, at: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    start = 0
    for found in at.finditer(words):
        if found.start() > start:
            yield start, found.start()
        start = found.start() if found[0].strip(" ,;:()") else found.end()
    yield start, len(words)
