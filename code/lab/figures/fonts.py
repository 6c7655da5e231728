"""The figures' font: Computer Modern, the design of the report's Latin Modern, as matplotlib carries it."""

from __future__ import annotations

import logging
import shutil
import tempfile
from functools import cache
from pathlib import Path

from fontTools import agl  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from matplotlib import get_data_path
from matplotlib.font_manager import FontEntry, fontManager

ROMAN, SYMBOLS = "Lab Roman", "Lab Symbols"


@cache
def register_fonts() -> tempfile.TemporaryDirectory[str]:
    """Makes both families known; the folder must live as long as figures are drawn.

    They are found under names of their own, so that no font of this computer can take their place, and lie in one
    folder, since matplotlib orders the fonts of a PDF by path.
    """
    logging.getLogger("fontTools").setLevel(logging.ERROR)  # it warns of the 1904 in which cmr10 says it was made
    folder = tempfile.TemporaryDirectory(prefix="lab-fonts-")
    carried = Path(get_data_path()) / "fonts" / "ttf"
    roman, symbols = Path(folder.name) / "roman.ttf", Path(folder.name) / "symbols.ttf"
    _mend(carried / "cmr10.ttf", roman)
    shutil.copyfile(carried / "STIXGeneral.ttf", symbols)
    fontManager.ttflist += [FontEntry(fname=str(roman), name=ROMAN), FontEntry(fname=str(symbols), name=SYMBOLS)]
    return folder


def _mend(source: Path, target: Path) -> None:
    """A copy in which each character shows its own glyph.

    TeX's encoding of 1978 has a dot accent at the underscore's place and the like. Without those characters,
    matplotlib takes them from the next family.
    """
    with TTFont(source, recalcBBoxes=False, recalcTimestamp=False) as font:
        for table in font["cmap"].tables:
            table.cmap = {code: name for code, name in table.cmap.items() if agl.toUnicode(name) == chr(code)}
        font.save(target)
