"""Published data of other machines: times and single values, and how far a modelled card is from published curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median
from lab.errors import SpecError
from lab.places import PUBLISHED
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.published_curves import published_curves
from lab.report.evidence.published_files import Entry, entries, rows_of, source_of
from lab.report.tex.units import NANO
from lab.report.topics.curves import exceeds_link
from lab.report.topics.latency import round_trips
from lab.report.topics.lines import Times
from lab.spec.cards import read_card

UNITS = {"microseconds": ("s", 1e-6), "bytes": ("size", 1.0), "bytes_per_microsecond": ("B/s", 1e6)}


@dataclass(frozen=True)
class PublishedTimes:
    """One time in seconds for each message; a Timed, without records."""

    name: str
    words: str
    machine: str
    file: str
    what: str
    points: tuple[tuple[int, float], ...]
    card: str = ""  # the modelled card that stands for the machine's
    site: str = "another machine"

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({size for size, _ in self.points}))

    def keys(self, sizes: Iterable[int]) -> tuple[str, ...]:
        del sizes
        return ()

    def answer(self, estimate: Estimate, unit: str, *sizes: int, is_exact: bool = False) -> Answer:
        """An answer that rests on the published file."""
        del sizes
        return Answer(estimate, unit, is_exact=is_exact, source=source_of(self.file))

    def rate(self, size: int) -> float:
        """The median rate of a size, in B/s."""
        return median(bytes_ / seconds for bytes_, seconds in self.points if bytes_ == size)

    def times(self) -> Times:
        """All of one run, and so one repetition, however often it went through the sizes."""
        sizes, seconds = zip(*self.points, strict=True)
        return Times(self, self.what, tuple(map(float, sizes)), (tuple(time / NANO for time in seconds),))


def published_times(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedTimes, ...]:
    """The times that belong to an experiment."""
    return tuple(_times(entry, folder) for entry in entries("times", experiment, folder))


def _times(entry: Entry, folder: Path) -> PublishedTimes:
    size, seconds = entry["size"], entry["seconds"]
    rows = rows_of(entry, folder, {size: int, seconds: float})
    points = tuple((int(row[size]), float(row[seconds])) for row in rows)
    name, words, machine, file, what = (entry[key] for key in ("name", "label", "machine", "file", "what"))
    return PublishedTimes(name, words, machine, file, what, points, entry.get("card", ""))


@dataclass(frozen=True)
class PublishedValues:
    """A table of quantities, a column for each variant: values in base units, by quantity and variant."""

    label: str
    variants: tuple[str, ...]
    values: dict[tuple[str, str], Answer]


def published_values(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedValues, ...]:
    """The values that belong to an experiment."""
    return tuple(_values(entry, folder) for entry in entries("values", experiment, folder))


def _values(entry: Entry, folder: Path) -> PublishedValues:
    rows = rows_of(entry, folder, {"quantity": str, "unit": str})
    variants = tuple(name for name in rows[0] if name not in ("quantity", "unit"))
    rows_of(entry, folder, dict.fromkeys(variants, float))
    if strange := sorted({row["unit"] for row in rows} - UNITS.keys()):
        raise SpecError(f"unit {strange[0]!r}", file=folder / entry["file"], expected=f"one of {', '.join(UNITS)}")
    values = {(row["quantity"], variant): _value(entry, row, variant) for row in rows for variant in variants}
    return PublishedValues(entry["label"], variants, values)


def _value(entry: Entry, row: dict[str, str], variant: str) -> Answer:
    unit, scale = UNITS[row["unit"]]
    value = Estimate(float(row[variant]) * scale, None, 0)
    return Answer(value, unit, is_exact=True, source=source_of(entry["file"]))


@dataclass(frozen=True)
class ModelErrors:
    """A curve over a modelled card against one report, in percent: positive where the model is the faster."""

    curve: Subject
    label: str
    by_size: dict[int, Answer]

    @property
    def median(self) -> Answer:
        """The median over the sizes of the errors without signs."""
        values = [abs(error.estimate.value) for error in self.by_size.values()]
        n = next(iter(self.by_size.values())).estimate.n
        return self.curve.answer(Estimate(median(values), None, n), "percent", *self.by_size)


def model_errors(evidence: Evidence) -> Iterator[ModelErrors]:
    """The errors of every series over a card that stands for a published machine: each report in the order of its
    index."""
    for curve in _over_cards(evidence):
        for label, card, rates in _published_rates(evidence, curve):
            model, sizes = curve.series.link.card, [size for size in curve.sizes if size in rates]
            if model and card == model.name and sizes:
                yield ModelErrors(curve, label, {size: _error(curve, size, rates[size]) for size in sizes})


def _over_cards(evidence: Evidence) -> Iterator[Subject]:
    for series in evidence.all_series("throughput"):
        if series.has_card and series.program == "verbs" and series.operation == "write":
            yield subject(evidence, series)
    for series in evidence.all_series("latency"):
        if series.has_card and series.program == "mpi-verbs":
            yield round_trips(evidence, series)


Published = tuple[str, str, dict[int, float]]  # the label of a report, its card's model, its rates by size in B/s


def _published_rates(evidence: Evidence, curve: Subject) -> Iterator[Published]:
    """The rates of the reports that measured as the curve did."""
    rates = _rates_of_times if curve.series.measure == "latency" else _rates_of_curves
    yield from rates(evidence.plan.experiment.name)


def _rates_of_times(experiment: str) -> Iterator[Published]:
    yield from ((of.words, of.card, {size: of.rate(size) for size in of.sizes}) for of in published_times(experiment))


def _rates_of_curves(experiment: str) -> Iterator[Published]:
    yield from ((of.label, of.card, of.by_size()) for of in published_curves(experiment))


@dataclass(frozen=True)
class Impossible:
    """A published rate above that of the link by which the report's machine is modelled."""

    label: str
    rate: Answer
    link_bit_s: int


def impossible_rates(experiment: str) -> Iterator[Impossible]:
    """The highest rate of each published curve that its modelled link cannot carry."""
    for label, card, rates in (*_rates_of_curves(experiment), *_rates_of_times(experiment)):
        fastest = Estimate(max(rates.values()), None, 1)
        bit_s = read_card(card).card.rate_bit_s if card else None
        if bit_s and exceeds_link(fastest, bit_s):
            yield Impossible(label, Answer(fastest, "B/s"), bit_s)


def _error(curve: Subject, size: int, rate: float) -> Answer:
    """In percent of the published rate; that of a round trip is the size over half of it."""
    values = [float(value) for value in curve.values(size)]
    rates = [2 * size / value / NANO for value in values] if curve.series.measure == "latency" else values
    return curve.answer(estimate_median([100 * (each / rate - 1) for each in rates]), "percent", size)
