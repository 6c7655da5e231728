"""The snapshot of two booted VMs, and the digests that it must have."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from lab.errors import SiteError
from lab.files.storage import write_text
from lab.files.store import damage_of, exclusive, folder_digest, prune, put_folder, read_sums, stored
from lab.machine import link, qemu
from lab.machine.image import Image
from lab.machine.job import pack
from lab.machine.qemu import MachineError
from lab.machine.runner import Runner, section
from lab.machine.sparse import anonymous_file, copy_with_holes, digest_with_holes, extents
from lab.model.trial import Job, Link, Perturbation, Step
from lab.typed_json import JsonError, as_json, parse_as

# In QEMU's stream: the section's name with its length before it, instance 0, version 2; then how far the processor's
# ticks and the clock of the wall were from the guest's when it was saved, each in 8 bytes with 8 unused ones between.
TIMER = b"\x05timer" + (0).to_bytes(4) + (2).to_bytes(4)
TIMES = 24
# A part of that section: what the guest's clock was moved on by while its processor halted, and its instructions.
COUNT = b"\x0ctimer/icount" + (1).to_bytes(4)
# QEMU sends the memory that is in no file of ours, its ROMs, in parts: whenever 50 ms are over it begins another one,
# and the last one when it takes the rest for quickly sent. Between two parts are a mark, the number of the memory's
# section twice, and the kind of the next part; behind the last one the next section begins.
MARK, PART, LAST_PART, OTHER_SECTION = b"\0\0\0\0\0\0\0\x10\x7e", b"\x02", b"\x03", b"\x04"
BREAK = re.compile(MARK + rb"(.{4})(?:([" + PART + LAST_PART + rb"])\1|(?=" + OTHER_SECTION + rb"))", re.DOTALL)
OTHER_FORM = "QEMU saved its state in another form than it should"


def forget_host(state: int) -> None:
    """Leave nothing in it of the computer that saved it."""
    saved = without_host(os.pread(state, os.fstat(state).st_size, 0))
    os.ftruncate(state, 0)
    os.pwrite(state, saved, 0)


def without_host(saved: bytes) -> bytes:
    """With zeros for those two times, which are never asked for where time is counted in instructions, and with the
    memory in one part."""
    start = _behind(TIMER, saved)
    return _in_one_part(saved[:start] + bytes(TIMES) + saved[start + TIMES :])


def _in_one_part(saved: bytes) -> bytes:
    """All of the memory in the first part, and an empty last one: as where nothing else keeps QEMU from its work."""
    breaks = list(BREAK.finditer(saved))
    if len(breaks) < 2 or breaks[-1][2]:
        raise MachineError(OTHER_FORM)
    first, last, section = breaks[0], breaks[-1], breaks[0][1]
    pages = b"".join(saved[one.end() : following.start()] for one, following in pairwise(breaks))
    one_part, last_part = (MARK + section + kind + section for kind in (PART, LAST_PART))
    return saved[: first.start()] + one_part + pages + last_part + saved[last.start() :]


def clock_ns(saved: bytes) -> int:
    """The guest's time in a saved state, where an instruction is 1 ns."""
    start = _behind(COUNT, saved)
    return sum(int.from_bytes(saved[at : at + 8]) for at in (start, start + 8))


def _behind(name: bytes, saved: bytes) -> int:
    if saved.count(name) != 1:
        raise MachineError(OTHER_FORM)
    return saved.index(name) + len(name)


FILE = "frozen.json"


@dataclass(frozen=True)
class Expected:
    """The digests of one machine."""

    recipe: str  # what it is frozen from
    frozen: Mapping[str, str]  # its memory and its state
    checks: Mapping[str, str]  # what its self-check's steps leave, by name
    host: Mapping[str, str]  # what runs on the computer itself: a runner or a plugin, by its architecture


def read(machine: Path) -> Expected | None:
    """What the repository expects; nothing if it has no such file."""
    file = machine / FILE
    try:
        return parse_as(Expected, json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError, JsonError) as error:
        raise SiteError(f"does not say what the frozen machine is: {error}", str(file), "git checkout it") from error


def forget(machine: Path) -> None:
    """Expect nothing, before something else is written."""
    (machine / FILE).unlink(missing_ok=True)


def write(machine: Path, expected: Expected) -> Path:
    """Put it into git's hands."""
    write_text(machine / FILE, json.dumps(as_json(expected), indent=1, sort_keys=True) + "\n")
    return machine / FILE


BOOT_DEADLINE_S = 300.0
KEPT = 3  # machines of 200 MB each; older ones belong to an image or a QEMU that is no longer used

# An empty job that the guest runs before it is frozen, so that no later job pays for the kernel's first-time work.
REHEARSAL = Job(steps=(), link=Link(), perturbation=Perturbation(), deadline_s=1)

# What a pair does before it waits for jobs.
_WRITE = ("ib_write_bw", "-s", "16384", "-n", "20", "-F", "-d")
_RECEIVE, _SEND = ("iperf3", "-s", "-1", "-B", "10.0.0.2"), ("iperf3", "-c", "10.0.0.2", "-B", "10.0.0.1", "-n", "200K")
WARM_UP = Job(
    (Step((*_WRITE, "rxe1"), (*_WRITE, "rxe0", "192.168.7.2"), 18515), Step(_RECEIVE, _SEND, 5201)),
    Link(),
    Perturbation(),
    deadline_s=30,
)


@dataclass(frozen=True)
class Recipe:
    """What a machine is frozen from and run by, and what the repository knows of it."""

    image: Image
    runner: Runner
    plugin: Path
    wires: str  # a digest of what decides what they do with a frame
    expected: Expected | None = None

    @property
    def digest(self) -> str:
        """A digest of all that the frozen memory follows from: one machine is frozen for each."""
        facts = {
            "image": self.image.digest,
            "arguments": qemu.arguments(),
            "qemu": self.runner.packages,
            "wires": self.wires,
            "rehearsal": hashlib.sha256(pack(REHEARSAL) + pack(WARM_UP)).hexdigest(),
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @property
    def trusted(self) -> bool:
        """Whether its QEMU is to the byte the one that the repository knows for this kind of computer."""
        known = self.expected.host if self.expected else {}
        return section() in known and folder_digest(self.runner.folder) == known[section()]

    @property
    def known(self) -> Expected | None:
        """What the repository expects of this machine; nothing if it expects another one."""
        return self.expected if self.expected and self.expected.recipe == self.digest else None


@dataclass(frozen=True)
class Frozen:
    """A saved machine: its memory, and the state of processor and devices."""

    folder: Path
    runner: Runner
    plugin: Path
    trusted: bool = False  # QEMU is to the byte the one that the repository knows
    copied: int | None = None  # a descriptor of this process's own copy of the memory, if the file is read-only

    @property
    def memory(self) -> Path:
        """The guest's memory, with holes where it never wrote."""
        return self.folder / "memory"

    @property
    def state(self) -> Path:
        """The processor and the devices, as QEMU saves them."""
        return self.folder / "state"

    @property
    def clock_ns(self) -> int:
        """The time in it."""
        return clock_ns(self.state.read_bytes())

    def digests(self) -> dict[str, str]:
        """The digests of memory and state, as they were written when it was frozen."""
        with stored(self.folder, "read"):
            return read_sums(self.folder)

    @contextmanager
    def opened_memory(self) -> Iterator[int]:
        """A descriptor that QEMU may open for writing: it insists on that, although it writes to pages of its own."""
        if self.copied is not None:
            yield self.copied
            return
        with self.memory.open("rb+") as file:
            yield file.fileno()


def identity(recipe: Recipe, cache: Path, tell: Callable[[str], None]) -> dict[str, str]:
    """All that a result depends on besides its job; the processor is named again for people. Nothing is frozen to know
    it where the repository does."""
    machine = Frozen(folder_of(recipe, cache), recipe.runner, recipe.plugin)
    if recipe.known and not machine.folder.exists():
        digests = recipe.known.frozen
    else:
        digests = frozen_machine(recipe, cache, tell).digests()
    processor = f"{qemu.PROCESSOR}, emulated, cores: {qemu.CORES}"
    about = {"arguments": qemu.arguments(), "processor": processor, "wires": recipe.wires}
    return {"frozen": digests["memory"], **about}


def frozen_machine(recipe: Recipe, cache: Path, tell: Callable[[str], None]) -> Frozen:
    """The frozen machine of this recipe, made if it is missing."""
    machine = Frozen(folder_of(recipe, cache), recipe.runner, recipe.plugin)
    if not machine.folder.exists():
        with exclusive(cache / "machine" / "lock"):
            _make(machine, recipe, tell, "booting the machine and freezing it (once)")
            prune(machine.folder.parent, KEPT)
    return machine


def whole_machine(recipe: Recipe, cache: Path, tell: Callable[[str], None]) -> Frozen:
    """The same, asked for its digests: to be called once before the first job, since it reads all of the memory. One
    that is damaged is made again; it gives the same results, so that no record is lost."""
    machine = frozen_machine(recipe, cache, tell)
    if said := _damage(machine, recipe):
        tell(f"{machine.folder}: {said}")
        with exclusive(cache / "machine" / "lock"):
            if _damage(machine, recipe):  # no other process has made it again meanwhile
                _make(machine, recipe, tell, "freezing the machine again", again=True)
    return _writable(replace(machine, trusted=recipe.trusted))


def folder_of(recipe: Recipe, cache: Path) -> Path:
    """Where the machine of this recipe is, or will be."""
    return cache / "machine" / recipe.digest


def _make(machine: Frozen, recipe: Recipe, tell: Callable[[str], None], words: str, *, again: bool = False) -> None:
    with put_folder(machine.folder, replace=again, digest=digest_with_holes) as folder:
        if folder is not None:
            tell(words)
            freeze(recipe, folder)
            _require_expected(recipe, folder)


def _require_expected(recipe: Recipe, folder: Path) -> None:
    """The same QEMU and the same image freeze to the same bytes: where not, something here is broken."""
    if name := unexpected(recipe, folder):
        what = f"this computer froze another {name} than every other one: its results would not be exact"
        raise qemu.MachineError(what, hint="lab image import FILE, with a machine that another computer froze")


def unexpected(recipe: Recipe, folder: Path) -> str:
    """The name of a file that is not what the repository expects; empty if all are, or nothing is expected."""
    wanted = recipe.known.frozen if recipe.known else {}
    return next((name for name, digest in wanted.items() if digest_with_holes(folder / name) != digest), "")


def _damage(machine: Frozen, recipe: Recipe) -> str:
    """What is wrong with a machine in the cache, in words; empty if nothing is."""
    if said := damage_of(machine.folder, digest_with_holes):
        return said
    wanted = recipe.known.frozen if recipe.known else machine.digests()
    return "" if machine.digests() == wanted else "is not what every other computer has"


def _writable(machine: Frozen) -> Frozen:
    """A copy of the memory for this process, if its file may not be opened for writing."""
    if os.access(machine.memory, os.W_OK):
        return machine
    with stored(machine.memory, "copied into memory"), machine.memory.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        copy = os.memfd_create("memory")
        os.ftruncate(copy, size)
        for start, end in extents(file.fileno(), size):
            os.pwrite(copy, os.pread(file.fileno(), end - start, start), start)
    return replace(machine, copied=copy)


def freeze(recipe: Recipe, folder: Path) -> None:
    """Boot until the guest pauses itself, and save it."""
    with (
        anonymous_file("memory", qemu.MEMORY_BYTES) as memory,
        anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
        anonymous_file("console") as console,
        anonymous_file("state") as state,
        recipe.plugin.open("rb") as loaded,
    ):
        os.pwrite(mailbox, pack(REHEARSAL), 0)
        arguments = [*qemu.MACHINE, *qemu.memory(memory, shared=True), *qemu.mailbox(mailbox), *qemu.console(console)]
        arguments += [*qemu.copy_number(0), *qemu.plugin(loaded.fileno(), link.ALONE)]
        held = [memory, mailbox, console, loaded.fileno()]
        arguments += ["-kernel", str(recipe.image.vmlinuz), "-initrd", str(recipe.image.initrd)]
        arguments += ["-append", qemu.KERNEL_ARGUMENTS]
        try:
            with qemu.Process(recipe.runner, arguments, held, BOOT_DEADLINE_S) as process:
                process.await_event("WATCHDOG")
                process.save(state)
        except qemu.MachineError as error:
            said = os.pread(console, 4096, 0).decode(errors="replace").strip() or "nothing on its console"
            raise qemu.MachineError(f"the machine did not boot: {error.what}", said) from error
        forget_host(state)
        copy_with_holes(memory, folder / "memory")
        copy_with_holes(state, folder / "state")
