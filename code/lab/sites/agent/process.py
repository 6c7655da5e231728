"""A program that an agent starts: a process group with its outputs in memory and a deadline."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypedDict

from lab.sites.agent import orphans

if TYPE_CHECKING:
    from lab.typed_json import JsonTable

DEADLINE_STATUS = 124  # as lab.model.trial has it, which an agent on another host has not
NOT_STARTED_STATUS = 127
OUTPUT_LIMIT = 64 << 20  # bytes of any file that it writes: a program that prints without end is ended by SIGXFSZ
NAP_S = 0.0002  # the first wait between two looks; each is twice as long as the one before, up to
LONGEST_NAP_S = 0.02
LISTENING = "0A"  # in /proc/net/tcp
# A program ends with its agent, even if that is killed: as the first process of its namespace it takes all with it.
WITH_THE_AGENT = [] if os.getpid() == 1 else ["setpriv", "--pdeathsig", "KILL"]


class Sign(TypedDict):
    """What shows that a program is ready: lab.model.trial.Ready."""

    tcp: int
    cm: int
    line: str
    after_s: float


class ProcessGroup:
    """A process group with its outputs in memory, watched by a thread until it ends."""

    def __init__(self, argv: list[str], environment: dict[str, str], deadline_s: float) -> None:
        self.argv, self.environment = argv, environment
        self.out, self.err = os.memfd_create("out"), os.memfd_create("err")
        self.popen: subprocess.Popen[bytes] | None = None
        self.status: int | None = None
        self.expired = False
        self.begun, self.ended = threading.Event(), threading.Event()
        self.timer = threading.Timer(deadline_s, self.expire)
        self.timer.daemon = True
        self.start_ns = self.end_ns = time.monotonic_ns()
        threading.Thread(target=self.live, daemon=True).start()
        self.begun.wait()

    def live(self) -> None:
        """Start, wait, and keep the status; the process ends with this thread (pdeathsig)."""
        try:
            self.popen = subprocess.Popen(
                [*WITH_THE_AGENT, *self.argv],
                stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err,
                env={**os.environ, **self.environment}, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            os.write(self.err, f"{self.argv[0]}: {error.strerror}\n".encode())
            self.status = NOT_STARTED_STATUS
        else:
            orphans.STARTED.add(self.popen.pid)
            with suppress(ProcessLookupError):  # it has ended already
                resource.prlimit(self.popen.pid, resource.RLIMIT_FSIZE, (OUTPUT_LIMIT, OUTPUT_LIMIT))
            self.timer.start()
            self.begun.set()
            code = self.popen.wait()
            orphans.STARTED.discard(self.popen.pid)
            self.end_ns = time.monotonic_ns()
            self.status = DEADLINE_STATUS if self.expired else 128 - code if code < 0 else code
            self.end(signal.SIGKILL)  # what it started and left in its group,
            orphans.end()  # and outside of it
        self.timer.cancel()
        self.ended.set()
        self.begun.set()

    def expire(self) -> None:
        """End it at its deadline."""
        self.expired = True
        self.end(signal.SIGKILL)

    def end(self, number: int) -> None:
        """Signal the whole group, which may be gone."""
        if self.popen is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.popen.pid, number)

    def await_sign(self, sign: Sign) -> None:
        """Return when one of the signs is there, or when the program has ended."""
        begun = time.monotonic()
        self._await(
            lambda: (
                (sign["tcp"] > 0 and listens(sign["tcp"]))
                or (sign["cm"] > 0 and manages(sign["cm"]))
                or (sign["line"] != "" and self._has_said(sign["line"]))
                or (0 < sign["after_s"] <= time.monotonic() - begun)
            )
        )

    def await_line(self) -> str:
        """The first line of its output, as soon as the line is whole; empty if it ends without one."""
        self._await(lambda: b"\n" in self._said())
        line, end, _ = self._said().partition(b"\n")
        return (line + end).decode(errors="replace")

    def _await(self, seen: Callable[[], bool]) -> None:
        nap = NAP_S
        while not self.ended.is_set() and not seen():
            time.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP_S)

    def _said(self) -> bytes:
        return os.pread(self.out, OUTPUT_LIMIT, 0)

    def _has_said(self, line: str) -> bool:
        return any(line.encode() in os.pread(each, OUTPUT_LIMIT, 0) for each in (self.out, self.err))

    def left(self) -> JsonTable:
        """The outputs and the status of a program that has ended."""
        return {
            "status": self.status,
            "out": read(self.out),
            "err": read(self.err),
            "start_ns": self.start_ns,
            "end_ns": self.end_ns,
        }


def read(descriptor: int) -> str:
    """An output as text, whose file is then closed; a byte that is not UTF-8 is replaced."""
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read(OUTPUT_LIMIT).decode(errors="replace")


def listens(port: int) -> bool:
    """Whether a TCP socket listens on the port, as the kernel lists them for this network namespace."""
    ending = f":{port:04X}"
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table, encoding="ascii") as lines:  # noqa: PTH123 - quicker; this is polled
                rows = [line.split()[1:4] for line in lines]
        except OSError:
            continue
        if any(row[0].endswith(ending) and row[2] == LISTENING for row in rows if len(row) == 3):
            return True
    return False


def manages(port: int) -> bool:
    """Whether somebody listens on a port of the RDMA connection manager, as iproute2 lists them."""
    listed = subprocess.run(["rdma", "--json", "resource", "show", "cm_id"], stdout=subprocess.PIPE, check=False).stdout
    found: list[dict[str, object]] = json.loads(listed or "[]")
    return any(each.get("state") == "LISTEN" and str(each.get("src-addr", "")).endswith(f":{port}") for each in found)
