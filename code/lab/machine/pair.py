"""Two exact machines in step, a computed wire between them: each runs on from the same frozen instant as one end."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lab.machine import ends, guest, qemu, results, wire
from lab.machine.ends import NAMES, Both, Left
from lab.machine.frozen import Frozen
from lab.machine.guest import Watch
from lab.machine.job import pack
from lab.machine.sparse import anonymous_file
from lab.model.trial import Job, Outcome

PLUGGED_S = f"0.{wire.PLUG_NS:09}"


@dataclass(frozen=True)
class Pair:
    """What both ends of one run share."""

    frozen: Frozen
    job: Job
    limit_s: float
    both: Both
    memory: int
    plugin: int
    shared: int
    begin_ns: int
    logs: tuple[int, ...]  # the client's and the server's, or none

    def words(self, end: int) -> str:
        """The plugin's arguments at one end."""
        log = self.logs[end] if self.logs else None
        return wire.words(end, self.shared, self.job.link, self.begin_ns, trusted=self.frozen.trusted, log=log)


def run(frozen: Frozen, job: Job, limit_s: float, watch: Watch, logs: Path | None = None) -> Outcome:
    """Run a job from the frozen instant; `watch` holds both processes while they are there. A folder for logs gets
    every frame on the link as each end saw it: client.pcapng, server.pcapng."""
    started = time.monotonic()
    with _opened(frozen, ends.apart(job), limit_s, Both("exact", watch), logs) as pair:
        (client, said), (server, also_said) = pair.both.run(partial(run_end, pair))
        counted = wire.counts(pair.shared)
    outcome = results.joined_outcome(client, server, len(job.steps), said + also_said, time.monotonic() - started)
    before, after = dict.fromkeys(counted, 0) | outcome.counters_before, counted | outcome.counters_after
    return replace(outcome, counters_before=before, counters_after=after)


@contextmanager
def _opened(frozen: Frozen, job: Job, limit_s: float, both: Both, logs: Path | None) -> Iterator[Pair]:
    with (
        frozen.opened_memory() as memory,
        frozen.plugin.open("rb") as plugin,
        wire.shared_file() as shared,
        ExitStack() as stack,
    ):
        files = [stack.enter_context((logs / f"{name}.pcapng").open("wb")) for name in NAMES] if logs else []
        begin_ns, numbers = frozen.clock_ns + wire.PLUG_NS, tuple(file.fileno() for file in files)
        yield Pair(frozen, job, limit_s, both, memory, plugin.fileno(), shared, begin_ns, numbers)


def run_end(pair: Pair, end: int) -> Left:
    """One end's machine: its files, and its kernel's messages."""
    with (
        pair.frozen.state.open("rb") as state,
        anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
        anonymous_file("console") as console,
    ):
        os.pwrite(mailbox, pack(pair.job, END=str(end), PLUGGED_S=PLUGGED_S), 0)
        files = [*qemu.memory(pair.memory, shared=False), *qemu.mailbox(mailbox), *qemu.console(console)]
        arguments = ["-name", NAMES[end], *qemu.MACHINE, *files, *qemu.copy_number(1 + end)]
        arguments += qemu.plugin(pair.plugin, pair.words(end))
        held = [pair.memory, state.fileno(), pair.plugin, pair.shared, mailbox, console, *pair.logs]
        process = qemu.Process(pair.frozen.runner, [*arguments, "-incoming", "defer"], held, pair.limit_s)
        with process, pair.both.watch(process):
            process.restore(state.fileno())
            return guest.finish(process, mailbox, console)
