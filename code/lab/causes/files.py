"""The functions of the guest's programs and libraries: a page of code is of the file that has that very page.

Processes map a file wherever they like; what it holds is the same in all of them.
"""

from __future__ import annotations

import io
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from lab.causes.function import Function

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
