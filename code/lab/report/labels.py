"""Names for readers: series, their varied parameters, and the link that they share."""

from __future__ import annotations

from lab.spec import Experiment, Series
from lab.trial import Link

OURS = {"verbs": "RDMA", "tcp": "TCP", "mpi": "MPI"}


def is_ours(series: Series) -> bool:
    """Whether the lab's own program ran, and not a peer."""
    return series.program in OURS


def label(series: Series) -> str:
    """What a reader calls a series: the transport for ours, the program's name for a peer."""
    words = OURS.get(series.program, series.program)
    return f"{words} {series.operation.upper()}" if series.program == "verbs" else words


def label_within(experiment: Experiment, series: Series) -> str:
    """The same, with the series' own name where another curve of the experiment would be called so too."""
    twins = [each for each in experiment.series if not each.vary and label(each) == label(series)]
    return f"{label(series)} ({series.name})" if len(twins) > 1 else label(series)


def describe_link(link: Link, site: str) -> str:
    """The link in words, the same words for the same link."""
    rate = f"{link.rate_bit_s / 1e9:g} Gbit/s" if link.rate_bit_s else "no rate limit"
    delay = f", {link.delay_ns} ns delay" if link.delay_ns else ""
    loss = f", {link.loss_ppm} ppm loss" if link.loss_ppm else ""
    offload = "" if link.offload else ", no segmentation offload"
    return f"{site} cable, MTU {link.mtu} B, {rate}{delay}{loss}{offload}"
