"""A pair of booted VMs that waits for jobs: each run of a job forks both of them from one snapshot."""

import errno
import os
import resource
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from lab.machine import link, qemu, results
from lab.machine.job import pack
from lab.machine.results import NAMES, EndResult, Watch, run_all
from lab.machine.snapshot import Snapshot
from lab.machine.sparse import anonymous_file
from lab.model.trial import Job, Outcome

NUMBER = struct.Struct("<i")
MESSAGES_BYTES = 1 << 16  # of QEMU's messages about a fork
LOG_MOST_BYTES = 128 << 20  # of each end's log: 900,000 frames, which a reader takes 14 s and 290 MiB for


@dataclass(frozen=True)
class CountingPlugin:
    """The plugin that counts instructions, and a descriptor per end for the counts of the last fork."""

    plugin: Path
    files: tuple[int, int]


class ForkServer:
    """Both ends of a pair, started from one snapshot; they wait after a first job and can then be forked."""

    def __init__(self, snapshot: Snapshot, job: Job, counter: CountingPlugin | None = None) -> None:
        self.snapshot, self.job, self.counter = snapshot, job, counter
        self.calls: list[socket.socket] = []
        self.processes: list[qemu.Process] = []
        self.stack, self.thread = ExitStack(), ThreadPoolExecutor(1)  # QEMU ends with the thread that starts it
        try:
            self.thread.submit(self._start, self.stack).result()
        except BaseException:
            self.close()
            raise

    @property
    def lives(self) -> bool:
        return all(process.popen.poll() is None for process in self.processes)

    def run(
        self, end: int, archive: bytes, arguments: str, files: "ForkFiles", limit_s: float, watch: Watch
    ) -> EndResult:
        """Run the job of an archive on a fork of one end, with arguments for the plugin."""
        with anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox, anonymous_file("console") as console:
            os.pwrite(mailbox, archive, 0)
            with Fork(self.processes[end], NAMES[end], limit_s) as fork:
                fork.request(self.calls[end], arguments, files, mailbox, console)
                with watch(fork):
                    if files.log:
                        limit_file_size(fork.pid, LOG_MOST_BYTES)
                    return results.collect(fork, mailbox, console)

    def close(self) -> None:
        with suppress(RuntimeError):  # the thread has ended with the interpreter or by an earlier call
            self.thread.submit(self.stack.close).result()
        self.thread.shutdown()

    def _start(self, stack: ExitStack) -> None:
        shared = stack.enter_context(link.shared_file())
        memory = self.snapshot.copied
        plugin = stack.enter_context(self.snapshot.plugin.open("rb")).fileno()
        states = [stack.enter_context(self.snapshot.state.open("rb")).fileno() for _ in NAMES]
        for end, state in enumerate(states):
            self.processes.append(stack.enter_context(self._end(stack, end, shared, memory, plugin, state)))
        with ThreadPoolExecutor() as pool:  # neither end continues without the other
            list(pool.map(qemu.Process.restore, self.processes, states))

    def _end(self, stack: ExitStack, end: int, shared: int, memory: int, plugin: int, state: int) -> qemu.Process:
        lab_side, qemu_side = map(stack.enter_context, socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        self.calls.append(lab_side)
        mailbox = stack.enter_context(anonymous_file("mailbox", qemu.MAILBOX_BYTES))
        console = stack.enter_context(anonymous_file("console"))
        os.pwrite(mailbox, pack(self.job, END=str(end), PLUGGED_S=link.PLUGGED_S, WAIT_S=str(link.WAIT_S)), 0)
        held = link.held(
            end, shared, self.snapshot.clock_ns, qemu_side.fileno(), mailbox, console, trusted=self.snapshot.trusted
        )
        files = [*qemu.memory(memory, shared=False), *qemu.mailbox(mailbox, console)]
        arguments = ["-name", NAMES[end], *qemu.MACHINE, *files, *qemu.copy_number(1 + end)]
        arguments += [*qemu.plugin(plugin, held), "-incoming", "defer"]
        with qemu_side:
            descriptors = [shared, memory, plugin, state, mailbox, console, qemu_side.fileno()]
            if self.counter:
                counter = stack.enter_context(self.counter.plugin.open("rb")).fileno()
                counts = self.counter.files[end]
                arguments += qemu.plugin(counter, f"into={qemu.path_of(counts)}")
                descriptors += [counter, counts]
            return qemu.Process(self.snapshot.runner, arguments, descriptors)


@dataclass(frozen=True)
class ForkFiles:
    """The descriptors that a fork gets besides its mailbox and console."""

    shared: int  # with the fork of the other end
    log: tuple[int, ...] = ()  # of the frames on the link, or none
    card: tuple[int, ...] = ()  # the RDMA card that it opens, or none


class Fork(qemu.Runs):
    """A fork of one end while it runs. Leaving the block ends it."""

    def __init__(self, parent: qemu.Process, name: str, limit_s: float) -> None:
        self.parent = parent
        self.life, self.fork_side = socket.socketpair()
        self.errors = os.memfd_create("errors")
        self.pid = 0
        self.status: int | None = None
        self.waiting = threading.Lock()
        super().__init__(name, limit_s)

    def request(self, calls: socket.socket, arguments: str, files: ForkFiles, mailbox: int, console: int) -> None:
        """Request the fork from the parent, and read its process id; copies.h has the order of the descriptors."""
        fixed = [files.shared, mailbox, console, self.errors, self.fork_side.fileno()]
        descriptors = [*fixed, *files.log, *files.card]
        if files.card:
            arguments += f",card={len(descriptors) - 1}"
        try:
            with self.fork_side:
                socket.send_fds(calls, [arguments.encode()], descriptors)
            self.pid = self._number()
        except OSError as error:
            raise self.parent.ended() from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.limit.cancel()
        self.kill()
        self.wait()
        self.life.close()
        os.close(self.errors)

    def kill(self) -> None:
        with suppress(OSError):  # it has ended
            self.life.send(b"k", socket.MSG_NOSIGNAL)

    def wait(self) -> int:
        with self.waiting:
            if self.status is None:
                try:
                    self.status = self._number()
                except OSError:  # it ended with its parent
                    self.status = -signal.SIGKILL
            return self.status

    def ended(self) -> qemu.MachineError:
        messages = os.pread(self.errors, MESSAGES_BYTES, 0).decode(errors="replace").strip()
        return qemu.failure(self.wait(), messages, self.limit)

    def _number(self) -> int:
        received = self.life.recv(NUMBER.size, socket.MSG_WAITALL)
        if len(received) < NUMBER.size:
            raise OSError(errno.EPIPE, "its parent has ended")
        number: int = NUMBER.unpack(received)[0]
        return number


def run(
    server: ForkServer, job: Job, limit_s: float, watch: Watch, logs: Path | None = None, card: Path | None = None
) -> Outcome:
    """Run a job on a fork of each end. `watch` registers both processes while they run. client.pcapng and server.pcapng
    in the folder for logs get the frames at each end of the link. Each end gets the card."""
    started = time.monotonic()
    job = results.apart(job)
    with ExitStack() as stack, link.shared_file() as shared, qemu.one_processor() as processor:
        opened = stack.enter_context(opened_logs(logs, NAMES))
        device = (stack.enter_context(card.open("rb")).fileno(),) if card else ()
        arguments = link.wire(job.link, link.latency_ns(job))
        arguments += f",processor={1 + processor}" if processor is not None else ""  # of both ends, numbered from 1

        def run_end(end: int, watch: Watch) -> EndResult:
            files = ForkFiles(shared, opened[end], device)
            return server.run(end, pack(job, END=str(end)), arguments, files, limit_s, watch)

        client, server_end = run_all("exact", watch, run_end)
        counted = link.counts(shared)
    outcome = results.joined_outcome(client, server_end, len(job.steps), time.monotonic() - started)
    before, after = dict.fromkeys(counted, 0) | outcome.counters_before, counted | outcome.counters_after
    return replace(outcome, counters_before=before, counters_after=after)


@contextmanager
def opened_logs(folder: Path | None, names: Sequence[str]) -> Iterator[list[tuple[int, ...]]]:
    """Open a log with each name, or none without a folder. A full one ends its QEMU with a signal, and this with an
    error."""
    with ExitStack() as stack:
        places = [folder / f"{name}.pcapng" for name in names] if folder else []
        files = [stack.enter_context(place.open("wb")).fileno() for place in places]
        try:
            yield [(file,) for file in files] or [()] * len(names)
        finally:
            if any(os.fstat(file).st_size >= LOG_MOST_BYTES for file in files):
                raise qemu.MachineError(f"more frames crossed the link than its log holds ({LOG_MOST_BYTES >> 20} MiB)")


def limit_file_size(pid: int, most_bytes: int) -> None:
    """Limit the size of a process's files: a signal kills it when it writes more."""
    with suppress(ProcessLookupError):  # it has ended
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, hard))
