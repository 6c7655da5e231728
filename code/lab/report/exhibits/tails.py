"""How much longer the slow messages take than the median, for some series at one message size."""

from __future__ import annotations

from collections.abc import Sequence

from lab.figures import Distribution, Tails
from lab.figures.drawers import tails as drawer
from lab.model.sizes import parse_size
from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits, look_of
from lab.report.exhibits.gallery import Sketch
from lab.report.tex.escape import Markup
from lab.report.topics.latency import round_trips, trips


def tails(exhibits: Exhibits, name: str, caption: str, size: str, series: Sequence[Sequence[str]]) -> Markup:
    """The figure, all repetitions of a series together; a series whose round trips were not kept is left out."""
    drawn = [(part, look_of(words)) for of, *words in series if (part := _distribution(exhibits, of, words[0], size))]
    if not drawn:
        raise ReportError(f"the data give no round trips of {name}", hint="lab query")
    distributions, looks = zip(*drawn, strict=True)
    return exhibits.put(Sketch(name, caption, Tails(name, distributions, looks), drawer))


def _distribution(exhibits: Exhibits, name: str, label: str, size: str) -> Distribution | None:
    series = exhibits.numbers.series.get(name)
    if series is None:
        return None
    curve = round_trips(exhibits.numbers.evidence, series)
    measured = next((part for part in trips(curve) if part.size == parse_size(size)), None)
    samples = [float(trip) for repetition in measured.by_repetition for trip in repetition] if measured else []
    return Distribution(label, tuple(samples), curve.keys([parse_size(size)])) if samples else None
