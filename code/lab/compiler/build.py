"""Build a program in whatever sandbox this host has, and cache it by its sources."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lab.compiler import sandbox, toolchain
from lab.compiler.compilation import DEADLINE_S, Compilation
from lab.compiler.guest import INIT, Guest
from lab.errors import SiteError, StorageError
from lab.files.store import damage_of, exclusive, prune, put_folder
from lab.machine.image import build_image
from lab.machine.runner import carried
from lab.places import CACHE, MACHINE

Tell = Callable[[str], None]


class CompilerMissing(SiteError):
    """Nothing can be compiled here: no fault of the sources."""


def build_shut_in(
    files: Mapping[str, bytes], command: Iterable[str], wanted: Iterable[str], tell: Tell, deadline_s: int = DEADLINE_S
) -> dict[str, bytes]:
    """The programs that the command makes of the files, by the locked toolchain: the same bytes on every host."""
    task = Compilation(files, tuple(command), tuple(wanted), deadline_s)
    try:
        status, said = run(task, MACHINE, CACHE, tell)
    except (SiteError, StorageError) as error:
        what = f"nothing can be compiled safely here: {error.what}"
        raise CompilerMissing(what, error.where, error.hint, getattr(error, "evidence", {})) from error
    return task.programs(status, said)


def run(task: Compilation, machine: Path, cache: Path, tell: Tell, section: str = "") -> tuple[int, bytes]:
    """The status and the output of a task, from whichever of the two places; a section adds to the toolchain."""
    tools = toolchain.laid(machine, cache, tell, section)
    if not (why := sandbox.refusal(tools)):
        return sandbox.run(tools, task)
    tell(f"compiling in a guest, since this computer has no sandbox: {why}")
    guest = Guest(build_image(machine, cache, tell), carried(machine, cache, tell), (machine / INIT).read_bytes())
    return guest.run(tools, task)


KEPT = 32


def build_once(task: Compilation, machine: Path, cache: Path, tell: Callable[[str], None]) -> dict[str, bytes]:
    """The programs of a task; it runs unless they are there, undamaged, from an earlier time."""
    target = place(task, machine, cache)
    if damage_of(target):
        with exclusive(target.with_name("lock")):
            if damage_of(target):
                programs = task.programs(*run(task, machine, cache, tell))
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
