"""This computer in wall-clock time: its own RDMA devices, or a cable between two network namespaces."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.sites import Tell
from lab.sites.links import own_devices, soft_rdma
from lab.sites.links.cable import Cable
from lab.sites.links.own_devices import OwnDevices
from lab.sites.links.soft_rdma import SoftRdma
from lab.sites.wall import PairLink, WallSite

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
    devices = () if made or wanted == CABLE else own_devices.choose(wanted)
    made = made or (not (wanted or devices) and soft_rdma.possible())

    def connect() -> PairLink:
        if made:
            return SoftRdma()
        return OwnDevices(devices) if devices else Cable()

    passed_over = own_devices.passed_over(devices) if devices and not wanted else ""
    return WallSite("host", connect, alone, passed_over)
