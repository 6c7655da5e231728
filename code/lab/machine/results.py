"""The results of a job at both ends: outputs, counters and the link's log."""

import os
import re
import shlex
import struct
import tarfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, NamedTuple

from lab.errors import SiteError
from lab.files import bounded
from lab.machine import qemu
from lab.machine.qemu import MAILBOX_BYTES, MachineError, Running
from lab.model.trial import DAEMON, DEADLINE_STATUS, ECHO, LAUNCHER, End, Ends, Job, Outcome, Step, StepOutcome
from lab.typed_json import whole

CLIENT, SERVER = 0, 1
NAMES = ("client", "server")
# The side network, which one_end makes for all traffic besides the measured one.
SIDE, SIDE_NET = ("192.168.7.1", "192.168.7.2"), "192.168.7.0/24"
GID = "1"  # GID 0 has the link-local IPv6 address
ENDS = Ends(
    End("10.0.0.1", "rxe0", "v0", GID), End("10.0.0.2", "rxe1", "v1", GID), SIDE[SERVER], launcher="orterun apart"
)

DONE = 0x10 << 1 | 1  # QEMU's status for the byte that init writes to isa-debug-exit
KILLED_STATUS = 128 + 9
CONSOLE, CONSOLE_LIMIT = "console.log", 1 << 20
PANIC = "Kernel panic - "
# The columns of /proc/net/dev, named as in /sys/class/net/*/statistics.
_COUNTS = {
    "rx": "bytes packets errors dropped fifo_errors frame_errors compressed multicast",
    "tx": "bytes packets errors dropped fifo_errors collisions carrier_errors compressed",
}
DEVICE_COLUMNS = tuple(f"{way}_{name}" for way, names in _COUNTS.items() for name in names.split())

Files = dict[str, str]  # of init, by name
EndResult = tuple[Files, str]  # of one VM: its files, and its kernel's messages
Watch = Callable[[qemu.Runs], AbstractContextManager[None]]


def collect(process: qemu.Runs, mailbox: int, console: int) -> EndResult:
    """Wait until init is done; return its files and the kernel's messages."""
    status = process.wait()
    messages = os.pread(console, CONSOLE_LIMIT, 0).decode(errors="replace")
    if status != DONE:
        raise failure(process, messages)
    with os.fdopen(os.dup(mailbox), "rb") as file:
        file.seek(0)
        return unpack(file), messages


def failure(process: qemu.Runs, console: str) -> MachineError:
    evidence = {CONSOLE: console}
    for line in console.splitlines():
        if PANIC in line:
            return MachineError(f"the guest's kernel panicked: {line.partition(PANIC)[2]}", evidence=evidence)
    if process.wait() == 0:
        what, hint = "the guest went off without results", "less output: fewer samples or steps"
        return MachineError(what, hint=hint, evidence=evidence)
    return MachineError(f"the guest did not finish its job: {process.ended().what}", evidence=evidence)


def unpack(mailbox: IO[bytes]) -> Files:
    """The files of the archive by name; bytes that are not UTF-8 are replaced."""
    try:
        files = bounded.unpack(mailbox, MAILBOX_BYTES)
    except tarfile.TarError as error:
        raise SiteError(f"the guest's results cannot be read ({error})") from error
    return {name: content.decode(errors="replace") for name, content in files.items()}


def outcome(files: Files, steps: int, console: str, host_seconds: float) -> Outcome:
    if files.get("link.err"):
        raise SiteError(f"the guest could not make the link: {files['link.err'].strip()}")
    return Outcome(
        steps=tuple(_step(files, number) for number in range(steps)),
        counters_before=counters(files.get("before", "")),
        counters_after=counters(files.get("after", "")),
        clock_start_ns=_number(files, "start"),
        clock_end_ns=_number(files, "end"),
        console=console,
        host_seconds=host_seconds,
    )


def joined_outcome(client: EndResult, server: EndResult, steps: int, host_seconds: float) -> Outcome:
    """The outcome of two VMs, one for each end, with the client's clock."""
    ends = client[0], server[0]
    server_files = {
        name: text
        for name, text in ends[SERVER].items()
        if name == "expired" or name.partition(".")[2].startswith("server.")
    }
    error = "".join(files.get("link.err", "") for files in ends)
    joined = outcome(ends[CLIENT] | server_files | {"link.err": error}, steps, client[1] + server[1], host_seconds)
    before, after = ([counters(files.get(name, "")) for files in ends] for name in ("before", "after"))
    return replace(joined, counters_before=_sums(*before), counters_after=_sums(*after))


def _sums(client: dict[str, int], server: dict[str, int]) -> dict[str, int]:
    return {name: client.get(name, 0) + server.get(name, 0) for name in sorted(client | server)}


def counters(text: str) -> dict[str, int]:
    """The counters of /proc/net/dev, behind which count() in init writes names and values of each rxe device."""
    values: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        device, colon, rest = line.strip().partition(":")
        columns = rest.split()
        if colon and len(columns) == len(DEVICE_COLUMNS) and columns[0].isdecimal():
            values |= {f"{device}.{name}": value for name, value in zip(DEVICE_COLUMNS, columns, strict=True)}
        elif device.startswith("rxe"):
            values |= {f"{device}.{name}": next(lines, "") for name in columns}
    try:
        return {name: whole(value) for name, value in sorted(values.items()) if value.isdecimal()}
    except ValueError as error:
        raise SiteError(f"the counters of an end hold {error}") from error


def _step(files: Files, number: int) -> StepOutcome:
    """The outcome of one step; a step without a start never ran."""
    started = f"{number}.start" in files
    client_status, server_status = settled(*(_status(files, f"{number}.{name}") for name in NAMES))
    return StepOutcome(
        client_out=files.get(f"{number}.client.out", ""),
        client_err=files.get(f"{number}.client.err", ""),
        server_out=files.get(f"{number}.server.out", ""),
        server_err=files.get(f"{number}.server.err", ""),
        client_status=client_status,
        server_status=server_status,
        clock_start_ns=_number(files, f"{number}.start" if started else "end"),
        clock_end_ns=_number(files, f"{number}.end" if started else "end"),
    )


def _status(files: Files, name: str) -> int:
    """The status of one end of a step, which the deadline may have killed or kept from starting."""
    expired = "expired" in files
    if f"{name}.status" not in files and expired:
        return DEADLINE_STATUS
    status = _number(files, f"{name}.status")
    return DEADLINE_STATUS if expired and status == KILLED_STATUS else status


def settled(client: int, server: int) -> tuple[int, int]:
    """The statuses of both ends. If the deadline ended one end, the other end's failure has the deadline's status too:
    it was dismissed, or lost its peer, just before the deadline reached it."""
    statuses = (client, server)
    if DEADLINE_STATUS not in statuses:
        return statuses
    return DEADLINE_STATUS if client else 0, DEADLINE_STATUS if server else 0


TAG = r"(?i)^\[?{}\]?:? +"  # as programs print it


def tagged(texts: Sequence[str]) -> str:
    """The lines of ranks 1, 2 and so on, each with its rank before it, once if the program printed it too."""
    lines = ((f"rank {rank}", line) for rank, text in enumerate(texts, 1) for line in text.splitlines())
    return "".join(f"{name}: {re.sub(TAG.format(name), '', line)}\n" for name, line in lines)


def _number(files: Files, name: str) -> int:
    try:
        return whole(files[name].strip())
    except (KeyError, ValueError) as error:
        raise SiteError(f"the guest's results have no number {name}") from error


EXIT_S = 10  # a VM reports its end before its process is gone, and a switch ends after the last VM
MACHINES = tuple(f"the {name}'s machine" for name in NAMES)


def blamed_end(error: MachineError) -> int | None:
    """The VM that an end of a pair names as the reason for its own end."""
    return next((end for end, name in enumerate(MACHINES) if name in error.what), None)


def run_all(
    site: str, watch_outside: Watch, run_one: Callable[[int, Watch], EndResult], names: Sequence[str] = MACHINES,
    blamed: Callable[[MachineError], int | None] = blamed_end,
) -> list[EndResult]:  # fmt: skip
    """The results of several VMs in order, by default of the two of a pair. When one fails, all others are killed at
    once; raise the error of the one that failed first, or of the one that it blames."""
    running, over = Running(site), [threading.Event() for _ in names]
    errors: dict[int, MachineError] = {}  # in the order in which the VMs ended

    @contextmanager
    def watch(process: qemu.Runs) -> Iterator[None]:
        with watch_outside(process), running.watch(process):
            yield

    def run(number: int) -> EndResult:
        try:
            return run_one(number, watch)
        except MachineError as error:
            errors[number] = replace(error, where=names[number])
            if (other := blamed(error)) is not None:
                over[other].wait(EXIT_S)
            running.stop()
            raise
        finally:
            over[number].set()

    with ThreadPoolExecutor(len(names)) as pool:
        futures = [pool.submit(run, number) for number in range(len(names))]
    try:
        return [future.result() for future in futures]
    except MachineError:
        number, first = next(iter(errors.items()))
        other = blamed(first)
        raise errors.get(number if other is None else other, first) from None


DAEMON_PORT = 18700
LISTEN = ("nc", "-l", "-p", str(DAEMON_PORT), "-e", "/bin/sh")
ASK = "/lab/ask"  # the launcher's remote shell, with host and command as arguments
# A shell at the other end waits for the launcher's command. The daemon needs the remote shell too, or it ends (Open MPI
# 4.1, plm_rsh_component.c).
WRITE_ASK = """
printf '#!/bin/sh\nshift\necho "ln -s /bin/sh $0; exec $*" | nc %s %s\n' "$1" "$2" >$0
chmod +x $0 && shift 2 && exec "$@"
"""
# Launcher and daemon connect over the side network; the settings of the ranks choose the network of their messages.
ON_THE_SIDE = ("--mca", "oob_tcp_if_include", SIDE_NET)


def apart(job: Job) -> Job:
    """The job, with launchers whose daemon starts in the other VM."""
    return replace(job, steps=tuple(_apart(step) for step in job.steps))


def _apart(step: Step) -> Step:
    if step.server != DAEMON:
        return step
    at = step.client.index(LAUNCHER)
    listen: tuple[str, ...] = LISTEN
    if at:  # the launcher may be ended before its daemon, whose status then means nothing
        listen = ("sh", "-c", f'trap "exit 0" TERM; {shlex.join(listen)} & wait $!; exit 0')
    ask = ("sh", "-c", WRITE_ASK, ASK, SIDE[SERVER], str(DAEMON_PORT), *asking(step.client[at:]))
    return Step(listen, (*step.client[:at], *ask), DAEMON_PORT)


def asking(launcher: tuple[str, ...]) -> tuple[str, ...]:
    first, *arguments = (ASK if word == ECHO else word for word in launcher)
    return (first, *ON_THE_SIDE, *arguments)


FRAME, FLAGS, OUT, HEAD, COMMENT = 6, 2, 2, 28, b"\1\0"  # of a pcapng log
BLOCK, VALUES, OPTION = struct.Struct("<II"), struct.Struct("<5I"), struct.Struct("<HHI")


class Frame(NamedTuple):
    time_ns: int
    goes_out: bool
    size_bytes: int  # without padding
    head: bytes  # its first bytes
    fate: str = ""  # "lost" or "dropped", if it does not arrive


def blocks(log: Path) -> Iterator[tuple[int, bytes]]:
    with log.open("rb") as file:
        while start := file.read(BLOCK.size):
            kind, length = BLOCK.unpack(start) if len(start) == BLOCK.size else (0, 0)
            block = start + file.read(max(0, length - BLOCK.size))
            if length < BLOCK.size or len(block) < length:
                raise SiteError("the log of the link is cut off", str(log))
            yield kind, block


def read(log: Path) -> Iterator[Frame]:
    """All frames of a log, in the order of their times."""
    for kind, block in blocks(log):
        if kind == FRAME:
            _, high, low, kept_bytes, size = VALUES.unpack_from(block, BLOCK.size)
            at = HEAD + (kept_bytes + 3) // 4 * 4
            code, _, flags = OPTION.unpack_from(block, at)
            more = block[at + OPTION.size : -BLOCK.size // 2]
            fate = more[4 : 4 + more[2]].decode() if more.startswith(COMMENT) else ""
            goes_out = code == FLAGS and flags == OUT
            yield Frame(high << 32 | low, goes_out, size, block[HEAD : HEAD + kept_bytes], fate)
