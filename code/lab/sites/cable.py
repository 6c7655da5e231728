"""Two network namespaces joined by a virtual cable, with rate limits and delays."""

import os
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lab.errors import SiteError
from lab.machine.job import check
from lab.machine.link import FRAME_EXTRA_BYTES, netem
from lab.machine.results import NAMES
from lab.model.trial import MOST_COMPUTERS, End, Ends, Link
from lab.sites.agent.client import FarEnd, here, last_line
from lab.sites.agent.jobs import Agents
from lab.sites.site import Clock, Shared, Traits
from lab.sites.wall import RealLink

HINT = "outside of a container, as root or with user namespaces allowed: sysctl kernel.unprivileged_userns_clone=1"


def unshare() -> list[str]:
    """The start of a command in a new network namespace; in a user namespace every user is root."""
    return ["unshare", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")), "--net"]


def refusal() -> str:
    """The reason why the kernel makes no network namespace; empty if it makes one."""
    try:
        done = subprocess.run([*unshare(), "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unshare is not on this computer (util-linux)"
    return refused(done.stderr) if done.returncode else ""


def refused(messages: str) -> str:
    return f"this computer's kernel makes no network namespace for you: {last_line(messages)}"


Command = tuple[str, ...]

OFFLOADS = ("tso", "gso", "tx", "rx")  # a veth has no others: it does not join received segments by default
BURST_BYTES_LEAST = 32 << 10
BURSTS_PER_S = 1000


def commands(link: Link, interface: str, queue_bytes: int = 0) -> Iterator[Command]:
    """The commands that shape the frames that leave by one end, before which this many bytes may wait, else 5 ms."""
    check(link)
    switch = "on" if link.offload else "off"
    yield ("ip", "link", "set", interface, "mtu", str(link.mtu))
    yield ("ethtool", "-K", interface, *(word for name in OFFLOADS for word in (name, switch)))
    yield ("tc", "qdisc", "replace", "dev", interface, "root", "noqueue")
    parent = ["root"]
    if link.rate_bit_s is not None:
        burst = str(burst_bytes(link.rate_bit_s))
        queue = ("limit", str(queue_bytes)) if queue_bytes else ("latency", "5ms")
        rate = ("tbf", "rate", f"{link.rate_bit_s}bit", "burst", burst, *queue)
        frames = ("overhead", str(FRAME_EXTRA_BYTES))
        yield ("tc", "qdisc", "replace", "dev", interface, *parent, "handle", "1:", *rate, *frames)
        parent = ["parent", "1:1"]
    words = [word for part in netem(link) if not part.startswith("rate") for word in part.split()]
    if words:
        yield ("tc", "qdisc", "replace", "dev", interface, *parent, "netem", "limit", "100000", *words)


def burst_bytes(rate_bit_s: int) -> int:
    """The bytes that pass at once after a silence: a millisecond's worth makes up for a late timer."""
    return max(BURST_BYTES_LEAST, rate_bit_s // 8 // BURSTS_PER_S)


def run(command: Command, where: str, packages: str, inside: Sequence[str] = ()) -> str:
    """The output of a command, which `inside` may run elsewhere; raise if it fails or is not installed."""
    try:
        done = subprocess.run([*inside, *command], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise SiteError(f"{error.filename} is not on this computer", hint=f"apt install {packages}") from error
    if done.returncode:
        advice = ""
        if "qdisc kind is unknown" in done.stderr:
            kind = next(name for name in ("netem", "tbf") if name in command)
            advice = f"modprobe sch_{kind}; a kernel without it can't model this link"
        elif "failed to execute" in done.stderr:
            advice = "apt install iproute2 ethtool"
        raise SiteError(f"{shlex.join(command)}: {done.stderr.strip()}", where, advice)
    return done.stdout


class ModelledLink(RealLink):
    link: Link | None = None

    def apply(self, link: Link) -> None:
        if link != self.link:
            self.link = None
            self.shape(link)
            self.link = link

    def shape(self, link: Link) -> None:
        """Put a link model on both ends."""


ENDS = Ends(End("10.0.0.1", "", "v0"), End("10.0.0.2", "", "v1"), "10.0.0.2", launcher="orterun beside")
PORT, NO_QUEUE = "port{}", 1_000_000_000  # the switch's end of a cable; bytes that never wait there
PROCESSES = ("--pid", "--fork", "--kill-child=KILL", "--mount-proc")
# Processes of two computers may have one number, and MPI names its temporary files by it.
TEMPORARY = ("sh", "-c", 'mount -t tmpfs none /dev/shm && TMPDIR=/dev/shm exec "$@"', "sh")


class Cable(ModelledLink):
    """A cable between two network namespaces; or a switch in another one, with a cable to each of several."""

    traits = Traits(Clock.WALL, Shared.COMPUTER, takes_models=True, reachable=False, computers=MOST_COMPUTERS)

    def __init__(self, switched: int = 0) -> None:
        self.ends, self.about, self.switched = ENDS, {"cable": "veth between two network namespaces"}, switched
        self.far: list[FarEnd] = []
        try:
            for name in [*(f"computer of rank {rank}" for rank in range(switched)), "switch"] if switched else NAMES:
                self.far.append(self._end(name))
            self._plug()
        except BaseException:
            self.close()
            raise
        self.agents = Agents(tuple(self.far[: switched or 2]))

    def shape(self, link: Link) -> None:
        sent = link
        if self.switched:  # delayed for both cables to the receiver, and cut into frames before a queue counts them
            sent = replace(link, delay_ns=2 * link.delay_ns, offload=link.offload and not link.queue_bytes)
        try:
            for rank, (far, end) in enumerate(self.agents.with_ends(ENDS)):
                for command in commands(sent, end.interface):
                    _enter(far, *command)
                if self.switched:
                    for command in commands(replace(link, delay_ns=0), PORT.format(rank), link.queue_bytes or NO_QUEUE):
                        _enter(self.far[-1], *command)
        except SiteError:
            for far in self.far:
                far.ask("look")  # without its agent the cable is gone too, and this error explains that
            raise

    def close(self) -> None:
        for far in self.far:
            far.kill()

    def _end(self, name: str) -> FarEnd:
        """An agent in a new network namespace; all agents of a user other than root are in one user namespace."""
        start = [*unshare(), *PROCESSES]
        if os.geteuid() and self.far:
            start = ["nsenter", *_user_of(self.far[0]), "unshare", "--net", *PROCESSES]
        return FarEnd(name, [*start, *TEMPORARY, *here()], _explain)

    def _plug(self) -> None:
        ends = list(enumerate(zip(self.far, ENDS.first(self.switched or 2), strict=False)))
        for rank, (far, end) in ends[: self.switched or 1]:
            peer = ("name", PORT.format(rank)) if self.switched else ("name", ENDS.server.interface, "address", _mac(1))
            cable = ("name", end.interface, "address", _mac(rank), "type", "veth", "peer", *peer)
            _enter(far, "ip", "link", "add", *cable, "netns", str(self.far[-1].popen.pid))
        for command in switch(self.switched) if self.switched else ():
            _enter(self.far[-1], *command)
        for rank, (far, end) in ends:
            _enter(far, "ip", "link", "set", "lo", "up")
            _enter(far, "ip", "addr", "add", f"{end.host}/24", "dev", end.interface)
            _enter(far, "ip", "link", "set", end.interface, "up")
            for number, (_, peer_end) in ends:
                if number != rank:
                    # A permanent neighbour, so that no ARP request disturbs a measurement.
                    neighbour = ("lladdr", _mac(number), "dev", end.interface, "nud", "permanent")
                    _enter(far, "ip", "neigh", "replace", peer_end.host, *neighbour)


def switch(computers: int) -> Iterator[Command]:
    """The commands that join the ports of a switch, and let it know which computer is at which."""
    yield ("ip", "link", "add", "name", "switch0", "type", "bridge")
    yield ("ip", "link", "set", "switch0", "up")
    for rank in range(computers):
        port = PORT.format(rank)
        yield ("ip", "link", "set", port, "master", "switch0", "up")
        yield ("bridge", "fdb", "replace", _mac(rank), "dev", port, "master", "static")


def _mac(rank: int) -> str:
    return f"02:00:00:00:00:{rank + 1:02x}"


def _user_of(end: FarEnd) -> tuple[str, ...]:
    return () if os.geteuid() == 0 else ("--user", "--preserve-credentials", "--target", str(end.popen.pid))


def _enter(end: FarEnd, *command: str) -> None:
    inside = ["nsenter", *_user_of(end), "--net", "--target", str(end.popen.pid)]
    run(command, "the host's cable", "util-linux", inside)


def _explain(name: str, messages: str) -> SiteError:
    if "unshare failed" in messages or "Operation not permitted" in messages:
        return SiteError(refused(messages), hint=HINT)
    return SiteError(f"the agent ended: {last_line(messages)}", where=f"the {name}'s namespace")
