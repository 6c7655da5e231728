"""Two PDFs as they are seen: drawn by one renderer, page by page, and compared pixel by pixel without tolerance."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lab.grade.finding import Finding, Flaw
from lab.grade.pdf_parts import run_bounded

LONGER_SIDE = 1000  # pixels of a page, whatever its size claims to be
MOST_PAGES = 200
BLOCK = 8  # pages that are drawn and held at once
LARGEST_BLOCK = BLOCK * (LONGER_SIDE**2 * 3 + 100)
COMMAND = ("pdftoppm", "-cropbox", "-scale-to", str(LONGER_SIDE), "report.pdf")
_HEAD = re.compile(rb"P6\s(\d{1,4}) (\d{1,4})\s255\s", re.ASCII)

Pixels = NDArray[np.uint8]


def differing_pages(given: bytes, made: bytes) -> Iterator[Finding]:
    """A finding for each page that looks otherwise, with the place of the difference."""
    for number, (one, other) in enumerate(zip_longest(_pages(given), _pages(made)), 1):
        if one is None:
            yield Finding(Flaw.SEEN, f"page {number} is missing")
        elif other is None:
            yield Finding(Flaw.SEEN, f"page {number} is one too many")
            return  # there may be many more
        elif one.shape != other.shape:
            yield Finding(Flaw.SEEN, f"page {number} has another size or position")
        elif (differing := (one != other).any(axis=2)).any():
            yield Finding(Flaw.SEEN, f"page {number} looks otherwise {_place(differing)}")


def _place(differing: NDArray[np.bool_]) -> str:
    """Where, in parts of a hundred from the page's upper left corner."""
    rows, columns = (np.flatnonzero(differing.any(axis=axis)) for axis in (1, 0))
    down, right = (
        tuple(100 * each[[0, -1]] // size) for each, size in zip((rows, columns), differing.shape, strict=True)
    )
    return (
        f"in {differing.sum()} points, {right[0]} to {right[1]} % from the left, {down[0]} to {down[1]} % from the top"
    )


def _pages(pdf: bytes) -> Iterator[Pixels]:
    for first in range(1, MOST_PAGES + 1, BLOCK):
        drawn = list(_block(pdf, first))
        yield from drawn
        if len(drawn) < BLOCK:
            return


def _block(pdf: bytes, first: int) -> Iterator[Pixels]:
    with tempfile.TemporaryDirectory(prefix="lab-pages-") as name:
        command = (*COMMAND, "-f", str(first), "-l", str(first + BLOCK - 1))
        drawn = run_bounded(command, pdf, Path(name), LARGEST_BLOCK)
    place = 0
    while head := _HEAD.match(drawn, place):
        width, height = int(head[1]), int(head[2])
        place = head.end() + width * height * 3
        if place <= len(drawn):
            yield np.frombuffer(drawn, np.uint8, width * height * 3, head.end()).reshape(height, width, 3)
