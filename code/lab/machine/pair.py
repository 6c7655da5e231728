"""Two VMs that run jobs."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lab.machine import link, qemu, results
from lab.machine.fork_server import Files as ForkFiles
from lab.machine.fork_server import Origin
from lab.machine.job import pack
from lab.machine.qemu import one_processor
from lab.machine.results import NAMES, Both, Left, Watch
from lab.machine.sparse import anonymous_file
from lab.model.trial import Job, Outcome

# Of each end's log: 900,000 frames, which a reader takes 14 s and 290 MiB for.
LOG_MOST_BYTES = 128 << 20


@dataclass(frozen=True)
class Pair:
    """What both ends of one run share."""

    origin: Origin
    job: Job
    limit_s: float
    both: Both
    shared: int
    logs: tuple[int, ...]  # the client's and the server's, or none
    card: tuple[int, ...]  # the device of both, or none
    processor: int | None  # that runs both

    @property
    def words(self) -> str:
        """What the plugin is told of the wires, and of where it runs: counted from 1 there."""
        shared = f",processor={1 + self.processor}" if self.processor is not None else ""
        return link.wire(self.job.link, takes_card=self.job.takes_card) + shared


def run(
    origin: Origin, job: Job, limit_s: float, watch: Watch, logs: Path | None = None, card: Path | None = None
) -> Outcome:
    """Run a job from the instant at which the pair waits; `watch` holds both processes while they are there. A folder
    for logs gets every frame on the link as each end saw it: client.pcapng, server.pcapng. Each gets a card."""
    started = time.monotonic()
    with ExitStack() as stack, link.shared_file() as shared, one_processor() as processor:
        files = [stack.enter_context((logs / f"{name}.pcapng").open("wb")).fileno() for name in NAMES] if logs else ()
        device = (stack.enter_context(card.open("rb")).fileno(),) if card else ()
        pair = Pair(origin, results.apart(job), limit_s, Both("exact", watch), shared, tuple(files), device, processor)
        (client, said), (server, also_said) = run_both(pair)
        counted = link.counts(shared)
    outcome = results.joined_outcome(client, server, len(job.steps), said + also_said, time.monotonic() - started)
    before, after = dict.fromkeys(counted, 0) | outcome.counters_before, counted | outcome.counters_after
    return replace(outcome, counters_before=before, counters_after=after)


def run_both(pair: Pair) -> tuple[Left, Left]:
    """What both leave, unless their logs are full: what could not be written ends a QEMU, if it heeds the signal."""
    try:
        return pair.both.run(partial(run_end, pair))
    finally:
        if any(os.fstat(log).st_size >= LOG_MOST_BYTES for log in pair.logs):
            raise qemu.MachineError(f"more frames crossed the link than its log holds ({LOG_MOST_BYTES >> 20} MiB)")


def run_end(pair: Pair, end: int) -> Left:
    """One end's machine: its files, and its kernel's messages."""
    with (
        anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
        anonymous_file("console") as console,
    ):
        os.pwrite(mailbox, pack(pair.job, END=str(end)), 0)
        files = ForkFiles(pair.shared, mailbox, console, pair.logs[end : end + 1], pair.card)
        with pair.origin.copy(end, pair.words, files, pair.limit_s) as copy, pair.both.watch(copy):
            if pair.logs:
                copy.bound_files(LOG_MOST_BYTES)
            return results.finish(copy, mailbox, console)
