"""How many instructions each function executed at one end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lab.causes.counts import Executed
from lab.causes.files import VDSO, Code, CodeFiles
from lab.causes.function import POLLING, Function, of_kernel
from lab.causes.kernel import Kernel

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
