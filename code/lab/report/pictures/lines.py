"""A line through the times of messages, with its residuals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.figures import Fit
from lab.figures.drawers import fit
from lab.figures.marks import GREY
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import MB_S, Sketch
from lab.report.topics.latency import round_trips, trip_times
from lab.report.topics.lines import Times, message_times
from lab.report.topics.published import published_times


def fitted(evidence: Evidence) -> Iterator[Sketch[Fit]]:
    """One figure for each curve of the lab's programs with sizes enough for a line."""
    throughput = ((of, message_times(subject(evidence, of))) for of in evidence.all_series("throughput") if is_ours(of))
    latency = ((of, trip_times(round_trips(evidence, of))) for of in evidence.all_series("latency") if is_ours(of))
    yield from (_picture(times, colour(of)) for of, times in (*throughput, *latency) if times.are_enough)
    for theirs in published_times(evidence.plan.experiment.name):
        if theirs.times().are_enough:
            yield replace(_picture(theirs.times(), GREY), machine=theirs.machine)


def fit_data(name: str, label: str, times: Times, look: str = "") -> Fit:
    """Every time of every repetition, the line, and the two where they follow the times instead."""
    curve, y = times.curve, tuple(time for row in times.rows for time in row)
    x, keys = times.sizes * len(times.rows), curve.keys(curve.sizes)
    return Fit(name, label, x, y, times.line(), curve.site, times.pieces(), rate=MB_S, keys=keys, colour=look)


def _picture(times: Times, look: str) -> Sketch[Fit]:
    curve, name = times.curve, f"{times.curve.name}.fit"
    lines = "the two lines that follow it" if times.pieces() else "its least-squares line"
    caption = f"{times.what.capitalize()} of {curve.words} with {lines}, and what one line leaves."
    return Sketch(name, caption, fit_data(name, curve.words, times, look), fit)
