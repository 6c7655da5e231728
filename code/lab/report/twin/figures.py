"""A figure's SVG within a page: its letters and colours are the page's, and its ids are its own."""

from __future__ import annotations

import re
from html import escape

# Black, white, and colours too dark for a dark page have a variable of page.css; the others stand out on both papers.
VARIABLES = {
    **{"#000000": "ink", "#ffffff": "paper", "#d9d9d9": "pale", "#767676": "grey", "#4d4d4d": "grey"},
    **{"#08304f": "navy", "#0072b2": "blue", "#7b6888": "violet"},
}
_START = re.compile(r"<svg\b[^>]*?(viewBox=\"[^\"]*\")[^>]*>", re.DOTALL)
_LEFT_OUT = re.compile(
    r"<metadata>.*?</metadata>|<!--.*?-->|(?<=<g) id=\"[^\"]*\""
    r"|; font-family: [^;\"]*| transform=\"rotate\(-0 [^\"]*\"",
    re.DOTALL,
)
_ID = re.compile(r"(\bid=\"|xlink:href=\"#|url\(#)")
_ATTRIBUTE = re.compile(r"=\"[^\"]*\"")
_LONG = re.compile(r"([1-9]\d*\.\d\d)\d+")  # a hundredth of a point is below what a screen shows


def inline_svg(svg: bytes, name: str, alt: str) -> str:
    """The picture without its head; two figures of a page must not have one id."""
    start = _START.search(text := svg.decode())
    assert start is not None
    inside = _LEFT_OUT.sub("", text[start.end() :])
    inside = _ATTRIBUTE.sub(lambda found: _LONG.sub(r"\1", found[0]), _ID.sub(rf"\g<1>{name}:", inside))
    for colour, variable in VARIABLES.items():
        inside = inside.replace(colour, f"var(--{variable},{colour})")
    inside = re.sub(r">\s+<", "><", re.sub(r"\s+", " ", inside))
    return f'<svg role="img" aria-label="{escape(alt)}" {start[1]}>{inside.strip()}'
