"""The tables of an experiment file, as they are typed; docs/experiments.md is made from this module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from lab.files.toml import Included
from lab.model.parameters import Bytes, Parameters, ProfileKeys, Sizes
from lab.model.trial import Link
from lab.programs.student import OwnTable
from lab.sites.site import MODULES
from lab.typed_json import LINE, About, JsonTable, Limits, PartOf

NAME = Limits(
    pattern="[a-z0-9][a-z0-9_.-]{0,59}", expected="up to 60 small letters, digits, and . _ - behind the first"
)
SERIES_NAME = Limits(
    longest=60,
    pattern="[a-z][a-z0-9_]*([.-][a-z0-9_]+)*",
    expected="a small letter, then small letters, digits and _, with single . or - between them: queries name it",
)

Written = int | str | bool | tuple[int | str, ...]  # a value of [parameters] or of a profile
Values = Mapping[str, Written]
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

    name: Annotated[
        str, SERIES_NAME, About("Its name in records, figures and queries. Each series has another.", '"depth"')
    ]
    program: Annotated[str, NAME, About("One of Verbyte's programs, or one of `[programs]`.", '"verbs"')]
    operation: Annotated[
        str,
        Limits(choices=("write", "read", "send", "write-imm")),
        About("What the client does. TCP and MPI send.", '"write"'),
    ]
    measure: Annotated[
        str,
        Limits(choices=("throughput", "latency", "one-way")),
        About("Bytes per second, time there and back, or the time of each side's own call (MPI).", '"throughput"'),
    ]
    arguments: Annotated[
        str | None, About("The words that `{arguments}` stands for, in the commands of an own program.", '"--depth 64"')
    ] = None
    parameters: Annotated[
        ParameterValues,
        About(
            "This series' own values. They replace the file's, and those of the file's profile.", "{ post_list = 1 }"
        ),
    ] = field(default_factory=dict)
    profile: Annotated[
        Mapping[Site, SeriesProfile],
        About(
            "This series' own profile for a site. Its keys replace those of the file's profile.",
            "{ exact = { repetitions = 6 } }",
        ),
    ] = field(default_factory=dict)
    link: Annotated[
        LinkValues, About("This series' own link model. Its keys replace those of the file's.", LINK_EXAMPLE)
    ] = field(default_factory=dict)
    soft_roce: Annotated[
        bool,
        About(
            "On a link with a card: whether this series goes by Soft-RoCE, over the same wire, in place of the card.",
            "false",
        ),
    ] = False
    vary: Annotated[
        Mapping[str, Annotated[tuple[int | str | bool, ...], Limits(shortest=1, longest=1000, unique=True)]],
        Limits(shortest=1),
        About(
            "Parameters and the values that each takes in turn. Several are crossed: two with four values give 16 "
            "points. A value here wins over every table.",
            "{ tx_depth = [1, 16, 128] }",
            "{ post_list = [1, 16], signal_every = [16, 64] }",
        ),
    ] = field(default_factory=dict)


@dataclass(frozen=True)
class ComparisonTable:
    """One ratio: a series over the best of its peers, or over a limit of physics."""

    name: Annotated[str, LINE, About("Its line in the table.", '"verbs-client / ib_write_bw"')]
    ours: Annotated[str, NAME, About("The series that is judged.", '"depth"')]
    at_least: Annotated[
        int | float, Limits(above=0, most=1000), About("The ratio that must be reached at every size.", "1.0")
    ]
    peers: Annotated[
        Names, About("The series that it is compared with. At each size the best of them counts.", '["peer"]')
    ] = ()
    limit_bytes_per_s: Annotated[
        int | None,
        Limits(least=1, most=12_500_000_000),
        About("A physical limit, in place of peers. No record may pass it.", "117_685_305"),
    ] = None
    geometric_mean_up_to: Annotated[
        Bytes | None,
        About("Judge the geometric mean of the ratios at all sizes up to this one, in place of each.", '"1K"'),
    ] = None


@dataclass(frozen=True)
class CausesTable:
    """Where the instructions of a message go: what is counted for the report."""

    series: Annotated[Names, About("The series to count; of one that varies something, its first values.", '["depth"]')]
    sizes: Annotated[Sizes, About("The message sizes to count, of those that each of these series has.", '"64"')]


@dataclass(frozen=True, kw_only=True)
class Document:
    """The keys of the whole file, above the first table."""

    title: Annotated[str, LINE, About("The report's title.", '"RDMA WRITE against TCP"')]
    question: Annotated[
        str,
        Limits(longest=2000, pattern=r"[\s\S]*\S[\s\S]*", expected="some text, up to 2000 characters"),
        About(
            "What the experiment asks, in a sentence or two; the report begins with it.",
            '"Which is faster, and by how much?"',
        ),
    ]
    include: Annotated[
        Included | None,
        About(
            "A file that several experiments share, beside this one or in a folder there. Its tables stand as if they "
            "were written here, before this file's own; no table or key may stand in both. It includes no other.",
            '"shared/rdma_and_tcp.toml"',
        ),
    ] = None
    parameters: Annotated[
        ParameterValues,
        About(
            "Every series runs with these values. They are the published ones, for real links.",
            '{ sizes = "1..1M*2", iterations = 50_000 }',
        ),
    ]
    link: Annotated[
        LinkValues,
        About(
            "The link model of every series. A real link takes none: there a series with a model is left out.",
            LINK_EXAMPLE,
        ),
    ] = field(default_factory=dict)
    profile: Annotated[
        Mapping[Site, SiteProfile],
        About(
            "For each site, what differs there from the published values, and why.",
            '{ exact = { why = "A second of the VM costs several seconds of the host.", iterations_at_most = 2_000 } }',
        ),
    ] = field(default_factory=dict)
    programs: Annotated[
        Mapping[Name, OwnTable],
        About("Programs that the experiment brings along, by the names that its series use: docs/programs.md."),
    ] = field(default_factory=dict)
    series: Annotated[
        tuple[SeriesTable, ...],
        Limits(shortest=1, longest=1000),
        About("The curves. Each is one program with one operation and one measure."),
    ]
    comparison: Annotated[
        tuple[ComparisonTable, ...],
        Limits(longest=1000),
        About("Ratios that `lab bench` prints and the grader's check `speed` asks for."),
    ] = ()
    causes: Annotated[
        CausesTable | None,
        About(
            "What `lab profile` counts on exact: the instructions of a message, by function.",
            '{ series = ["depth"], sizes = "64" }',
        ),
    ] = None
