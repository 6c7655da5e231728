"""A link model in words: for the wire between two exact machines, or for netem."""

from __future__ import annotations

from collections.abc import Iterator

from lab.errors import SiteError
from lab.model.trial import Link

EXACT = "--site exact"
FRAME_EXTRA_BYTES = 24  # preamble, checksum and gap of an Ethernet frame, which the kernel does not count

# What two real cards and a short cable take besides the time of the bytes: each card moves a frame between memory and
# line in about 0.9 us (PCIe, MAC and PHY), and light needs 5 ns for a metre. No exact link is faster than that.
BASE_NS = 2_000
QUEUE_BYTES = 0  # any number wait for a slow line, as before a card that stops its sender: none is dropped


def wire(link: Link, *, takes_card: bool = False) -> str:
    """The plugin's arguments for a link; propagation comes on top of what any cable and its cards take. A modelled card
    adds by itself what its own messages take beside the wire; where none come, it takes the kernel's frames alone."""
    card = link.card.words if link.card else {}
    given = {
        "latency": _latency_ns(link, takes_card=takes_card),
        "rate": link.rate_bit_s or 0,
        "mtu": link.mtu,
        "queue": QUEUE_BYTES,
        "loss": link.loss_ppm,
        "seed": link.loss_seed,
        "offload": int(link.offload),
    } | card
    return ",".join(f"{name}={value}" for name, value in given.items())


def _latency_ns(link: Link, *, takes_card: bool) -> int:
    if not link.card:
        return BASE_NS + link.delay_ns
    return link.card.wire_ns if takes_card else link.card.kernel_ns


def netem(link: Link) -> Iterator[str]:
    """The words for netem; none for a cable without delay and loss."""
    if link.card:
        raise SiteError(f"only the exact machine has modelled cards, and this link has {link.card.name}", hint=EXACT)
    if link.rate_bit_s is not None:
        yield f"rate {link.rate_bit_s}bit {FRAME_EXTRA_BYTES}"
    if link.delay_ns:
        yield f"delay {link.delay_ns // 1000}us"
    if link.loss_ppm:
        yield f"loss {link.loss_ppm // 10_000}.{link.loss_ppm % 10_000:04}%"
