"""A function, and whose it is."""

from __future__ import annotations

from typing import NamedTuple

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
