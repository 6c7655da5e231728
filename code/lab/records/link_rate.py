"""The most that a link with a rate can carry by its frames' arithmetic, and the rows above that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lab.analysis.ceiling import ETHERNET, PATH_MTUS, ROCE
from lab.model.trial import Link, Outcome
from lab.plan.plan import Planned, SiteFacts
from lab.programs.request import SUMMARIES, WINDOW, Sample
from lab.sites.links.link_model import burst_bytes
from lab.sites.traits import Traits

# RFC 9293: IP 20, TCP 20; with RFC 7323's timestamps it is 12 more, which a kernel may leave out.
TCP_LEAST = 40
# Rows with bytes and a time from a start to an end that needs all data.
RATES = (*SUMMARIES, WINDOW, "round", "round_completed")


def payload_most(mtu: int, *, rdma: bool) -> float:
    """The largest share of an Ethernet's bytes that can be a message's."""
    if not rdma:
        return (mtu - TCP_LEAST) / (mtu + ETHERNET)
    packet = largest_packet(mtu)
    return packet / (packet + ROCE + ETHERNET)


def largest_packet(mtu: int) -> int:
    """Bytes of payload in RDMA's largest packet."""
    return next(each for each in PATH_MTUS if each + ROCE <= mtu)


def bytes_per_s_most(link: Link, states: Iterable[object], *, rdma: bool, bypass: bool = False) -> float | None:
    """A model's rate less the headers of its frames; a card's rate as it is, since its frames are unknown."""
    if link.rate_bit_s is not None and link.card and bypass:
        packet = largest_packet(link.mtu)
        return link.rate_bit_s / 8 * packet / (packet + link.card.header_bytes)
    if link.rate_bit_s is not None:
        return link.rate_bit_s / 8 * payload_most(link.mtu, rdma=rdma)
    rates = [state.get("rate_bit_s") for state in states if isinstance(state, dict)]
    known = [rate for rate in rates if isinstance(rate, int) and rate > 0]
    return min(known) / 8 if known else None


def bytes_at_once(link: Link, traits: Traits) -> int:
    """The burst of the kernel's model after each silence; the exact machine's model has none."""
    return 0 if traits.repeats or link.rate_bit_s is None else burst_bytes(link.rate_bit_s)


def above_the_link(planned: Planned, site: SiteFacts, outcome: Outcome, samples: Iterable[Sample]) -> Iterator[str]:
    """A sentence about the row furthest above the link's limit; data inside one device cross no link."""
    rdma, link = planned.series.tool.rdma, planned.trial.job.link
    if rdma and site.ends.client == site.ends.server:
        return
    states = (outcome.state.get(end) for end in ("client", "server"))
    most, at_once = (
        bytes_per_s_most(link, states, rdma=rdma, bypass=planned.series.has_card),
        bytes_at_once(link, site.traits),
    )
    rows = [each for each in samples if each.sample in RATES and each.time_ns > 0]
    if most is None or not rows or (at_once and planned.trial.request.parameters.verify):
        return  # to check bytes silences the link an unknown number of times
    worst = max(rows, key=lambda each: (each.bytes - at_once) / each.time_ns)
    rate = 1e9 * worst.bytes / worst.time_ns
    if 1e9 * (worst.bytes - at_once) / worst.time_ns > most:
        what = f"{worst.sample} {worst.index} of {worst.size_bytes} bytes"
        yield f"{what} comes to {rate:.0f} B/s, but the link carries {most:.0f} B/s at most"
