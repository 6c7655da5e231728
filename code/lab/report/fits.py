"""Claims of a straight line through the time of a message: a cost per message and one per byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import median_high
from typing import Protocol

from lab.analysis.estimate import Estimate, Interval, reciprocal
from lab.analysis.regression import Line, fit_line
from lab.report.claim import Claim, Kind
from lab.report.measured import Subject

NS = 1e-9
R_SQUARED_PLACES = 5
LEAST_SIZES = 5  # two would always lie on a line


class Timed(Protocol):
    """Whose times they are: a series of ours, or what another machine's report has published."""

    @property
    def name(self) -> str: ...

    @property
    def words(self) -> str: ...

    @property
    def site(self) -> str: ...

    @property
    def sizes(self) -> tuple[int, ...]: ...

    def keys(self, sizes: Iterable[int]) -> tuple[str, ...]: ...

    def claim(self, name: str, estimate: Estimate, unit: str, kind: Kind, meaning: str, *sizes: int) -> Claim: ...


@dataclass(frozen=True)
class Times:
    """The time of a message in ns, for each size and repetition."""

    curve: Timed
    what: str
    sizes: tuple[float, ...]
    times_ns: tuple[float, ...]
    part: str = "fit"  # names the claims: of all sizes, or of some

    @property
    def name(self) -> str:
        return f"{self.curve.name}.{self.part}"

    def line(self) -> Line:
        return fit_line(self.sizes, self.times_ns)

    def upper(self) -> Times:
        """Those of the larger half of the sizes."""
        least = median_high(set(self.sizes))
        kept = [point for point in zip(self.sizes, self.times_ns, strict=True) if point[0] >= least]
        sizes, times_ns = zip(*kept, strict=True)
        return replace(
            self, what=f"{self.what}, the larger half of the sizes,", sizes=sizes, times_ns=times_ns, part="upper"
        )


def message_times(curve: Subject) -> Times:
    """What a message takes while many are on their way: the reciprocal of the message rate."""
    points = [(float(size), 1e9 * size / rate) for size in curve.sizes for rate in curve.values(size)]
    sizes, times_ns = zip(*points, strict=True)
    return Times(curve, "time per message", sizes, times_ns)


def fit_claims(times: Times) -> Iterator[Claim]:
    """Bandwidth as 1/slope, the intercept, and over which sizes the line goes."""
    curve = times.curve
    if len(curve.sizes) < LEAST_SIZES:
        return
    line, about = times.line(), f"of the line through the {times.what} of {curve.words}"
    rate, intercept = scaled(reciprocal(line.slope), 1 / NS), scaled(line.intercept, NS)
    found = [
        ("rate", rate, "B/s", Kind.RATE, f"1/slope {about}"),
        ("intercept", intercept, "s", Kind.INTERCEPT, f"intercept {about}: no message was that small"),
        ("low", Estimate(line.low, None, line.n), "size", Kind.DERIVED, f"smallest size {about}"),
        ("high", Estimate(line.high, None, line.n), "size", Kind.DERIVED, f"largest size {about}"),
    ]
    worst = float(abs(line.residuals).max()) * NS
    found.append(("residual", Estimate(worst, None, line.n), "s", Kind.RATE, f"largest residual, up or down, {about}"))
    if line.r_squared is not None:
        r_squared = Estimate(round(line.r_squared, R_SQUARED_PLACES), None, line.n)
        found.append(("r2", r_squared, "", Kind.DERIVED, f"R squared {about}"))
    for name, estimate, unit, kind, meaning in found:
        claim = curve.claim(f"{times.name}.{name}", estimate, unit, kind, f"{meaning}; n: points", *curve.sizes)
        yield replace(claim, wanted_n=None)


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """The same estimate in another unit."""
    interval = estimate.interval
    ends = interval and Interval(interval.low * factor, interval.high * factor, interval.level)
    return Estimate(estimate.value * factor, ends, estimate.n)
