"""Two machines joined by a network card each: one end of the link in each, and neither goes on without the other."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from lab.machine import results
from lab.machine.ends import NAMES, Both, Left, apart
from lab.machine.guest import Watch
from lab.machine.job import pack
from lab.machine.wall import Machine, boot, shaped
from lab.model.trial import Job, Outcome


def run(machine: Machine, job: Job, limit_s: float, watch: Watch) -> Outcome:
    """Each end in a machine of its own; they share the processors."""
    started = time.monotonic()
    job = apart(job)
    processors = max(1, machine.processors // 2)
    both = Both("vm", watch)
    with sockets() as link, sockets() as side:

        def boot_end(end: int) -> Left:
            archive = pack(job, END=str(end), **shaped(job.link))
            cards = [link[end], side[end]]
            return boot(machine, archive, joints(end, *cards), cards, processors, limit_s, both.watch)

        (client, said), (server, also_said) = both.run(boot_end)
    return results.joined_outcome(client, server, len(job.steps), said + also_said, time.monotonic() - started)


def joints(end: int, link: int, side: int) -> list[str]:
    """A name, and two network cards whose other ends are in the other machine."""
    return ["-name", NAMES[end], *card("link", link), *card("side", side)]


def card(name: str, descriptor: int) -> list[str]:
    """A network card, and the socket that is its wire."""
    return ["-netdev", f"socket,id={name},fd={descriptor}", "-device", f"virtio-net-pci,netdev={name},romfile="]


@contextmanager
def sockets() -> Iterator[tuple[int, int]]:
    """Two ends of a private connection."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(each) for each in socket.socketpair())
        yield one.fileno(), other.fileno()
