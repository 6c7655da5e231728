"""The gallery of cards that are fitted to measured curves: a section and a figure for each."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from math import log

from lab.analysis.card import Conditions, Rates, errors, slowed
from lab.docs.schema import filled, rows
from lab.experiment.reader import read_card
from lab.model.sizes import format_size
from lab.places import PUBLISHED
from lab.report.evidence.measured import MeasuredCurve, read_measured, summary

WIDTH, HEIGHT, LEFT, BELOW = 360, 170, 58, 28
COLOURS = "circle{fill:#0072b2}path{fill:none;stroke:#d55e00}text{font:10px sans-serif}"
PAPER = f"{COLOURS}text{{fill:#555}}@media(prefers-color-scheme:dark){{text{{fill:#b5b5b5}}}}"
TICKS = {1e7: "10 MB/s", 1e8: "100 MB/s", 1e9: "1 GB/s", 1e10: "10 GB/s"}


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
    return f"## {name}\n{read_card(name).title}: `{command}`\n\n![{alt(name)}](card-{name}.svg)\n\n{table}"


def _row(curve: MeasuredCurve, card: Rates, how: str) -> tuple[str, ...]:
    exempt = slowed(curve.values, curve.known) if curve.known.measure == "throughput" else []
    note = f"; left out: {', '.join(map(format_size, exempt))}" if exempt else ""
    return curve.label, how, f"{summary(errors(curve.values, card, curve.known), exempt)}{note}"


def alt(name: str) -> str:
    curve = PORTRAITS[name].curves(model(name))[0]
    least, most = min(curve.values), max(curve.values)
    ends = " to ".join(f"{curve.values[size] / 1e6:,.1f} MB/s at {size:,} bytes" for size in (least, most))
    return f"Throughput against message size, both axes logarithmic: measured {ends}, and the line of the card"


def figure(name: str) -> str:
    """The measured points and the modelled card; the same files give the same bytes."""
    card = model(name)
    curve = PORTRAITS[name].curves(card)[0]
    spans = [log(max(part)) - log(min(part)) for part in (curve.values, curve.values.values())]

    def at(size: float, rate: float) -> tuple[float, float]:
        x = (log(size) - log(min(curve.values))) / spans[0]
        y = (log(rate) - log(min(curve.values.values()))) / spans[1]
        return round(LEFT + x * (WIDTH - LEFT - 14), 1), round(HEIGHT - BELOW - y * (HEIGHT - BELOW - 16), 1)

    def parts() -> Iterator[str]:
        yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        yield f' aria-label="{alt(name)}"><style>{PAPER}</style>\n'
        points = (at(size, card.value(size, curve.known)) for size in curve.values)
        yield f'<path d="M{"L".join(f"{x} {y}" for x, y in points)}"/>\n'
        for size, rate in curve.values.items():
            x, y = at(size, rate)
            yield f'<circle cx="{x}" cy="{y}" r="2"/>\n'
        for size in list(curve.values)[::5]:
            yield f'<text x="{at(size, 1e9)[0]}" y="{HEIGHT - 10}" text-anchor="middle">{format_size(size)}</text>\n'
        for rate, text in TICKS.items():
            if min(curve.values.values()) < rate < max(curve.values.values()):
                yield f'<text x="{LEFT - 4}" y="{at(min(curve.values), rate)[1]}" text-anchor="end">{text}</text>\n'
        yield "</svg>\n"

    return "".join(parts())
