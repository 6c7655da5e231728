"""The facts of a record, and its site."""

from dataclasses import dataclass, fields

from lab.errors import LabError, RecordError
from lab.model.parameters import Counts, Scalar
from lab.model.trial import Counters, End, Ends, Link, Perturbation
from lab.plan.plan import SiteFacts
from lab.programs.launchers import starter
from lab.sites.site import Traits, read_traits
from lab.typed_json import JsonError, JsonTable, JsonValue, as_json, parse_as

# The names of the checks in a record.
CHECKS = ("statuses", "samples whole", "bytes counted", "time counted", "rates within the link's")


@dataclass(frozen=True)
class Asked:
    """The definition of the trial: another value makes another trial."""

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
class Measured(Counters):
    steps: tuple[StepFacts, ...]
    counters_before: dict[str, int]
    counters_after: dict[str, int]
    clock_start_ns: int
    clock_end_ns: int
    header: dict[str, str] | None = None  # of the program's output; None for a failed trial


@dataclass(frozen=True)
class Assessment:
    lab: str  # the version that checked
    notes: tuple[str, ...]  # the warnings for a reader of the numbers
    checks: tuple[str, ...] | None = None  # passed checks
    path: str | None = None  # the path of the messages
    failed: str | None = None  # the reason; a failed trial has evidence instead of a record

    @property
    def is_sound(self) -> bool:
        """Return whether the trial passed all checks, without a warning."""
        return set(self.checks or ()) >= set(CHECKS) and not self.notes


@dataclass(frozen=True)
class FirstAsked:
    """The first place in an experiment that needed the trial."""

    series: str
    point: dict[str, Scalar]


@dataclass(frozen=True)
class Moment:
    """The volatile facts, which differ between runs and experiments."""

    first_asked_by: FirstAsked
    published: JsonTable  # all parameters before the site's profile
    profile: JsonTable
    state: JsonTable | None = None  # of the hosts during the trial

    @property
    def started(self) -> str:
        """Return the start of the trial; empty if unknown."""
        value = self._stated("started")
        return value if isinstance(value, str) else ""

    @property
    def host_seconds(self) -> float | None:
        value = self._stated("host_seconds")
        return float(value) if isinstance(value, (int, float)) else None

    @property
    def nodes(self) -> tuple[str, ...]:
        value = self._stated("nodes")
        return tuple(map(str, value)) if isinstance(value, list) else ()

    def rate_bit_s(self, end: str) -> int | None:
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
    assessment: Assessment
    moment: Moment

    def table(self) -> dict[str, JsonValue]:
        return {**self.lasting(), **_table(self.moment)}

    def lasting(self) -> dict[str, JsonValue]:
        """Return the facts that are equal in every run of the trial on the exact site."""
        return {"key": self.key, **_table(self.asked), **_table(self.measured), **_table(self.assessment)}

    @property
    def clock_ns(self) -> int:
        return self.measured.clock_end_ns - self.measured.clock_start_ns


VOLATILE = tuple(Moment.__dataclass_fields__)


def parse_facts(document: JsonTable) -> Facts:
    """Parse the facts of a record; raise for a value of a wrong type. Unknown keys are ignored."""
    key = document.get("key")
    if not isinstance(key, str):
        raise JsonError("key is not a text")
    parts = (parse_as(Asked, document), parse_as(Measured, document), parse_as(Assessment, document))
    return Facts(key, *parts, parse_as(Moment, document))


def _table(part: Asked | Measured | Assessment | Moment) -> dict[str, JsonValue]:
    """Make a table without empty values, without defaults of the ends and traits, and without those of the link."""
    table: dict[str, JsonValue] = {name: value for name, value in as_json(part).items() if value is not None}
    if isinstance(part, Asked):
        client, server = _without_defaults(part.ends.client), _without_defaults(part.ends.server)
        table["ends"] = _without_defaults(part.ends) | {"client": client, "server": server}
        table["traits"] = _without_defaults(part.traits)
        table["link"] = {name: value for name, value in as_json(part.link).items() if name in part.link.table}
    return table


def _without_defaults(part: End | Ends | Traits) -> dict[str, JsonValue]:
    defaults = {each.name: each.default for each in fields(part)}
    return {name: value for name, value in as_json(part).items() if getattr(part, name) != defaults[name]}


@dataclass(frozen=True)
class NamedSite:
    """The part of the facts that describes the site."""

    site: str
    identity: dict[str, str]
    ends: Ends
    traits: JsonValue


SITE = tuple(NamedSite.__dataclass_fields__)


def read_site(document: JsonTable) -> SiteFacts:
    """Read name, ends, identity and traits; raise for a value that Verbyte would not write."""
    try:
        named = parse_as(NamedSite, document)
        starter(named.ends.launcher)
        return SiteFacts(named.site, named.ends, named.identity, read_traits(named.site, named.traits))
    except (LabError, ValueError) as error:
        raise RecordError(f"the record names no site: {error!s:.200}") from error
