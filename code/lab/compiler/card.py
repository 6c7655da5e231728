"""The modelled card by the locked compiler: its device for this host's QEMU, its two halves for the guest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache as once
from pathlib import Path

from lab.compiler import kept, shut_in
from lab.compiler.compilation import BuildRefused, Compilation
from lab.compiler.plugin import COMPILERS
from lab.compiler.plugin import FLAGS as PLUGIN_FLAGS
from lab.errors import SiteError
from lab.files.store import damage_of, exclusive, prune, put_folder
from lab.machine import runner
from lab.supply.lock import KERNEL

MODULE, LIBRARY, DEVICE = "labcard.ko", "libcard.so", "card.so"
KEPT = 8
FLAGS = (
    "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden",
    "-fno-strict-aliasing", "-Icard",
)  # fmt: skip
KBUILD = f"make -C /usr/src/linux-headers-*-amd64 M=$PWD/card/module modules && strip -g card/module/{MODULE}"

Tell = Callable[[str], None]


class CardError(SiteError):
    """A part of the card cannot be built."""


def built(machine: Path, cache: Path, tell: Tell) -> tuple[Path, Path]:
    """The module and the library."""
    return _made(module(machine), machine, cache, tell, KERNEL), _made(library(machine), machine, cache, tell)


def device(machine: Path, cache: Path, tell: Tell) -> Path:
    """The device."""
    compiler, more = COMPILERS[runner.section()]
    return _made(device_by(compiler, machine), machine, cache, tell, more)


def module(machine: Path) -> Compilation:
    """The kernel's own makefiles build it, for the guest's kernel."""
    wanted = f"card/module/{MODULE}"
    return Compilation(_sources(machine, "card/module", "card/abi.h"), ("sh", "-c", KBUILD), (wanted,))


def library(machine: Path) -> Compilation:
    """One more library that programs of the guest are started with."""
    return _compilation(_sources(machine, "card/library", "card/abi.h"), ("gcc", *FLAGS), LIBRARY)


def device_by(compiler: str, machine: Path) -> Compilation:
    """By the compiler for a host of some architecture."""
    files = _sources(machine, "card/device", "card/abi.h", "machine/pair/qemu.h", "machine/pair/rdma.h")
    return _compilation(files, (compiler, *PLUGIN_FLAGS), DEVICE)


def _compilation(files: Mapping[str, bytes], command: tuple[str, ...], name: str) -> Compilation:
    return Compilation(files, (*command, "-o", name, *(each for each in files if each.endswith(".c"))), (name,))


@once
def _sources(machine: Path, folder: str, *more: str) -> dict[str, bytes]:
    code = machine.parent
    found = {str(each.relative_to(code)): each for each in (code / folder).iterdir() if each.is_file()}
    return {name: (code / name).read_bytes() for name in sorted([*found, *more])}


def _made(task: Compilation, machine: Path, cache: Path, tell: Tell, section: str = "") -> Path:
    target = kept.place(task, machine, cache, section, "card")
    (wanted,) = task.wanted
    file = target / Path(wanted).name
    if damage_of(target):
        with exclusive(target.with_name("lock")):
            if damage_of(target):
                content = _programs(task, machine, cache, tell, section)[wanted]
                with put_folder(target, replace=True) as folder:
                    assert folder is not None
                    (folder / file.name).write_bytes(content)
                prune(target.parent, KEPT)
    return file


def _programs(task: Compilation, machine: Path, cache: Path, tell: Tell, section: str) -> dict[str, bytes]:
    try:
        return task.programs(*shut_in.run(task, machine, cache, tell, section))
    except BuildRefused as error:
        raise CardError(f"the card does not compile: {error.what}") from error
