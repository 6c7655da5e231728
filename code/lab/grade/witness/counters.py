"""What the link's counters refute of a program where nobody sees its frames: fewer packets than its messages need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import ceil

from lab.grade.finding import Flaw
from lab.grade.witness.packets import READ
from lab.model.trial import Ends
from lab.plan.plan import Planned
from lab.programs.request import WINDOW, Sample
from lab.records.facts import Measured
from lab.run.checks import PATH_MTU_MOST, is_loopback

# Of an RDMA device: Soft-RoCE's, and those of InfiniBand's ports. In an interface's, TCP puts packets together.
SENT, RECEIVED = ("sent_pkts", "port_xmit_packets"), ("rcvd_pkts", "port_rcv_packets")


def unsent(planned: Planned, ends: Ends, found: Measured, samples: Iterable[Sample]) -> Iterator[tuple[Flaw, str]]:
    """The fault of messages that the client's device can't have sent, or got if they were read."""
    tool, wanted = planned.series.tool, least_packets(samples)
    if not tool.rdma or is_loopback(tool, ends):
        return
    for name in RECEIVED if planned.series.operation == READ else SENT:
        counter = f"{ends.client.device}.{name}"
        counted = found.counters_after.get(counter, 0) - found.counters_before.get(counter, 0)
        if counter in found.counters_after and counted < wanted:
            yield Flaw.MESSAGES, f"its messages need {wanted} packets at least, {counter} counted {counted}"


def least_packets(samples: Iterable[Sample]) -> int:
    """As many as RDMA needs at least: no two messages share one, and none is longer than the largest path MTU."""
    messages: dict[int, Counter[str]] = {}
    for each in samples:
        if each.sample != WINDOW:
            messages.setdefault(each.size_bytes, Counter())[each.sample] += each.messages
    return sum(max(counted.values()) * max(1, ceil(size / PATH_MTU_MOST)) for size, counted in messages.items())
