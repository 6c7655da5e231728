"""The vm site: the needs of exact, and KVM, which may be there and yet not work."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from lab.doctor import Diagnosis
from lab.errors import LabError
from lab.machine.wall import KVM
from lab.places import CACHE
from lab.sites import silent, vm

SITE = "vm"
DEVICE = Path("/dev/kvm")
GET_API_VERSION, CREATE_VM = 0xAE00, 0xAE01  # linux/kvm.h
API_VERSION = 12  # since Linux 2.6.22, for good


def examine(device: Path = DEVICE) -> Iterator[Diagnosis]:
    """Say whether KVM works: it is only quicker, not needed."""
    problem = _problem(device) or _not_booting()
    found = f"{problem}: machines run in software, with all cores" if problem else "works"
    yield Diagnosis(SITE, "KVM", found, missing=bool(problem))
    yield Diagnosis(
        SITE, "machines", "two, joined by a link" if (os.cpu_count() or 1) > 1 else "one, with a cable in it"
    )


def _problem(device: Path) -> str:
    """Why KVM makes no machine; that its file exists says nothing."""
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return f"{device}: {error.strerror}"
    try:
        if fcntl.ioctl(descriptor, GET_API_VERSION, 0) != API_VERSION:
            return f"{device} is not KVM's"
        os.close(fcntl.ioctl(descriptor, CREATE_VM, 0))
    except OSError as error:
        return f"{device} makes no machine: {error.strerror}"
    finally:
        os.close(descriptor)
    return ""


def _not_booting() -> str:
    """Whether a machine boots, which one that was made may not do; tried only if there is an image already."""
    if not (CACHE / "machine").is_dir():
        return "not tried before the first trial"
    try:
        booted = vm.open().made(silent).acceleration is KVM
    except LabError as error:
        return f"not tried: {error.what}"
    return "" if booted else "a machine is made, but does not boot"
