"""The end of a run: the files that init left come out, or what became of the machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager

from lab.machine import qemu, results
from lab.machine.results import Files

DONE = 0x10 << 1 | 1  # QEMU's status for the byte that init writes to isa-debug-exit
CONSOLE_LIMIT = 1 << 20
CONSOLE = "console.log"
PANIC = "Kernel panic - "

Watch = Callable[[qemu.Runs], AbstractContextManager[None]]


def finish(process: qemu.Runs, mailbox: int, console: int) -> tuple[Files, str]:
    """Wait until init is done; its files, and the kernel's messages."""
    status = process.wait()
    said = os.pread(console, CONSOLE_LIMIT, 0).decode(errors="replace")
    if status != DONE:
        raise failure(process, said)
    with os.fdopen(os.dup(mailbox), "rb") as file:
        file.seek(0)
        return results.unpack(file), said


def failure(process: qemu.Runs, console: str) -> qemu.MachineError:
    """The error for a run without results."""
    evidence = {CONSOLE: console}
    for line in console.splitlines():
        if PANIC in line:
            what = f"the guest's kernel panicked: {line.partition(PANIC)[2]}"
            return qemu.MachineError(what, evidence=evidence)
    if process.wait() == 0:
        what, hint = "the guest went off without results", "less output: fewer samples or steps"
        return qemu.MachineError(what, hint=hint, evidence=evidence)
    ended = process.ended()
    return qemu.MachineError(f"the guest did not finish its job: {ended.what}", evidence=evidence)
