"""What kind of work a function does."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from lab.causes.function import Function
from lab.typed_json import JsonTable, parse_as

FILE = Path(__file__).with_name("classes.toml")
OTHER = "other"  # kernel's functions that no class names
OF_PROGRAM = ("program", "user library")  # a program's own; all other instructions are the kernel's
WAITING = "waiting"  # polls that found nothing, and the time in which the CPU is halted


@dataclass(frozen=True)
class Kind:
    """A kind of work, by the names of functions."""

    name: str
    functions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def has(self, function: Function) -> bool:
        """Whether a function is of this kind."""
        module = function.module
        if not module:
            return _is_any(function.owner, self.files)
        return _is_any(module, self.modules) or _is_any(function.name, self.functions)


@cache
def classes() -> tuple[Kind, ...]:
    """All of them, in the order of their file."""
    tables: list[JsonTable] = tomllib.loads(FILE.read_text())["class"]
    return tuple(parse_as(Kind, each) for each in tables)


@cache
def class_of(function: Function) -> str:
    """The name of the first class that has it."""
    return next((each.name for each in classes() if each.has(function)), OTHER)


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, each) for each in patterns)
