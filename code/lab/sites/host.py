"""This host with its RDMA or network devices."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.errors import SiteError, Tell
from lab.files.store import take
from lab.model.trial import End, Ends
from lab.sites import soft_rdma
from lab.sites.agent import computer
from lab.sites.agent.client import FarEnd, here
from lab.sites.agent.jobs import Agents
from lab.sites.cable import Cable
from lab.sites.site import Clock, Shared, Traits
from lab.sites.soft_rdma import SoftRdma
from lab.sites.wall import RealLink, WallSite


class OwnDevices(RealLink):
    traits = Traits(Clock.WALL, Shared.COMPUTER, takes_models=False, reachable=True)

    def __init__(self, devices: tuple[str, ...]) -> None:
        self.ends, self.about = ends_of(devices), about(devices)
        self.agents = Agents((FarEnd("client", here()), FarEnd("server", here())))
        self.agents.pin(self.ends)


def choose(wanted: str) -> tuple[str, ...]:
    """The devices to use, client's first: the named devices, else the first two of one kind, else the first, else
    none; hardware before software."""
    if not wanted:
        kinds_up: dict[str, list[str]] = {}
        for name in computer.devices():
            if "ACTIVE" in computer.port_state(name):
                kinds_up.setdefault(computer.kind(name), []).append(name)
        best = min(kinds_up, key=lambda kind: (kind.startswith(computer.SOFTWARE), len(kinds_up[kind]) < 2), default="")
        return tuple(kinds_up.get(best, ())[:2])
    devices, named = computer.devices(), tuple(wanted.split(","))
    if len(named) > 2:
        raise SiteError(f"a link has two ends, not {len(named)}: {wanted}", hint="--site host:CLIENT,SERVER")
    for name in named:
        if name not in devices:
            names = ", ".join(devices) or "there is none"
            raise SiteError(f"this computer has no RDMA device {name}", hint=f"lab doctor; its devices: {names}")
    kinds = [computer.kind(name) for name in named]
    if len(set(kinds)) > 1:
        both = " and ".join(f"{name} ({kind})" for name, kind in zip(named, kinds, strict=True))
        hint = f"two of one kind, or --site host:{named[0]} alone"
        raise SiteError(f"{both} are of two kinds, and a link between them measures neither", hint=hint)
    return named


def ends_of(devices: tuple[str, ...]) -> Ends:
    """Both ends; one device is both."""
    return Ends(_end(devices[0]), _end(devices[-1]), side_channel="127.0.0.1")


def about(devices: tuple[str, ...]) -> dict[str, str]:
    """A description of the link between these devices, for the identity."""
    if len(set(devices)) == 1:
        return {"cable": f"none: {devices[0]} is both ends, the data turn around inside it"}
    return {"cable": f"{devices[0]} to {devices[1]}, both of this computer"}


def _end(device: str) -> End:
    interface = computer.interface_of(device)
    if not interface:
        raise SiteError(f"{device} has no network interface, from which its GID follows", hint="ip link; rdma link")
    address = computer.address_of(interface)
    if not address:
        raise SiteError(f"{interface} has no address", hint=f"ip addr add 192.168.100.1/24 dev {interface}")
    return End(address, device, interface)


CABLE = "cable"


@contextmanager
def alone(tell: Tell) -> Iterator[None]:
    """Wait until no other run of this user measures on this host."""
    file = Path(tempfile.gettempdir()) / f"lab-host-{os.getuid()}.lock"
    with file.open("w") as stream:
        take(stream, fcntl.LOCK_EX, lambda line: tell(f"host: {line}"), "another run that measures on this computer")
        yield


def open(wanted: str = "", _: Path | None = None) -> WallSite:  # noqa: A001 - as every site's module
    """`host` uses this host's RDMA devices, else makes two if it can; `host:A,B` uses these devices; `host:rxe` always
    makes two; `host:cable` uses none."""
    makes_rdma = wanted == soft_rdma.WANTED
    devices = () if makes_rdma or wanted == CABLE else choose(wanted)
    makes_rdma = makes_rdma or (not (wanted or devices) and soft_rdma.possible())

    def connect(switched: int) -> RealLink:
        if makes_rdma:
            return SoftRdma()
        return OwnDevices(devices) if devices else Cable(switched)

    return WallSite("host", connect, alone)
