"""The figures of a report, made from the same claims as its tables; each is drawn only where a template asks."""

from collections.abc import Iterator

from lab.report.claim import Ledger
from lab.report.evidence import Evidence
from lab.report.pictures.by_size import by_size
from lab.report.pictures.picture import Picture
from lab.report.pictures.ratios import ratios
from lab.report.pictures.sweeps import sweeps

# A module for each subject; each gives the figures for which the experiment has the series.
SUBJECTS = (by_size, ratios, sweeps)


def pictures(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """All figures that the evidence can fill."""
    for subject in SUBJECTS:
        yield from subject(evidence, ledger)


__all__ = ["Picture", "pictures"]
