"""Two network namespaces joined by a virtual cable, with rate limits and delays."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

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
    """The words before a command that gets a network of its own; other users become root in a user namespace."""
    return ["unshare", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")), "--net"]


def refusal() -> str:
    """The reason why the kernel makes no network namespace; empty if it makes one."""
    try:
        done = subprocess.run([*unshare(), "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unshare is not on this computer (util-linux)"
    return refused(done.stderr) if done.returncode else ""


def refused(said: str) -> str:
    """The reason, from unshare's message."""
    return f"this computer's kernel makes no network namespace for you: {last_line(said)}"


Command = tuple[str, ...]

OFFLOADS = ("tso", "gso", "tx", "rx")  # a veth has no others: it does not join received segments by default
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


def netem_advice(command: Command, said: str) -> str:
    """A hint if the kernel or this host lacks something."""
    if "qdisc kind is unknown" in said:
        kind = next(name for name in ("netem", "tbf") if name in command)
        return f"modprobe sch_{kind}; a kernel without it can't model this link"
    return "apt install iproute2 ethtool" if "failed to execute" in said else ""


ENDS = Ends(End("10.0.0.1", "", "v0"), End("10.0.0.2", "", "v1"), "10.0.0.2", launcher="orterun beside")
MACS = {"v0": "02:00:00:00:00:01", "v1": "02:00:00:00:00:02"}
TRAITS = Traits(Clock.WALL, Shared.COMPUTER, takes_models=True, reachable=False)
PROCESSES = ("--pid", "--fork", "--kill-child=KILL", "--mount-proc")


class Cable(PairLink):
    """A cable between two network namespaces, and the link model on it."""

    traits = TRAITS

    def __init__(self) -> None:
        self.ends, self.about = ENDS, {"cable": "veth between two network namespaces"}
        self.link: Link | None = None
        self.client = self._end("client", None)
        try:
            self.server = self._end("server", self.client)
            self._plug()
        except BaseException:
            self.close()
            raise
        self.pair = AgentPair(self.client, self.server)

    def apply(self, link: Link) -> None:
        """Put a link model on both ends, unless it is on them."""
        if link == self.link:
            return
        self.link = None
        try:
            for end, interface in ((self.client, "v0"), (self.server, "v1")):
                for command in commands(link, interface):
                    _enter(end, *command)
        except SiteError:
            for far in (self.client, self.server):
                far.ask("look")  # an agent that is gone took the cable with it, and the error says so
            raise
        self.link = link

    def close(self) -> None:
        """End both agents, and with them the namespaces and the cable."""
        for end in (self.client, getattr(self, "server", None)):
            if end is not None:
                end.kill()

    def _end(self, name: str, beside: FarEnd | None) -> FarEnd:
        return FarEnd(name, [*_unshare(beside), *here()], _explain)

    def _plug(self) -> None:
        v0, v1 = (("name", name, "address", mac) for name, mac in MACS.items())
        peer = ("peer", *v1, "netns", str(self.server.popen.pid))
        _enter(self.client, "ip", "link", "add", *v0, "type", "veth", *peer)
        for end, ours, theirs in ((self.client, "client", "server"), (self.server, "server", "client")):
            _bring_up(end, getattr(ENDS, ours), getattr(ENDS, theirs))


def _bring_up(end: FarEnd, ours: End, theirs: End) -> None:
    """Set up one end; the neighbour is entered by hand, so that no ARP request disturbs a measurement."""
    _enter(end, "ip", "link", "set", "lo", "up")
    _enter(end, "ip", "addr", "add", f"{ours.host}/24", "dev", ours.interface)
    _enter(end, "ip", "link", "set", ours.interface, "up")
    known = ("lladdr", MACS[theirs.interface], "dev", ours.interface, "nud", "permanent")
    _enter(end, "ip", "neigh", "replace", theirs.host, *known)


def _unshare(beside: FarEnd | None) -> list[str]:
    """The words before an agent's command: other users become root in a user namespace that both ends share."""
    if os.geteuid() == 0 or beside is None:
        return [*unshare(), *PROCESSES]
    return ["nsenter", *_user_of(beside), "unshare", "--net", *PROCESSES]


def _user_of(end: FarEnd) -> tuple[str, ...]:
    return () if os.geteuid() == 0 else ("--user", "--preserve-credentials", "--target", str(end.popen.pid))


def _enter(end: FarEnd, *command: str) -> None:
    """Run a command in the namespace of an end."""
    place = ["nsenter", *_user_of(end), "--net", "--target", str(end.popen.pid)]
    try:
        done = subprocess.run([*place, *command], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise SiteError("nsenter is not on this computer", hint="apt install util-linux") from error
    if done.returncode:
        advice = netem_advice(command, done.stderr)
        raise SiteError(f"{' '.join(command)}: {done.stderr.strip()}", "the host's cable", advice)


def _explain(name: str, words: str) -> SiteError:
    if "unshare failed" in words or "Operation not permitted" in words:
        return SiteError(refused(words), hint=HINT)
    return SiteError(f"the agent ended: {last_line(words)}", where=f"the {name}'s namespace")
