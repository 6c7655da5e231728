"""Executed instructions by function: of the VM's kernel, its programs and their libraries."""

import io
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from lab.errors import SiteError
from lab.model.trial import Job, Link, Perturbation, Step

WHOLE, PAGE = b"instructions", b"page"  # words of the plugin's output
PAGE_BYTES = 4096
EXECUTABLE = 1  # PF_X
MAGIC = b"\x7fELF"
KERNEL, UNKNOWN = "kernel", "?"
UNNAMED = "(no name)"  # Debian's libraries name only exported functions
# The only code without a file: the kernel maps it into each process, so that reading the time is not a system call.
VDSO = "vdso"
LISTED = "/proc/kallsyms"
JOB = Job((Step.launched(("cat", LISTED)),), Link(), Perturbation(), deadline_s=60)
FIRST = 1 << 63  # start of the kernel's addresses; the list begins with offsets in per-CPU memory


class Function(NamedTuple):
    """A function of the kernel, of one of its modules, of a program or of a library."""

    owner: str  # the kernel or a module in brackets, as perf prints them; else a file's name
    name: str

    @property
    def module(self) -> str:
        """The kernel, or its module; empty for a file."""
        return self.owner[1:-1] if self.owner.startswith("[") else ""


def of_kernel(name: str, module: str = KERNEL) -> Function:
    return Function(f"[{module}]", name)


POLLING = Function("(polling)", "(polls that found nothing)")  # waiting, in any function
# An instruction that causes a page fault begins twice, and is executed once: the excess is subtracted.
TWICE = of_kernel("(begun again after a page fault)")
Tally = Counter[Function]  # instructions of each


@dataclass(frozen=True)
class CodePage:
    """A page of code: the kernel's is known by its address, a program's by its content."""

    address: int
    content: bytes
    counts: dict[int, int] = field(default_factory=dict)  # by the offset in the page
    in_vain: dict[int, int] = field(default_factory=dict)  # of these, in polls that found nothing


@dataclass(frozen=True)
class Executed:
    """The instructions of one end in a job."""

    instructions: int  # by the VM's clock, which counts each once
    pages: tuple[CodePage, ...]

    @property
    def begun(self) -> int:
        """The sum over all pages, with instructions that began again after a page fault."""
        return sum(sum(page.counts.values()) for page in self.pages)


def parse_counts(text: bytes) -> Executed:
    head, *lines = text.splitlines()
    name, _, whole = head.partition(b" ")
    if name != WHOLE:
        raise SiteError("the plugin left no counts of this end", hint="lab doctor, for the site exact")
    pages: list[CodePage] = []
    for line in lines:
        word, _, rest = line.partition(b" ")
        if word == PAGE:
            address, _, content = rest.partition(b" ")
            pages.append(CodePage(int(address, 16), bytes.fromhex(content.decode())))
        elif pages:
            begun, _, in_vain = rest.partition(b" ")
            pages[-1].counts[int(word, 16)] = int(begun)
            if in_vain:
                pages[-1].in_vain[int(word, 16)] = int(in_vain)
    return Executed(int(whole), tuple(pages))


@dataclass(frozen=True)
class Kernel:
    """The addresses at which the kernel's functions begin."""

    starts: list[int]
    functions: list[Function]

    def at(self, address: int) -> Function:
        number = bisect(self.starts, address) - 1
        return self.functions[number] if number >= 0 else of_kernel(UNKNOWN)


def parse_kernel(listed: str) -> Kernel:
    """Read /proc/kallsyms: `ADDRESS KIND NAME [MODULE]`. Of several names of an address, use the plainest."""
    functions: dict[int, list[Function]] = {}
    for line in listed.splitlines():
        address, kind, name, *module = line.split()
        if kind in "tTwW" and (start := int(address, 16)) >= FIRST:
            functions.setdefault(start, []).append(of_kernel(name, module[0].strip("[]") if module else KERNEL))
    if not functions:
        raise SiteError("the VM hides the addresses of its kernel's functions", where=LISTED)
    starts = sorted(functions)
    return Kernel(starts, [min(functions[start], key=lambda function: _plainness(function.name)) for start in starts])


def _plainness(name: str) -> tuple[bool, int, str]:
    return name.startswith("_"), len(name), name


@dataclass(frozen=True)
class Code:
    name: str
    content: bytes

    @cached_property
    def pages(self) -> tuple[tuple[int, bytes], ...]:
        """The executable pages with their offsets in the file; none of a file that is not a valid ELF."""
        from elftools.common.exceptions import ELFError
        from elftools.elf.elffile import ELFFile

        pages: list[tuple[int, bytes]] = []
        try:
            for segment in ELFFile(io.BytesIO(self.content)).iter_segments("PT_LOAD"):
                if segment["p_flags"] & EXECUTABLE:
                    first = segment["p_offset"] // PAGE_BYTES * PAGE_BYTES
                    for at in range(first, segment["p_offset"] + segment["p_filesz"], PAGE_BYTES):
                        pages.append((at, self.content[at : at + PAGE_BYTES].ljust(PAGE_BYTES, b"\0")))  # noqa: PERF401
        except ELFError:
            return ()
        return tuple(pages)

    def at(self, offset: int) -> Function:
        number = bisect(self._functions, offset, key=itemgetter(0)) - 1
        if number >= 0 and offset < (function := self._functions[number])[1]:
            return Function(self.name, function[2])
        return Function(self.name, UNNAMED)

    @cached_property
    def _functions(self) -> list[tuple[int, int, str]]:
        """The start and the end of each function in the file, and its plainest name."""
        from elftools.elf.elffile import ELFFile
        from elftools.elf.sections import SymbolTableSection

        elf = ELFFile(io.BytesIO(self.content))
        functions: dict[int, tuple[int, int, str]] = {}
        for section in elf.iter_sections():
            if isinstance(section, SymbolTableSection):
                for symbol in section.iter_symbols():
                    if symbol["st_info"]["type"] in ("STT_FUNC", "STT_LOOS") and symbol["st_size"]:
                        for start in elf.address_offsets(symbol["st_value"], 1):
                            new = (start, start + symbol["st_size"], symbol.name)
                            functions[start] = min(functions.get(start, new), new, key=lambda it: _plainness(it[2]))
        return [functions[start] for start in sorted(functions)]


def codes(contents: Mapping[str, bytes]) -> Iterator[Code]:
    """Yield the ELF files among files by path."""
    for path, content in sorted(contents.items()):
        if content.startswith(MAGIC):
            yield Code(path.rpartition("/")[2], content)


class CodeFiles:
    def __init__(self, files: Iterable[Code]) -> None:
        self.pages: dict[bytes, list[tuple[Code, int]]] = {}
        for code in files:
            for offset, content in code.pages:
                self.pages.setdefault(content, []).append((code, offset))

    def places(self, pages: Iterable[bytes]) -> dict[bytes, tuple[Code, int]]:
        """Return the file of each page, and the page's offset there. Several programs may be linked with the same code:
        then use the file of which most other pages ran."""
        files = {page: self.pages[page] for page in pages if page in self.pages}
        ran = Counter(places[0][0].name for places in files.values() if len(places) == 1)
        return {
            page: min(places, key=lambda place: (-ran[place[0].name], place[0].name)) for page, places in files.items()
        }


@dataclass(frozen=True)
class Symbols:
    kernel: Kernel
    files: CodeFiles

    def tally(self, counts: Executed) -> Tally:
        """Count the instructions of each function; their sum is the time by the VM's clock."""
        places = self.files.places(page.content for page in counts.pages)
        tally = Tally()
        for page in counts.pages:
            code, offset = places.get(page.content, (None, 0))
            for at, number in page.counts.items():
                if not page.content:
                    function = self.kernel.at(page.address + at)
                else:
                    function = code.at(offset + at) if code else Function(VDSO, VDSO)
                in_vain = page.in_vain.get(at, 0)
                tally[function] += number - in_vain
                if in_vain:
                    tally[POLLING] += in_vain
        tally[TWICE] = counts.instructions - counts.begun
        return tally
