"""Builds that were made here before: kept in the cache by all that they are made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from lab.compiler import shut_in, toolchain
from lab.compiler.compilation import Compilation
from lab.files.store import damage_of, exclusive, prune, put_folder

KEPT = 32


def build_once(task: Compilation, machine: Path, cache: Path, tell: Callable[[str], None]) -> dict[str, bytes]:
    """The programs of a task; it runs unless they are there, undamaged, from an earlier time."""
    target = place(task, machine, cache)
    if damage_of(target):
        with exclusive(target.with_name("lock")):
            if damage_of(target):
                programs = task.programs(*shut_in.run(task, machine, cache, tell))
                with put_folder(target, replace=True) as folder:
                    assert folder is not None
                    write(folder, programs)
                prune(target.parent, KEPT)
    return _read(task, target)


def built_before(task: Compilation, machine: Path, cache: Path) -> dict[str, bytes]:
    """The programs of a task that ran here; nothing where it did not."""
    target = place(task, machine, cache)
    return {} if damage_of(target) else _read(task, target)


def _read(task: Compilation, folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in task.wanted}


def place(task: Compilation, machine: Path, cache: Path, section: str = "", kind: str = "built") -> Path:
    """Where the programs of a task are, or will be; a section adds to its toolchain."""
    return cache / kind / digest(task, toolchain.place(machine, cache, section))


def digest(task: Compilation, compiler: Path) -> str:
    """A digest of sources, command and compiler."""
    files = {name: hashlib.sha256(content).hexdigest() for name, content in task.files.items()}
    made_from = json.dumps([compiler.name, sorted(files.items()), task.inside])
    return hashlib.sha256(made_from.encode()).hexdigest()


def write(folder: Path, programs: dict[str, bytes]) -> None:
    """Each under its name."""
    for name, content in programs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
