"""The tables of docs/cards.md: where each number of each card comes from, and the errors of the fitted card."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from statistics import median

from lab.analysis.card_fit import Conditions, errors
from lab.analysis.card_model import Rates
from lab.docs.markdown import filled, rows
from lab.files.schema import whole_schema
from lab.model.card import PARAMETERS
from lab.model.sizes import format_size
from lab.places import CARD
from lab.report.evidence.published_curves import PublishedCurve, published_curves
from lab.spec.cards import card_names, read_card

FITTED, EXPERIMENT = "qdr", "verbs_throughput"
INLINE_MOST = 1024  # of the two reports' program, by the jump of both curves behind it


def page() -> str:
    """The whole page."""
    parts = {"parameters": "\n".join(_cards()), "errors": _errors(), "differences": _differences()}
    return filled("cards.md", parts)


def _cards() -> Iterator[str]:
    schema = whole_schema("card")["properties"]
    yield rows(("parameter", "is"), [(f"`{name}`", str(schema[name]["description"])) for name in PARAMETERS])
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
