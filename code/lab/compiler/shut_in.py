"""A stranger's build command, shut in: by the kernel's name spaces where it gives them, else in a guest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lab.compiler import sandboxed, toolchain
from lab.compiler.compilation import DEADLINE_S, Compilation
from lab.compiler.guest import INIT, Guest
from lab.errors import SiteError, StorageError
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
    if not (why := sandboxed.refusal(tools)):
        return sandboxed.run(tools, task)
    tell(f"compiling in a guest, since this computer has no sandbox: {why}")
    guest = Guest(build_image(machine, cache, tell), carried(machine, cache, tell), (machine / INIT).read_bytes())
    return guest.run(tools, task)
