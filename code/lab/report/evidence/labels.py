"""Labels of series and parameters."""

from __future__ import annotations

from lab.experiment.experiment import Experiment, Series
from lab.model.trial import Link
from lab.plan.plan import SiteFacts

PARAMETERS = {
    "tx_depth": "the depth of the send queue",
    "rx_depth": "the depth of the receive queue",
    "warmup": "the number of warm-up messages",
    "iterations": "the number of timed messages",
    "until_stable": "the percent by which rounds may differ",
    "post_list": "the length of a chain of requests",
    "inline": "the bytes that travel inside a request",
    "signal_every": "the signalling interval",
}


def parameter_words(name: str) -> str:
    """`the depth of the send queue`; a parameter without words keeps its name."""
    return PARAMETERS.get(name, name)


OURS = {"verbs": "RDMA", "tcp": "TCP", "mpi-tcp": "MPI over TCP", "mpi-verbs": "MPI over verbs"}


def is_ours(series: Series) -> bool:
    """Whether the lab's own program ran, and not a peer."""
    return series.program in OURS


def is_own(series: Series) -> bool:
    """Whether the experiment brought the program along."""
    return series.tool.build is not None


def label(series: Series) -> str:
    """The label of a series: the transport for ours, the program's name for a peer, else its own name."""
    if is_own(series):
        return series.name
    words = OURS.get(series.program, series.program)
    words = f"{words} {series.operation.upper()}" if series.program == "verbs" else words
    return f"{words}{_way(series)}"


def _way(series: Series) -> str:
    """What takes messages to the wire of a modelled card, if not the card itself."""
    if not series.link.card:
        return ""
    if series.has_card:
        return f" (modelled card {series.link.card.name})"
    return " (Soft-RoCE)" if series.tool.rdma else f" (wire of {series.link.card.name})"


def label_within(experiment: Experiment, series: Series) -> str:
    """The same, with the link's rate or the series' name where an earlier curve of the experiment is called so."""
    twins = [each for each in experiment.series if not each.vary and label(each) == label(series)]
    if series.vary or twins.index(series) == 0:
        return label(series)
    if series.link.rate_bit_s and series.link != twins[0].link:
        return _told(label(series), describe_rate(series.link))
    return _told(label(series), series.name)


def _told(words: str, more: str) -> str:
    """A label with a word more in brackets."""
    return f"{words.removesuffix(')')}, {more})" if words.endswith(")") else f"{words} ({more})"


def describe_rate(link: Link) -> str:
    return f"{link.rate_bit_s / 1e9:g} Gbit/s" if link.rate_bit_s else "no rate limit"


def describe_link(link: Link, site: SiteFacts) -> str:
    """The link in words, the same words for the same link; a real one has the rate that its card says."""
    if not site.traits.takes_models:
        return ", ".join(filter(None, (f"{site.name} link", site.identity.get("link"))))
    delay = f", {link.delay_ns} ns delay" if link.delay_ns else ""
    loss = f", {link.loss_ppm} ppm loss" if link.loss_ppm else ""
    offload = "" if link.offload else ", no segmentation offload"
    card = f", {link.card.wire_ns} ns, wire of the modelled card {link.card.name}" if link.card else ""
    said = f"{describe_rate(link)}{delay}{loss}{offload}{_clock(link)}{card}"
    return f"{site.name} cable, MTU {link.mtu} B, {said}"


def _clock(link: Link) -> str:
    if not link.sets_clock:
        return ""
    return f", the server's clock {link.clock_offset_ns} ns ahead and {link.clock_drift_ppm} ppm fast"
