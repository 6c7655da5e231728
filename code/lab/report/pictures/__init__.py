"""The figures of a report, made of the same answers as its tables; each is drawn only where a template asks."""

from collections.abc import Iterator

from lab.report.evidence.evidence import Evidence
from lab.report.pictures.causes import instructions
from lab.report.pictures.latency import by_latency
from lab.report.pictures.published_curves import published
from lab.report.pictures.ratios import ratios
from lab.report.pictures.rounds import by_round
from lab.report.pictures.sides import by_side
from lab.report.pictures.sketch import AnySketch
from lab.report.pictures.sweeps import sweeps
from lab.report.pictures.throughput import by_size

# A module for each subject; each gives the figures for which the experiment has the series.
SUBJECTS = (
    by_size,
    ratios,
    sweeps,
    by_latency,
    published,
    by_round,
    by_side,
    instructions,
)


def pictures(evidence: Evidence) -> Iterator[AnySketch]:
    """All figures that the evidence can fill."""
    for subject in SUBJECTS:
        yield from subject(evidence)


def pictures_of(evidence: Evidence) -> tuple[AnySketch, ...]:
    """The same, kept with the evidence."""
    return evidence.once(_pictures_of)


def _pictures_of(evidence: Evidence) -> tuple[AnySketch, ...]:
    return tuple(pictures(evidence))


__all__ = ["pictures", "pictures_of"]
