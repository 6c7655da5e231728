"""What a job leaves at both ends: outputs, counters and the link's log."""

from __future__ import annotations

import os
import struct
import tarfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, NamedTuple

from lab.errors import SiteError
from lab.files import bounded
from lab.machine import qemu
from lab.machine.qemu import MAILBOX_BYTES, MachineError, Running
from lab.model.trial import DAEMON, DEADLINE_STATUS, ECHO, End, Ends, Job, Outcome, Step, StepOutcome

FRAME, FLAGS, OUT, HEAD = 6, 2, 2, 28
SHORTEST_BYTES, EXTRA_BYTES = 60, 24  # of a frame on an Ethernet; preamble, checksum and gap
BLOCK, VALUES, OPTION = struct.Struct("<II"), struct.Struct("<5I"), struct.Struct("<HHI")


class Frame(NamedTuple):
    """One frame as it came in or went out."""

    time_ns: int
    goes_out: bool
    size_bytes: int  # as the guest sends it
    head: bytes  # its first bytes

    @property
    def line_bytes(self) -> int:
        """With all that Ethernet adds."""
        return max(self.size_bytes, SHORTEST_BYTES) + EXTRA_BYTES


def read(log: Path) -> Iterator[Frame]:
    """All frames of a log, in the order of their times."""
    with log.open("rb") as file:
        while start := file.read(BLOCK.size):
            if len(start) < BLOCK.size or not (length := BLOCK.unpack(start)[1]):
                raise SiteError("the log of the link is cut off", str(log))
            block = start + file.read(length - BLOCK.size)
            if BLOCK.unpack(start)[0] == FRAME:
                yield _frame(block)


def _frame(block: bytes) -> Frame:
    _, high, low, kept, size = VALUES.unpack_from(block, BLOCK.size)
    code, _, flags = OPTION.unpack_from(block, HEAD + (kept + 3) // 4 * 4)
    return Frame(high << 32 | low, code == FLAGS and flags == OUT, size, block[HEAD : HEAD + kept])


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
        return unpack(file), said


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


KILLED_STATUS = 128 + 9
# The columns of /proc/net/dev, named as in /sys/class/net/*/statistics.
DEVICE_COLUMNS = tuple(
    f"{way}_{name}"
    for way, names in (
        ("rx", "bytes packets errors dropped fifo_errors frame_errors compressed multicast"),
        ("tx", "bytes packets errors dropped fifo_errors collisions carrier_errors compressed"),
    )
    for name in names.split()
)


Files = dict[str, str]  # by name, as init left them


class ResultError(SiteError):
    """A mailbox whose content is not a job's results."""


def unpack(mailbox: IO[bytes]) -> Files:
    """The files of the archive by name; a byte that is not UTF-8 is replaced."""
    try:
        found = bounded.unpack(mailbox, MAILBOX_BYTES)
    except tarfile.TarError as error:
        raise ResultError(f"the guest's results cannot be read ({error})") from error
    return {name: content.decode(errors="replace") for name, content in found.items()}


def number(files: Files, name: str) -> int:
    """An integer that init wrote."""
    try:
        return int(files[name])
    except (KeyError, ValueError) as error:
        raise ResultError(f"the guest's results have no number {name}") from error


def counters(text: str) -> dict[str, int]:
    """What count() in init wrote: the table of /proc/net/dev; then, for each rxe device, names and as many values."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        device, colon, rest = line.strip().partition(":")
        words = rest.split()
        if device.startswith("rxe"):
            found |= {f"{device}.{name}": next(lines, "") for name in words}
        elif colon and len(words) == len(DEVICE_COLUMNS):
            found |= {f"{device}.{name}": value for name, value in zip(DEVICE_COLUMNS, words, strict=True)}
    return {name: int(value) for name, value in sorted(found.items()) if value.isdecimal()}


def status(files: Files, name: str) -> int:
    """The status of one end of a step: also of an end that the deadline killed, or kept from starting."""
    expired = "expired" in files
    if f"{name}.status" not in files and expired:
        return DEADLINE_STATUS
    left = number(files, f"{name}.status")
    return DEADLINE_STATUS if expired and left == KILLED_STATUS else left


def step(files: Files, name: int) -> StepOutcome:
    """The outcome of one step; a step without a start never ran."""
    started = f"{name}.start" in files
    return StepOutcome(
        client_out=files.get(f"{name}.client.out", ""),
        client_err=files.get(f"{name}.client.err", ""),
        server_out=files.get(f"{name}.server.out", ""),
        server_err=files.get(f"{name}.server.err", ""),
        client_status=status(files, f"{name}.client"),
        server_status=status(files, f"{name}.server"),
        clock_start_ns=number(files, f"{name}.start" if started else "end"),
        clock_end_ns=number(files, f"{name}.end" if started else "end"),
    )


def outcome(files: Files, steps: int, console: str, host_seconds: float) -> Outcome:
    """The outcome of a job with this number of steps."""
    if files.get("link.err"):
        raise ResultError(f"the guest could not make the link: {files['link.err'].strip()}")
    return Outcome(
        steps=tuple(step(files, name) for name in range(steps)),
        counters_before=counters(files.get("before", "")),
        counters_after=counters(files.get("after", "")),
        clock_start_ns=number(files, "start"),
        clock_end_ns=number(files, "end"),
        console=console,
        host_seconds=host_seconds,
    )


def joined_outcome(client: Files, server: Files, steps: int, console: str, host_seconds: float) -> Outcome:
    """The outcome of two machines, one for each end: the clock is the client's, all else comes from both."""
    taken = {name for name in server if name == "expired" or name.partition(".")[2].startswith("server.")}
    of_server = {name: server[name] for name in taken}
    error = client.get("link.err", "") + server.get("link.err", "")
    whole = outcome(client | of_server | {"link.err": error}, steps, console, host_seconds)
    before, after = ([counters(end.get(name, "")) for end in (client, server)] for name in ("before", "after"))
    return replace(whole, counters_before=_sums(*before), counters_after=_sums(*after))


def _sums(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in sorted(one | other)}


CLIENT, SERVER = 0, 1
NAMES = ("client", "server")
# The side network, for all that must not be on the link: as one_end makes it.
SIDE, SIDE_NET = ("192.168.7.1", "192.168.7.2"), "192.168.7.0/24"
GID = "1"  # the first is of the IPv6 address that the interface gives itself
ENDS = Ends(
    End("10.0.0.1", "rxe0", "v0", GID), End("10.0.0.2", "rxe1", "v1", GID), SIDE[SERVER], launcher="orterun apart"
)
DAEMON_PORT = 18700
ASK = "/lab/ask"  # the launcher's remote shell: host and command are its words
# What the launcher asks for goes to a shell that waits for it at the other end: nobody stands between two machines. The
# daemon looks for the remote shell too, and ends without one (Open MPI 4.1, plm_rsh_component.c).
WRITE_ASK = """
printf '#!/bin/sh\nshift\necho "ln -s /bin/sh $0; exec $*" | nc %s %s\n' "$1" "$2" >$0
chmod +x $0 && shift 2 && exec "$@"
"""
# Launcher and daemon find each other on the side; the ranks' own settings say which way their messages go.
ON_THE_SIDE = ("--mca", "oob_tcp_if_include", SIDE_NET)


WAY_OUT_S = 10  # a machine says that it ends before its process has

Left = tuple[Files, str]  # a machine's files, and its kernel's messages
Machine = Callable[[int], Left]  # runs an end's


class Both:
    """Two machines while they run: what ends one ends the other at once."""

    def __init__(self, site: str, watch: Watch) -> None:
        self.watch_outside, self.running = watch, Running(site)
        self.errors: dict[int, MachineError] = {}  # in the order in which the machines ended
        self.over = (threading.Event(), threading.Event())

    @contextmanager
    def watch(self, process: qemu.Runs) -> Iterator[None]:
        """Register a QEMU with the site and with the other machine."""
        with self.watch_outside(process), self.running.watch(process):
            yield

    def run(self, machine: Machine) -> tuple[Left, Left]:
        """What both leave, the client's first; or the error of the one that failed first."""
        with ThreadPoolExecutor(2) as pool:
            client, server = (pool.submit(self.run_one, machine, end) for end in (CLIENT, SERVER))
        try:
            return client.result(), server.result()
        except MachineError:
            raise self.cause() from None

    def run_one(self, machine: Machine, end: int) -> Left:
        """One machine's life: if it fails, the other is ended at once, but for one on its own way out."""
        other = 1 - end
        try:
            return machine(end)
        except MachineError as error:
            self.errors[end] = replace(error, where=_machine(end))
            if not (_blames(error, other) and self.over[other].wait(WAY_OUT_S)):
                self.running.stop()
            raise
        finally:
            self.over[end].set()

    def cause(self) -> MachineError:
        """The first error, but for one that says itself that the other machine failed before."""
        end, first = next(iter(self.errors.items()))
        return self.errors.get(1 - end, first) if _blames(first, 1 - end) else first


def _machine(end: int) -> str:
    return f"the {NAMES[end]}'s machine"


def _blames(error: MachineError, end: int) -> bool:
    return _machine(end) in error.what


def apart(job: Job) -> Job:
    """A job whose launchers make the other machine start their daemon."""
    return replace(job, steps=tuple(_apart(step) for step in job.steps))


def _apart(step: Step) -> Step:
    if step.server != DAEMON:
        return step
    launcher, *words = (ASK if word == ECHO else word for word in step.client)
    listen = ("nc", "-l", "-p", str(DAEMON_PORT), "-e", "/bin/sh")
    ask = ("sh", "-c", WRITE_ASK, ASK, SIDE[SERVER], str(DAEMON_PORT), launcher, *ON_THE_SIDE, *words)
    return Step(listen, ask, DAEMON_PORT)
