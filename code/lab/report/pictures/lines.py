"""A line through the times of messages, with its residuals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.figures import Fit, fit
from lab.report.claim import Ledger
from lab.report.claims.latency import round_trips, trip_times
from lab.report.claims.lines import LEAST_SIZES, Times, message_times
from lab.report.claims.published_times import published_times
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.pictures.picture import MB_S, Picture


def fitted(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """One figure for each of our curves with sizes enough for a line."""
    del ledger
    throughput = [message_times(subject(evidence, each)) for each in evidence.all_series("throughput") if is_ours(each)]
    latency = [trip_times(round_trips(evidence, each)) for each in evidence.all_series("latency") if is_ours(each)]
    for times in (*throughput, *latency):
        if len(times.curve.sizes) >= LEAST_SIZES:
            yield _picture(times)
    for found in published_times(evidence.plan.experiment.name):
        yield replace(_picture(found.times()), machine=found.machine)


def fit_data(name: str, label: str, times: Times) -> Fit:
    """Every time of every repetition, the line, and the two where they follow the times instead."""
    curve, y = times.curve, tuple(time for row in times.rows for time in row)
    keys = curve.keys(curve.sizes)
    return Fit(
        name, label, times.sizes * len(times.rows), y, times.line(), curve.site, times.pieces(), rate=MB_S, keys=keys
    )


def _picture(times: Times) -> Picture:
    curve, name = times.curve, f"{times.curve.name}.fit"
    lines = "the two lines that follow it" if times.pieces() else "its least-squares line"
    caption = f"{times.what.capitalize()} of {curve.words} with {lines}, and what one line leaves."
    return Picture(name, caption, fit_data(name, curve.words, times), fit)
