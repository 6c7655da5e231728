"""What tells one series from another: colours, dashes and markers."""

from __future__ import annotations

GREY, PALE, INK = "#767676", "#d9d9d9", "#000000"
BAND_ALPHA = 0.22

# M. Okabe and K. Ito, "Color Universal Design" (2008), without the yellow, which paper swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
RDMA, TCP = COLOURS[0], COLOURS[1]  # a colour for each transport in every report
OTHERS = (COLOURS[2], COLOURS[3], INK)  # beside them
