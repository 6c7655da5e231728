"""What every figure is drawn from: the data, and the errors about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from lab.analysis.estimate import Estimate


@dataclass
class FigureError(LabError):
    """A figure has no data, or a value outside its axes."""

    figure: str = ""
    label: str = ""


@dataclass(frozen=True)
class Figure:
    """`alt` has the main numbers in words, `n` explains n and the bands, `keys` names the records."""

    name: str
    pdf: bytes
    png: bytes
    svg: bytes
    alt: str
    n: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Curve:
    """One series: an estimate at each x. `machine` names another machine than the report's, whose data it shows."""

    label: str
    x: tuple[float, ...]
    y: tuple[Estimate, ...]
    keys: tuple[str, ...] = ()
    machine: str = ""


@dataclass(frozen=True)
class LineLook:
    """How a line looks, in colour and in grey; the same thing looks the same in all reports."""

    colour: str
    marker: str = "o"
    dashes: str = "solid"  # or dashed, dotted, none
    is_open: bool = False  # hollow marks


@dataclass(frozen=True)
class Sized:
    """Rates (B/s), times (s) or ratios against the message size, with the looks of the curves and limits by name."""

    name: str
    label: str  # of the axis
    kind: str  # rate, time, ratio
    curves: tuple[Curve, ...]
    looks: tuple[LineLook, ...]
    limits: tuple[tuple[str, float], ...] = ()
    height_mm: float = 70.0


@dataclass(frozen=True)
class Panel:
    """Curves in one of several panels, with their looks; each step is the sizes below and above it and a colour."""

    title: str
    curves: tuple[Curve, ...]
    looks: tuple[LineLook, ...]
    steps: tuple[tuple[float, float, str], ...] = ()


@dataclass(frozen=True)
class PanelRow:
    """Panels beside each other that share an axis of times (s), with 0 in it if it is linear, else logarithmic."""

    label: str
    panels: tuple[Panel, ...]
    is_linear: bool

    @property
    def curves(self) -> list[Curve]:
        return [curve for panel in self.panels for curve in panel.curves]

    @property
    def named(self) -> tuple[Curve, ...]:
        """The curves that need names: where a panel has one alone, its title names it."""
        return self.panels[-1].curves if len(self.panels[-1].curves) > 1 else ()


@dataclass(frozen=True)
class Multiples:
    """Rows of small panels against the message size, as many in each row."""

    name: str
    rows: tuple[PanelRow, ...]
    height_mm: float  # of a panel


@dataclass(frozen=True)
class Dot:
    """A row of a dot plot: a time (s), the longer time to which a line leads from it, and its look."""

    label: str
    value: Estimate
    end: float | None
    look: LineLook


@dataclass(frozen=True)
class Dots:
    """Times in groups of rows, each group with its heading."""

    name: str
    label: str  # of the axis
    groups: tuple[tuple[str, tuple[Dot, ...]], ...]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parts:
    """Times (s) as bars, each with its name and its parts, the last of which is what the others leave of the whole."""

    name: str
    label: str  # of the axis
    kinds: tuple[tuple[str, bool], ...]  # the name of a part, and whether it is assumed
    bars: tuple[tuple[str, tuple[float, ...]], ...]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ray:
    """A straight line through times, and its intercept and rate as tables print them."""

    low: float  # the sizes that it was fitted to: solid there, dashed down to 0 bytes
    high: float
    intercept_s: float
    slope_s: float  # of a byte
    intercept: str
    rate: str
    sizes: str

    def at(self, size: float) -> float:
        """The time that the line gives a message."""
        return self.intercept_s + self.slope_s * size


@dataclass(frozen=True)
class RayPanel:
    """Times (s) against sizes. `most` cuts the axis at a size, and names the lines where they reach 0 bytes."""

    title: str
    times: Curve
    look: LineLook
    rays: tuple[Ray, ...]
    small: Curve | None = None  # drawn larger; its smallest message has a name
    small_words: str = ""
    breaks: tuple[tuple[str, float], ...] = ()
    most: float = 0.0

    @property
    def curves(self) -> tuple[Curve, ...]:
        return (self.times, self.small) if self.small else (self.times,)


@dataclass(frozen=True)
class Extrapolated:
    """Panels beside each other: times, and lines through some of them drawn back to 0 bytes."""

    name: str
    label: str  # of the axis
    panels: tuple[RayPanel, ...]
    height_mm: float = 60.0


@dataclass(frozen=True)
class Against:
    """Rates, times or messages a second against a value that a series varies, with models and limits by name."""

    name: str
    x_label: str
    y_label: str
    kind: str  # of y: rate, time, messages, ratio
    ticks: tuple[tuple[float, str], ...]
    curves: tuple[Curve, ...]
    looks: tuple[LineLook, ...]
    models: tuple[Curve, ...] = ()  # what y should be
    limits: tuple[tuple[str, float], ...] = ()
    is_linear: bool = False  # both axes, from 0; else both are logarithmic
    height_mm: float = 60.0


@dataclass(frozen=True)
class Effect:
    """What a parameter does to one size: the values with the worst and the best result, and the ratio of these."""

    size: str
    worst: str
    best: str
    gain: Estimate
    colour: str
    doubt: str = ""  # in place of the best value where no difference was found


@dataclass(frozen=True)
class Tornado:
    """The effects of parameters, a row for each parameter and in it a bar for each size."""

    name: str
    label: str  # of the axis
    rows: tuple[tuple[str, tuple[Effect, ...]], ...]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class MatrixRow:
    """A series: at each column how many repetitions passed, of how many; None where it was not measured."""

    label: str
    look: LineLook
    cells: tuple[tuple[int, int] | None, ...]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matrix:
    """A square for each repetition of a series (row) at a message size (column), filled where it passed."""

    name: str
    label: str  # of what passes, for those who cannot see the squares
    columns: tuple[float, ...]
    rows: tuple[MatrixRow, ...]


@dataclass(frozen=True)
class ByRound:
    """Rates in the order in which they were measured, each over the median of its last ones."""

    name: str
    curves: tuple[Curve, ...]
    looks: tuple[LineLook, ...]
    band: float  # within which the last ones have to lie: largest less smallest


@dataclass(frozen=True)
class Distribution:
    """Samples in ns."""

    label: str
    samples: tuple[float, ...]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tails:
    """Distributions of times, each over its median, against the share of the samples that are at most as long."""

    name: str
    distributions: tuple[Distribution, ...]
    looks: tuple[LineLook, ...]


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
