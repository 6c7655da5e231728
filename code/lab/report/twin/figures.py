"""A figure's SVG within a page: its name is its alternative text, and its ids are its own."""

from __future__ import annotations

import re
from html import escape

_START = re.compile(r"<svg\b[^>]*?(viewBox=\"[^\"]*\")[^>]*>", re.DOTALL)
_META = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_ID = re.compile(r"(\bid=\"|xlink:href=\"#|url\(#)")


def inline_svg(svg: bytes, name: str, alt: str) -> str:
    """The picture without its head; two figures of a page must not have one id."""
    start = _START.search(text := svg.decode())
    assert start is not None
    inside = _ID.sub(lambda found: f"{found[1]}{name}:", _META.sub("", text[start.end() :]))
    return f'<svg role="img" aria-label="{escape(alt)}" {start[1]}>{inside.strip()}'
