"""A claim: a named number with its unit, its interval and the records that it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import Enum

from lab.analysis.estimate import Estimate
from lab.analysis.verdict import Verdict, judge
from lab.errors import LabError
from lab.report.setting import UNKNOWN, Chosen


class ClaimKind(Enum):
    """The kind of a claim's number; the rules depend on it."""

    RATE = "rate"
    RATIO = "ratio"
    CONSTANT = "constant"  # a parameter of the experiment, or of the lab itself
    DERIVED = "derived"  # read off the measured curve: a size, a count
    INTERCEPT = "intercept"  # extrapolated to messages that were not sent
    SLOPE = "slope"  # the rate of bytes that cost nothing else: no message needs to have had it


@dataclass(frozen=True)
class Claim:
    """One number that a text may use."""

    name: str
    estimate: Estimate
    unit: str  # a key of units.UNITS
    kind: ClaimKind
    meaning: str
    keys: tuple[str, ...] = ()  # of the records
    wanted_n: int | None = None  # repetitions that the experiment asks for
    base: str = ""  # the base of a ratio
    link: str = ""
    base_link: str = ""
    source: str = ""  # of a claim without a record: its file and line
    unchecked: tuple[str, ...] = ()  # records that did not pass all checks
    margin: float = 0.0  # of a ratio: within it two equal programs may lie apart by luck
    moved: tuple[str, ...] = ()  # of a sweep: values that moved although they were to be held
    series: tuple[str, ...] = ()  # that it is about; of a ratio: the one above, then the base
    sizes: tuple[int, ...] = ()  # that it rests on

    @property
    def verdict(self) -> Verdict:
        """More or less than 1 by more than the margin, or neither."""
        return judge(self.estimate, margin=self.margin)


@dataclass(frozen=True)
class ClaimGroup:
    """Claims that belong together: the fields that are claims, or hold some, in the order of the ledger."""

    def __iter__(self) -> Iterator[Claim]:
        for each in fields(self):
            yield from _claims_in(getattr(self, each.name))


def _claims_in(value: object) -> Iterator[Claim]:
    """The claims in a field; a field without claims, such as the curve, gives none."""
    match value:
        case Claim():
            yield value
        case ClaimGroup():
            yield from value
        case dict():
            for each in value.values():
                yield from _claims_in(each)
        case tuple():
            for each in value:
                yield from _claims_in(each)


@dataclass
class UnknownClaim(LabError):
    """A text names a claim that the data do not make."""

    name: str = ""


class Ledger(dict[str, Claim]):
    """All claims of a report, by the names that texts use, and what a text may say without one."""

    setting: Chosen = UNKNOWN

    def add(self, claims: Iterable[Claim]) -> None:
        for claim in claims:
            assert claim.name not in self, claim.name
            self[claim.name] = claim

    def find(self, name: str) -> Claim:
        if name in self:
            return self[name]
        near = get_close_matches(name, self, n=3)
        hint = " or ".join(near) or "lab claims, which lists all"
        raise UnknownClaim(f"there is no claim {name!r}", hint=hint, name=name)


def constant(name: str, value: float, unit: str, meaning: str, source: str) -> Claim:
    """A number that nobody measured: it was chosen, and the source says where."""
    return Claim(name, Estimate(value, None, 0), unit, ClaimKind.CONSTANT, meaning, source=source)
