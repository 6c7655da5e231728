"""Throughput by window, with the unsteady start marked."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import Windows, WindowSeries, windows
from lab.report.claim import Ledger
from lab.report.evidence import Evidence
from lab.report.labels import is_ours
from lab.report.measured import subject
from lab.report.pictures.picture import MB_S, Picture
from lab.report.settling import Settling, settlings
from lab.report.sweeps import points
from lab.report.units import in_words

SHOWN_SIZE = (
    4096  # of a curve over many sizes: large enough for the path's cost per byte, small enough for many messages
)


def by_window(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """One figure of our curves at a middle size; one for a sweep of warm-up, at its first and its last value."""
    curves = [subject(evidence, each) for each in evidence.all_series("throughput") if is_ours(each)]
    shown = [each for curve in curves for each in settlings(curve) if each.size == SHOWN_SIZE]
    if shown:
        yield _picture("windows", shown, ledger)
    for series in evidence.all_series("throughput", varied=1):
        if "warmup" in series.vary:
            ends = [points(evidence, series)[place] for place in (0, -1)]
            yield _picture(f"{series.name}.windows", [each for end in ends for each in settlings(end)], ledger)


def _picture(name: str, shown: list[Settling], ledger: Ledger) -> Picture:
    drawn = tuple(
        WindowSeries(
            f"{each.curve.words}, {in_words(each.size)}",
            each.windows(),
            each.steady(),
            ledger[each.name].estimate,
            each.curve.keys([each.size]),
        )
        for each in shown
    )
    site = shown[0].curve.evidence.plan.site.name
    caption = "Throughput by window; grey: before the steady state, as the MSER rule finds it."
    return Picture(name, caption, Windows(name, drawn, site, MB_S), windows)
