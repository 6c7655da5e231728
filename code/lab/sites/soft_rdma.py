"""Soft-RoCE devices on links made for a run."""

import fcntl
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from lab.errors import SiteError
from lab.machine.results import NAMES
from lab.model.trial import End, Ends, Link
from lab.sites import cable
from lab.sites.agent import computer
from lab.sites.agent.client import FarEnd, here, last_line
from lab.sites.agent.jobs import Agents
from lab.sites.cable import Command
from lab.sites.site import Clock, Shared, Traits

WANTED = "rxe"
MODULES = ("rdma_rxe", "vrf")
MTU = 4200  # without a link model: a whole message of 4096 bytes fits in a frame
ACCEPT = "net.ipv4.udp_l3mdev_accept"  # whether rxe's socket receives packets that arrive in a domain


@dataclass(frozen=True)
class PortSide:
    """One end, and the routing domain around it; the address is in the range that RFC 2544 reserves for benchmarks."""

    end: End
    domain: str
    table: str
    mac: str


CLIENT = PortSide(End("198.18.0.1", "lab_rxe0", "lab0"), "lab-domain0", "7340", "02:00:00:00:00:01")
SERVER = PortSide(End("198.18.0.2", "lab_rxe1", "lab1"), "lab-domain1", "7341", "02:00:00:00:00:02")
SIDES = (CLIENT, SERVER)
# Inside a domain 127.0.0.1 must be the domain's, so that domains come before the table of all local addresses. Nothing
# changes outside of domains, and that table is in use at every moment.
DOMAINS_FIRST = (
    ("ip", "rule", "add", "pref", "0", "l3mdev"),
    ("ip", "rule", "add", "pref", "1", "lookup", "local"),
    ("ip", "rule", "del", "pref", "0", "lookup", "local"),
)
UNDO = f"""
for number in 0 1; do rdma link delete lab_rxe$number; done
ip link delete {CLIENT.end.interface} # and the other end with it
for number in 0 1; do ip link delete lab-domain$number; done
ip rule del pref 0 l3mdev && ip rule add pref 0 lookup local && ip rule del pref 1 lookup local
find /sys/fs/cgroup -depth -type d -path '*/vrf/lab-domain?' -exec rmdir {{}} +
"""
ENDS = Ends(CLIENT.end, SERVER.end, SERVER.end.host, launcher="orterun beside")


class SoftRdma(cable.ModelledLink):
    """Soft-RoCE devices at both ends of a cable, the link model on it, and the guard that removes them."""

    traits = Traits(Clock.WALL, Shared.COMPUTER, takes_models=True, reachable=True)  # every process can use a domain

    def __init__(self) -> None:
        require_modules()
        self.about = {"cable": "veth between two routing domains, Soft-RoCE at both ends"}
        self.far: list[FarEnd] = []
        with taken() as lock:
            self.guard = guard(lock)
        try:
            for command in make():
                _run(command)
            for name, side in zip(NAMES, SIDES, strict=True):
                self.far.append(FarEnd(name, ["ip", "vrf", "exec", side.domain, *here()]))
        except BaseException:
            self.close()
            raise
        self.agents = Agents(tuple(self.far))
        client, server = (replace(side.end, gid=computer.gid_of(side.end.device, side.end.host)) for side in SIDES)
        self.ends = replace(ENDS, client=client, server=server)

    def shape(self, link: Link) -> None:
        for side in SIDES:
            _run(("ip", "link", "set", side.domain, "mtu", str(link.mtu)))  # the limit of rxe's messages
            for command in cable.commands(link, side.end.interface):
                _run(command)

    def close(self) -> None:
        """End both agents; then the guard removes the devices."""
        for far in self.far:
            far.kill()
        self.guard.communicate()


def taken() -> TextIO:
    """The lock for making the devices, whose names are fixed; it is free again when its holder has ended."""
    file = (Path(tempfile.gettempdir()) / "lab-rxe.lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        what = "another run on this computer has made the Soft-RoCE devices"
        raise SiteError(what, hint="wait for its end, or --site host:cable") from error
    return file


def guard(lock: TextIO) -> subprocess.Popen[bytes]:
    """Remove the leftovers of an earlier run now, and this run's devices when the harness has ended."""
    subprocess.run(["sh", "-c", UNDO], stderr=subprocess.DEVNULL, check=False)
    before = computer.text(Path("/proc/sys") / ACCEPT.replace(".", "/"))
    script = f"cat >/dev/null\n{UNDO}sysctl -q -w {ACCEPT}={before}"
    return subprocess.Popen(
        ["sh", "-c", script], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True, pass_fds=[lock.fileno()],
    )  # fmt: skip


def make() -> Iterator[Command]:
    """The commands that make the cable, the routing domain of each end, and the devices."""
    first, second = (("address", side.mac) for side in SIDES)
    names = CLIENT.end.interface, SERVER.end.interface
    yield ("ip", "link", "add", names[0], *first, "type", "veth", "peer", "name", names[1], *second)
    yield ("sysctl", "-q", "-w", f"{ACCEPT}=1")
    for side, peer in ((CLIENT, SERVER), (SERVER, CLIENT)):
        interface, domain = side.end.interface, side.domain
        yield ("ip", "link", "add", domain, "type", "vrf", "table", side.table)
        yield ("ip", "addr", "add", f"{side.end.host}/32", "dev", domain)
        yield ("ip", "link", "set", domain, "mtu", str(MTU), "up")
        yield ("ip", "link", "set", interface, "master", domain)
        yield ("ip", "addr", "add", f"{side.end.host}/30", "dev", interface)
        yield ("ip", "link", "set", interface, "mtu", str(MTU), "up")
        # A permanent neighbour, so that no ARP request disturbs a measurement.
        yield ("ip", "neigh", "replace", peer.end.host, "lladdr", peer.mac, "dev", interface, "nud", "permanent")
        yield ("rdma", "link", "add", side.end.device, "type", "rxe", "netdev", domain)
        yield ("ip", "addr", "add", "127.0.0.1/8", "dev", domain)  # last: the first address is the device's first GID
    if "lookup local" in _run(("ip", "rule", "list", "pref", "0")):
        yield from DOMAINS_FIRST


def possible() -> bool:
    """Whether this user on this kernel can make the devices; their modules are loaded on first use."""
    try:
        require_modules("--dry-run")
    except SiteError:
        return False
    return True


def require_modules(*options: str) -> None:
    """Load the modules; refuse before anything is changed."""
    if os.geteuid() != 0:
        raise SiteError("only root can make a Soft-RoCE device", hint="sudo, or --site exact")
    for name in MODULES:
        try:
            if not (computer.SYS / "module" / name).exists():
                _run(("modprobe", *options, name))
        except SiteError as error:
            what = f"this kernel ({os.uname().release}) has no module {name}: {last_line(error.what)}"
            hint = "apt install linux-image-amd64; or --site exact, with a bundled kernel"
            raise SiteError(what, hint=hint) from error


def _run(command: Command) -> str:
    return cable.run(command, "Soft-RoCE", "iproute2 kmod procps")
