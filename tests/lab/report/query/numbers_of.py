"""Numbers of results/reference, one object for each experiment."""

from functools import cache

from lab.experiment.reader import load
from lab.places import EXPERIMENTS
from lab.report.evidence.environment import reference_evidence
from lab.report.query.numbers import Numbers


@cache
def numbers_of(name: str) -> Numbers:
    return Numbers(reference_evidence(load(EXPERIMENTS / f"{name}.toml")))
