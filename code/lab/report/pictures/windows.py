"""Throughput by window, with the unsteady start marked."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import Windows, WindowSeries
from lab.figures.drawers import windows
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import link_groups
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import MB_S, Sketch
from lab.report.tex.units import in_words
from lab.report.topics.sweeps import all_sweeps
from lab.report.topics.windows import Settling, settlings

SHOWN_SIZE = (
    4096  # of a curve over many sizes: large enough for the path's cost per byte, small enough for many messages
)


def by_window(evidence: Evidence) -> Iterator[Sketch[Windows]]:
    """One figure of the lab's curves on the main link at a middle size, and one of the ends of a sweep of warm-up."""
    main = [series for group in link_groups(evidence)[:1] for series in group.series if is_ours(series)]
    found = [settling for series in main for settling in settlings(subject(evidence, series))]
    shown = [settling for settling in found if settling.size == SHOWN_SIZE]
    if shown:
        yield _picture("windows", shown)
    for sweep in all_sweeps(evidence, 1):
        ends = [*settlings(sweep.curves[0]), *settlings(sweep.curves[-1])] if "warmup" in sweep.series.vary else []
        if ends:
            yield _picture(f"{sweep.series.name}.windows", _extremes(ends))


def _extremes(found: list[Settling]) -> list[Settling]:
    """The smallest and the largest messages: a page has no room for all."""
    sizes = {settling.size for settling in found}
    return [settling for settling in found if settling.size in (min(sizes), max(sizes))]


def _picture(name: str, shown: list[Settling]) -> Sketch[Windows]:
    caption = "Throughput by window; grey: before the steady state, as the MSER rule finds it."
    return Sketch(name, caption, Windows(name, tuple(map(_drawn, shown)), shown[0].curve.site, MB_S), windows)


def _drawn(of: Settling) -> WindowSeries:
    words, keys = f"{of.curve.words}, {in_words(of.size)}", of.curve.keys([of.size])
    return WindowSeries(words, of.windows(), of.steady(), of.warm_up(), keys, colour(of.curve.series))
