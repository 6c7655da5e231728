"""The link between the two VMs: its rate and delay, and the memory that carries its frames."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.errors import SiteError
from lab.files.store import sha256, sums_of
from lab.machine.qemu import path_of
from lab.machine.sparse import anonymous_file
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


END_BYTES, RING_BYTES = 4096, 64 << 20
COUNTS_AT, COUNTS, WIRES = 128, ("frames", "bytes", "dropped", "lost"), ("link", "side")
ALONE = "end=0"  # cards at whose other end there is nobody
# Both ends plug in their cards meanwhile; so neither waits for the other, and nothing of it is on a wire.
PLUG_NS = 150_000_000
PLUGGED_S = f"0.{PLUG_NS:09}"
# Then they rehearse, and wait until what they talked over is forgotten; idle time of a guest's costs nothing.
HOLD_NS = 75_000_000_000
WAIT_S = 80


@contextmanager
def shared_file() -> Iterator[int]:
    """The file of one pair, as long as the plugins want it: they may be forbidden to lengthen one. It has holes."""
    with anonymous_file("wires", 2 * (END_BYTES + len(WIRES) * RING_BYTES)) as shared:
        yield shared


def held(end: int, shared: int, clock_ns: int, calls: int, mailbox: int, console: int, *, trusted: bool) -> str:
    """The plugin's arguments at an end that waits for jobs: before it is plugged in nothing is sent; a trusted QEMU may
    be looked into."""
    times = f"begin={clock_ns + PLUG_NS},hold={clock_ns + HOLD_NS},trusted={int(trusted)}"
    files = f"shared={path_of(shared)},calls={calls},mailbox={mailbox},console={console}"
    return f"end={end},{files},{times},{wire(Link())}"


def digest(machine: Path) -> str:
    """A digest of all that decides what the wires do with a frame, besides its link's model."""
    sources = {each.name: sha256(each) for each in machine.glob("pair/*.[ch]")}
    return hashlib.sha256(sums_of(sources) + f"{PLUG_NS} {HOLD_NS} {wire(Link())}".encode()).hexdigest()


def counts(shared: int) -> dict[str, int]:
    """What each end has put on each wire, by the wire itself: link0.frames, side1.bytes."""
    found = dict[str, int]()
    for end in (0, 1):
        values = struct.unpack("<8Q", os.pread(shared, 64, end * END_BYTES + COUNTS_AT))
        names = (f"{wire}{end}.{name}" for wire in WIRES for name in COUNTS)
        found |= dict(zip(names, values, strict=True))
    return found
