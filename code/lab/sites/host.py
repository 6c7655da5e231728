"""This host with its own RDMA or network devices."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.errors import SiteError
from lab.model.trial import End, Ends, Job, Link
from lab.sites import soft_rdma
from lab.sites.agent import computer
from lab.sites.agent.client import FarEnd, here
from lab.sites.agent.pair import AgentPair, near_by
from lab.sites.cable import Cable
from lab.sites.site import Clock, Shared, Tell, Traits
from lab.sites.soft_rdma import SoftRdma
from lab.sites.wall import PairLink, WallSite

TRAITS = Traits(Clock.WALL, Shared.COMPUTER, takes_models=False, reachable=True)


class OwnDevices:
    """Two agents near the devices; the link is what it is."""

    traits = TRAITS

    def __init__(self, devices: tuple[str, ...]) -> None:
        self.ends, self.about = ends_of(devices), about(devices)
        self.pair = AgentPair(FarEnd("client", here()), FarEnd("server", here()))
        self.pair.pin(self.ends)

    def apply(self, link: Link) -> None:
        """Refuse a link model: a real link takes none."""
        refuse_model(link)

    def with_programs(self, job: Job) -> AgentPair:
        """Both ends see the same files."""
        return near_by(self.pair, job)

    def close(self) -> None:
        """End both agents."""
        self.pair.client.kill()
        self.pair.server.kill()


def refuse_model(link: Link) -> None:
    """Refuse all of a link model but its MTU: the record has the MTU of the link."""
    if link.card:
        raise SiteError(
            f"a real link has cards of its own, and takes no modelled {link.card.name}", hint="--site exact"
        )
    if link.is_modelled:
        raise SiteError("a real link takes no model of rate, delay, loss or offload", hint="--site exact")


def choose(wanted: str) -> tuple[str, ...]:
    """The devices to use, client's first: those named, else the first two of one kind, else the first, else none;
    hardware before software."""
    if not wanted:
        groups = sorted(_active().items(), key=lambda each: (each[0].startswith(computer.SOFTWARE), len(each[1]) < 2))
        return tuple(groups[0][1][:2]) if groups else ()
    there = computer.devices()
    for name in wanted.split(","):
        if name not in there:
            known = ", ".join(there) or "there is none"
            raise SiteError(f"this computer has no RDMA device {name}", hint=f"lab doctor; its devices: {known}")
    named = tuple(wanted.split(",")[:2])
    kinds = [computer.kind(each) for each in named]
    if len(set(kinds)) > 1:
        both = " and ".join(f"{name} ({kind})" for name, kind in zip(named, kinds, strict=True))
        hint = f"two of one kind, or --site host:{named[0]} alone"
        raise SiteError(f"{both} are of two kinds, and a link between them measures neither", hint=hint)
    return named


def skipped_devices(chosen: tuple[str, ...]) -> str:
    """A sentence about the active devices of another kind than the chosen ones; empty where there is none."""
    others = [f"{name} ({kind})" for kind, names in _active().items() for name in names if chosen[0] not in names]
    if not others:
        return ""
    alone = ", which is both ends" if len(set(chosen)) == 1 else ""
    what = f"host: {' and '.join(chosen)} ({computer.kind(chosen[0])}) measured{alone}"
    return f"{what}; not paired with {', '.join(others)}, of another kind"


def _active() -> dict[str, list[str]]:
    """The devices whose port is up, by their kind."""
    found: dict[str, list[str]] = {}
    for name in computer.devices():
        if "ACTIVE" in computer.port_state(name):
            found.setdefault(computer.kind(name), []).append(name)
    return found


def ends_of(devices: tuple[str, ...]) -> Ends:
    """Both ends; one device is both."""
    client, server = _end(devices[0]), _end(devices[-1])
    return Ends(client, server, side_channel="127.0.0.1")


def about(devices: tuple[str, ...]) -> dict[str, str]:
    """The traits of the link between these ends."""
    if len(set(devices)) == 1:
        return {"cable": f"none: {devices[0]} is both ends, the data turn around inside it"}
    return {"cable": f"{devices[0]} to {devices[1]}, both of this computer"}


def _end(device: str) -> End:
    interface = computer.interface_of(device)
    if not interface:
        raise SiteError(f"{device} has no network interface, by which the lab finds its GID", hint="ip link; rdma link")
    address = computer.address_of(interface)
    if not address:
        raise SiteError(f"{interface} has no address", hint=f"ip addr add 192.168.100.1/24 dev {interface}")
    return End(address, device, interface)


CABLE = "cable"


@contextmanager
def alone(tell: Tell) -> Iterator[None]:
    """Wait until no other run of this user measures on this computer."""
    file = Path(tempfile.gettempdir()) / f"lab-host-{os.getuid()}.lock"
    with file.open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("host: waiting for another run that measures on this computer")
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def open(wanted: str = "", _: Path | None = None) -> WallSite:  # noqa: A001 - as every site's module
    """`host` takes this computer's RDMA devices, else makes two where it can; `host:A,B` those; `host:rxe` makes two in
    any case; `host:cable` takes none."""
    made = wanted == soft_rdma.WANTED
    devices = () if made or wanted == CABLE else choose(wanted)
    made = made or (not (wanted or devices) and soft_rdma.possible())

    def connect() -> PairLink:
        if made:
            return SoftRdma()
        return OwnDevices(devices) if devices else Cable()

    passed_over = skipped_devices(devices) if devices and not wanted else ""
    return WallSite("host", connect, alone, passed_over)
