"""The data of figures: plain values and the estimates of `lab.analysis`, in base units (B/s, ns, ratios)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a figure that is drawn already needs none of what was computed for it, nor numpy
    from lab.analysis.ceiling import Limit
    from lab.analysis.estimate import Estimate
    from lab.analysis.pieces import Pieces
    from lab.analysis.regression import Line
    from lab.analysis.steady import Steady


@dataclass(frozen=True)
class Unit:
    """The unit of an axis: `size` of the base unit. The `smaller` units are for small values in words."""

    name: str
    size: float
    smaller: tuple[Unit, ...] = ()


GIB_S = Unit("GiB/s", 2.0**30, (Unit("MiB/s", 2.0**20), Unit("KiB/s", 2.0**10), Unit("B/s", 1.0)))
GBIT_S = Unit("Gbit/s", 1e9 / 8, (Unit("Mbit/s", 1e6 / 8), Unit("kbit/s", 1e3 / 8), Unit("bit/s", 1 / 8)))
MESSAGES_S = Unit("messages/s", 1.0)
TIMES = Unit("", 1.0)  # of a ratio
MICROSECONDS = Unit("µs", 1e3, (Unit("ns", 1.0),))
SECONDS = Unit("s", 1e9, (Unit("ms", 1e6), MICROSECONDS, Unit("ns", 1.0)))


@dataclass(frozen=True)
class Curve:
    """One series: an estimate at each x. `machine` names another machine than the report's, whose data it shows;
    `colour` is that of its transport, else it has one by its place."""

    label: str
    x: tuple[float, ...]
    y: tuple[Estimate, ...]
    keys: tuple[str, ...] = ()
    machine: str = ""
    colour: str = ""


@dataclass(frozen=True)
class BySize:
    """Rates against the message size in bytes: throughput (B/s), message rate (messages/s), published curves beside."""

    name: str
    curves: tuple[Curve, ...]
    site: str
    limits: tuple[Limit, ...] = ()
    unit: Unit = GIB_S


@dataclass(frozen=True)
class ByParameter:
    """A rate or a time against one parameter (depth, warm-up, iterations ...), a curve for each size."""

    name: str
    parameter: str
    curves: tuple[Curve, ...]
    site: str
    unit: Unit = GIB_S
    quantity: str = "throughput"


@dataclass(frozen=True)
class Ratios:
    """Ratios against the message size: a speed-up, or one program against each peer. The label names the side above."""

    name: str
    curves: tuple[Curve, ...]
    base: str
    link: str
    site: str
    margin: float = 0.0  # about 1; a ratio within it is neither more nor less


@dataclass(frozen=True)
class HeatMap:
    """An estimate for each pair of two parameters: `cells[row][column]`, None where nothing was measured."""

    name: str
    row_label: str
    rows: tuple[float | str, ...]  # words where a row is more than a number
    column_label: str
    columns: tuple[float, ...]
    cells: tuple[tuple[Estimate | None, ...], ...]
    site: str
    unit: Unit = GIB_S
    quantity: str = "throughput"
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class WindowSeries:
    """The rate in each window, the place where it settles, and the first window's time over the steady time."""

    label: str
    y: tuple[Estimate, ...]
    steady: Steady
    warm_up: Estimate
    keys: tuple[str, ...] = ()
    colour: str = ""


@dataclass(frozen=True)
class Windows:
    """Throughput (B/s) by window."""

    name: str
    series: tuple[WindowSeries, ...]
    site: str
    unit: Unit = GIB_S


@dataclass(frozen=True)
class Distribution:
    """Samples in ns, and those of their quantiles that n supports."""

    label: str
    samples: tuple[float, ...]
    quantiles: tuple[tuple[float, Estimate], ...]
    keys: tuple[str, ...] = ()
    colour: str = ""


@dataclass(frozen=True)
class Latency:
    """Distributions of a time, drawn as one ECDF each; `what` says which time (round trip, half of it ...)."""

    name: str
    what: str
    distributions: tuple[Distribution, ...]
    site: str
    unit: Unit = MICROSECONDS


@dataclass(frozen=True)
class Fit:
    """Times (ns) of messages (bytes) and the line through them, with the residuals below.

    If two pieces fit the times, they are the result, and the line only shows the residuals of a single one.
    """

    name: str
    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    line: Line
    site: str
    pieces: Pieces | None = None
    unit: Unit = SECONDS
    rate: Unit = GIB_S
    keys: tuple[str, ...] = ()
    colour: str = ""


@dataclass(frozen=True)
class Stack:
    """One bar: its parts, and the sum of those that are work, which stands beside it."""

    label: str
    parts: tuple[tuple[str, float], ...]  # by kind of work, in instructions of one message
    work: float


@dataclass(frozen=True)
class Stacks:
    """Bars in groups, a group for each message size in bytes; the longest bar of each group fills the width."""

    name: str
    groups: tuple[tuple[float, tuple[Stack, ...]], ...]
    kinds: tuple[str, ...]  # all of them, in the order of the parts
    rest: str  # of them: the one that is no work
    site: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Own:
    """Two columns of a student's file; x and y are of one length."""

    name: str
    file: str
    x_name: str
    y_name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
