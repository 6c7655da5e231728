"""Two network namespaces joined by a virtual cable, with rate limits and delays."""

import os
import shlex
import subprocess
from collections.abc import Iterator, Sequence

from lab.errors import SiteError
from lab.machine.job import check
from lab.machine.link import FRAME_EXTRA_BYTES, netem
from lab.model.trial import End, Ends, Link
from lab.sites.agent.client import FarEnd, here, last_line
from lab.sites.agent.pair import AgentPair
from lab.sites.site import Clock, Shared, Traits
from lab.sites.wall import PairLink

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


def commands(link: Link, interface: str) -> Iterator[Command]:
    """The commands that shape the frames that leave by one end."""
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


class ModelledLink(PairLink):
    link: Link | None = None

    def apply(self, link: Link) -> None:
        """Put a link model on both ends, unless it is on them."""
        if link != self.link:
            self.link = None
            self.shape(link)
            self.link = link

    def shape(self, link: Link) -> None:
        """Put a link model on both ends."""


ENDS = Ends(End("10.0.0.1", "", "v0"), End("10.0.0.2", "", "v1"), "10.0.0.2", launcher="orterun beside")
MACS = {"v0": "02:00:00:00:00:01", "v1": "02:00:00:00:00:02"}
PROCESSES = ("--pid", "--fork", "--kill-child=KILL", "--mount-proc")


class Cable(ModelledLink):
    """A cable between two network namespaces."""

    traits = Traits(Clock.WALL, Shared.COMPUTER, takes_models=True, reachable=False)

    def __init__(self) -> None:
        self.ends, self.about = ENDS, {"cable": "veth between two network namespaces"}
        self.client = self._end("client", None)
        try:
            self.server = self._end("server", self.client)
            self._plug()
        except BaseException:
            self.close()
            raise
        self.pair = AgentPair(self.client, self.server)

    def shape(self, link: Link) -> None:
        try:
            for far, end in self.pair.with_ends(ENDS):
                for command in commands(link, end.interface):
                    _enter(far, *command)
        except SiteError:
            for far in (self.client, self.server):
                far.ask("look")  # without its agent the cable is gone too, and this error explains that
            raise

    def close(self) -> None:
        """End both agents, and with them the namespaces and the cable."""
        for far in (self.client, getattr(self, "server", None)):
            if far is not None:
                far.kill()

    def _end(self, name: str, beside: FarEnd | None) -> FarEnd:
        """An agent in a new network namespace; both agents of a user other than root are in one user namespace."""
        start = [*unshare(), *PROCESSES]
        if os.geteuid() and beside:
            start = ["nsenter", *_user_of(beside), "unshare", "--net", *PROCESSES]
        return FarEnd(name, [*start, *here()], _explain)

    def _plug(self) -> None:
        v0, v1 = (("name", name, "address", mac) for name, mac in MACS.items())
        peer = ("peer", *v1, "netns", str(self.server.popen.pid))
        _enter(self.client, "ip", "link", "add", *v0, "type", "veth", *peer)
        for far, end, peer_end in ((self.client, ENDS.client, ENDS.server), (self.server, ENDS.server, ENDS.client)):
            _enter(far, "ip", "link", "set", "lo", "up")
            _enter(far, "ip", "addr", "add", f"{end.host}/24", "dev", end.interface)
            _enter(far, "ip", "link", "set", end.interface, "up")
            # A permanent neighbour, so that no ARP request disturbs a measurement.
            neighbour = ("lladdr", MACS[peer_end.interface], "dev", end.interface, "nud", "permanent")
            _enter(far, "ip", "neigh", "replace", peer_end.host, *neighbour)


def _user_of(end: FarEnd) -> tuple[str, ...]:
    return () if os.geteuid() == 0 else ("--user", "--preserve-credentials", "--target", str(end.popen.pid))


def _enter(end: FarEnd, *command: str) -> None:
    inside = ["nsenter", *_user_of(end), "--net", "--target", str(end.popen.pid)]
    run(command, "the host's cable", "util-linux", inside)


def _explain(name: str, messages: str) -> SiteError:
    if "unshare failed" in messages or "Operation not permitted" in messages:
        return SiteError(refused(messages), hint=HINT)
    return SiteError(f"the agent ended: {last_line(messages)}", where=f"the {name}'s namespace")
