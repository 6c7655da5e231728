"""Throughput by window, with the unsteady start marked."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import Windows, WindowSeries, windows
from lab.report.claim import Ledger
from lab.report.claims.sweeps import points
from lab.report.claims.windows import Settling, settlings
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import link_groups
from lab.report.pictures.picture import MB_S, Picture
from lab.report.tex.units import in_words

SHOWN_SIZE = (
    4096  # of a curve over many sizes: large enough for the path's cost per byte, small enough for many messages
)


def by_window(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """One figure of our curves on the main link at a middle size, one of the ends of a sweep of warm-up."""
    main = [group.series for group in link_groups(evidence)[:1]]
    curves = [subject(evidence, each) for group in main for each in group if is_ours(each)]
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
