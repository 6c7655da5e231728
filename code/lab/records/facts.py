"""The facts of a record, and the site that it was measured on."""

from __future__ import annotations

from dataclasses import dataclass

from lab.errors import LabError, RecordError
from lab.model.parameters import Counts, Scalar
from lab.model.trial import PLAIN, Ends, Link, Perturbation
from lab.plan.plan import SiteFacts
from lab.programs.launchers import starter
from lab.sites.site import Traits, read_traits
from lab.typed_json import JsonError, JsonTable, JsonValue, as_json, parse_as

# The checks of every trial, as its record names them.
CHECKS = ("statuses", "samples whole", "bytes counted", "time counted", "rates within the link's")


@dataclass(frozen=True)
class Asked:
    """The definition of the trial; any other value makes another trial."""

    format: int
    program: str
    operation: str
    measure: str
    repetition: int
    counts: tuple[Counts, ...]
    options: dict[str, Scalar]
    programs: dict[str, str]  # program under test -> sha256
    site: str
    identity: dict[str, str]
    traits: Traits
    ends: Ends
    link: Link
    perturbation: Perturbation
    deadline_s: int


@dataclass(frozen=True)
class StepFacts:
    """The commands of one step, how they ended, and the site's clock around them."""

    server: tuple[str, ...]
    client: tuple[str, ...]
    server_status: int
    client_status: int
    clock_start_ns: int
    clock_end_ns: int

    @property
    def clock_ns(self) -> int:
        return self.clock_end_ns - self.clock_start_ns


@dataclass(frozen=True)
class Measured:
    """The values that the site and the programs report."""

    steps: tuple[StepFacts, ...]
    counters_before: dict[str, int]
    counters_after: dict[str, int]
    clock_start_ns: int
    clock_end_ns: int
    header: dict[str, str] | None = None  # of the program's output; none of a trial that failed


@dataclass(frozen=True)
class Judged:
    """The lab's verdict on the trial."""

    lab: str  # the version that judged
    notes: tuple[str, ...]  # the warnings for a reader of the numbers
    checks: tuple[str, ...] | None = None  # the checks that it passed
    path: str | None = None  # the path of the messages
    failed: str | None = None  # a sentence; such a trial has no record, only its evidence

    @property
    def is_sound(self) -> bool:
        """Whether it passed all checks, and nothing warns against its numbers."""
        return set(self.checks or ()) >= set(CHECKS) and not self.notes


@dataclass(frozen=True)
class FirstAsked:
    """The place in an experiment that asked for the trial first."""

    series: str
    point: dict[str, Scalar]


@dataclass(frozen=True)
class Moment:
    """The volatile facts: the same trial differs in them in another run or another experiment."""

    first_asked_by: FirstAsked
    published: JsonTable  # all parameters, as they were before the site's profile
    profile: JsonTable
    state: JsonTable | None = None  # of the computers, while it ran

    @property
    def started(self) -> str:
        """The start of the trial; empty if unknown."""
        value = self._stated("started")
        return value if isinstance(value, str) else ""

    @property
    def host_seconds(self) -> float | None:
        """The host's time that the trial took."""
        value = self._stated("host_seconds")
        return float(value) if isinstance(value, (int, float)) else None

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of a cluster that it ran on."""
        value = self._stated("nodes")
        return tuple(map(str, value)) if isinstance(value, list) else ()

    def rate_bit_s(self, end: str) -> int | None:
        """The rate of the link as one end reports it."""
        state = self._stated(end)
        value = state.get("rate_bit_s") if isinstance(state, dict) else None
        return value if isinstance(value, int) else None

    def _stated(self, name: str) -> JsonValue:
        return (self.state or {}).get(name)


@dataclass(frozen=True)
class Facts:
    key: str
    asked: Asked
    measured: Measured
    judged: Judged
    moment: Moment

    def table(self) -> dict[str, JsonValue]:
        return {**self.lasting(), **_table(self.moment)}

    def lasting(self) -> dict[str, JsonValue]:
        """The facts that repeat in another run of the same trial on an exact site."""
        return {"key": self.key, **_table(self.asked), **_table(self.measured), **_table(self.judged)}

    @property
    def clock_ns(self) -> int:
        return self.measured.clock_end_ns - self.measured.clock_start_ns


VOLATILE = tuple(Moment.__dataclass_fields__)


def parse_facts(document: JsonTable) -> Facts:
    """The facts of a table; an error names a value of a wrong type. Unknown keys are ignored."""
    key = document.get("key")
    if not isinstance(key, str):
        raise JsonError("key is not a text", name="key")
    parts = (parse_as(Asked, document), parse_as(Measured, document), parse_as(Judged, document))
    return Facts(key, *parts, parse_as(Moment, document))


def _table(part: Asked | Measured | Judged | Moment) -> dict[str, JsonValue]:
    """A table without the empty values; it names the launcher only where it is not the exact machine's, clocks where
    they are set."""
    table: dict[str, JsonValue] = {name: value for name, value in as_json(part).items() if value is not None}
    ends = table.get("ends")
    if isinstance(ends, dict):
        table["ends"] = {name: _end(value) for name, value in ends.items() if (name, value) != ("launcher", PLAIN)}
    if isinstance(part, Asked):
        table["link"] = {name: value for name, value in as_json(part.link).items() if name in part.link.table}
    return table


def _end(end: JsonValue) -> JsonValue:
    """One end without an empty GID."""
    if not isinstance(end, dict):
        return end
    return {name: value for name, value in end.items() if (name, value) != ("gid", "")}


@dataclass(frozen=True)
class NamedSite:
    """The part of the facts that describes the site."""

    site: str
    identity: dict[str, str]
    ends: Ends
    traits: JsonValue


SITE = tuple(NamedSite.__dataclass_fields__)


def read_site(document: JsonTable) -> SiteFacts:
    """Name, ends, identity and traits; an error where the lab would not write one of them so."""
    try:
        named = parse_as(NamedSite, document)
        starter(named.ends.launcher)
        return SiteFacts(named.site, named.ends, named.identity, read_traits(named.site, named.traits))
    except (LabError, ValueError) as error:
        raise RecordError(f"it names no site: {error!s:.200}") from error
