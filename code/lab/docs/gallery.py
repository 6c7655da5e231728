"""The gallery of cards that are fitted to measured curves: a section and a figure for each."""

from dataclasses import dataclass, fields

from lab.analysis.card import Conditions, Rates, errors, slowed
from lab.analysis.estimate import Estimate
from lab.docs.parts import filled, rows
from lab.experiment.reader import read_card
from lab.figures.curves import Sized
from lab.figures.figure import Curve, LineLook
from lab.figures.marks import GREY, INK, PALE, RDMA, TCP, plain
from lab.figures.plot import Canvas
from lab.figures.style import style
from lab.model.sizes import format_size
from lab.places import PUBLISHED
from lab.report.evidence.measured import MeasuredCurve, read_measured, summary

HEIGHT_MM = 46.0
LOOKS = {"measured": LineLook(RDMA, dashes="none"), "the card": LineLook(TCP, marker="")}
# Colours of ink and lines follow the page; those of the curves are visible on white and on black.
PAPERS = {INK: ("ink", "#111111", "#eeeeee"), PALE: ("line", PALE, "#444444"), GREY: ("grey", "#555555", "#b5b5b5")}
PAPERS |= {"#ffffff": ("paper", "#ffffff", "#0d1117")}  # within hollow marks


@dataclass(frozen=True)
class Portrait:
    """A card, the curve that it is fitted to, and curves that it predicts, in experiments/published/cards."""

    fitted: str
    predicted: tuple[str, ...] = ()
    mtu: int = 4096

    def curves(self, card: Rates) -> tuple[MeasuredCurve, ...]:
        known = Conditions(card.rate_bit_s, self.mtu)
        files = (PUBLISHED / "cards" / f"{name}.csv" for name in (self.fitted, *self.predicted))
        return tuple(curve for file in files for curve in read_measured(file, known))


PORTRAITS = {
    "cx6-hdr": Portrait("cx6_hdr_write", ("cx6_hdr_write_latency", "aks_200g_write")),
    "edr": Portrait("edr_write", ("edr_send_latency",)),
    "mlx4-qdr": Portrait("mlx4_qdr_write", ("mlx4_qdr_read", "mlx4_qdr_read_latency", "mlx4_qdr_write_latency")),
    "roce-100g": Portrait("roce_100g_write", mtu=1024),
}


def model(name: str) -> Rates:
    """The closed form of a card's file."""
    card = read_card(name).card
    return Rates(**{each.name: getattr(card, each.name) for each in fields(Rates)})


def page() -> str:
    return filled("gallery.md", {"cards": "\n".join(_section(name) for name in PORTRAITS)})


def _section(name: str) -> str:
    card = model(name)
    curves = enumerate(PORTRAITS[name].curves(card))
    cells = [_row(curve, card, "predicted" if number else "fitted") for number, curve in curves]
    table = rows(("curve", "", "error of the card"), cells)
    command = read_card(name).known["gap_ps"].source
    return f"## {name}\n{read_card(name).title}: `{command}`\n\n![{plain(_data(name).alt)}](card-{name}.svg)\n\n{table}"


def _row(curve: MeasuredCurve, card: Rates, how: str) -> tuple[str, ...]:
    exempt = slowed(curve.values, curve.known) if curve.known.measure == "throughput" else []
    note = f"; left out: {', '.join(map(format_size, exempt))}" if exempt else ""
    return curve.label, how, f"{summary(errors(curve.values, card, curve.known), exempt)}{note}"


def _data(name: str) -> Sized:
    card = model(name)
    measured = PORTRAITS[name].curves(card)[0]
    rates, sizes = {"measured": measured.values}, tuple(map(float, measured.values))
    rates["the card"] = {size: card.value(size, measured.known) for size in measured.values}
    curves = tuple(
        Curve(label, sizes, tuple(Estimate(rate, None, 1) for rate in by_size.values()), look=LOOKS[label])
        for label, by_size in rates.items()
    )
    return Sized(f"card-{name}", "throughput", "rate", curves, height_mm=HEIGHT_MM)


def figure(name: str) -> str:
    return on_any_paper(_data(name))


def on_any_paper(data: Sized) -> str:
    """The drawing as text, with a description; the same data give the same bytes."""
    canvas = Canvas()
    with style():
        data.draw(canvas)
        text = canvas.saved("svg", transparent=True).decode()
    for colour, (name, _, _) in PAPERS.items():
        text = text.replace(colour.lower(), f"var(--{name})")
    light, dark = (";".join(f"--{each[0]}:{each[index]}" for each in PAPERS.values()) for index in (1, 2))
    rules = f":root{{fill:var(--ink);{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
    head, _, rest = text[text.index("<svg") :].partition(">")
    return f'{head} role="img" aria-label="{plain(data.alt)}">\n<style>{rules}</style>{rest}'
