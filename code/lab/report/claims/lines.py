"""Claims of a straight line through the time of a message: a cost per message and one per byte; or of two pieces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median_high
from typing import Protocol

from lab.analysis.estimate import Estimate, Interval, reciprocal
from lab.analysis.pieces import Pieces, find_pieces
from lab.analysis.regression import Line, fit_line, neighbour_correlation
from lab.analysis.summary import estimate_median
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.evidence.curve import Subject
from lab.report.tex.units import NANO, in_words

R_SQUARED_PLACES = 5
NEIGHBOUR_PLACES = 2
LEAST_SIZES = 5  # two would always lie on a line


class Timed(Protocol):
    """The source of the times: one of our series, or another machine's published report."""

    @property
    def name(self) -> str: ...

    @property
    def words(self) -> str: ...

    @property
    def site(self) -> str: ...

    @property
    def sizes(self) -> tuple[int, ...]: ...

    def keys(self, sizes: Iterable[int]) -> tuple[str, ...]: ...

    def claim(self, name: str, estimate: Estimate, unit: str, kind: ClaimKind, meaning: str, *sizes: int) -> Claim: ...


@dataclass(frozen=True)
class Times:
    """The time of a message in ns: a row over the sizes from each repetition."""

    curve: Timed
    what: str
    sizes: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]
    part: str = "fit"  # names the claims: of all sizes, or of some

    @property
    def name(self) -> str:
        return f"{self.curve.name}.{self.part}"

    def line(self) -> Line:
        return fit_line(self.sizes, self.rows)

    def pieces(self) -> Pieces | None:
        """The two lines that follow these times where one does not."""
        return find_pieces(self.sizes, self.rows)

    def parts(self) -> tuple[Times, ...]:
        """Those below and those above the break, each for a line of its own; none where one line does."""
        found = self.pieces()
        if found is None:
            return ()
        below, above = f"{self.what}, the sizes below the break,", f"{self.what}, the sizes above the break,"
        return (
            self.between(found.below.low, found.below.high, below, f"{self.part}.below"),
            self.between(found.above.low, found.above.high, above, f"{self.part}.above"),
        )

    def upper(self) -> Times:
        """Those of the larger half of the sizes."""
        least, most = median_high(set(self.sizes)), max(self.sizes)
        return self.between(least, most, f"{self.what}, the larger half of the sizes,", "upper")

    def between(self, low: float, high: float, what: str, part: str) -> Times:
        """Those of the sizes from one to another."""
        kept = [place for place, size in enumerate(self.sizes) if low <= size <= high]
        rows = tuple(tuple(row[place] for place in kept) for row in self.rows)
        return replace(self, what=what, sizes=tuple(self.sizes[place] for place in kept), rows=rows, part=part)

    def fastest(self) -> tuple[float, int]:
        """The highest rate of any single time, in bytes per second, and its size."""
        rates = (
            (size / time / NANO, int(size)) for row in self.rows for size, time in zip(self.sizes, row, strict=True)
        )
        return max(rates)


def message_times(curve: Subject) -> Times:
    """The time per message with many in flight: the reciprocal of the message rate."""
    rows = (tuple(size / rate / NANO for size, rate in zip(curve.sizes, row, strict=True)) for row in curve.rows())
    return Times(curve, "time per message", tuple(map(float, curve.sizes)), tuple(rows))


@dataclass(frozen=True)
class LineClaims(ClaimGroup):
    """One line: its intercept, its sizes, its fit; and its rate, unless two lines fit the times better."""

    times: Times
    intercept: Claim
    low: Claim
    high: Claim
    residual: Claim
    fastest: Claim
    fastest_size: Claim
    r_squared: Claim | None
    neighbours: Claim | None
    rate: Claim | None


@dataclass(frozen=True)
class BreakClaims(ClaimGroup):
    """The break between two lines, the ends of its interval, the times at the sizes beside it, and both lines."""

    at: Claim
    start: Claim | None
    end: Claim | None
    before: Claim
    after: Claim
    below: LineClaims
    above: LineClaims


@dataclass(frozen=True)
class FitClaims(ClaimGroup):
    """One line, and the two that follow the times where it does not."""

    line: LineClaims
    broken: BreakClaims | None

    @property
    def name(self) -> str:
        return self.line.times.name


def fit_claims(times: Times) -> FitClaims | None:
    """The claims of one line; if two fit the times clearly better, the claims of each, and no rate of the one.

    A line that does not fit the times has no useful rate: the rate can lie beyond every measured message. Too few
    sizes have no line.
    """
    if len(times.curve.sizes) < LEAST_SIZES:
        return None
    found = times.pieces()
    if found is None:
        return FitClaims(_line_claims(times, _rate_claim(times)), None)
    return FitClaims(_line_claims(times, None), _break_claims(times, found))


def _break_claims(times: Times, found: Pieces) -> BreakClaims:
    meaning = f"size at which the line through the {times.what} of {times.curve.words} breaks"
    within, (below, above) = found.at.interval, times.parts()

    def end(which: str, size: float) -> Claim:
        where, about = Estimate(size, None, found.at.n), f"size that the interval of the {meaning} goes {which}"
        return times.curve.claim(f"{times.name}.break.{which}", where, "size", ClaimKind.DERIVED, about, *_sizes(times))

    return BreakClaims(
        times.curve.claim(f"{times.name}.break", found.at, "bytes", ClaimKind.RATE, meaning, *_sizes(times)),
        end("from", within.low) if within else None,
        end("to", within.high) if within else None,
        _time_at(times, below.sizes[-1], "before"),
        _time_at(times, above.sizes[0], "after"),
        _line_claims(below, _rate_claim(below)),
        _line_claims(above, _rate_claim(above)),
    )


def _time_at(times: Times, size: float, which: str) -> Claim:
    """The time of the last message before a break, or of the first one after it."""
    place = times.sizes.index(size)
    time = scaled(estimate_median([row[place] for row in times.rows]), NANO)
    meaning = f"median {times.what} of {times.curve.words}, {in_words(int(size))}, the size {which} the break"
    return times.curve.claim(f"{times.name}.break.{which}", time, "s", ClaimKind.RATE, meaning, int(size))


def _rate_claim(times: Times) -> Claim | None:
    """Bandwidth as 1/slope; a line that falls with the size has none."""
    slope, (fastest, size) = times.line().slope, times.fastest()
    if slope.value <= 0:
        return None
    rate = scaled(reciprocal(slope), 1 / NANO)
    meaning = f"1/slope of the line through the {times.what} of {times.curve.words}"
    if rate.value > fastest:
        meaning += f"; no message was that fast, the fastest had {in_words(size)}"
    return times.curve.claim(f"{times.name}.rate", rate, "B/s", ClaimKind.SLOPE, meaning, *_sizes(times))


def _line_claims(times: Times, rate: Claim | None) -> LineClaims:
    """The intercept, over which sizes the line goes, how well it fits, and the fastest message beside it."""
    line, about = times.line(), f"of the line through the {times.what} of {times.curve.words}"
    (fastest, size), worst = times.fastest(), float(abs(line.residuals).max()) * NANO
    intercept, meaning = scaled(line.intercept, NANO), f"intercept {about}: no message was that small"

    def of_points(name: str, value: float, unit: str, kind: ClaimKind, meaning: str) -> Claim:
        """A claim without an interval, with the line's number of points."""
        return _counted(times, name, Estimate(value, None, line.n), unit, kind, f"{meaning} {about}; n: points")

    return LineClaims(
        times,
        times.curve.claim(f"{times.name}.intercept", intercept, "s", ClaimKind.INTERCEPT, meaning, *_sizes(times)),
        of_points("low", line.low, "size", ClaimKind.DERIVED, "smallest size"),
        of_points("high", line.high, "size", ClaimKind.DERIVED, "largest size"),
        of_points("residual", worst, "s", ClaimKind.RATE, "largest residual, up or down,"),
        of_points("fastest", fastest, "B/s", ClaimKind.RATE, "highest rate of any message"),
        of_points("fastest.size", size, "size", ClaimKind.DERIVED, "size of the fastest message"),
        None
        if line.r_squared is None
        else of_points("r2", round(line.r_squared, R_SQUARED_PLACES), "", ClaimKind.DERIVED, "R squared"),
        _neighbours(times, line, about),
        rate,
    )


def _neighbours(times: Times, line: Line, about: str) -> Claim | None:
    found = neighbour_correlation(times.sizes, times.rows, line)
    if found is None:
        return None
    estimate = Estimate(round(found, NEIGHBOUR_PLACES), None, len(set(times.sizes)))
    meaning = f"correlation of the residuals at neighbouring sizes {about}; n: sizes"
    return _counted(times, "neighbours", estimate, "", ClaimKind.DERIVED, meaning)


def _counted(times: Times, name: str, estimate: Estimate, unit: str, kind: ClaimKind, meaning: str) -> Claim:
    """Its n counts something else than repetitions."""
    claim = times.curve.claim(f"{times.name}.{name}", estimate, unit, kind, meaning, *_sizes(times))
    return replace(claim, wanted_n=None)


def _sizes(times: Times) -> tuple[int, ...]:
    return tuple(dict.fromkeys(map(int, times.sizes)))


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """The same estimate in another unit."""
    interval = estimate.interval
    ends = interval and Interval(interval.low * factor, interval.high * factor, interval.level)
    return Estimate(estimate.value * factor, ends, estimate.n)
