"""All claims that the records of one experiment make."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.claim import Ledger
from lab.report.compared import ratio_claims
from lab.report.constants import constant_claims
from lab.report.evidence import COMPLETED, CONFIRMED, Evidence
from lab.report.measured import Subject, curve_claims, subject
from lab.report.sweeps import sweep_claims
from lab.spec import Series

# What is laid beside what, and by which stop time: the stricter one that both programs know.
PAIRS = (("verbs", "tcp", CONFIRMED), ("verbs", "ib_write_bw", COMPLETED), ("tcp", "iperf3", CONFIRMED))


def make_ledger(evidence: Evidence) -> Ledger:
    """Every claim once."""
    ledger = Ledger()
    ledger.add(*constant_claims(evidence))
    for series in evidence.plan.experiment.series:
        if series.measure != "throughput":
            continue
        ledger.add(*(sweep_claims(evidence, series) if series.vary else curve_claims(subject(evidence, series))))
    for ours, base in pairs(evidence):
        ledger.add(*ratio_claims(ours, base))
    return ledger


def pairs(evidence: Evidence) -> Iterator[tuple[Subject, Subject]]:
    """The comparisons for which the experiment has both sides."""
    series = {each.name: each for each in evidence.plan.experiment.series}
    for ours, base, column in PAIRS:
        if ours in series and base in series:
            yield Subject(evidence, series[ours], column, {}), Subject(evidence, series[base], column, {})


def curves(evidence: Evidence) -> tuple[Series, ...]:
    """The series that go through all sizes without varying anything else."""
    return tuple(each for each in evidence.plan.experiment.series if not each.vary and each.measure == "throughput")
