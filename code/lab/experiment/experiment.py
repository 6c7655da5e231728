"""An experiment: the tables of its file, which docs/experiments.md explains, and the series that they become."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated

from lab.errors import SpecError
from lab.files.toml import Included
from lab.model.parameters import Bytes, Counts, Parameters, Profile, ProfileKeys, Scalar, Sizes
from lab.model.sizes import parse_size, parse_sizes
from lab.model.trial import Link
from lab.places import SET_CLOCK
from lab.programs.program import Build, Program
from lab.programs.student import ProgramTable
from lab.sites.site import MODULES, Traits
from lab.typed_json import LINE, JsonTable, JsonValue, Limits, PartOf, Typed

NAME = Limits(
    pattern="[a-z0-9][a-z0-9_.-]{0,59}", expected="up to 60 small letters, digits, and . _ - behind the first"
)
SERIES_NAME = Limits(
    longest=60,
    pattern="[a-z][a-z0-9_]*([.-][a-z0-9_]+)*",
    expected="a small letter, then small letters, digits and _, with single . or - between them: queries name it",
)

OPERATIONS = Limits(choices=("write", "read", "send", "write-imm"))
MEASURES = Limits(choices=("throughput", "latency", "one-way"))

Written = int | str | bool | tuple[int | str, ...]  # a value of [parameters] or of a profile
Values = Mapping[str, Written]
VariedValue = Annotated[int | str | bool, Typed(JsonValue)]  # the reader knows the parameter, and so its type
Name = Annotated[str, NAME]
Names = Annotated[tuple[Name, ...], Limits(shortest=1, longest=1000, unique=True)]
Site = Annotated[str, Limits(choices=tuple(MODULES))]
ParameterValues = Annotated[Values, PartOf((Parameters,))]
LinkValues = Annotated[JsonTable, PartOf((Link,))]
SiteProfile = Annotated[Values, PartOf((ProfileKeys, Parameters), required=("why",))]
SeriesProfile = Annotated[Values, PartOf((ProfileKeys, Parameters))]


@dataclass(frozen=True)
class SeriesTable:
    """One curve, or with `vary` one for each combination of values."""

    name: Annotated[str, SERIES_NAME, '"depth"']
    program: Annotated[str, NAME, '"verbs"']
    operation: Annotated[str, OPERATIONS, '"write"']
    measure: Annotated[str, MEASURES, '"throughput"']
    arguments: str | None = None
    parameters: ParameterValues = field(default_factory=dict)
    profile: Mapping[Site, SeriesProfile] = field(default_factory=dict)
    link: LinkValues = field(default_factory=dict)
    soft_roce: bool = False
    vary: Annotated[
        Mapping[str, Annotated[tuple[VariedValue, ...], Limits(shortest=1, longest=1000, unique=True)]],
        Limits(shortest=1),
    ] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """One ratio: a series over the best of its peers, or over a limit of physics."""

    name: Annotated[str, LINE, '"verbs-client / ib_write_bw"']
    ours: Annotated[str, NAME, '"depth"']
    at_least: Annotated[int | float, Limits(above=0, most=1000), "1.0"]
    peers: Names = ()
    limit_bytes_per_s: Annotated[int | None, Limits(least=1, most=12_500_000_000)] = None
    geometric_mean_up_to: Annotated[int | None, Typed(Bytes, parse_size)] = None
    drawn_at_least: Annotated[int | float | None, Limits(above=0, most=1000)] = None


@dataclass(frozen=True)
class Causes:
    """Where the instructions of a message go: what is counted for the report."""

    series: Annotated[Names, '["depth"]']
    sizes: Annotated[tuple[int, ...], Typed(Sizes, parse_sizes), '"64"']


@dataclass(frozen=True, kw_only=True)
class Document:
    """The keys of the whole file, above the first table."""

    title: Annotated[str, LINE, '"RDMA WRITE against TCP"']
    question: Annotated[
        str,
        Limits(longest=2000, pattern=r"[\s\S]*\S[\s\S]*", expected="some text, up to 2000 characters"),
        '"Which is faster, and by how much?"',
    ]
    order: Annotated[int | None, Limits(least=1, most=1000)] = None
    in_all: bool = True
    include: Included | None = None
    parameters: Annotated[ParameterValues, '{ sizes = "1..1M*2", iterations = 50_000 }']
    link: LinkValues = field(default_factory=dict)
    profile: Mapping[Site, SiteProfile] = field(default_factory=dict)
    programs: Mapping[Name, ProgramTable] = field(default_factory=dict)
    series: Annotated[tuple[SeriesTable, ...], Limits(shortest=1, longest=1000)]
    comparison: Annotated[tuple[Comparison, ...], Limits(longest=1000)] = ()
    causes: Causes | None = None


Point = dict[str, Scalar]  # varied parameter -> its value
MOST_TRIALS = 1_000_000  # without --yes: a plan keeps each trial in memory


@dataclass(frozen=True)
class Series:
    """One curve, or a family of curves: a program, its operation, and the varied values."""

    name: str
    tool: Program
    operation: str
    measure: str
    published: Parameters
    profiles: dict[str, Profile]
    link: Link
    vary: dict[str, tuple[Scalar, ...]]
    soft_roce: bool = False  # over a card's wire, but by the kernel

    @property
    def program(self) -> str:
        return self.tool.name

    @property
    def builds(self) -> dict[Path, Build | None]:
        """The programs under test and the one that sets the clock; each with its build, if that is not `make`."""
        clock = {SET_CLOCK: None} if self.link.sets_clock else {}
        return dict.fromkeys(self.tool.binaries, self.tool.build) | clock

    @property
    def has_card(self) -> bool:
        """Whether its messages use a modelled card; sockets and Soft-RoCE use the same wire without it."""
        return self.link.card is not None and self.tool.rdma and not self.soft_roce

    def runs_on(self, traits: Traits) -> bool:
        return not self.obstacle(traits)

    def obstacle(self, traits: Traits) -> str:
        """The reason why a site cannot provide the series' link; empty if it can."""
        link, together = self.link, self.tool.together
        if traits.is_deterministic:
            return ""
        if link.card:
            return "has a modelled card, and this site has none"
        if together and link.computers > traits.computers:
            most = f"{traits.computers} computers" if traits.computers else "a server and a client"
            return f"needs {link.computers} computers that start at once, and this site has {most}"
        if link.is_modelled and not traits.takes_models:
            return "models a link, and this site's link is real"
        return "has a switch's queue, and this link has no switch" if link.queue_bytes and not together else ""

    def points(self) -> tuple[Point, ...]:
        return tuple(dict(zip(self.vary, values, strict=True)) for values in product(*self.vary.values()))

    def trials(self, site: str) -> int:
        return prod(len(values) for values in self.vary.values()) * self.parameters(site, {}).repetitions

    def profile(self, site: str) -> Profile:
        return self.profiles.get(site, Profile(why="The published parameters run unchanged."))

    def parameters(self, site: str, point: Point) -> Parameters:
        """The published parameters, replaced by the site's profile, then by the varied values."""
        return self.published.with_values(self.profile(site).values).with_values(point)

    def sizes(self, site: str) -> tuple[int, ...]:
        return tuple(sorted(self.parameters(site, {}).sizes))

    def counts(self, site: str, point: Point) -> tuple[Counts, ...]:
        parameters = self.parameters(site, point)
        return tuple(self.profile(site).counts(parameters, size) for size in parameters.sizes)


@dataclass(frozen=True)
class Experiment:
    name: str
    file: Path
    title: str
    question: str
    series: tuple[Series, ...]
    comparisons: tuple[Comparison, ...] = ()
    left_out: tuple[str, ...] = ()  # series that the link cannot run
    failed: tuple[str, ...] = ()  # series without numbers, since their programs failed
    causes: Causes | None = None

    @property
    def cards(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.link.card.name for each in self.series if each.link.card and each.has_card))

    def on(self, traits: Traits) -> "Experiment":
        """The experiment without the series that the site cannot run."""
        series = tuple(each for each in self.series if each.runs_on(traits))
        left_out = tuple(each.name for each in self.series if each not in series)
        if not series:
            what = " or ".join(dict.fromkeys(each.obstacle(traits) for each in self.series))
            raise SpecError(f"every series {what}", file=self.file, hint="--site exact")
        return replace(self.without(left_out), left_out=left_out)

    def without(self, names: Collection[str]) -> "Experiment":
        series = tuple(each for each in self.series if each.name not in names)
        comparisons = tuple(each for each in self.comparisons if not {each.ours, *each.peers} & {*names})
        return replace(self, series=series, comparisons=comparisons)
