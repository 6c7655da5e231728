"""Throughput by window, with the unsteady start marked."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import Windows, WindowSeries
from lab.figures.drawers import windows
from lab.report.claims.ledger import AllClaims
from lab.report.claims.windows import WindowClaims
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import link_groups
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import MB_S, Sketch
from lab.report.tex.units import in_words

SHOWN_SIZE = (
    4096  # of a curve over many sizes: large enough for the path's cost per byte, small enough for many messages
)


def by_window(claims: AllClaims) -> Iterator[Sketch[Windows]]:
    """One figure of our curves on the main link at a middle size, one of the ends of a sweep of warm-up."""
    main = [each for group in link_groups(claims.evidence)[:1] for each in group.series if is_ours(each)]
    found = [each for series in main for each in claims.curves[series.name].windows]
    shown = [each for each in found if each.settling.size == SHOWN_SIZE]
    if shown:
        yield _picture("windows", shown)
    for sweep in claims.sweeps_of(1):
        ends = [*sweep.windows[0], *sweep.windows[-1]]
        if "warmup" in sweep.series.vary and ends:
            yield _picture(f"{sweep.series.name}.windows", _extremes(ends))


def _extremes(found: list[WindowClaims]) -> list[WindowClaims]:
    """The smallest and the largest messages: a page has no room for all."""
    sizes = {each.settling.size for each in found}
    return [each for each in found if each.settling.size in (min(sizes), max(sizes))]


def _picture(name: str, shown: list[WindowClaims]) -> Sketch[Windows]:
    site = shown[0].settling.curve.site
    caption = "Throughput by window; grey: before the steady state, as the MSER rule finds it."
    return Sketch(name, caption, Windows(name, tuple(map(_drawn, shown)), site, MB_S), windows)


def _drawn(claims: WindowClaims) -> WindowSeries:
    found, curve = claims.settling, claims.settling.curve
    words, keys = f"{curve.words}, {in_words(found.size)}", curve.keys([found.size])
    look = colour(curve.series)
    return WindowSeries(words, found.windows(), found.steady(), claims.first.estimate, keys, look)
