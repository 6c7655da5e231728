"""The agent: runs programs on its host, and ends every process that they leave."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar

from lab.sites.agent import computer

if TYPE_CHECKING:
    from lab.typed_json import JsonTable

    Rest = Callable[[], JsonTable]  # of a request: what is waited for


PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
STARTED: set[int] = set()  # process ids of programs that run


def adopt_orphans() -> None:
    """Make this process the parent of orphans: a launcher gives each rank a group of its own."""
    with suppress(ImportError, OSError):
        from ctypes import CDLL

        CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans() -> None:
    """End every child that is no started program, then the orphans that this makes."""
    while left := child_processes() - STARTED:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def child_processes() -> set[int]:
    """The children of all threads of this process."""
    found: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, file.read_text().split()))
    return found


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
            STARTED.add(self.popen.pid)
            with suppress(ProcessLookupError):  # it has ended already
                resource.prlimit(self.popen.pid, resource.RLIMIT_FSIZE, (OUTPUT_LIMIT, OUTPUT_LIMIT))
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


Made = TypeVar("Made")
QUIET_S = 100  # seconds for a compiler
LEAVE_S = 5  # until killed programs must be gone
BUILT = ".built-here"  # beside a program that is not the one of its digest


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


def is_whole(place: Path) -> bool:
    """Whether the program DIGEST/NAME lies there as it arrived, or was built here."""
    if not place.is_file():
        return False
    built = place.with_name(place.name + BUILT).exists()
    return built or hashlib.sha256(place.read_bytes()).hexdigest() == place.parent.name


def run_quietly(argv: list[str]) -> str:
    """The message of a command that failed; empty if it did not."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=QUIET_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stdout.decode(errors="replace").strip()
    return (said or f"status {done.returncode}") if done.returncode else ""


class Agent:
    """Answers requests until its input ends."""

    def __init__(self) -> None:
        self.programs: dict[str, ProcessGroup] = {}
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

    def take(self, number: int, what: str, request: JsonTable) -> None:
        """Begin at once, in the order of the requests; wait for the rest in a thread."""
        finish = self.attempt(number, lambda: getattr(self, "do_" + what)(**request))
        if finish is not None:
            threading.Thread(target=self.finish, args=(number, finish), daemon=True).start()

    def finish(self, number: int, rest: Rest) -> None:
        """Answer a request once the rest of it is done."""
        reply = self.attempt(number, rest)
        if reply is not None:
            self.answer(number, reply)

    def attempt(self, number: int, part: Callable[[], Made]) -> Made | None:
        """The result of a part of a request; a failure is a result too, for the harness to hear of."""
        try:
            return part()
        except Exception as error:  # noqa: BLE001 - whatever it is
            self.answer(number, {"error": f"{type(error).__name__}: {error}"})
            return None

    def answer(self, number: int, reply: JsonTable) -> None:
        text = json.dumps({"id": number, **reply}) + "\n"
        with self.lock:
            sys.stdout.write(text)
            sys.stdout.flush()

    def do_start(
        self, name: str, argv: list[str], environment: dict[str, str], deadline_s: float, sign: Sign | None = None
    ) -> Rest:
        """Start a program; answered when there is a sign that it is ready, or when it has ended."""
        program = self.programs[name] = ProcessGroup(argv, environment, deadline_s)

        def finish() -> JsonTable:
            if sign:
                program.await_sign(sign)
            return {"status": program.status}

        return finish

    def do_wait(self, name: str) -> Rest:
        """Answered when the program has ended, with its outputs and status."""
        program = self.programs[name]

        def finish() -> JsonTable:
            program.ended.wait()
            del self.programs[name]
            return program.left()

        return finish

    def do_line(self, name: str) -> Rest:
        """Answered with the first line of a program's output."""
        program = self.programs[name]
        return lambda: {"line": program.await_line()}

    def do_signal(self, name: str, number: int) -> Rest:
        """Signal a program that may still run."""
        if name in self.programs:
            self.programs[name].end(number)
        return dict

    def do_look(self) -> Rest:
        """The counters and the clock of this end."""
        return lambda: {"counters": computer.counters(), "clock_ns": time.monotonic_ns()}

    def do_identity(self, interface: str, device: str) -> Rest:
        """The identity of this computer."""
        return lambda: {"found": computer.identity(interface, device)}

    def do_state(self, interface: str, device: str) -> Rest:
        """The state of this computer now."""
        return lambda: {"found": {**computer.state(interface, device), "built_there": self.built}}

    def do_down(self, interface: str, device: str) -> Rest:
        """Whether its end of the link is down now."""
        return lambda: {"found": computer.is_down(interface, device)}

    def do_end(self, device: str, interface: str, address: str) -> Rest:
        """This end of the data link."""
        return lambda: {"found": computer.end(device, interface, address)}

    def do_folder(self, folder: str) -> Rest:
        """Make a folder for programs; answered with its place and the bytes that there is room for."""
        place = Path(folder).expanduser()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return lambda: {"folder": str(place), "free_bytes": shutil.disk_usage(place).free}

    def do_missing(self, folder: str, names: list[str]) -> Rest:
        """Answered with the programs that are not in the folder."""
        missing = [name for name in names if not is_whole(Path(folder, name))]
        self.built += [name for name in names if Path(folder, name + BUILT).exists()]
        return lambda: {"missing": missing}

    def do_adopt(self, folder: str, name: str, arrived: str) -> Rest:
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

    def do_build(self, folder: str, name: str, source: str) -> Rest:
        """Make a program here, of the same sources, for a computer on which ours does not run."""
        place, made = Path(folder, name), Path(folder, source, "made")

        def finish() -> JsonTable:
            target = made / place.name
            said = run_quietly(["make", "-s", "-C", str(made.parent), f"OUT={made}", str(target)])
            if not target.exists():
                return {"error": f"{place.name} cannot be built there: {said[-300:]}"}
            put(target, place)
            Path(folder, name + BUILT).touch()
            self.built.append(name)
            return {}

        return finish

    def do_pin(self, interface: str, device: str) -> Rest:
        """Stay, with all started programs, on the allowed processors near the network card."""
        cpus = computer.near(interface, device) & os.sched_getaffinity(0)
        if cpus:
            os.sched_setaffinity(0, cpus)
        return lambda: {"cpus": sorted(os.sched_getaffinity(0))}

    def do_keep(self, silence_s: float) -> Rest:
        """How long a silence means that the harness is gone."""
        self.silence_s = silence_s
        return dict

    def watch_silence(self) -> None:
        """End all if the harness is silent: a cut network ends no connection by itself."""
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
