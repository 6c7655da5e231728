"""Soft-RoCE of this computer's kernel, made for a run and removed after it: one rxe device that is both ends.

Not two: rxe (of Linux 6.1) works in the first network namespace only, and there the kernel would hand packets between
two addresses of its own over by itself, unless its routing rules were changed under everybody's feet. The device is
removed by a guard, a process that waits for the end of its input: that comes also when the harness is killed.
"""

from __future__ import annotations

import os
import shlex
import subprocess

from lab.errors import SiteError
from lab.sites import node
from lab.sites.own_devices import OwnDevices

WANTED = "rxe"
MODULE = "rdma_rxe"
DEVICE, INTERFACE, PEER = "lab_rxe0", "lab-rxe", "lab-rxe-peer"
ADDRESS = "198.18.0.1/30"  # of the range that RFC 2544 keeps for benchmarks
MAKE = (
    ("ip", "link", "add", INTERFACE, "type", "veth", "peer", "name", PEER),
    ("ip", "addr", "add", ADDRESS, "dev", INTERFACE),
    ("ip", "link", "set", PEER, "up"),
    ("ip", "link", "set", INTERFACE, "mtu", "4200", "up"),
    ("rdma", "link", "add", DEVICE, "type", "rxe", "netdev", INTERFACE),
)
UNDO = (("rdma", "link", "delete", DEVICE), ("ip", "link", "delete", INTERFACE))


class SoftRdma:
    """The device, and its guard."""

    def __init__(self) -> None:
        refuse_without_module()
        script = "cat >/dev/null; " + "; ".join(shlex.join(command) for command in UNDO)
        self.guard = subprocess.Popen(
            ["sh", "-c", script], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            for command in MAKE:
                _run(command)
            self.devices = OwnDevices((DEVICE,))
        except BaseException:
            self.remove()
            raise
        self.pair, self.ends, self.about = self.devices.pair, self.devices.ends, self.devices.about
        self.apply, self.with_programs = self.devices.apply, self.devices.with_programs

    def close(self) -> None:
        """Both agents end, then the device."""
        self.devices.close()
        self.remove()

    def remove(self) -> None:
        """Let the guard do its work, and wait for it."""
        self.guard.communicate()


def refuse_without_module() -> None:
    """Before anything is changed."""
    if os.geteuid() != 0:
        raise SiteError("only root can make a Soft-RoCE device", hint="sudo, or --site exact")
    if (node.SYS / "module" / MODULE).exists():
        return
    try:
        _run(("modprobe", MODULE))
    except SiteError as error:
        what = f"this kernel ({os.uname().release}) has no module {MODULE}"
        raise SiteError(what, hint="apt install linux-image-amd64; or --site exact, which brings its own") from error


def _run(command: tuple[str, ...]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise SiteError(f"{command[0]} is not on this computer", hint="apt install iproute2 kmod") from error
    if done.returncode:
        raise SiteError(f"{shlex.join(command)}: {done.stderr.strip()}", where="Soft-RoCE")
