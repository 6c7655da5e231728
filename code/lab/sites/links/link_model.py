"""Commands that put a link model on one end of a cable of this computer, whatever lay there before."""

from __future__ import annotations

from collections.abc import Iterator

from lab.machine.job import check
from lab.machine.line import FRAME_EXTRA_BYTES, netem
from lab.model.trial import Link

Command = tuple[str, ...]

OFFLOADS = ("tso", "gso", "tx", "rx")  # a veth has no others: it joins no received segments unless it is told to
BURST_BYTES_LEAST = 32 << 10
BURSTS_PER_S = 1000  # a rate is kept to within a millisecond's worth


def commands(link: Link, interface: str) -> Iterator[Command]:
    """The commands for one end; the other end limits the rate of the frames that come from there."""
    check(link)
    switch = "on" if link.offload else "off"
    yield ("ip", "link", "set", interface, "mtu", str(link.mtu))
    yield ("ethtool", "-K", interface, *(word for name in OFFLOADS for word in (name, switch)))
    yield ("tc", "qdisc", "replace", "dev", interface, "root", "noqueue")
    parent = ["root"]
    if link.rate_bit_s is not None:
        burst = str(burst_bytes(link.rate_bit_s))
        rate = ("tbf", "rate", f"{link.rate_bit_s}bit", "burst", burst, "latency", "5ms")
        frames = ("overhead", str(FRAME_EXTRA_BYTES))
        yield ("tc", "qdisc", "replace", "dev", interface, *parent, "handle", "1:", *rate, *frames)
        parent = ["parent", "1:1"]
    words = [word for part in netem(link) if not part.startswith("rate") for word in part.split()]
    if words:
        yield ("tc", "qdisc", "replace", "dev", interface, *parent, "netem", "limit", "100000", *words)


def burst_bytes(rate_bit_s: int) -> int:
    """Bytes that pass at once after a silence: enough to make up for a timer that comes late."""
    return max(BURST_BYTES_LEAST, rate_bit_s // 8 // BURSTS_PER_S)


def advice(command: Command, said: str) -> str:
    """What to try if the kernel or this computer lacks something."""
    if "qdisc kind is unknown" in said:
        kind = next(each for each in ("netem", "tbf") if each in command)
        return f"modprobe sch_{kind}; a kernel without it can't model this link"
    return "apt install iproute2 ethtool" if "failed to execute" in said else ""
