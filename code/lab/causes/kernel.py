"""The functions of the guest's kernel and of its modules, by the guest's own list: all are where they always are."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass

from lab.causes.function import KERNEL, Function, of_kernel
from lab.errors import SiteError
from lab.model.trial import Job, Link, Perturbation, Step

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


def parse(listed: str) -> Kernel:
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
