"""A line through the times of messages, with its residuals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.figures import Fit, fit
from lab.report.claims.ledger import AllClaims
from lab.report.claims.lines import Times
from lab.report.pictures.sketch import MB_S, Sketch


def fitted(claims: AllClaims) -> Iterator[Sketch[Fit]]:
    """One figure for each of our curves with sizes enough for a line."""
    throughput = (each.fit for each in claims.curves.values())
    latency = (each.fits.whole for each in claims.latencies.values() if each.fits)
    for found in (*throughput, *latency):
        if found:
            yield _picture(found.line.times)
    for theirs in claims.published_times:
        if theirs.fit:
            yield replace(_picture(theirs.fit.line.times), machine=theirs.times.machine)


def fit_data(name: str, label: str, times: Times) -> Fit:
    """Every time of every repetition, the line, and the two where they follow the times instead."""
    curve, y = times.curve, tuple(time for row in times.rows for time in row)
    keys = curve.keys(curve.sizes)
    return Fit(
        name, label, times.sizes * len(times.rows), y, times.line(), curve.site, times.pieces(), rate=MB_S, keys=keys
    )


def _picture(times: Times) -> Sketch[Fit]:
    curve, name = times.curve, f"{times.curve.name}.fit"
    lines = "the two lines that follow it" if times.pieces() else "its least-squares line"
    caption = f"{times.what.capitalize()} of {curve.words} with {lines}, and what one line leaves."
    return Sketch(name, caption, fit_data(name, curve.words, times), fit)
