"""Names for readers: series, their varied parameters, and the link that they share."""

from __future__ import annotations

from lab.spec import Series
from lab.trial import Link

OURS = {"tcp": "TCP", "mpi": "MPI"}


def label(series: Series) -> str:
    """What a reader calls a series: the transport for ours, the program's name for a peer."""
    if series.program == "verbs":
        return f"RDMA {series.operation.upper()}"
    return OURS.get(series.program, series.program)


def describe_link(link: Link, site: str) -> str:
    """The link in words, the same words for the same link."""
    rate = f"{link.rate_bit_s / 1e9:g} Gbit/s" if link.rate_bit_s else "no rate limit"
    delay = f", {link.delay_ns} ns delay" if link.delay_ns else ""
    loss = f", {link.loss_ppm} ppm loss" if link.loss_ppm else ""
    offload = "" if link.offload else ", no segmentation offload"
    return f"{site} cable, MTU {link.mtu} B, {rate}{delay}{loss}{offload}"
