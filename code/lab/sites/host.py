"""This computer in wall-clock time: its own RDMA devices, or a cable between two network namespaces."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.sites import own_devices, soft_rdma
from lab.sites.cable import Cable
from lab.sites.own_devices import OwnDevices
from lab.sites.soft_rdma import SoftRdma
from lab.sites.wall import PairLink, WallSite

CABLE = "cable"


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other run of this user measures on this computer."""
    file = Path(tempfile.gettempdir()) / f"lab-host-{os.getuid()}.lock"
    with file.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def open(wanted: str = "", _: Path | None = None) -> WallSite:  # noqa: A001 - as every site's module
    """`host` takes RDMA devices if there are any, `host:A,B` those, `host:rxe` makes one, `host:cable` takes none."""
    devices = () if wanted in (CABLE, soft_rdma.WANTED) else own_devices.choose(wanted)

    def connect() -> PairLink:
        if wanted == soft_rdma.WANTED:
            return SoftRdma()
        return OwnDevices(devices) if devices else Cable()

    return WallSite("host", connect, alone)
