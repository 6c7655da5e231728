"""The plugin without which QEMU's clock is not exact: loaded from the cache, where the compiler's stage puts it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from lab.files.digests import sums_of
from lab.files.store import damage_of, exclusive, put_folder
from lab.machine import runner

SOURCES, NAME = ("pair/*.[ch]",), "pair.so"


def built(machine: Path, cache: Path, compiled: Callable[[], bytes]) -> Path:
    """The plugin of this source for this host's QEMU, compiled if it is missing or damaged."""
    target = place(machine, cache).parent
    if damage_of(target):
        with exclusive(target.with_name("lock")):
            if damage_of(target):
                with put_folder(target, replace=True) as folder:
                    assert folder is not None
                    (folder / NAME).write_bytes(compiled())
    return target / NAME


def place(machine: Path, cache: Path) -> Path:
    """Where the plugin is, or will be."""
    texts = {name: hashlib.sha256(content).hexdigest() for name, content in sources(machine).items()}
    made_from = f"{runner.section()}\n".encode() + sums_of(texts)
    return cache / "plugin" / hashlib.sha256(made_from).hexdigest() / NAME


def sources(machine: Path) -> dict[str, bytes]:
    """All that it is compiled from, by name."""
    files = sorted(file for pattern in SOURCES for file in machine.glob(pattern))
    return {str(file.relative_to(machine)): file.read_bytes() for file in files}
