"""A line through the times of messages, with its residuals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.figures import Fit, fit
from lab.report.claim import Ledger
from lab.report.evidence import Evidence
from lab.report.fits import LEAST_SIZES, Times, message_times
from lab.report.labels import is_ours
from lab.report.latencies import round_trips, trip_times
from lab.report.measured import subject
from lab.report.pictures.picture import MB_S, Picture
from lab.report.published_times import published_times


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


def _picture(times: Times) -> Picture:
    curve, name = times.curve, f"{times.curve.name}.fit"
    caption = f"{times.what.capitalize()} of {curve.words} with its least-squares line, and what the line leaves."
    keys = curve.keys(curve.sizes)
    data = Fit(name, curve.words, times.sizes, times.times_ns, times.line(), curve.site, rate=MB_S, keys=keys)
    return Picture(name, caption, data, fit)
