"""The tables of an experiment file; docs/experiments.md is generated from this module."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from lab.files.toml import Included
from lab.model.parameters import Bytes, Parameters, ProfileKeys, Sizes
from lab.model.trial import Link
from lab.programs.student import OwnTable
from lab.sites.site import MODULES
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
LINK_EXAMPLE = "{ mtu = 1500, rate_bit_s = 1_000_000_000 }"


@dataclass(frozen=True)
class SeriesTable:
    """One curve, or with `vary` one for each combination of values."""

    name: Annotated[str, SERIES_NAME, "Its name in records, figures and queries; unique.", '"depth"']
    program: Annotated[str, NAME, "One of Verbyte's programs, or one of `[programs]`.", '"verbs"']
    operation: Annotated[str, OPERATIONS, "What the client does. TCP and MPI send.", '"write"']
    measure: Annotated[
        str, MEASURES, "Bytes per second, round-trip time, or the time of each side's call (MPI).", '"throughput"'
    ]
    arguments: Annotated[
        str | None, "The text for `{arguments}` in the commands of a program of `[programs]`.", '"--depth 64"'
    ] = None
    parameters: Annotated[
        ParameterValues,
        "Values of this series. They replace those of the file and of its profile.",
        "{ post_list = 1 }",
    ] = field(default_factory=dict)
    profile: Annotated[
        Mapping[Site, SeriesProfile],
        "The series' profile for a site. Its keys replace those of the file's profile.",
        "{ exact = { repetitions = 6 } }",
    ] = field(default_factory=dict)
    link: Annotated[LinkValues, "The series' link model. Its keys replace the file's.", LINK_EXAMPLE] = field(
        default_factory=dict
    )
    soft_roce: Annotated[
        bool,
        "On a link with a card: whether this series uses Soft-RoCE over the same wire instead of the card.",
        "false",
    ] = False
    vary: Annotated[
        Mapping[str, Annotated[tuple[VariedValue, ...], Limits(shortest=1, longest=1000, unique=True)]],
        Limits(shortest=1),
        "Parameters, each with a list of values. Several are crossed: two with four values give 16 points. They win "
        "over every table.",
        "{ tx_depth = [1, 16, 128] }",
        "{ post_list = [1, 16], signal_every = [16, 64] }",
    ] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """One ratio: a series over the best of its peers, or over a limit of physics."""

    name: Annotated[str, LINE, "Its line in the table.", '"verbs-client / ib_write_bw"']
    ours: Annotated[str, NAME, "The series that is judged.", '"depth"']
    at_least: Annotated[int | float, Limits(above=0, most=1000), "The least ratio at every size.", "1.0"]
    peers: Annotated[Names, "The series to compare with. At each size the best of them counts.", '["peer"]'] = ()
    limit_bytes_per_s: Annotated[
        int | None,
        Limits(least=1, most=12_500_000_000),
        "A physical limit, instead of peers. No record may exceed it.",
        "117_685_305",
    ] = None
    geometric_mean_up_to: Annotated[
        int | None, Typed(Bytes), "Judge the geometric mean of the ratios up to this size, not each ratio.", '"1K"'
    ] = None
    drawn_at_least: Annotated[
        int | float | None,
        Limits(above=0, most=1000),
        "The least ratio at sizes that `lab bench` draws. Without it: `at_least`.",
        "0.98",
    ] = None


@dataclass(frozen=True)
class Causes:
    """Where the instructions of a message go: what is counted for the report."""

    series: Annotated[Names, "The series to count; of a series with `vary`, its first values.", '["depth"]']
    sizes: Annotated[tuple[int, ...], Typed(Sizes), "The message sizes to count, out of those of the series.", '"64"']


@dataclass(frozen=True, kw_only=True)
class Document:
    """The keys of the whole file, above the first table."""

    title: Annotated[str, LINE, "The report's title.", '"RDMA WRITE against TCP"']
    question: Annotated[
        str,
        Limits(longest=2000, pattern=r"[\s\S]*\S[\s\S]*", expected="some text, up to 2000 characters"),
        "The question of the experiment in a sentence or two; the report begins with it.",
        '"Which is faster, and by how much?"',
    ]
    order: Annotated[
        int | None,
        Limits(least=1, most=1000),
        "Position in commands that take all experiments, as `make all` does. Those without one follow by name. Trials "
        "and keys do not depend on it.",
        "1",
    ] = None
    in_all: Annotated[
        bool, "Whether commands that take all experiments, as `make all` does, take this one.", "false"
    ] = True
    include: Annotated[
        Included | None,
        "A shared file in this folder or below. Its tables come before the tables of this file; no table or key may be "
        "in both. It includes no other file.",
        '"shared/rdma_and_tcp.toml"',
    ] = None
    parameters: Annotated[
        ParameterValues,
        "The values of every series, as published, for real links.",
        '{ sizes = "1..1M*2", iterations = 50_000 }',
    ]
    link: Annotated[
        LinkValues, "The link model of every series. On real links, series with a model are left out.", LINK_EXAMPLE
    ] = field(default_factory=dict)
    profile: Annotated[
        Mapping[Site, SiteProfile],
        "For each site, the differences from the published values, and the reason.",
        '{ exact = { why = "The VM is slow.", iterations_at_most = 2_000 } }',
    ] = field(default_factory=dict)
    programs: Annotated[
        Mapping[Name, OwnTable], "Programs of the experiment, by the names that its series use: docs/programs.md."
    ] = field(default_factory=dict)
    series: Annotated[
        tuple[SeriesTable, ...],
        Limits(shortest=1, longest=1000),
        "The curves. Each is one program with one operation and one measure.",
    ]
    comparison: Annotated[
        tuple[Comparison, ...],
        Limits(longest=1000),
        "Ratios that `lab bench` prints and the grader's check `speed` asks for.",
    ] = ()
    causes: Annotated[
        Causes | None,
        "What `lab profile` counts on exact: the instructions of a message, by function.",
        '{ series = ["depth"], sizes = "64" }',
    ] = None
