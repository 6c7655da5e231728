"""The figures of a report, made from the same claims as its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lab.figures import MESSAGES_S, ByParameter, BySize, Curve, Figure, Ratios, Unit
from lab.figures.by_parameter import parameter
from lab.figures.by_size import message_rate, throughput
from lab.figures.ratios import peer_ratio, speed_up
from lab.report.claim import Ledger
from lab.report.evidence import Evidence
from lab.report.ledger import curves, pairs
from lab.report.measured import Subject, subject
from lab.report.sweeps import points
from lab.sizes import format_size
from lab.spec import Series

KIB = 1024
MB_S = Unit("MB/s", 1e6, (Unit("kB/s", 1e3), Unit("B/s", 1.0)))  # as in the tables


@dataclass(frozen=True)
class Picture:
    """A figure that is not drawn yet: its name, the data that it depends on, and who draws it."""

    name: str
    data: Any
    drawn_by: Callable[[Any], Figure]

    def draw(self) -> Figure:
        return self.drawn_by(self.data)


def pictures(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """All figures of a report."""
    yield from _by_size(evidence, ledger)
    yield from _ratios(evidence, ledger)
    for series in evidence.plan.experiment.series:
        if len(series.vary) == 1:
            yield _sweep(evidence, ledger, series)


def _by_size(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    site = evidence.plan.site.name
    rates = tuple(_rates(evidence, ledger, ""))
    yield Picture("throughput", BySize("throughput", rates, site, unit=MB_S), throughput)
    messages = tuple(_rates(evidence, ledger, ".messages"))
    yield Picture("message_rate", BySize("message_rate", messages, site), message_rate)


def _ratios(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """The speed-up over another transport, and both of ours over their peers in one figure."""
    site, compared = evidence.plan.site.name, {(a.series.name, b.series.name): (a, b) for a, b in pairs(evidence)}
    if found := compared.pop(("verbs", "tcp"), None):
        ours, base = found
        curve = _ratio_curve(ours, base, ledger, ours.words)
        yield Picture("speedup", Ratios("speedup", (curve,), base.words, ours.link, site), speed_up)
    if compared:
        curves_ = tuple(_ratio_curve(a, b, ledger, f"{a.words} / {b.words}") for a, b in compared.values())
        link = next(iter(compared.values()))[0].link
        yield Picture("peers", Ratios("peers", curves_, "ours over the peer's", link, site), peer_ratio)


def _sweep(evidence: Evidence, ledger: Ledger, series: Series) -> Picture:
    (parameter_name,) = series.vary
    subjects = points(evidence, series)
    drawn = []
    for size in subjects[0].sizes:
        estimates = tuple(ledger[f"{each.name}.{format_size(size)}.messages"].estimate for each in subjects)
        keys = tuple(dict.fromkeys(key for each in subjects for key in each.cell(size).keys))
        values = tuple(float(value) for value in series.vary[parameter_name])
        drawn.append(Curve(f"{format_size(size)}{'iB' if size >= KIB else ' B'}", values, estimates, keys))
    data = ByParameter(series.name, parameter_name, tuple(drawn), evidence.plan.site.name, MESSAGES_S)
    return Picture(series.name, data, parameter)


def _ratio_curve(ours: Subject, base: Subject, ledger: Ledger, words: str) -> Curve:
    name = f"{ours.series.name}_over_{base.series.name}"
    claims = [ledger[f"{name}.{format_size(size)}"] for size in ours.sizes]
    keys = tuple(dict.fromkeys(key for claim in claims for key in claim.keys))
    return Curve(words, tuple(float(size) for size in ours.sizes), tuple(claim.estimate for claim in claims), keys)


def _rates(evidence: Evidence, ledger: Ledger, suffix: str) -> Iterator[Curve]:
    for series in curves(evidence):
        curve = subject(evidence, series)
        yield _curve(curve, ledger, suffix)


def _curve(curve: Subject, ledger: Ledger, suffix: str) -> Curve:
    estimates = tuple(ledger[f"{curve.name}.{format_size(size)}{suffix}"].estimate for size in curve.sizes)
    keys = tuple(dict.fromkeys(key for size in curve.sizes for key in curve.cell(size).keys))
    return Curve(curve.words, tuple(float(size) for size in curve.sizes), estimates, keys)
