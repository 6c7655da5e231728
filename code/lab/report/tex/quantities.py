"""Quantities as LaTeX prints them soonest: siunitx reads each number and unit anew, which takes it a millisecond."""

from __future__ import annotations

import re

from lab.report.tex.escape import escape
from lab.report.tex.units import SHORT, SYMBOLS, plain_unit

_QUANTITY = re.compile(rf"\\qty\{{({SHORT})\}}\{{(?!\\per\\)((?:\\(?:{'|'.join(SYMBOLS)})(?![a-z]))+)\}}")


def written_out(text: str) -> str:
    """The text with the words of the units that the lab knows; what siunitx knows better, such as a long number's
    groups of digits or another unit, stays its own. Every line stays a line."""
    return _QUANTITY.sub(lambda found: rf"\labqty{{{found[1]}}}{{{escape(plain_unit(found[2]))}}}", text)
