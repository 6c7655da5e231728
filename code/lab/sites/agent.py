"""One end of a link: starts what it is told to, says how it ended, and leaves nothing behind.

Its source is sent to the computer where it runs, which needs Python 3.8 and nothing else. Requests come as lines of
JSON on standard input, each with an id that its answer repeats. Whoever asks may be gone at any moment: all that
was started here ends with the input, after a silence, and at its deadline.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from lab.sites import node

DEADLINE_STATUS = 124
NOT_STARTED_STATUS = 127
OUTPUT_LIMIT = 64 << 20
NAP_S = 0.0002  # the first one while a server starts; each is twice as long as the one before, up to
LONGEST_NAP_S = 0.02
QUIET_S = 100  # for a compiler
LEAVE_S = 5  # for what was killed to be gone
BUILT = ".built-here"  # beside a program that is not the one of its digest
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
STARTED: set[int] = set()  # programs that run
LISTENING = "0A"  # in /proc/net/tcp
# A program ends with its agent, even if that is killed: as the first process of its namespace it takes all with it.
WITH_THE_AGENT = [] if os.getpid() == 1 else ["setpriv", "--pdeathsig", "KILL"]


class Program:
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
        """Start, wait, and keep the status; this thread's end would end the process (pdeathsig)."""
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
            STARTED.add(self.popen.pid)
            self.timer.start()
            self.begun.set()
            code = self.popen.wait()
            STARTED.discard(self.popen.pid)
            self.end_ns = time.monotonic_ns()
            self.status = DEADLINE_STATUS if self.expired else 128 - code if code < 0 else code
            self.end(signal.SIGKILL)  # what it started and left in its group,
            end_orphans()  # and outside of it
        self.timer.cancel()
        self.ended.set()
        self.begun.set()

    def expire(self) -> None:
        """The deadline."""
        self.expired = True
        self.end(signal.SIGKILL)

    def end(self, number: int) -> None:
        """Signal the whole group, which may be gone."""
        if self.popen is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.popen.pid, number)

    def await_port(self, port: int) -> None:
        """Return when somebody listens there, or when there is nobody left to wait for."""
        nap = NAP_S
        while not self.ended.is_set() and not listens(port):
            time.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP_S)

    def await_line(self) -> str:
        """The first line that it prints, as soon as it is whole; nothing if it ends without one."""
        nap = NAP_S
        while True:
            over, said = self.ended.is_set(), os.pread(self.out, OUTPUT_LIMIT, 0)
            if over or b"\n" in said:
                line, end, _ = said.partition(b"\n")
                return (line + end).decode(errors="replace")
            time.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP_S)

    def left(self) -> dict[str, Any]:
        """What an ended program left."""
        return {
            "status": self.status,
            "out": read(self.out),
            "err": read(self.err),
            "start_ns": self.start_ns,
            "end_ns": self.end_ns,
        }


def adopt_orphans() -> None:
    """What a program leaves running becomes a child of this process: a launcher gives each rank a group of its own."""
    with suppress(ImportError, OSError):
        from ctypes import CDLL

        CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans() -> None:
    """End every child that is no program of its own, then those that this makes orphans."""
    while orphans := children() - STARTED:
        for pid in orphans:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def children() -> set[int]:
    """Of all threads of this process."""
    found: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, file.read_text().split()))
    return found


def put(file: Path, place: Path) -> None:
    """Move a program to its place, whole."""
    place.parent.mkdir(exist_ok=True)
    file.replace(place)


def fits(file: Path) -> bool:
    """Whether a program is for this processor and finds its libraries here; a script does."""
    header, own = file.read_bytes()[:20], Path("/proc/self/exe").read_bytes()[:20]
    if header[:4] != b"\x7fELF":
        return True
    return (header[4:6], header[18:]) == (own[4:6], own[18:]) and run_quietly(["ldd", "-r", str(file)]) == ""


def run_quietly(argv: list[str]) -> str:
    """What a command that failed said; empty when all went well."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=QUIET_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stdout.decode(errors="replace").strip()
    return (said or f"status {done.returncode}") if done.returncode else ""


def read(descriptor: int) -> str:
    """All of an output, which is then forgotten; a byte that is not UTF-8 is replaced."""
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


class Agent:
    """Answers requests until its input ends."""

    def __init__(self) -> None:
        self.programs: dict[str, Program] = {}
        self.built: list[str] = []
        self.lock = threading.Lock()
        self.heard = time.monotonic()
        self.silence_s = float("inf")

    def serve(self) -> None:
        """Take requests line by line; an empty line only says that the harness is there."""
        adopt_orphans()
        threading.Thread(target=self.watch_silence, daemon=True).start()
        for line in sys.stdin:
            self.heard = time.monotonic()
            if line.strip():
                request = json.loads(line)
                self.take(request.pop("id"), request.pop("do"), request)
        self.leave()

    def take(self, number: int, what: str, request: dict[str, Any]) -> None:
        """Begin at once, in the order of the requests; wait for the rest in a thread."""
        try:
            finish: Callable[[], dict[str, Any]] = getattr(self, "do_" + what)(**request)
        except Exception as error:  # noqa: BLE001 - whatever it is, the harness must hear of it
            self.answer(number, {"error": f"{type(error).__name__}: {error}"})
            return
        threading.Thread(target=lambda: self.answer(number, finish()), daemon=True).start()

    def answer(self, number: int, reply: dict[str, Any]) -> None:
        text = json.dumps({"id": number, **reply}) + "\n"
        with self.lock:
            sys.stdout.write(text)
            sys.stdout.flush()

    def do_start(
        self, name: str, argv: list[str], environment: dict[str, str], deadline_s: float, port: int = 0
    ) -> Callable[[], dict[str, Any]]:
        """Start a program; answered when it listens on its port, or has ended."""
        program = self.programs[name] = Program(argv, environment, deadline_s)

        def finish() -> dict[str, Any]:
            if port:
                program.await_port(port)
            return {"status": program.status}

        return finish

    def do_wait(self, name: str) -> Callable[[], dict[str, Any]]:
        """Answered when the program has ended, with all that it left."""
        program = self.programs[name]

        def finish() -> dict[str, Any]:
            program.ended.wait()
            del self.programs[name]
            return program.left()

        return finish

    def do_line(self, name: str) -> Callable[[], dict[str, Any]]:
        """Answered with the first line of a program's output."""
        program = self.programs[name]
        return lambda: {"line": program.await_line()}

    def do_signal(self, name: str, number: int) -> Callable[[], dict[str, Any]]:
        """Signal a program that may still run."""
        if name in self.programs:
            self.programs[name].end(number)
        return dict

    def do_look(self) -> Callable[[], dict[str, Any]]:
        """The counters and the clock of this end."""
        return lambda: {"counters": node.counters(), "clock_ns": time.monotonic_ns()}

    def do_identity(self, interface: str, device: str) -> Callable[[], dict[str, Any]]:
        """What this computer is."""
        return lambda: {"found": node.identity(interface, device)}

    def do_state(self, interface: str, device: str) -> Callable[[], dict[str, Any]]:
        """How it is now."""
        return lambda: {"found": {**node.state(interface, device), "built_there": self.built}}

    def do_end(self, device: str, interface: str, address: str) -> Callable[[], dict[str, Any]]:
        """This end of the data link."""
        return lambda: {"found": node.end(device, interface, address)}

    def do_missing(self, folder: str, names: list[str]) -> Callable[[], dict[str, Any]]:
        """Which programs are not in the folder, where it is, and how many bytes there is room for."""
        place = Path(folder).expanduser()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        missing = [name for name in names if not (place / name).exists()]
        self.built += [name for name in names if (place / (name + BUILT)).exists()]
        return lambda: {"missing": missing, "folder": str(place), "free_bytes": shutil.disk_usage(place).free}

    def do_adopt(self, folder: str, name: str, arrived: str) -> Callable[[], dict[str, Any]]:
        """Put a program in its place, DIGEST/NAME, if it arrived whole; says whether it runs on this computer."""
        file, place = Path(folder, arrived), Path(folder, name)
        if hashlib.sha256(file.read_bytes()).hexdigest() != place.parent.name:
            file.unlink()
            raise OSError(f"{place.name} did not arrive whole")
        file.chmod(0o755)
        if runs := fits(file):
            put(file, place)
        else:
            file.unlink()
        return lambda: {"runs": runs}

    def do_build(self, folder: str, name: str, source: str) -> Callable[[], dict[str, Any]]:
        """Make a program here, of the same sources, for a computer on which ours does not run."""
        place, made = Path(folder, name), Path(folder, source, "made")

        def finish() -> dict[str, Any]:
            target = made / place.name
            said = run_quietly(["make", "-s", "-C", str(made.parent), f"OUT={made}", str(target)])
            if not target.exists():
                return {"error": f"{place.name} cannot be built there: {said[-300:]}"}
            put(target, place)
            Path(folder, name + BUILT).touch()
            self.built.append(name)
            return {}

        return finish

    def do_pin(self, interface: str, device: str) -> Callable[[], dict[str, Any]]:
        """Stay, with all that is started, on those of the allowed processors that are near the network card."""
        cpus = node.near(interface, device) & os.sched_getaffinity(0)
        if cpus:
            os.sched_setaffinity(0, cpus)
        return lambda: {"cpus": sorted(os.sched_getaffinity(0))}

    def do_keep(self, silence_s: float) -> Callable[[], dict[str, Any]]:
        """How long a silence means that the harness is gone."""
        self.silence_s = silence_s
        return dict

    def watch_silence(self) -> None:
        """A cut network ends no connection by itself."""
        while time.monotonic() - self.heard < self.silence_s:
            time.sleep(1)
        self.leave()

    def leave(self) -> None:
        """End everything, then this."""
        programs = list(self.programs.values())
        for program in programs:
            program.end(signal.SIGKILL)
        for program in programs:
            program.ended.wait(LEAVE_S)
        os._exit(0)
