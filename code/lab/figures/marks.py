"""What tells one series from another: colours, dashes and markers."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Mark:
    """The marks that tell one series from another, in colour and without it."""

    colour: str
    dashes: Dashes
    marker: str


def mark(index: int) -> Mark:
    """The mark of a series by its place; four dashes and nine markers make 36 that differ in grey too."""
    return Mark(COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)], MARKERS[index % len(MARKERS)])
