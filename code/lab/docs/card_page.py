"""The page about the modelled card, and the figure of the front page."""

import csv
from collections.abc import Iterator
from statistics import median

from lab.analysis.card import Conditions, errors
from lab.docs.gallery import model, on_any_paper
from lab.docs.schema import filled, joined, rows, tables
from lab.experiment.reader import card_names, load, read_card
from lab.figures.curves import Sized
from lab.model.sizes import format_size
from lab.model.trial import Card
from lab.places import CARD, EXPERIMENTS
from lab.report.evidence.environment import reference_evidence
from lab.report.evidence.published import published_curves
from lab.report.exhibits.core import LOOKS, Exhibits
from lab.report.query.numbers import Numbers

EXPERIMENT, FITTED, HEIGHT_MM = "verbs_throughput", "qdr", 78.0
INLINE_MOST = 1024  # of the program of both reports, by the jump of both curves behind it
MB = 1e6
# The queries of the figure, the names of their curves, and their looks.
CURVES = (
    ("card", "RDMA WRITE, modelled card", "card"),
    ("tcp.card", "TCP", "TCP"),
    ("soft.card", "RDMA WRITE, Soft-RoCE", "kernel RDMA"),
    ("report_a", "real card, published", "published"),
)


def headline() -> str:
    numbers = Numbers(reference_evidence(load(EXPERIMENTS / f"{EXPERIMENT}.toml")))
    exhibits = Exhibits(numbers, {})
    drawn = [(curve, LOOKS[look]) for query, name, look in CURVES if (curve := exhibits.curve(query, name))]
    curves, looks = zip(*drawn, strict=True)
    return on_any_paper(Sized("headline", "throughput", "rate", curves, looks, height_mm=HEIGHT_MM))


def page() -> str:
    parts = {"parameters": "\n".join(_cards()), "errors": _errors(), "differences": _differences()}
    return filled("cards.md", parts)


def _cards() -> Iterator[str]:
    parameters = [(f"`{key.name}`", key.meaning) for key in tables(Card)[0].keys if key.meaning]
    yield rows(("parameter", "is"), parameters)
    for name in card_names():
        file = read_card(name)
        values = (((each.origin, each.source), f"`{key}` {each.value:,}") for key, each in file.known.items())
        yield f"### {name}\n{file.title}.\n\n{rows(('parameters', 'origin', 'source'), joined(values))}"


def _errors() -> str:
    """The closed form of the fitted card against the published curves, size by size."""
    card, curves = model(FITTED), published_curves(EXPERIMENT)
    conditions = Conditions(card.rate_bit_s, inline_most=INLINE_MOST)
    pairs = [(curve.by_size, errors(curve.by_size, card, conditions)) for curve in curves]
    table = [["bytes", "model, MB/s"]]
    table[0] += [cell for curve in curves for cell in (f"{curve.label}, MB/s", "error")]
    for size in curves[0].by_size:
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
    cells = joined(((each[head.index("soft_roce")], each[-1]), each[0]) for each in differing)
    return rows(("asked", "Soft-RoCE", "the card"), cells)
