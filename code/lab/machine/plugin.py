"""What QEMU loads: the plugin without which its clock is not exact, and the one that counts instructions for a profile;
from the cache, where the compiler's stage puts them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from lab.files.digests import sums_of
from lab.files.store import damage_of, exclusive, put_folder
from lab.machine import runner

PAIR, PROFILE = "pair", "profile"  # a folder of sources for each
NAME = f"{PAIR}.so"


def built(machine: Path, cache: Path, compiled: Callable[[], bytes], which: str = PAIR) -> Path:
    """A plugin of this source for this host's QEMU, compiled if it is missing or damaged."""
    file = place(machine, cache, which)
    target = file.parent
    if damage_of(target):
        with exclusive(target.with_name("lock")):
            if damage_of(target):
                with put_folder(target, replace=True) as folder:
                    assert folder is not None
                    (folder / file.name).write_bytes(compiled())
    return file


def place(machine: Path, cache: Path, which: str = PAIR) -> Path:
    """Where a plugin is, or will be."""
    texts = {name: hashlib.sha256(content).hexdigest() for name, content in sources(machine, which).items()}
    made_from = f"{runner.section()}\n".encode() + sums_of(texts)
    return cache / "plugin" / hashlib.sha256(made_from).hexdigest() / f"{which}.so"


def sources(machine: Path, which: str = PAIR) -> dict[str, bytes]:
    """All that it is compiled from, by name."""
    files = sorted(machine.glob(f"{which}/*.[ch]"))
    return {str(file.relative_to(machine)): file.read_bytes() for file in files}
