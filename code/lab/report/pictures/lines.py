"""A line through the times of messages, with its residuals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.figures import Fit
from lab.figures.drawers import fit
from lab.figures.marks import GREY
from lab.report.claims.ledger import AllClaims
from lab.report.claims.lines import Times
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import MB_S, Sketch


def fitted(claims: AllClaims) -> Iterator[Sketch[Fit]]:
    """One figure for each of our curves with sizes enough for a line."""
    throughput = ((each.curve.series, each.fit) for each in claims.curves.values())
    latency = ((each.curve.series, each.fits.whole) for each in claims.latencies.values() if each.fits)
    for series, found in (*throughput, *latency):
        if found:
            yield _picture(found.line.times, colour(series))
    for theirs in claims.published_times:
        if theirs.fit:
            yield replace(_picture(theirs.fit.line.times, GREY), machine=theirs.times.machine)


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
