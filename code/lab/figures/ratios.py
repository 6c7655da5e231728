"""Ratios against the message size: the speed-up over a base, or one program against each of its peers."""

from __future__ import annotations

from lab.analysis.verdict import count_verdicts
from lab.figures.curves import check_curves, draw_curves, heights, keys_of, label_of, ordered
from lab.figures.figure import Figure
from lab.figures.inputs import Curve, Ratios
from lab.figures.labels import Name, name_series
from lab.figures.marks import INK, PALE
from lab.figures.plot import Plot, finish, new_panels
from lab.figures.scales import log_axis, size_axis
from lab.figures.style import style
from lab.figures.words import counts, extremes, measured, size

HEIGHT_MM = 50.0


def speed_up(data: Ratios) -> Figure:
    """The speed-up over the base; the axis names the base and the link."""
    return finish(draw_ratios(data, f"speed-up over {data.base}"))


def peer_ratio(data: Ratios) -> Figure:
    """The ratio to each peer that a label names; the axis names the base of all."""
    return finish(draw_ratios(data, f"throughput over that of {data.base}"))


def draw_ratios(data: Ratios, quantity: str) -> Plot:
    """Both ways alike: on a logarithmic axis twice as fast is as far from 1 as half as fast."""
    check_curves(data.name, data.curves)
    with style():
        drawing, (panel,) = new_panels([HEIGHT_MM])
        panel.grid(visible=True)
        sizes = [x for curve in data.curves for x in curve.x]
        size_axis(panel, sizes)
        log_axis(panel.yaxis, [1.0, *heights(data.curves)])
        panel.set_ylabel(quantity)
        panel.set_title(f"link: {data.link}")
        if data.margin:
            panel.axhspan(1 - data.margin, 1 + data.margin, color=PALE, linewidth=0, zorder=1.0)
        line = panel.axhline(1.0, color=INK, linewidth=0.9, zorder=1.5, label="equal")
        names = [Name("equal (1)", line, panel.get_xlim()[1], 1.0), *draw_curves(panel, data.curves)]
        name_series(drawing, panel, names, HEIGHT_MM)
    n = counts([y for curve in data.curves for y in curve.y], "repetitions on the smaller side", "bands")
    n = n.replace("of the median", "of the ratio of medians")
    return Plot(data.name, drawing, (panel,), _alt(data, quantity), n, keys_of(data.curves))


def _alt(data: Ratios, quantity: str) -> str:
    title = (
        f"{quantity[0].upper()}{quantity[1:]} against message size on {data.site}, link {data.link}, with a line at 1."
    )
    return " ".join([title, *(_in_words(ordered(curve), data.margin) for curve in data.curves)])


def _in_words(curve: Curve, margin: float) -> str:
    ends = dict.fromkeys((0, len(curve.y) - 1))
    points = ", ".join(f"{measured(curve.y[place])} at {size(curve.x[place])}" for place in ends)
    beside = f"beside 1 with a margin of {100 * margin:g} %" if margin else "beside 1"
    judged = f"{beside}, at {len(curve.y)} sizes: {count_verdicts(curve.y, margin)}"
    return f"{label_of(curve)}: {points}, {extremes(curve.y)}; {judged}."
