"""The frozen machine: booted once, saved at the instant from which every job starts."""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lab.files.digests import damage
from lab.files.store import exclusive, prune, put_folder, stored
from lab.machine import qemu
from lab.machine.image import Image
from lab.machine.job import pack
from lab.machine.runner import Runner
from lab.model.trial import Job, Link, Perturbation

BOOT_DEADLINE_S = 300.0
KEPT = 3  # machines of 200 MB each; older ones belong to an image or a QEMU that is no longer used
COPY_BYTES = 16 << 20
NOTHING = bytes(1 << 16)  # a piece of memory that the guest never wrote, whether or not it is a hole in the file

# An empty job that the guest runs before it is frozen, so that no later job pays for the kernel's first-time work.
REHEARSAL = Job(steps=(), link=Link(), perturbation=Perturbation(), deadline_s=1)


@dataclass(frozen=True)
class Frozen:
    """A saved machine: its memory, and the state of processor and devices."""

    folder: Path
    runner: Runner
    plugin: Path
    copied: int | None = None  # a descriptor of this process's own copy of the memory, if the file is read-only

    @property
    def memory(self) -> Path:
        """The guest's memory, with holes where it never wrote."""
        return self.folder / "memory"

    @property
    def state(self) -> Path:
        """The processor and the devices, as QEMU saves them."""
        return self.folder / "state"

    @contextmanager
    def opened_memory(self) -> Iterator[int]:
        """A descriptor that QEMU may open for writing: it insists on that, although it writes to pages of its own."""
        if self.copied is not None:
            yield self.copied
            return
        with self.memory.open("rb+") as file:
            yield file.fileno()


@contextmanager
def anonymous_file(name: str, size: int = 0) -> Iterator[int]:
    """A file in memory without a name: it is gone when the last process that has it open ends."""
    descriptor = os.memfd_create(name)
    try:
        os.ftruncate(descriptor, size)
        yield descriptor
    finally:
        os.close(descriptor)


def identity(image: Image, runner: Runner) -> dict[str, str]:
    """All that a result depends on besides its job; the processor is named again for people."""
    processor = {"processor": f"{qemu.PROCESSOR}, emulated, cores: {qemu.CORES}"}
    rehearsal = {"rehearsal": hashlib.sha256(pack(REHEARSAL)).hexdigest()}
    return {"image": image.digest} | qemu.identity(runner) | processor | rehearsal


def frozen_machine(image: Image, runner: Runner, plugin: Path, cache: Path, tell: Callable[[str], None]) -> Frozen:
    """The frozen machine of this image and this QEMU, made if it is missing."""
    machine = Frozen(_folder(image, runner, cache), runner, plugin)
    if not machine.folder.exists():
        with exclusive(cache / "machine" / "lock"):
            _make(machine, image, tell, "booting the machine and freezing it (once)")
            prune(machine.folder.parent, KEPT)
    return machine


def whole_machine(image: Image, runner: Runner, plugin: Path, cache: Path, tell: Callable[[str], None]) -> Frozen:
    """The same, asked for its digests: to be called once before the first job, since it reads all of the memory. One
    that is damaged is made again; it gives the same results, so that no record is lost."""
    machine = frozen_machine(image, runner, plugin, cache, tell)
    if said := _damage(machine):
        tell(f"{machine.folder}: {said}")
        with exclusive(cache / "machine" / "lock"):
            if _damage(machine):  # no other process has made it again meanwhile
                _make(machine, image, tell, "freezing the machine again", again=True)
    return _writable(machine)


def _folder(image: Image, runner: Runner, cache: Path) -> Path:
    digest = hashlib.sha256(json.dumps(identity(image, runner), sort_keys=True).encode()).hexdigest()
    return cache / "machine" / digest


def _make(machine: Frozen, image: Image, tell: Callable[[str], None], words: str, *, again: bool = False) -> None:
    with put_folder(machine.folder, replace=again, digest=digest_with_holes) as folder:
        if folder is not None:
            tell(words)
            freeze(image, machine.runner, machine.plugin, folder)


def _damage(machine: Frozen) -> str:
    with stored(machine.folder, "read"):
        return damage(machine.folder, digest_with_holes)


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


def digest_with_holes(path: Path) -> str:
    """The sha256 of what is not zero and of where it stands: an eighth of the time that all of the memory would take,
    and the same with or without holes in the file."""
    digest, piece = hashlib.sha256(), len(NOTHING)
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        touched = (range(start // piece, -(-end // piece)) for start, end in extents(file.fileno(), size))
        for number in dict.fromkeys(itertools.chain.from_iterable(touched)):
            data = os.pread(file.fileno(), piece, number * piece)
            if data != NOTHING[: len(data)]:
                digest.update(f"{number} {len(data)} ".encode() + data)
    digest.update(f"{size}".encode())
    return digest.hexdigest()


def freeze(image: Image, runner: Runner, plugin: Path, folder: Path) -> None:
    """Boot until the guest pauses itself, and save it."""
    with (
        anonymous_file("memory", qemu.MEMORY_BYTES) as memory,
        anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
        anonymous_file("console") as console,
        anonymous_file("state") as state,
        plugin.open("rb") as loaded,
    ):
        os.pwrite(mailbox, pack(REHEARSAL), 0)
        arguments = [*qemu.MACHINE, *qemu.memory(memory, shared=True), *qemu.mailbox(mailbox), *qemu.console(console)]
        arguments += qemu.plugin(loaded.fileno())
        held = [memory, mailbox, console, loaded.fileno()]
        arguments += ["-kernel", str(image.vmlinuz), "-initrd", str(image.initrd), "-append", qemu.KERNEL_ARGUMENTS]
        try:
            with qemu.Process(runner, arguments, held, BOOT_DEADLINE_S) as process:
                process.await_event("WATCHDOG")
                process.save(state)
        except qemu.MachineError as error:
            said = os.pread(console, 4096, 0).decode(errors="replace").strip() or "nothing on its console"
            raise qemu.MachineError(f"the machine did not boot: {error.what}", said) from error
        copy_with_holes(memory, folder / "memory")
        copy_with_holes(state, folder / "state")


def copy_with_holes(source: int, target: Path) -> None:
    """Copy a sparse file as one, so that only pages that the guest wrote take room on the disk."""
    size = os.fstat(source).st_size
    with target.open("wb") as file:
        for start, end in extents(source, size):
            file.seek(start)
            os.lseek(source, start, os.SEEK_SET)
            file.write(os.read(source, end - start))
        file.truncate(size)


def extents(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """The parts of a sparse file that hold data, in pieces that fit a buffer."""
    position = 0
    while position < size:
        try:
            start = os.lseek(descriptor, position, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole from here on
                return
            raise
        position = min(os.lseek(descriptor, start, os.SEEK_HOLE), start + COPY_BYTES)
        yield start, position
