"""How figures look: printed width, sizes of text, lines. Nothing is taken from a matplotlibrc."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl

from lab.figures.fonts import ROMAN, SYMBOLS, register_fonts
from lab.figures.marks import PALE

WIDTH_MM = 160.0  # the report's text width: figures are printed as they are, never scaled
MM_PER_INCH = 25.4
TEXT_PT, SMALL_PT = 9.0, 8.0
PNG_DPI = 144

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


@contextmanager
def style() -> Iterator[None]:
    """matplotlib's own defaults and the lab's style over them; its settings are global, so not for threads."""
    register_fonts()
    with mpl.rc_context():
        own = {name: value for name, value in mpl.rcParamsDefault.items() if "backend" not in name}
        mpl.rcParams.update(own | STYLE)
        yield
