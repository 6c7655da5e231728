"""The agent: runs programs on its host, and ends every process that they leave."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.sites.agent import computer

if TYPE_CHECKING:
    from lab.typed_json import JsonTable

    Rest = Callable[[], JsonTable]  # of a request: it waits for something


PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
STARTED: set[int] = set()  # process ids of running programs


def adopt_orphans() -> None:
    """Make this process the parent of orphans: a launcher puts each rank into another group."""
    with suppress(ImportError, OSError):
        from ctypes import CDLL

        CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans() -> None:
    """End every child that is not a started program, then the orphans that this makes."""
    while left := child_processes() - STARTED:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def child_processes() -> set[int]:
    pids: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            pids.update(map(int, file.read_text().split()))
    return pids


DEADLINE_STATUS = 124  # a copy of lab.model.trial's, which an agent on another host lacks
NOT_STARTED_STATUS = 127
OUTPUT_LIMIT = 64 << 20  # bytes of any file that it writes: SIGXFSZ ends a program that prints without end
NAP_S, LONGEST_NAP_S = 0.0002, 0.02  # between two looks; each nap is twice as long as the one before
# A value behind a text: a copy of lab.machine.job's.
AFTER = "^(?:.*[^A-Za-z])?{}[^A-Za-z0-9\\n]+([A-Za-z0-9](?:[A-Za-z0-9.:_-]*[A-Za-z0-9])?)"
LISTENING = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}  # states in /proc/net; a UDP socket is bound
# A program ends with its agent, even if that is killed: as the first process of its namespace it takes all with it.
WITH_THE_AGENT = [] if os.getpid() == 1 else ["setpriv", "--pdeathsig", "KILL"]

Sign = dict[str, Any]  # what shows that a program is ready: the fields of lab.model.trial.Ready


class ProcessGroup:
    """A process group with its outputs in memory, watched by a thread until it ends."""

    def __init__(self, argv: list[str], environment: dict[str, str], deadline_s: float) -> None:
        self.argv, self.environment = argv, environment
        self.out, self.err = output_file("out"), output_file("err")
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
            self.end(signal.SIGKILL)  # the processes that it left in its group,
            end_orphans()  # and outside of it
        self.timer.cancel()
        self.ended.set()
        self.begun.set()

    def expire(self) -> None:
        self.expired = True
        self.end(signal.SIGKILL)

    def end(self, number: int) -> None:
        """Signal the whole group, which may be gone."""
        if self.popen is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.popen.pid, number)

    def await_sign(self, sign: Sign, texts: list[str]) -> None:
        """Return when one of the signs is there, or when the program has ended; with texts, when it has printed a value
        after each."""
        if texts:
            self._await(lambda: all(self.printed(texts)))
            return
        begun, line = time.monotonic(), sign["line"].encode()
        self._await(
            lambda: (
                (sign["tcp"] > 0 and listens(sign["tcp"]))
                or (sign["cm"] > 0 and manages(sign["cm"]))
                or (line != b"" and any(line in contents(output) for output in (self.out, self.err)))
                or (0 < sign["after_s"] <= time.monotonic() - begun)
            )
        )

    def printed(self, texts: list[str]) -> list[str]:
        """The first value that it has printed after each text, or nothing."""
        output = (contents(self.out) + b"\n" + contents(self.err)).decode(errors="replace")
        found = [re.search(AFTER.format(text), output, re.IGNORECASE | re.MULTILINE) for text in texts]
        return [match[1] if match else "" for match in found]

    def await_lines(self, count: int) -> list[str]:
        """The first lines of its output, as soon as they are whole; fewer if it ends before."""
        self._await(lambda: contents(self.out).count(b"\n") >= count)
        lines = contents(self.out).splitlines(keepends=True)[:count]
        return [line.decode(errors="replace") for line in lines]

    def _await(self, seen: Callable[[], bool]) -> None:
        nap = NAP_S
        while not self.ended.is_set() and not seen():
            time.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP_S)

    def left(self) -> JsonTable:
        """The outputs, the status and the times of a program that has ended."""
        texts = {}
        for name, output in (("out", self.out), ("err", self.err)):
            texts[name] = contents(output).decode(errors="replace")
            os.close(output)
        return {**texts, "status": self.status, "start_ns": self.start_ns, "end_ns": self.end_ns}


def output_file(name: str) -> int:
    """Open a file in memory to append to: otherwise, two processes that write at once may write at one place."""
    file = os.memfd_create(name)
    fcntl.fcntl(file, fcntl.F_SETFL, os.O_APPEND)
    return file


def contents(output: int) -> bytes:
    return os.pread(output, OUTPUT_LIMIT, 0)


def listens(port: int) -> bool:
    """Return whether a socket of TCP listens on the port, or one of UDP is bound to it, as the kernel lists them for
    this network namespace."""
    ending = f":{port:04X}"
    for table, state in LISTENING.items():
        try:
            with open(f"/proc/net/{table}", encoding="ascii") as lines:  # noqa: PTH123 - quicker; this is polled
                rows = [line.split()[1:4] for line in lines]
        except OSError:
            continue
        if any(row[0].endswith(ending) and row[2] == state for row in rows if len(row) == 3):
            return True
    return False


def manages(port: int) -> bool:
    """Return whether a program listens on a port of the RDMA connection manager, as iproute2 lists them."""
    listed = subprocess.run(["rdma", "--json", "resource", "show", "cm_id"], stdout=subprocess.PIPE, check=False).stdout
    rows: list[dict[str, object]] = json.loads(listed or "[]")
    return any(row.get("state") == "LISTEN" and str(row.get("src-addr", "")).endswith(f":{port}") for row in rows)


QUIET_S = 100  # seconds for a compiler
LEAVE_S = 5  # until killed programs must be gone
BUILT = ".built-here"  # the ending of a mark beside a program that was built on this host


class Refused(Exception):
    """A request that cannot be fulfilled, for a reason that the message states."""


def put(file: Path, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    file.replace(target)


def fits(file: Path) -> bool:
    """Return whether a program is for this CPU and finds its libraries here; a script does."""
    header, here = file.read_bytes()[:20], Path("/proc/self/exe").read_bytes()[:20]
    if header[:4] != b"\x7fELF":
        return True
    return (header[4:6], header[18:]) == (here[4:6], here[18:]) and run_quietly(["ldd", "-r", str(file)]) == ""


def is_whole(program: Path) -> bool:
    """Return whether the program DIGEST/NAME has the bytes of its digest, or was built here."""
    if not program.is_file():
        return False
    built = program.with_name(program.name + BUILT).exists()
    return built or hashlib.sha256(program.read_bytes()).hexdigest() == program.parent.name


def run_quietly(argv: list[str]) -> str:
    """The message of a command that failed; empty if it did not."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=QUIET_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    output = done.stdout.decode(errors="replace").strip()
    return (output or f"status {done.returncode}") if done.returncode else ""


class Agent:
    """Answers requests until its input ends."""

    def __init__(self) -> None:
        self.programs: dict[str, ProcessGroup] = {}
        self.built: list[str] = []
        self.lock = threading.Lock()
        self.heard = time.monotonic()
        self.silence_s = float("inf")

    def serve(self) -> None:
        """Begin the requests of all input lines in their order; an empty line is a heartbeat."""
        adopt_orphans()
        threading.Thread(target=self.watch_silence, daemon=True).start()
        for line in sys.stdin:
            self.heard = time.monotonic()
            if line.strip():
                request = json.loads(line)
                number, method = request.pop("id"), getattr(self, "do_" + request.pop("do"))
                self.answer(number, partial(method, **request))
        self.leave()

    def answer(self, number: int, part: Callable[[], JsonTable | Rest]) -> None:
        """Write a request's reply, which may be an error; call a returned function in a thread."""
        try:
            reply = part()
        except Refused as error:
            reply = {"error": str(error)}
        except Exception as error:  # noqa: BLE001 - the harness reports it
            reply = {"error": f"{type(error).__name__}: {error}"}
        if callable(reply):
            threading.Thread(target=self.answer, args=(number, reply), daemon=True).start()
            return
        text = json.dumps({"id": number, **reply}) + "\n"
        with self.lock:
            sys.stdout.write(text)
            sys.stdout.flush()

    def do_start(
        self, name: str, argv: list[str], environment: dict[str, str], deadline_s: float, sign: Sign | None = None,
        printed: list[str] | None = None,
    ) -> Rest:  # fmt: skip
        """Start a program; reply when a sign shows that it is ready, or when it has ended; with what it printed."""
        program = self.programs[name] = ProcessGroup(argv, environment, deadline_s)

        def finish() -> JsonTable:
            if sign:
                program.await_sign(sign, printed or [])
            return {"status": program.status, "printed": program.printed(printed or [])}

        return finish

    def do_wait(self, name: str) -> Rest:
        """Reply with the outputs and the status of a program when it has ended."""
        program = self.programs[name]

        def finish() -> JsonTable:
            program.ended.wait()
            del self.programs[name]
            return program.left()

        return finish

    def do_lines(self, name: str, count: int) -> Rest:
        program = self.programs[name]
        return lambda: {"lines": program.await_lines(count)}

    def do_signal(self, name: str, number: int) -> JsonTable:
        if name in self.programs:
            self.programs[name].end(number)
        return {}

    def do_look(self) -> JsonTable:
        interfaces = computer.text(computer.PROC / "net/dev")  # read by lab.machine.results, as that of a VM
        return {"interfaces": interfaces, "counters": computer.counters(), "clock_ns": time.monotonic_ns()}

    def do_identity(self, interface: str, device: str) -> JsonTable:
        return {"found": computer.identity(interface, device)}

    def do_state(self, interface: str, device: str) -> JsonTable:
        return {"found": {**computer.state(interface, device), "built_there": self.built}}

    def do_down(self, interface: str, device: str) -> JsonTable:
        return {"found": computer.is_down(interface, device)}

    def do_end(self, device: str, interface: str, address: str) -> JsonTable:
        return {"found": computer.end(device, interface, address)}

    def do_folder(self, folder: str) -> JsonTable:
        """Make a folder for programs; reply with its path and the free bytes there."""
        path = Path(folder).expanduser()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return {"folder": str(path), "free_bytes": shutil.disk_usage(path).free}

    def do_missing(self, folder: str, names: list[str]) -> JsonTable:
        self.built += [name for name in names if Path(folder, name + BUILT).exists()]
        return {"missing": [name for name in names if not is_whole(Path(folder, name))]}

    def do_adopt(self, folder: str, name: str, arrived: str) -> JsonTable:
        """Move an uploaded program to DIGEST/NAME; reply whether it runs on this host."""
        file, target = Path(folder, arrived), Path(folder, name)
        if hashlib.sha256(file.read_bytes()).hexdigest() != target.parent.name:
            file.unlink()
            raise Refused(f"{target.name} did not arrive whole")
        file.chmod(0o755)
        if runs := fits(file):
            put(file, target)
        else:
            file.unlink()
        return {"runs": runs}

    def do_build(self, folder: str, name: str, source: str) -> Rest:
        """Build a program here from the same sources, because the uploaded one does not run."""
        target, made = Path(folder, name), Path(folder, source, "made")

        def finish() -> JsonTable:
            program = made / target.name
            output = run_quietly(["make", "-s", "-C", str(made.parent), f"OUT={made}", str(program)])
            if not program.exists():
                raise Refused(f"{target.name} cannot be built there: {output[-300:]}")
            put(program, target)
            Path(folder, name + BUILT).touch()
            self.built.append(name)
            return {}

        return finish

    def do_pin(self, interface: str, device: str) -> JsonTable:
        """Stay, with all started programs, on the allowed CPUs near the network card."""
        if cpus := computer.near(interface, device) & os.sched_getaffinity(0):
            os.sched_setaffinity(0, cpus)
        return {}

    def do_keep(self, silence_s: float) -> JsonTable:
        """Set the time without a heartbeat after which the harness counts as gone."""
        self.silence_s = silence_s
        return {}

    def watch_silence(self) -> None:
        """End everything when the harness is gone: a cut network ends no connection by itself."""
        while time.monotonic() - self.heard < self.silence_s:
            time.sleep(1)
        self.leave()

    def leave(self) -> None:
        programs = list(self.programs.values())
        for program in programs:
            program.end(signal.SIGKILL)
        for program in programs:
            program.ended.wait(LEAVE_S)
        os._exit(0)
