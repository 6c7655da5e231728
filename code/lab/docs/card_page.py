"""The page about the modelled card, and the figure of the front page."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from lab.analysis.card import Conditions, errors
from lab.docs.gallery import model
from lab.docs.schema import filled, rows, tables
from lab.experiment.reader import card_names, read_card
from lab.figures.marks import GREY, INK, OTHERS, PALE, RDMA, TCP
from lab.figures.plot import log_axis, new_panels, size_axis
from lab.figures.style import style
from lab.model.sizes import format_size
from lab.model.trial import Card
from lab.places import CARD, REFERENCE
from lab.report.evidence.published import published_curves

EXPERIMENT, FITTED, HEIGHT_MM = "verbs_throughput", "qdr", 78.0
INLINE_MOST = 1024  # of the program of both reports, by the jump of both curves behind it
BELOW_AT = 256  # bytes: there is room for a label below the published curve
MB = 1e6
# Colours of ink and lines follow the page; those of the curves are visible on white and on black.
PAPERS = {INK: ("ink", "#111111", "#eeeeee"), PALE: ("line", PALE, "#444444"), GREY: ("grey", "#555555", "#b5b5b5")}
SERIES = {"card": ("RDMA WRITE,\nmodelled card", RDMA), "tcp.card": ("TCP", TCP)}
SERIES |= {"soft.card": ("RDMA WRITE,\nSoft-RoCE", OTHERS[0])}


class HeadlineCurve(NamedTuple):
    """A curve of the figure, in MB/s by size, with the label beside its end or below it."""

    label: str
    colour: str
    rates: dict[int, float]
    is_published: bool = False


def headline(reference: Path = REFERENCE) -> str:
    """The drawing as text; the same tables give the same bytes."""
    curves = list(_curves(reference / f"{EXPERIMENT}.csv"))
    with style():
        drawing, (panel,) = new_panels(1, HEIGHT_MM)
        panel.set_position((0.095, 0.145, 0.73, 0.83))
        for label, colour, rates, is_published in curves:
            marker, dashes = ("", "--") if is_published else ("o", "-")
            panel.plot(list(rates), list(rates.values()), color=colour, marker=marker, linestyle=dashes)
            size = BELOW_AT if is_published else max(rates)
            offset, align = ((4, -3), "top") if is_published else ((6, 0), "center")
            panel.annotate(label, (size, rates[size]), offset, textcoords="offset points", va=align, color=colour)
        size_axis(panel, sorted({size for curve in curves for size in curve.rates}))
        log_axis(panel.yaxis, [rate for curve in curves for rate in curve.rates.values()])
        panel.set_ylabel("throughput, MB/s")
        panel.grid(visible=True)
        svg = io.BytesIO()
        drawing.savefig(svg, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format")))
    return _on_any_paper(svg.getvalue().decode(), " ".join(_sentences(curves)))


def _curves(table: Path) -> Iterator[HeadlineCurve]:
    """The median of the repetitions of each series, and the first published curve: a real card."""
    found = defaultdict[str, dict[int, list[float]]](lambda: defaultdict(list))
    with table.open(newline="") as opened:
        for row in csv.DictReader(opened):
            if rate := row["confirmed_bytes_per_s"]:
                found[row["series"]][int(row["size_bytes"])].append(float(rate) / MB)
    for series, (label, colour) in SERIES.items():
        if series in found:
            yield HeadlineCurve(label, colour, {size: median(rates) for size, rates in found[series].items()})
    real = {size: rate / MB for size, rate in published_curves(EXPERIMENT)[0].by_size().items()}
    yield HeadlineCurve("real card,\npublished", GREY, real, is_published=True)


def _sentences(curves: Iterable[HeadlineCurve]) -> Iterator[str]:
    yield "Throughput against message size."
    for label, _, rates, _ in curves:
        ends = " and ".join(
            f"{rates[size]:.4g} MB/s at {size} byte{'s' * (size > 1)}" for size in (min(rates), max(rates))
        )
        yield f"{' '.join(label.split())}: {ends}."


def _on_any_paper(svg: str, description: str) -> str:
    for colour, (name, _, _) in PAPERS.items():
        svg = svg.replace(colour.lower(), f"var(--{name})")
    light, dark = (";".join(f"--{each[0]}:{each[index]}" for each in PAPERS.values()) for index in (1, 2))
    rules = f":root{{fill:var(--ink);{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
    start = svg.index("<svg")
    end = svg.index(">", start)
    return f'{svg[start:end]} role="img" aria-label="{description}">\n<style>{rules}</style>{svg[end + 1 :]}'


def page() -> str:
    parts = {"parameters": "\n".join(_cards()), "errors": _errors(), "differences": _differences()}
    return filled("cards.md", parts)


def _cards() -> Iterator[str]:
    parameters = [(f"`{key.name}`", key.meaning) for key in tables(Card)[0].keys if key.meaning]
    yield rows(("parameter", "is"), parameters)
    for name in card_names():
        file = read_card(name)
        cells = [(f"`{key}`", f"{each.value:,}", each.origin, each.source) for key, each in file.known.items()]
        yield f"### {name}\n{file.title}.\n\n{rows(('parameter', 'value', 'origin', 'source'), cells)}"


def _errors() -> str:
    """The closed form of the fitted card against the published curves, size by size."""
    card, curves = model(FITTED), published_curves(EXPERIMENT)
    conditions = Conditions(card.rate_bit_s, inline_most=INLINE_MOST)
    pairs = [(curve.by_size(), errors(curve.by_size(), card, conditions)) for curve in curves]
    table = [["bytes", "model, MB/s"]]
    table[0] += [cell for curve in curves for cell in (f"{curve.label}, MB/s", "error")]
    for size in curves[0].sizes:
        rate = card.bytes_per_s(size, conditions.mtu, conditions.inline_most)
        table.append([format_size(size), f"{rate / MB:,.1f}"])
        table[-1] += [cell for rates, off in pairs for cell in (f"{rates[size] / MB:,.1f}", f"{off[size]:+.1%}")]
    last = [cell for _, off in pairs for cell in ("", f"{median(map(abs, off.values())):.1%}")]
    return rows(table[0], [*table[1:], ["median", "", *last]])


def _differences() -> str:
    """The answers of the card that differ from Soft-RoCE's, as tests/machine/card_differences.py found them."""
    with (CARD / "differences.csv").open(newline="") as file:
        head, *answers = csv.reader(file)
    differing = [each for each in answers if each[head.index("soft_roce")] != each[-1]]
    return rows(("asked", "Soft-RoCE", "the card"), differing)
