"""How figures look: printed width, sizes of text, colours and marks. Nothing is taken from a matplotlibrc."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl

from lab.figures.fonts import ROMAN, SYMBOLS, register_fonts

WIDTH_MM = 160.0  # the report's text width: figures are printed as they are, never scaled
MM_PER_INCH = 25.4
TEXT_PT, SMALL_PT = 9.0, 8.0
PNG_DPI = 144

GREY, PALE, INK = "#767676", "#d9d9d9", "#000000"
BAND_ALPHA = 0.22

# M. Okabe and K. Ito, "Color Universal Design" (2008), without the yellow, which paper swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
# A colour for each transport in every report, and a pale one for other programs of the same transport.
RDMA, RDMA_PEER, TCP, TCP_PEER = COLOURS[0], COLOURS[4], COLOURS[1], COLOURS[5]
OTHERS = (COLOURS[2], COLOURS[3], INK)  # beside them
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
Dashes = str | tuple[float, tuple[float, ...]]

STYLE: dict[Any, object] = {
    "font.family": [ROMAN, SYMBOLS],
    "font.size": TEXT_PT,
    "axes.labelsize": TEXT_PT,
    "axes.titlesize": TEXT_PT,
    "axes.titlelocation": "left",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "xtick.labelsize": SMALL_PT,
    "ytick.labelsize": SMALL_PT,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "grid.color": PALE,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.6,
    "lines.markeredgewidth": 0.8,
    "legend.fontsize": SMALL_PT,
    "legend.frameon": False,
    "legend.handlelength": 3.4,  # room to tell one dash pattern from another
    "legend.borderaxespad": 0.0,
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "svg.fonttype": "path",  # the letters as curves: a page carries no font
    "svg.hashsalt": "lab",  # else the names within would be drawn by lot
}


@dataclass(frozen=True)
class Mark:
    """The marks that tell one series from another, in colour and without it."""

    colour: str
    dashes: Dashes
    marker: str


def mark(index: int) -> Mark:
    """The mark of a series by its place; four dashes and nine markers make 36 that differ in grey too."""
    return Mark(COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)], MARKERS[index % len(MARKERS)])


@contextmanager
def style() -> Iterator[None]:
    """matplotlib's own defaults and the lab's style over them; its settings are global, so not for threads."""
    register_fonts()
    with mpl.rc_context():
        own = {name: value for name, value in mpl.rcParamsDefault.items() if "backend" not in name}
        mpl.rcParams.update(own | STYLE)
        yield
