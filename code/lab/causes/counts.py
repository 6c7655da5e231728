"""What the plugin writes at an end: how often each instruction began. See code/machine/profile/pages.h."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lab.errors import SiteError

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


def parse(text: bytes) -> Executed:
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
