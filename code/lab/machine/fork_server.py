"""A pre-booted pair of VMs; each run forks from it."""

from __future__ import annotations

import errno
import os
import resource
import signal
import socket
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lab.machine import link, qemu
from lab.machine.job import pack
from lab.machine.results import NAMES
from lab.machine.snapshot import Frozen
from lab.machine.sparse import anonymous_file
from lab.model.trial import Job

NUMBER = struct.Struct("<i")
MESSAGES_BYTES = 1 << 16  # at most, of QEMU's about a copy


@dataclass(frozen=True)
class Files:
    """The descriptors that a copy has of its own."""

    shared: int  # with the copy of the other end
    mailbox: int
    console: int
    log: tuple[int, ...] = ()  # of the frames on the link, or none
    card: tuple[int, ...] = ()  # the RDMA card that it opens, or none

    def sent(self, errors: int, life: int) -> list[int]:
        """All of them in their order; see copies.h."""
        return [self.shared, self.mailbox, self.console, errors, life, *self.log, *self.card]

    @property
    def words(self) -> str:
        """Which of them is the card."""
        return f",card={len(self.sent(0, 0)) - 1}" if self.card else ""


@dataclass(frozen=True)
class Counting:
    """The plugin that counts instructions, and a descriptor for each end of what the last copy left there."""

    plugin: Path
    files: tuple[int, int]

    def arguments(self, end: int, plugin: int) -> list[str]:
        """What QEMU is told of it."""
        return qemu.plugin(plugin, f"into={qemu.path_of(self.files[end])}")


class Copy:
    """A copy of one end while it runs. Leaving the block ends it."""

    def __init__(self, origin: qemu.Process, name: str, limit_s: float) -> None:
        self.origin, self.name, self.limit_s, self.expired = origin, name, limit_s, False
        self.life, self.theirs = socket.socketpair()
        self.errors = os.memfd_create("errors")
        self.pid = 0
        self.status: int | None = None
        self.waiting = threading.Lock()
        self.timer = threading.Timer(limit_s, self.expire)
        self.timer.daemon = True

    def order(self, calls: socket.socket, words: str, files: Files) -> None:
        """Have it made, and learn its number."""
        given = files.sent(self.errors, self.theirs.fileno())
        try:
            with self.theirs:
                socket.send_fds(calls, [(words + files.words).encode()], given)
            self.pid = self._number()
        except OSError as error:
            raise self.origin.ended() from error

    def bound_files(self, most_bytes: int) -> None:
        """Let none of its files grow further: a signal ends who tries."""
        with suppress(ProcessLookupError):  # it has ended
            _, hard = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)
            most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (most, hard))

    def __enter__(self) -> Self:
        self.timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.timer.cancel()
        self.kill()
        self.wait()
        self.life.close()
        os.close(self.errors)

    def expire(self) -> None:
        """Kill a copy that has run for too long."""
        self.expired = True
        self.kill()

    def kill(self) -> None:
        """End it now, from another thread."""
        with suppress(OSError):  # it has ended
            self.life.send(b"k", socket.MSG_NOSIGNAL)

    def wait(self) -> int:
        """Wait until it ends by itself; its exit status, negative for a signal."""
        with self.waiting:
            if self.status is None:
                try:
                    self.status = self._number()
                except OSError:  # with its origin
                    self.status = -signal.SIGKILL
            return self.status

    def ended(self) -> qemu.MachineError:
        """The error for a copy that has ended."""
        said = os.pread(self.errors, MESSAGES_BYTES, 0).decode(errors="replace").strip()
        return qemu.failure(self.wait(), said, self.limit_s if self.expired else None)

    def _number(self) -> int:
        said = self.life.recv(NUMBER.size, socket.MSG_WAITALL)
        if len(said) < NUMBER.size:
            raise OSError(errno.EPIPE, "its origin has ended")
        number: int = NUMBER.unpack(said)[0]
        return number


class Origin:
    """Both ends, from one frozen machine, that wait once they have done a first job."""

    def __init__(self, frozen: Frozen, job: Job, counter: Counting | None = None) -> None:
        self.frozen, self.job, self.counter = frozen, job, counter
        self.calls: list[socket.socket] = []
        self.processes: list[qemu.Process] = []
        self.is_there, self.is_over = threading.Event(), threading.Event()
        self.error: BaseException | None = None
        # QEMU ends with the thread that starts it.
        self.thread = threading.Thread(target=self._live, daemon=True)
        self.thread.start()
        self.is_there.wait()
        if self.error:
            raise self.error

    @property
    def lives(self) -> bool:
        """Whether copies of both can be made."""
        return all(each.popen.poll() is None for each in self.processes)

    @contextmanager
    def copy(self, end: int, words: str, files: Files, limit_s: float) -> Iterator[Copy]:
        """A copy of an end."""
        with Copy(self.processes[end], NAMES[end], limit_s) as copy:
            copy.order(self.calls[end], words, files)
            yield copy

    def close(self) -> None:
        """End it, and with it all copies."""
        self.is_over.set()
        self.thread.join()

    def _live(self) -> None:
        try:
            with ExitStack() as stack:
                self._start(stack)
                self.is_there.set()
                self.is_over.wait()
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits for it
            self.error = error
            self.is_there.set()

    def _start(self, stack: ExitStack) -> None:
        shared = stack.enter_context(link.shared_file())
        memory = stack.enter_context(self.frozen.opened_memory())
        plugin = stack.enter_context(self.frozen.plugin.open("rb")).fileno()
        states = [stack.enter_context(self.frozen.state.open("rb")).fileno() for _ in NAMES]
        for end, state in enumerate(states):
            self.processes.append(stack.enter_context(self._end(stack, end, shared, memory, plugin, state)))
        with ThreadPoolExecutor() as pool:  # neither goes on without the other
            list(pool.map(qemu.Process.restore, self.processes, states))

    def _end(self, stack: ExitStack, end: int, shared: int, memory: int, plugin: int, state: int) -> qemu.Process:
        ours, theirs = map(stack.enter_context, socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        self.calls.append(ours)
        mailbox = stack.enter_context(anonymous_file("mailbox", qemu.MAILBOX_BYTES))
        console = stack.enter_context(anonymous_file("console"))
        os.pwrite(mailbox, pack(self.job, END=str(end), PLUGGED_S=link.PLUGGED_S, WAIT_S=str(link.WAIT_S)), 0)
        words = link.held(
            end, shared, self.frozen.clock_ns, theirs.fileno(), mailbox, console, trusted=self.frozen.trusted
        )
        files = [*qemu.memory(memory, shared=False), *qemu.mailbox(mailbox), *qemu.console(console)]
        arguments = ["-name", NAMES[end], *qemu.MACHINE, *files, *qemu.copy_number(1 + end)]
        arguments += [*qemu.plugin(plugin, words), "-incoming", "defer"]
        with theirs:
            held = [shared, memory, plugin, state, mailbox, console, theirs.fileno()]
            if self.counter:
                counter = stack.enter_context(self.counter.plugin.open("rb")).fileno()
                arguments += self.counter.arguments(end, counter)
                held += [counter, self.counter.files[end]]
            return qemu.Process(self.frozen.runner, arguments, held)
