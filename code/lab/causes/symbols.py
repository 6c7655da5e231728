"""Executed instructions by function: the files and the kernel of the VM."""

from __future__ import annotations

import io
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from lab.errors import SiteError
from lab.model.trial import Job, Link, Perturbation, Step

WHOLE, PAGE = b"instructions", b"page"


class CountsError(SiteError):
    """Executed that cannot be read."""


@dataclass(frozen=True)
class CodePage:
    """A page of code: the kernel's have an address, a program's have content, wherever a process has mapped it."""

    address: int
    content: bytes
    counts: dict[int, int] = field(default_factory=dict)  # by the offset in the page
    in_vain: dict[int, int] = field(default_factory=dict)  # how many of them belong to polls that found nothing


@dataclass(frozen=True)
class Executed:
    """All that one end executed in a job."""

    instructions: int  # by the machine's clock, which counts each once
    pages: tuple[CodePage, ...]

    @property
    def begun(self) -> int:
        """The sum over all pages. An instruction that a page fault breaks off begins once more afterwards."""
        return sum(sum(page.counts.values()) for page in self.pages)


def parse_counts(text: bytes) -> Executed:
    """The counts in what the plugin wrote."""
    head, *lines = text.splitlines()
    name, _, whole = head.partition(b" ")
    if name != WHOLE:
        raise CountsError("the plugin left no counts of this end", hint="lab doctor, for the site exact")
    return Executed(int(whole), tuple(_pages(lines)))


def _pages(lines: list[bytes]) -> Iterator[CodePage]:
    page: CodePage | None = None
    for line in lines:
        word, _, rest = line.partition(b" ")
        if word == PAGE:
            if page:
                yield page
            address, _, content = rest.partition(b" ")
            page = CodePage(int(address, 16), bytes.fromhex(content.decode()))
        elif page:
            begun, _, in_vain = rest.partition(b" ")
            page.counts[int(word, 16)] = int(begun)
            if in_vain:
                page.in_vain[int(word, 16)] = int(in_vain)
    if page:
        yield page


KERNEL = "kernel"


class Function(NamedTuple):
    """A function of the kernel, of one of its modules, of a program or of a library."""

    owner: str  # kernel and modules in brackets, as perf prints them; else a file's name
    name: str

    @property
    def module(self) -> str:
        """The kernel or its module; empty for a file."""
        return self.owner[1:-1] if self.owner.startswith("[") else ""


POLLING = Function("(polling)", "(polls that found nothing)")  # waiting, whichever function executed it


def of_kernel(name: str, module: str = KERNEL) -> Function:
    """A function of the kernel's."""
    return Function(f"[{module}]", name)


PAGE_BYTES = 4096
EXECUTABLE = 1  # PF_X
MAGIC = b"\x7fELF"
UNNAMED = "(no name)"  # Debian's libraries name only what others may call
VDSO = (
    "vdso"  # the only code that no file has: the kernel puts it into each process, so that to ask the time is no call
)


@dataclass(frozen=True)
class Code:
    """A file of code."""

    name: str
    content: bytes

    @cached_property
    def pages(self) -> tuple[tuple[int, bytes], ...]:
        """Its executable pages, each with its place in the file; none of a file that the guest cannot start either."""
        try:
            return tuple(self._pages())
        except ELFError:
            return ()

    def _pages(self) -> Iterator[tuple[int, bytes]]:
        for segment in ELFFile(io.BytesIO(self.content)).iter_segments("PT_LOAD"):
            if segment["p_flags"] & EXECUTABLE:
                first = segment["p_offset"] // PAGE_BYTES * PAGE_BYTES
                for place in range(first, segment["p_offset"] + segment["p_filesz"], PAGE_BYTES):
                    yield place, self.content[place : place + PAGE_BYTES].ljust(PAGE_BYTES, b"\0")

    def at(self, place: int) -> Function:
        """The function there; what lies in none that has a name is the file's."""
        number = bisect(self._starts, place) - 1
        if number >= 0 and place < (found := self._functions[number])[1]:
            return Function(self.name, found[2])
        return Function(self.name, UNNAMED)

    @cached_property
    def _functions(self) -> list[tuple[int, int, str]]:
        """Where in the file each begins and ends, and its plainest name."""
        elf = ELFFile(io.BytesIO(self.content))
        found: dict[int, tuple[int, int, str]] = {}
        for section in elf.iter_sections():
            if isinstance(section, SymbolTableSection):
                for symbol in section.iter_symbols():
                    if symbol["st_info"]["type"] in ("STT_FUNC", "STT_LOOS") and symbol["st_size"]:
                        for place in elf.address_offsets(symbol["st_value"], 1):
                            new = (place, place + symbol["st_size"], symbol.name)
                            found[place] = min(found.get(place, new), new, key=_plainness)
        return [found[each] for each in sorted(found)]

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _, _ in self._functions]


def _plainness(function: tuple[int, int, str]) -> tuple[bool, int, str]:
    name = function[2]
    return name.startswith("_"), len(name), name


def codes(contents: Mapping[str, bytes]) -> tuple[Code, ...]:
    """The files of code among others, by path."""
    return tuple(
        Code(path.rpartition("/")[2], each) for path, each in sorted(contents.items()) if each.startswith(MAGIC)
    )


class CodeFiles:
    """All code that a guest could run."""

    def __init__(self, files: Iterable[Code]) -> None:
        self.pages: dict[bytes, list[tuple[Code, int]]] = {}
        for code in files:
            for place, content in code.pages:
                self.pages.setdefault(content, []).append((code, place))

    def places(self, pages: Iterable[bytes]) -> dict[bytes, tuple[Code, int]]:
        """The file of each page, and the place there. Of several that have the same one, that of which most others ran
        too: programs are linked with the same code."""
        found = {page: self.pages[page] for page in pages if page in self.pages}
        ran = Counter(files[0][0].name for files in found.values() if len(files) == 1)
        return {page: min(files, key=lambda each: (-ran[each[0].name], each[0].name)) for page, files in found.items()}


LISTED = "/proc/kallsyms"
JOB = Job((Step.launched(("cat", LISTED)),), Link(), Perturbation(), deadline_s=60)
FIRST = 1 << 63  # the kernel's half of all addresses; the list begins with places in a processor's own memory
UNKNOWN = "?"


@dataclass(frozen=True)
class Kernel:
    """Where each function begins."""

    starts: list[int]
    functions: list[Function]

    def at(self, address: int) -> Function:
        """The function that begins last before an address."""
        place = bisect(self.starts, address) - 1
        return self.functions[place] if place >= 0 else of_kernel(UNKNOWN)


def parse_kernel(listed: str) -> Kernel:
    """The kernel of such a list: `ADDRESS KIND NAME [MODULE]`. Of several names of one place the plainest is taken."""
    found: dict[int, list[Function]] = {}
    for line in listed.splitlines():
        address, kind, name, *module = line.split()
        if kind in "tTwW" and (place := int(address, 16)) >= FIRST:
            found.setdefault(place, []).append(of_kernel(name, module[0].strip("[]") if module else KERNEL))
    if not found:
        raise SiteError("the guest does not say where its kernel's functions are", where=LISTED)
    starts = sorted(found)
    return Kernel(starts, [_plainest(found[each]) for each in starts])


def _plainest(functions: Iterable[Function]) -> Function:
    return min(functions, key=lambda each: (each.name.startswith("_"), len(each.name), each.name))


Tally = Counter[Function]  # instructions of each
# An instruction whose data are not there yet begins twice, and is executed once: what is too much, taken away.
TWICE = of_kernel("(begun again after a page fault)")


@dataclass(frozen=True)
class Symbols:
    """All functions that an end could run."""

    kernel: Kernel
    files: CodeFiles

    def tally(self, counts: Executed) -> Tally:
        """The instructions of each function; their sum is the count of the VM's clock."""
        places = self.files.places(page.content for page in counts.pages)
        found = Tally()
        for page in counts.pages:
            code = places.get(page.content)
            for at, number in page.counts.items():
                in_vain = page.in_vain.get(at, 0)
                found[self._function(page.address + at, at, code, is_kernel=not page.content)] += number - in_vain
                if in_vain:
                    found[POLLING] += in_vain
        found[TWICE] = counts.instructions - counts.begun
        return found

    def _function(self, address: int, at: int, code: tuple[Code, int] | None, *, is_kernel: bool) -> Function:
        if is_kernel:
            return self.kernel.at(address)
        return code[0].at(code[1] + at) if code else Function(VDSO, VDSO)
