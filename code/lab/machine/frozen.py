"""The frozen machine: booted once, saved at the instant from which every job starts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lab.files.digests import folder_digest, read_sums
from lab.files.store import damage_of, exclusive, prune, put_folder, stored
from lab.machine import qemu, wire
from lab.machine.expected import Expected
from lab.machine.image import Image
from lab.machine.job import pack
from lab.machine.runner import Runner, section
from lab.machine.sparse import anonymous_file, copy_with_holes, digest_with_holes, extents
from lab.machine.state import clock_ns, forget_host
from lab.model.trial import Job, Link, Perturbation, Step

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
        arguments += [*qemu.copy_number(0), *qemu.plugin(loaded.fileno(), wire.ALONE)]
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
