"""What one parameter changes: a curve for each size, or a map where there are many sizes."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import MESSAGES_S, ByParameter, Curve, HeatMap, heat_map
from lab.figures.by_parameter import parameter
from lab.report.claim import Ledger
from lab.report.evidence import Evidence
from lab.report.measured import Subject
from lab.report.pictures.picture import MB_S, Picture
from lab.report.sweeps import points
from lab.report.units import in_words
from lab.report.words import parameter_words
from lab.sizes import format_size
from lab.spec import Series

MOST_CURVES = 3  # more sizes make a map


def sweeps(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """One figure for each series that varies one parameter."""
    for series in evidence.all_series("throughput", varied=1):
        subjects = points(evidence, series)
        many = len(subjects[0].sizes) > MOST_CURVES
        yield _map(evidence, ledger, series, subjects) if many else _curves(evidence, ledger, series, subjects)


def _curves(evidence: Evidence, ledger: Ledger, series: Series, subjects: tuple[Subject, ...]) -> Picture:
    (name,) = series.vary
    values = tuple(float(value) for value in series.vary[name])
    drawn = []
    for size in subjects[0].sizes:
        estimates = tuple(ledger[f"{each.name}.{format_size(size)}.messages"].estimate for each in subjects)
        keys = tuple(dict.fromkeys(key for each in subjects for key in each.cell(size).keys))
        drawn.append(Curve(in_words(size), values, estimates, keys))
    data = ByParameter(
        series.name, f"{parameter_words(name)} ({name})", tuple(drawn), evidence.plan.site.name, MESSAGES_S
    )
    return Picture(series.name, f"Message rate against {parameter_words(name)}.", data, parameter)


def _map(evidence: Evidence, ledger: Ledger, series: Series, subjects: tuple[Subject, ...]) -> Picture:
    (name,) = series.vary
    sizes = subjects[0].sizes
    cells = tuple(
        tuple(ledger[f"{each.name}.{format_size(size)}"].estimate for each in subjects) for size in reversed(sizes)
    )
    keys = tuple(dict.fromkeys(key for each in subjects for key in each.keys(sizes)))
    data = HeatMap(
        name=series.name,
        row_label="message size in bytes",
        rows=tuple(float(size) for size in reversed(sizes)),
        column_label=name,
        columns=tuple(float(value) for value in series.vary[name]),
        cells=cells,
        site=evidence.plan.site.name,
        unit=MB_S,
        keys=keys,
    )
    return Picture(series.name, f"Throughput by message size and {parameter_words(name)}.", data, heat_map)
