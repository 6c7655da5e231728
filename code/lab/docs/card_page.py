"""The page about the modelled card, with its figure."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from matplotlib.axes import Axes

from lab.analysis.card import Conditions, Rates, errors
from lab.docs.schema import Walk, filled, rows
from lab.experiment.reader import card_names, read_card
from lab.figures.marks import GREY, INK, OTHERS, PALE, RDMA, TCP
from lab.figures.plot import log_axis, new_panels, size_axis
from lab.figures.style import style
from lab.model.sizes import format_size
from lab.model.trial import Card
from lab.places import CARD, REFERENCE
from lab.report.evidence.published import PublishedCurve, published_curves

SHOWN, HEIGHT_MM = "verbs_throughput", 78.0
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
    rates = _rates(reference / f"{SHOWN}.csv")
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
    curve = published_curves(SHOWN)[0]
    rates = {size: rate.value / MB for size, rate in zip(curve.sizes, curve.rates, strict=True)}
    return HeadlineCurve("", "real card,\npublished", GREY, "", "--"), rates


BELOW_AT = 256  # bytes: there is room for words below the curve


def _draw(panel: Axes, curves: Mapping[HeadlineCurve, Mapping[int, float]]) -> None:
    for shown, rates in curves.items():
        panel.plot(list(rates), list(rates.values()), color=shown.colour, marker=shown.marker, linestyle=shown.dashes)
        size = max(rates) if shown.marker else BELOW_AT  # the published curve ends where the card's does
        place, align = ((6, 0), "center") if shown.marker else ((4, -3), "top")
        panel.annotate(
            shown.words, (size, rates[size]), place, textcoords="offset points", va=align, color=shown.colour
        )
    size_axis(panel, sorted({size for rates in curves.values() for size in rates}))
    log_axis(panel.yaxis, [rate for rates in curves.values() for rate in rates.values()])
    panel.set_ylabel("throughput, MB/s")
    panel.grid(visible=True)


def _in_words(curves: Mapping[HeadlineCurve, Mapping[int, float]]) -> str:
    return "Throughput against message size. " + " ".join(_sentences(curves))


def _sentences(curves: Mapping[HeadlineCurve, Mapping[int, float]]) -> Iterator[str]:
    for shown, rates in curves.items():
        ends = " and ".join(
            f"{rates[size]:.4g} MB/s at {size} byte{'s' * (size > 1)}" for size in (min(rates), max(rates))
        )
        yield f"{shown.words.replace(chr(10), ' ')}: {ends}."


def _on_any_paper(svg: str, words: str) -> str:
    for colour, (name, _, _) in PAPERS.items():
        svg = svg.replace(colour.lower(), f"var(--{name})")
    light, dark = (";".join(f"--{each[0]}:{each[place]}" for each in PAPERS.values()) for place in (1, 2))
    rules = f":root{{fill:var(--ink);{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"  # text has no fill
    start = svg.index("<svg")
    end = svg.index(">", start)
    said = f' role="img" aria-label="{words}"'
    return f"{svg[start:end]}{said}>\n<style>{rules}</style>{svg[end + 1 :]}"


FITTED, EXPERIMENT = "qdr", "verbs_throughput"
INLINE_MOST = 1024  # of the two reports' program, by the jump of both curves behind it


def page() -> str:
    """The whole page."""
    parts = {"parameters": "\n".join(_cards()), "errors": _errors(), "differences": _differences()}
    return filled("cards.md", parts)


def _cards() -> Iterator[str]:
    yield rows(
        ("parameter", "is"), [(f"`{key.name}`", key.meaning) for key in Walk(Card).tables()[0].keys if key.meaning]
    )
    for name in card_names():
        file = read_card(name)
        cells = [(f"`{key}`", f"{each.value:,}", each.origin, each.source) for key, each in file.known.items()]
        yield f"### {name}\n{file.title}.\n\n{rows(('parameter', 'value', 'origin', 'source'), cells)}"


def _errors() -> str:
    """The closed form of the fitted card against both reports, size by size."""
    card, curves = read_card(FITTED).card, published_curves(EXPERIMENT)
    rates = Rates(card.rate_bit_s, card.header_bytes, card.gap_ps, card.block_ps, card.bus_bit_s)
    known = Conditions(card.rate_bit_s, inline_most=INLINE_MOST)
    off = [errors(_points(each), rates, known) for each in curves]
    head = ("bytes", "model, MB/s", *(words for each in curves for words in (f"{each.label}, MB/s", "error")))
    made = {size: rates.bytes_per_s(size, known.mtu, known.inline_most) for size in curves[0].sizes}
    body = [
        (
            format_size(size),
            _mb(rate),
            *(cell for one, wrong in zip(curves, off, strict=True) for cell in _cells(one, wrong, size)),
        )
        for size, rate in made.items()
    ]
    last = ("median", "", *(cell for each in off for cell in ("", f"{median(map(abs, each.values())):.1%}")))
    return rows(head, [*body, last])


def _differences() -> str:
    """What the machine was found to answer: tests/machine/card_differences.py."""
    with (CARD / "differences.csv").open(newline="") as file:
        head, *answers = csv.reader(file)
    return rows(
        ("asked", "Soft-RoCE", "the card"), [each for each in answers if each[head.index("soft_roce")] != each[-1]]
    )


def _cells(curve: PublishedCurve, wrong: dict[int, float], size: int) -> tuple[str, str]:
    return _mb(_points(curve)[size]), f"{wrong[size]:+.1%}"


def _points(curve: PublishedCurve) -> dict[int, float]:
    return {size: rate.value for size, rate in zip(curve.sizes, curve.rates, strict=True)}


def _mb(rate: float) -> str:
    return f"{rate / 1e6:,.1f}"
