"""The snapshot of a booted VM from which both ends start, and the digests and results that it must have."""

import json
import os
import platform
import re
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from lab.errors import SiteError, Tell
from lab.files.storage import write_text
from lab.files.store import damage_of, exclusive, folder_digest, prune, put_folder, read_sums, sha256_of, stored
from lab.machine import link, qemu
from lab.machine.image import Image
from lab.machine.job import pack
from lab.machine.qemu import MachineError
from lab.machine.results import SERVER, SIDE
from lab.machine.runner import Runner, section
from lab.machine.sparse import anonymous_file, compress, copy_with_holes, digest_with_holes, in_memory, is_compressed
from lab.model.trial import Job, Link, Outcome, Perturbation, Step
from lab.typed_json import JsonError, as_json, parse_as

FILE = "frozen.json"
BOOT_DEADLINE_S = 300.0
KEPT = 3  # snapshots of 40 MB each; older ones are of an earlier image or QEMU

# The guest runs an empty job before its snapshot, so that no later job pays for the kernel's first-time work.
REHEARSAL = Job(steps=(), link=Link(), perturbation=Perturbation(), deadline_s=1)
# The first job of a pair, before it waits for others.
_WRITE = ("ib_write_bw", "-s", "16384", "-n", "20", "-F", "-d")
_RECEIVE, _SEND = ("iperf3", "-s", "-1", "-B", "10.0.0.2"), ("iperf3", "-c", "10.0.0.2", "-B", "10.0.0.1", "-n", "200K")
WARM_UP = Job(
    (Step((*_WRITE, "rxe1"), (*_WRITE, "rxe0", "192.168.7.2"), 18515), Step(_RECEIVE, _SEND, 5201)),
    Link(),
    Perturbation(),
    deadline_s=30,
)


@dataclass(frozen=True)
class Expected:
    """The digests that the repository expects of one snapshot."""

    recipe: str  # of its inputs
    frozen: Mapping[str, str]  # its memory and its state
    checks: Mapping[str, str]  # results of the self-check's steps, by name
    host: Mapping[str, str]  # programs of the host itself: runner, plugin, device, by its architecture


def read(machine: Path) -> Expected | None:
    """The repository's expectation; None without its file."""
    file = machine / FILE
    try:
        return parse_as(Expected, json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError, JsonError) as error:
        raise SiteError(
            f"is not a valid expectation of the snapshot: {error}", str(file), f"git checkout {file.name}"
        ) from error


def write(machine: Path, expected: Expected) -> Path:
    """Write the expectation to its file, which is to be committed."""
    write_text(machine / FILE, json.dumps(as_json(expected), indent=1, sort_keys=True) + "\n")
    return machine / FILE


@dataclass(frozen=True)
class SnapshotInputs:
    """The image of a snapshot, the QEMU and plugin that run it, and the repository's expectation."""

    image: Image
    runner: Runner
    plugin: Path
    wires: str  # a digest of the code that decides what happens to a frame
    expected: Expected | None = None

    @property
    def digest(self) -> str:
        """A digest of all that decides the snapshot's memory; the name of its folder."""
        facts = {
            "image": self.image.digest,
            "arguments": qemu.arguments(),
            "qemu": self.runner.packages,
            "wires": self.wires,
            "rehearsal": sha256_of(pack(REHEARSAL) + pack(WARM_UP)),
        }
        return _digest(facts)

    @property
    def trusted(self) -> bool:
        """Whether QEMU has the bytes that the repository expects for this host's architecture."""
        expected = self.expected.host if self.expected else {}
        return section() in expected and folder_digest(self.runner.folder) == expected[section()]

    @property
    def expectation(self) -> Expected | None:
        """The repository's expectation, if it is about these inputs."""
        return self.expected if self.expected and self.expected.recipe == self.digest else None


@dataclass(frozen=True)
class Snapshot:
    folder: Path
    runner: Runner
    plugin: Path
    trusted: bool = False  # QEMU has the expected bytes

    @property
    def memory(self) -> Path:
        return self.folder / "memory"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def clock_ns(self) -> int:
        return clock_ns(self.state.read_bytes())

    def digests(self) -> dict[str, str]:
        """The digests that were written with memory and state."""
        with stored(self.folder, "read"):
            return read_sums(self.folder)

    @cached_property
    def copied(self) -> int:
        """A descriptor of this process's copy of the memory: QEMU opens it for writing, but writes to private pages."""
        with stored(self.memory, "copied into memory"):
            copied = in_memory(self.memory)
        weakref.finalize(self, os.close, copied)
        return copied

    @property
    def copy(self) -> Path:
        """The path of that copy, for this process."""
        return Path(f"/proc/self/fd/{self.copied}")


def identity(inputs: SnapshotInputs, cache: Path, tell: Tell) -> dict[str, str]:
    """All that a result depends on besides its job; the CPU is named for people. If the repository has the digests, no
    snapshot is made for this."""
    folder = folder_of(inputs, cache)
    if inputs.expectation and not folder.exists():
        digests = inputs.expectation.frozen
    else:
        digests = cached_snapshot(inputs, cache, tell).digests()
    processor = f"{qemu.PROCESSOR}, emulated, cores: {qemu.CORES}"
    about = {"arguments": qemu.arguments(), "processor": processor, "wires": inputs.wires}
    return {"frozen": digests["memory"], **about}


def folder_of(inputs: SnapshotInputs, cache: Path) -> Path:
    return cache / "machine" / inputs.digest


def cached_snapshot(inputs: SnapshotInputs, cache: Path, tell: Tell) -> Snapshot:
    snapshot = Snapshot(folder_of(inputs, cache), inputs.runner, inputs.plugin)
    if not snapshot.folder.exists():
        with exclusive(cache / "machine" / "lock"):
            if not snapshot.folder.exists():  # no other process has made it meanwhile
                _make(snapshot, inputs, tell, "booting a VM for the snapshot (once)")
            prune(snapshot.folder.parent, KEPT)
    return snapshot


def verified_snapshot(inputs: SnapshotInputs, cache: Path, tell: Tell) -> Snapshot:
    """The snapshot with checked digests; call this once before the first job, because it reads all of the memory. A
    damaged snapshot is made again, with the same bytes, so that no record is lost."""
    snapshot = replace(cached_snapshot(inputs, cache, tell), trusted=inputs.trusted)
    if fault := _damage(snapshot, inputs):
        tell(f"{snapshot.folder}: {fault}")
        snapshot = replace(snapshot)  # without the copy of its memory
        with exclusive(cache / "machine" / "lock"):
            if _damage(replace(snapshot), inputs):  # no other process has made it again meanwhile
                _make(snapshot, inputs, tell, "making the snapshot again")
    if not is_compressed(snapshot.memory) and os.access(snapshot.folder, os.W_OK):
        with exclusive(cache / "machine" / "lock"):
            if not is_compressed(snapshot.memory):
                compress(snapshot.memory)
    return snapshot


def unexpected(inputs: SnapshotInputs, folder: Path) -> str:
    """The name of a file that differs from the expected one; empty if none does, or nothing is expected."""
    expected = inputs.expectation.frozen if inputs.expectation else {}
    return next((name for name, digest in expected.items() if digest_with_holes(folder / name) != digest), "")


def _make(snapshot: Snapshot, inputs: SnapshotInputs, tell: Tell, sentence: str) -> None:
    """Make the snapshot; raise if its bytes are not the expected ones."""
    tell(sentence)
    with put_folder(snapshot.folder, digest_with_holes) as folder:
        freeze(inputs, folder)
        if name := unexpected(inputs, folder):
            what = f"the snapshot's {name} is not the expected one: results of this computer would not be exact"
            raise MachineError(what, hint="lab image import FILE, with the file of another computer")


def _damage(snapshot: Snapshot, inputs: SnapshotInputs) -> str:
    def digest(path: Path) -> str:
        return digest_with_holes(snapshot.copy if path == snapshot.memory else path)

    if fault := damage_of(snapshot.folder, digest):
        return fault
    if inputs.expectation and snapshot.digests() != inputs.expectation.frozen:
        return "is not the expected snapshot"
    return ""


def freeze(inputs: SnapshotInputs, folder: Path) -> None:
    """Boot until the guest pauses itself; save its memory and state into a folder."""
    with (
        anonymous_file("memory", qemu.MEMORY_BYTES) as memory,
        anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
        anonymous_file("console") as console,
        anonymous_file("state") as state,
        inputs.plugin.open("rb") as plugin,
    ):
        os.pwrite(mailbox, pack(REHEARSAL), 0)
        arguments = [*qemu.MACHINE, *qemu.memory(memory, shared=True), *qemu.mailbox(mailbox, console)]
        arguments += [*qemu.copy_number(0), *qemu.plugin(plugin.fileno(), link.ALONE)]
        arguments += ["-kernel", str(inputs.image.vmlinuz), "-initrd", str(inputs.image.initrd)]
        arguments += ["-append", qemu.KERNEL_ARGUMENTS]
        descriptors = [memory, mailbox, console, plugin.fileno()]
        try:
            with qemu.Process(inputs.runner, arguments, descriptors, BOOT_DEADLINE_S) as process:
                process.await_event("WATCHDOG")
                process.save(state)
        except MachineError as error:
            messages = os.pread(console, 4096, 0).decode(errors="replace").strip() or "nothing on its console"
            raise MachineError(f"the VM did not boot: {error.what}", messages) from error
        forget_host(state)
        copy_with_holes(memory, folder / "memory")
        copy_with_holes(state, folder / "state")


# In QEMU's stream: length and name of the section, instance 0, version 2; then the offsets of the CPU's ticks and of
# the wall clock from the guest's clock, each in 8 bytes with 8 unused bytes between.
TIMER = b"\x05timer" + (0).to_bytes(4) + (2).to_bytes(4)
TIMES = 24
# A part of that section: the time that was added to the guest's clock while its CPU halted, and its instructions.
COUNT = b"\x0ctimer/icount" + (1).to_bytes(4)
# QEMU sends its ROMs, the memory without a file, in parts: it begins a part every 50 ms, and the last one when it
# expects to send the rest quickly. Between two parts are a mark, the number of the memory's section twice, and the kind
# of the next part; the next section follows the last part.
MARK, PART, LAST_PART, OTHER_SECTION = b"\0\0\0\0\0\0\0\x10\x7e", b"\x02", b"\x03", b"\x04"
BREAK = re.compile(MARK + rb"(.{4})(?:([" + PART + LAST_PART + rb"])\1|(?=" + OTHER_SECTION + rb"))", re.DOTALL)
OTHER_FORM = "QEMU saved its state in an unknown form"


def forget_host(state: int) -> None:
    """Remove from a saved state everything that depends on the host."""
    saved = without_host(os.pread(state, os.fstat(state).st_size, 0))
    os.ftruncate(state, 0)
    os.pwrite(state, saved, 0)


def without_host(saved: bytes) -> bytes:
    """The state with zeros for both times, which a clock of instructions does not need, and with all of the memory in
    the first part, followed by an empty last part: as an idle host saves it."""
    start = _behind(TIMER, saved)
    saved = saved[:start] + bytes(TIMES) + saved[start + TIMES :]
    breaks = list(BREAK.finditer(saved))
    if len(breaks) < 2 or breaks[-1][2]:
        raise MachineError(OTHER_FORM)
    first, last, number = breaks[0], breaks[-1], breaks[0][1]
    pages = b"".join(saved[part.end() : following.start()] for part, following in pairwise(breaks))
    one_part, last_part = (MARK + number + kind + number for kind in (PART, LAST_PART))
    return saved[: first.start()] + one_part + pages + last_part + saved[last.start() :]


def clock_ns(saved: bytes) -> int:
    start = _behind(COUNT, saved)
    return sum(int.from_bytes(saved[at : at + 8]) for at in (start, start + 8))


def _behind(name: bytes, saved: bytes) -> int:
    if saved.count(name) != 1:
        raise MachineError(OTHER_FORM)
    return saved.index(name) + len(name)


# The self-check: whether this host runs the snapshot to the expected bytes. Many short sleeps show an inexact clock
# soonest.
CHECKED = "exact-here"  # a folder of stamps
_CHECK_WRITE = ("ib_write_bw", "-s", "4096", "-n", "200", "-F", "-d")
_SLEEP = """mkfifo /tmp/never; exec 3<>/tmp/never; i=0
while [ $i -lt 5000 ]; do read -t 0.001 none <&3; i=$((i+1)); done"""
CHECK_STEPS = {
    "ib_write_bw": Step((*_CHECK_WRITE, "rxe1"), (*_CHECK_WRITE, "rxe0", SIDE[SERVER]), 18515),
    "sleeping": Step(("sh", "-c", "exec iperf3 -s -1 -B 10.0.0.2"), ("sh", "-c", _SLEEP), 5201),
}
CHECK = Job(tuple(CHECK_STEPS.values()), Link(), Perturbation(), deadline_s=60)
CPUINFO = Path("/proc/cpuinfo")

Run = Callable[[Job], Outcome]


def require_exact(snapshot: Snapshot, expected: Expected | None, cache: Path, run: Run, tell: Tell) -> None:
    """Run the self-check unless this host has run it; raise if a step does not give the expected bytes."""
    if expected is None:
        tell(f"exact: {FILE} has no results of this snapshot, so the self-check is left out")
        return
    names = [snapshot.folder.name, snapshot.runner.folder.name, snapshot.plugin.parent.name, host()]
    stamp = cache / CHECKED / _digest(names)
    if stamp.exists():
        return
    tell("checking that this computer runs the snapshot exactly (once)")
    for name, digest in check_digests(run).items():
        if digest != expected.checks.get(name):
            what = f"this computer does not run the snapshot exactly: {name} does not give the expected bytes"
            raise MachineError(what, hint="use --site vm (wall-clock time), or see docs/exact-site.md")
    with suppress(OSError):  # a read-only cache: each command checks again
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()


def check_digests(run: Run) -> dict[str, str]:
    return {name: _digest(asdict(step)) for name, step in zip(CHECK_STEPS, run(CHECK).steps, strict=True)}


def host() -> str:
    """The host's name, kernel and CPU: another host with the same cache is checked again."""
    lines = CPUINFO.read_text().splitlines() if CPUINFO.exists() else []
    model = next((line for line in lines if line.startswith("model name")), platform.machine())
    return f"{platform.node()} {platform.release()} {model}"


def _digest(value: object) -> str:
    return sha256_of(json.dumps(value, sort_keys=True).encode())
