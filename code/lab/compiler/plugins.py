"""QEMU's plugins and the modelled card, compiled by the locked toolchain."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache as once
from functools import partial
from pathlib import Path

from lab.compiler import build
from lab.compiler.compilation import BuildRefused, Compilation
from lab.errors import SiteError
from lab.files.store import damage_of, exclusive, prune, put_folder, sums_of
from lab.machine import runner
from lab.machine.runner import NAME, PAIR
from lab.supply import lock
from lab.supply.lock import KERNEL

PLUGIN_FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden")
# What compiles for a host of an architecture, and the section of the lock that has it beside the compiler's own.
COMPILERS = {
    lock.runner("amd64"): ("gcc", ""),
    lock.runner("arm64"): ("aarch64-linux-gnu-gcc-12", lock.cross("arm64")),
}


class PluginError(SiteError):
    """The plugin cannot be built."""


def built_plugin(machine: Path, cache: Path, tell: Callable[[str], None], which: str = PAIR) -> Path:
    """A plugin in the cache; compiled now, if it is not there."""
    return runner.built(machine, cache, partial(compiled_plugin, machine, cache, runner.section(), tell, which), which)


def plugin_digests(machine: Path, cache: Path, tell: Callable[[str], None]) -> dict[str, str]:
    """The digest of the pair's plugin's folder for each kind of computer, by the section of its QEMU."""
    made = {host: compiled_plugin(machine, cache, host, tell) for host in COMPILERS}
    sums = {host: sums_of({NAME: hashlib.sha256(content).hexdigest()}) for host, content in made.items()}
    return {host: hashlib.sha256(text).hexdigest() for host, text in sums.items()}


def compiled_plugin(machine: Path, cache: Path, host: str, tell: Callable[[str], None], which: str = PAIR) -> bytes:
    """A plugin for hosts of a section; the error has what the compiler said."""
    compiler, more = COMPILERS[host]
    sources, name = runner.plugin_sources(machine, which), f"{which}.so"
    task = Compilation(
        sources, (compiler, *PLUGIN_FLAGS, "-o", name, *(each for each in sources if each.endswith(".c"))), (name,)
    )
    try:
        return task.programs(*build.run(task, machine, cache, tell, more))[name]
    except BuildRefused as error:
        raise PluginError(f"the plugin does not compile: {error.what}") from error


MODULE, LIBRARY, DEVICE = "labcard.ko", "libcard.so", "card.so"
KEPT = 8
LIBRARY_FLAGS = (
    "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden",
    "-fno-strict-aliasing", "-Icard",
)  # fmt: skip
KBUILD = f"make -C /usr/src/linux-headers-*-amd64 M=$PWD/card/module modules && strip -g card/module/{MODULE}"

Tell = Callable[[str], None]


class CardError(SiteError):
    """A part of the card cannot be built."""


def built_card(machine: Path, cache: Path, tell: Tell) -> tuple[Path, Path]:
    """The module and the library."""
    return _built_files(module(machine), machine, cache, tell, KERNEL), _built_files(
        library(machine), machine, cache, tell
    )


def device(machine: Path, cache: Path, tell: Tell) -> Path:
    """The device."""
    compiler, more = COMPILERS[runner.section()]
    return _built_files(device_by(compiler, machine), machine, cache, tell, more)


def module(machine: Path) -> Compilation:
    """The kernel's own makefiles build it, for the guest's kernel."""
    wanted = f"card/module/{MODULE}"
    return Compilation(_sources(machine, "card/module", "card/abi.h"), ("sh", "-c", KBUILD), (wanted,))


def library(machine: Path) -> Compilation:
    """One more library that programs of the guest are started with."""
    return _compilation(_sources(machine, "card/library", "card/abi.h"), ("gcc", *LIBRARY_FLAGS), LIBRARY)


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


def _built_files(task: Compilation, machine: Path, cache: Path, tell: Tell, section: str = "") -> Path:
    target = build.place(task, machine, cache, section, "card")
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
        return task.programs(*build.run(task, machine, cache, tell, section))
    except BuildRefused as error:
        raise CardError(f"the card does not compile: {error.what}") from error
