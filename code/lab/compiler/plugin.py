"""QEMU's plugins by the locked compiler, for this host or another."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lab.compiler import shut_in
from lab.compiler.compilation import BuildRefused, Compilation
from lab.errors import SiteError
from lab.files.digests import sums_of
from lab.machine import plugin, runner
from lab.machine.plugin import NAME, PAIR
from lab.supply import lock

FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden")
# What compiles for a host of an architecture, and the section of the lock that has it beside the compiler's own.
COMPILERS = {
    lock.runner("amd64"): ("gcc", ""),
    lock.runner("arm64"): ("aarch64-linux-gnu-gcc-12", lock.cross("arm64")),
}


class PluginError(SiteError):
    """The plugin cannot be built."""


def built(machine: Path, cache: Path, tell: Callable[[str], None], which: str = PAIR) -> Path:
    """A plugin in the cache; compiled now, if it is not there."""
    return plugin.built(machine, cache, partial(compiled, machine, cache, runner.section(), tell, which), which)


def digests(machine: Path, cache: Path, tell: Callable[[str], None]) -> dict[str, str]:
    """The digest of the pair's plugin's folder for each kind of computer, by the section of its QEMU."""
    made = {host: compiled(machine, cache, host, tell) for host in COMPILERS}
    sums = {host: sums_of({NAME: hashlib.sha256(content).hexdigest()}) for host, content in made.items()}
    return {host: hashlib.sha256(text).hexdigest() for host, text in sums.items()}


def compiled(machine: Path, cache: Path, host: str, tell: Callable[[str], None], which: str = PAIR) -> bytes:
    """A plugin for hosts of a section; the error has what the compiler said."""
    compiler, more = COMPILERS[host]
    sources, name = plugin.sources(machine, which), f"{which}.so"
    task = Compilation(
        sources, (compiler, *FLAGS, "-o", name, *(each for each in sources if each.endswith(".c"))), (name,)
    )
    try:
        return task.programs(*shut_in.run(task, machine, cache, tell, more))[name]
    except BuildRefused as error:
        raise PluginError(f"the plugin does not compile: {error.what}") from error
