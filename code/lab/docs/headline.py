"""docs/headline.svg: the front page's figure, drawn from results/reference, for light and dark."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from matplotlib.axes import Axes

from lab.figures.marks import GREY, INK, OTHERS, PALE, RDMA, TCP
from lab.figures.plot import new_panels
from lab.figures.scales import log_axis, size_axis
from lab.figures.style import style
from lab.places import REFERENCE
from lab.report.evidence.published_curves import published_curves

EXPERIMENT, HEIGHT_MM = "verbs_throughput", 78.0
MB = 1e6
# Colours of ink and lines become the page's own; those of the curves stand out on white and on black.
PAPERS = {INK: ("ink", "#111111", "#eeeeee"), PALE: ("line", PALE, "#444444"), GREY: ("grey", "#555555", "#b5b5b5")}


@dataclass(frozen=True)
class HeadlineCurve:
    """A curve of the figure: its series, and what stands beside its end."""

    series: str
    words: str
    colour: str
    marker: str = "o"
    dashes: str = "-"


CURVES = (
    HeadlineCurve("card", "RDMA WRITE,\nmodelled card", RDMA),
    HeadlineCurve("tcp.card", "TCP", TCP),
    HeadlineCurve("soft.card", "RDMA WRITE,\nSoft-RoCE", OTHERS[0]),
)


def headline(reference: Path = REFERENCE) -> str:
    """The drawing as text; the same tables give the same bytes."""
    rates = _rates(reference / f"{EXPERIMENT}.csv")
    curves = {each: rates[each.series] for each in CURVES if each.series in rates} | dict([_published()])
    with style():
        drawing, (panel,) = new_panels([HEIGHT_MM])
        panel.set_position((0.095, 0.145, 0.73, 0.83))
        _draw(panel, curves)
        svg = io.BytesIO()
        drawing.savefig(svg, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format")))
    return _on_any_paper(svg.getvalue().decode(), _in_words(curves))


def _rates(table: Path) -> dict[str, dict[int, float]]:
    """The median of the repetitions in MB/s, by series and size."""
    found = defaultdict[str, dict[int, list[float]]](lambda: defaultdict(list))
    with table.open(newline="") as opened:
        for row in csv.DictReader(opened):
            if rate := row["confirmed_bytes_per_s"]:
                found[row["series"]][int(row["size_bytes"])].append(float(rate) / MB)
    return {series: {size: median(each) for size, each in sizes.items()} for series, sizes in found.items()}


def _published() -> tuple[HeadlineCurve, dict[int, float]]:
    """The first published curve of the experiment: what a real card reached."""
    curve = published_curves(EXPERIMENT)[0]
    rates = {size: rate.value / MB for size, rate in zip(curve.sizes, curve.rates, strict=True)}
    return HeadlineCurve("", "a real card,\nas published", GREY, "", "--"), rates


def _draw(panel: Axes, curves: Mapping[HeadlineCurve, Mapping[int, float]]) -> None:
    for shown, rates in curves.items():
        panel.plot(list(rates), list(rates.values()), color=shown.colour, marker=shown.marker, linestyle=shown.dashes)
        last = max(rates)
        panel.annotate(
            shown.words, (last, rates[last]), (6, 0), textcoords="offset points", va="center", color=shown.colour
        )
    size_axis(panel, sorted({size for rates in curves.values() for size in rates}))
    log_axis(panel.yaxis, [rate for rates in curves.values() for rate in rates.values()])
    panel.set_ylabel("throughput, MB/s")
    panel.grid(visible=True)


def _in_words(curves: Mapping[HeadlineCurve, Mapping[int, float]]) -> str:
    return "Throughput against message size. " + " ".join(_sentences(curves))


def _sentences(curves: Mapping[HeadlineCurve, Mapping[int, float]]) -> Iterator[str]:
    for shown, rates in curves.items():
        ends = " and ".join(f"{rates[size]:.3g} MB/s at {size} bytes" for size in (min(rates), max(rates)))
        yield f"{shown.words.replace(chr(10), ' ')}: {ends}."


def _on_any_paper(svg: str, words: str) -> str:
    for colour, (name, _, _) in PAPERS.items():
        svg = svg.replace(colour.lower(), f"var(--{name})")
    light, dark = (";".join(f"--{each[0]}:{each[place]}" for each in PAPERS.values()) for place in (1, 2))
    rules = f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
    start = svg.index("<svg")
    end = svg.index(">", start)
    said = f' role="img" aria-label="{words}"'
    return f"{svg[start:end]}{said}>\n<style>{rules}</style>{svg[end + 1 :]}"
