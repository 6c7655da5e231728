"""The plugin without which QEMU's clock is not exact: built here, loaded from the cache."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from lab.errors import SiteError
from lab.files.digests import damage
from lab.files.store import exclusive, put_folder, stored

SOURCE, NAME = "before_halt.c", "before_halt.so"
FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden")


class PluginError(SiteError):
    """The plugin cannot be built."""


def built(machine: Path, cache: Path) -> Path:
    """The plugin of this source, compiled if it is missing or damaged."""
    source = machine / SOURCE
    target = place(machine, cache).parent
    if _damage(target):
        with exclusive(target.with_name("lock")):
            if _damage(target):
                with put_folder(target, replace=True) as folder:
                    assert folder is not None
                    compile_into(folder / NAME, source)
    return target / NAME


def place(machine: Path, cache: Path) -> Path:
    """Where the plugin of this source is, or will be."""
    return cache / "plugin" / hashlib.sha256((machine / SOURCE).read_bytes()).hexdigest() / NAME


def _damage(folder: Path) -> str:
    with stored(folder, "read"):
        return damage(folder)


def compile_into(target: Path, source: Path) -> None:
    """Run the compiler; the error has its message."""
    try:
        subprocess.run(["gcc", *FLAGS, "-o", target, source], capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise PluginError("gcc is not on this computer", hint="make setup") from error
    except subprocess.CalledProcessError as error:
        raise PluginError(f"{source.name} does not compile: {error.stderr.strip()}") from error
