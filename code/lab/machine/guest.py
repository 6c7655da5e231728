"""One run of the frozen machine: a job goes in, the files of its init come out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from lab.machine import qemu, results
from lab.machine.frozen import Frozen
from lab.machine.job import pack
from lab.machine.results import Files
from lab.machine.sparse import anonymous_file
from lab.model.trial import Job, Outcome

DONE = 0x10 << 1 | 1  # QEMU's status for the byte that init writes to isa-debug-exit
CONSOLE_LIMIT = 1 << 20
CONSOLE = "console.log"
PANIC = "Kernel panic - "

Watch = Callable[[qemu.Process], AbstractContextManager[None]]


def run(frozen: Frozen, job: Job, limit_s: float, watch: Watch) -> Outcome:
    """Run a job from the frozen instant; `watch` holds the process while it is there."""
    started = time.monotonic()
    with (
        frozen.opened_memory() as memory,
        frozen.state.open("rb") as state,
        frozen.plugin.open("rb") as plugin,
        anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
        anonymous_file("console") as console,
    ):
        os.pwrite(mailbox, pack(job), 0)
        files = [*qemu.memory(memory, shared=False), *qemu.mailbox(mailbox), *qemu.console(console)]
        arguments = [*qemu.MACHINE, *files, *qemu.plugin(plugin.fileno()), "-incoming", "defer"]
        descriptors = [memory, state.fileno(), plugin.fileno(), mailbox, console]
        with qemu.Process(frozen.runner, arguments, descriptors, limit_s) as process, watch(process):
            process.restore(state.fileno())
            left, said = finish(process, mailbox, console)
    return results.outcome(left, len(job.steps), said, time.monotonic() - started)


def finish(process: qemu.Process, mailbox: int, console: int) -> tuple[Files, str]:
    """Wait until init is done; its files, and the kernel's messages."""
    status = process.wait()
    said = os.pread(console, CONSOLE_LIMIT, 0).decode(errors="replace")
    if status != DONE:
        raise failure(process, said)
    with os.fdopen(os.dup(mailbox), "rb") as file:
        file.seek(0)
        return results.unpack(file), said


def failure(process: qemu.Process, console: str) -> qemu.MachineError:
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
