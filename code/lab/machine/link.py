"""The link between the two VMs: its rate and delay, and the memory through which its frames go."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.errors import SiteError
from lab.files.store import sha256, sha256_of, sums_of
from lab.machine.qemu import path_of
from lab.machine.sparse import anonymous_file
from lab.model.trial import Job, Link

FRAME_EXTRA_BYTES = 24  # preamble, checksum and gap of an Ethernet frame, which the kernel does not count

# The latency of two real cards and a short cable: each card moves a frame between memory and cable in about 0.9 us
# (PCIe, MAC and PHY), and light needs 5 ns for a metre. Every exact link has at least this latency.
BASE_NS = 2_000
QUEUE_BYTES = 0  # unlimited, as before a card that stops its sender: no frame is dropped


def latency_ns(job: Job) -> int:
    """The latency of each cable. A modelled card adds the time of its messages by itself; in a job without such
    messages, it only delays the kernel's frames. Its file has the time of the whole way, which is two cables where
    computers are joined by a switch."""
    if not job.link.card:
        return BASE_NS + job.link.delay_ns
    if not job.is_switched:
        return job.link.card.wire_ns if job.takes_card else job.link.card.kernel_ns
    return job.link.cable_ns if job.takes_card else job.link.card.kernel_ns // 2


def wire(link: Link, latency_ns: int = BASE_NS) -> str:
    values = {
        "latency": latency_ns,
        "rate": link.rate_bit_s or 0,
        "mtu": link.mtu,
        "queue": QUEUE_BYTES,
        "loss": link.loss_ppm,
        "seed": link.loss_seed,
        "offload": int(link.offload),
    } | (link.card.words if link.card else {})
    return ",".join(f"{name}={value}" for name, value in values.items())


def netem(link: Link) -> Iterator[str]:
    """The arguments for netem; none for a link without rate, delay and loss."""
    if link.card:
        raise SiteError(f"modelled cards exist only on the exact site: {link.card.name}", hint="--site exact")
    if link.rate_bit_s is not None:
        yield f"rate {link.rate_bit_s}bit {FRAME_EXTRA_BYTES}"
    if link.delay_ns:
        yield f"delay {link.delay_ns // 1000}us"
    if link.loss_ppm:
        yield f"loss {link.loss_ppm // 10_000}.{link.loss_ppm % 10_000:04}%"


END_BYTES, RING_BYTES = 4096, 64 << 20
COUNTS_AT, COUNTS, WIRES = 128, ("frames", "bytes", "dropped", "lost"), ("link", "side")
ALONE = "end=0"  # cards without a peer
# Both ends plug in their cards in this time, so that neither waits for the other, and no frame of it is on a wire.
PLUG_NS = 150_000_000
PLUGGED_S = f"0.{PLUG_NS:09}"
# Then they rehearse, and wait until the kernel has forgotten their connections; idle guest time costs nothing.
HOLD_NS = 75_000_000_000
WAIT_S = 80


@contextmanager
def shared_file() -> Iterator[int]:
    """The sparse file of one pair, already in its full size, because the plugins may not be allowed to extend it."""
    with anonymous_file("wires", 2 * (END_BYTES + len(WIRES) * RING_BYTES)) as shared:
        yield shared


def held(end: int, shared: int, clock_ns: int, calls: int, mailbox: int, console: int, *, trusted: bool) -> str:
    """The plugin's arguments at an end that waits for jobs. Frames are sent only after its cards are plugged in; the
    plugin reads the memory of a trusted QEMU."""
    times = f"begin={clock_ns + PLUG_NS},hold={clock_ns + HOLD_NS},trusted={int(trusted)}"
    files = f"shared={path_of(shared)},calls={calls},mailbox={mailbox},console={console}"
    return f"end={end},{files},{times},{wire(Link())}"


def digest(machine: Path) -> str:
    """A digest of the code and the times that decide what happens to a frame, without the link's model."""
    sources = {file.name: sha256(file) for file in machine.glob("pair/*.[ch]")}
    return sha256_of(sums_of(sources) + f"{PLUG_NS} {HOLD_NS} {wire(Link())}".encode())


DEPTHS_AT, DEPTHS_MOST, NOTIFIED_AT, EARLY_AT = 1024, 128, 232, 248


def depths(shared: int, link: Link) -> dict[str, int]:
    """What waited in the switch before a computer: the most bytes, in all and in each interval with a queue, by its
    start in ns after the first frame to this computer (queue.bytes_at_2048); how often its card was told to pause. With
    `ecn` also the packets to it that were marked, and how its own card was slowed down."""
    block = struct.Struct(f"<{8 + 2 * DEPTHS_MOST}Q")
    values = block.unpack(os.pread(shared, block.size, END_BYTES + DEPTHS_AT))
    _, _, most, pauses, marks, _, _, count, *points = values
    times, bytes_ = points[: 2 * count : 2], points[1 : 2 * count : 2]
    in_time = {f"queue.bytes_at_{at}": each for at, each in zip(times, bytes_, strict=True)}
    found = {"queue.most_bytes": most, "queue.pauses": pauses} | in_time
    if link.ecn:
        notified, lowest = struct.unpack("<2Q", os.pread(shared, 16, NOTIFIED_AT))  # of its queue pairs after one
        found |= {"queue.marks": marks, "card.notified": notified}
        found["card.lowest_bit_s"] = lowest if notified else link.rate_bit_s or 0
    return found


def counts(shared: int) -> dict[str, int]:
    """The counts of each wire, by the end that sends on it: link0.frames, side1.bytes. If messages of its card came
    before a receive, also their number, as Soft-RoCE names it."""
    counted = dict[str, int]()
    for end in (0, 1):
        values = struct.unpack("<8Q", os.pread(shared, 64, end * END_BYTES + COUNTS_AT))
        names = (f"{wire}{end}.{name}" for wire in WIRES for name in COUNTS)
        counted |= dict(zip(names, values, strict=True))
        if early := int.from_bytes(os.pread(shared, 8, end * END_BYTES + EARLY_AT), "little"):
            counted[f"card{end}.rcvd_rnr_err"] = early
    return counted
