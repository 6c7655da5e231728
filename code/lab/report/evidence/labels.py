"""Labels of series and parameters."""

from lab.experiment.experiment import Experiment, Series
from lab.model.trial import Link
from lab.plan.plan import SiteFacts

PARAMETERS = {
    "tx_depth": "the depth of the send queue",
    "rx_depth": "the depth of the receive queue",
    "warmup": "the number of warm-up messages",
    "iterations": "the number of timed messages",
    "until_stable": "the difference that rounds may have, in percent",
    "post_list": "the length of a chain of requests",
    "inline": "the bytes that travel inside a request",
    "signal_every": "the signalling interval",
    "pairs": "the number of queue pairs",
    "streams": "the number of TCP connections",
}


LAB_TRANSPORTS = {"verbs": "RDMA", "tcp": "TCP", "mpi-tcp": "MPI over TCP", "mpi-verbs": "MPI over verbs"}


def is_lab_program(series: Series) -> bool:
    """Whether Verbyte's program ran, and not a reference tool."""
    return series.program in LAB_TRANSPORTS


def is_user_program(series: Series) -> bool:
    """Whether the program is one of the experiment's."""
    return series.tool.build is not None


def label(series: Series) -> str:
    """The transport for Verbyte's programs, the name of a reference tool, else the series' name."""
    if is_user_program(series):
        return series.name
    words = LAB_TRANSPORTS.get(series.program, series.program)
    words = f"{words} {series.operation.upper()}" if series.program == "verbs" else words
    if not series.link.card:
        return words
    card = series.link.card.name
    if series.has_card:
        return f"{words} (modelled card {card})"
    return f"{words} (Soft-RoCE)" if series.tool.rdma else f"{words} (wire of {card})"


def label_within(experiment: Experiment, series: Series) -> str:
    """The label, with the link's rate or the series' name if an earlier curve of the experiment has the same label."""
    words = label(series)
    twins = [run for run in experiment.series if not run.vary and label(run) == words]
    if series.vary or twins.index(series) == 0:
        return words
    more = describe_rate(series.link) if series.link.rate_bit_s and series.link != twins[0].link else series.name
    return f"{words.removesuffix(')')}, {more})" if words.endswith(")") else f"{words} ({more})"


def describe_rate(link: Link) -> str:
    return f"{link.rate_bit_s / 1e9:g} Gbit/s" if link.rate_bit_s else "no rate limit"


def describe_link(link: Link, site: SiteFacts) -> str:
    """The link in words, the same words for the same link; a real link has the rate of its card."""
    if not site.traits.takes_models:
        return ", ".join(filter(None, (f"{site.name} link", site.identity.get("link"))))
    clock = f"the server's clock {link.clock_offset_ns} ns ahead and {link.clock_drift_ppm} ppm fast"
    parts = {
        f"{site.name} cable": True,
        f"MTU {link.mtu} B": True,
        describe_rate(link): True,
        f"{link.delay_ns} ns delay": link.delay_ns,
        f"{link.computers} computers behind a switch": link.computers > 2,
        f"{link.queue_bytes} B in each queue": link.queue_bytes,
        "priority flow control": link.pfc,
        "marks of congestion (ECN)": link.ecn,
        f"{link.loss_ppm} ppm loss": link.loss_ppm,
        "no segmentation offload": not link.offload,
        clock: link.sets_clock,
        link.card and f"{link.card.wire_ns} ns, wire of the modelled card {link.card.name}": link.card,
    }
    return ", ".join(part for part, applies in parts.items() if part and applies)
