"""The fonts and sizes of all figures."""

import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
from fontTools import agl  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from matplotlib import get_data_path
from matplotlib.font_manager import FontEntry, fontManager

from lab.figures.marks import PALE, SMALL_PT, TEXT_PT

ROMAN, SYMBOLS = "Lab Roman", "Lab Symbols"


@cache
def register_fonts() -> tempfile.TemporaryDirectory[str]:
    """Register both families under private names, so that system fonts cannot shadow them; the folder must live as long
    as figures are drawn. Both are copied to one folder, since matplotlib orders the fonts of a PDF by path."""
    logging.getLogger("fontTools").setLevel(logging.ERROR)  # it warns of cmr10's creation date, 1904
    folder = tempfile.TemporaryDirectory(prefix="lab-fonts-")
    bundled = Path(get_data_path()) / "fonts" / "ttf"
    roman, symbols = Path(folder.name) / "roman.ttf", Path(folder.name) / "symbols.ttf"
    # Copy a font without characters that show another glyph, such as TeX's dot accent for the underscore;
    # matplotlib draws them with the next family.
    source = bundled / "cmr10.ttf"
    with TTFont(source, recalcBBoxes=False, recalcTimestamp=False) as font:
        for table in font["cmap"].tables:
            table.cmap = {code: name for code, name in table.cmap.items() if agl.toUnicode(name) == chr(code)}
        font.save(roman)
    shutil.copyfile(bundled / "STIXGeneral.ttf", symbols)
    fontManager.ttflist += [FontEntry(fname=str(roman), name=ROMAN), FontEntry(fname=str(symbols), name=SYMBOLS)]
    return folder


WIDTH_MM = 160.0  # the report's text width: figures are printed as they are, never scaled
MM_PER_INCH = 25.4
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
    "legend.handlelength": 3.4,  # long enough to distinguish dash patterns
    "legend.borderaxespad": 0.0,
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "svg.fonttype": "path",  # the letters as curves: a page carries no font
    "svg.hashsalt": "lab",  # else its ids would be random
}


@contextmanager
def style() -> Iterator[None]:
    """Use matplotlib's defaults with the style above; the settings are global, so draw in one thread alone."""
    register_fonts()
    with mpl.rc_context():
        defaults = {name: value for name, value in mpl.rcParamsDefault.items() if "backend" not in name}
        mpl.rcParams.update(defaults | STYLE)
        yield
