"""What an agent answers, with types; the server of the agent says the same as tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Started:
    """A program listens on its port, or has ended."""

    status: int | None  # while it runs, none


@dataclass(frozen=True)
class Left:
    """What an ended program left."""

    out: str
    err: str
    status: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class FirstLine:
    """The first line of a program's output."""

    line: str


@dataclass(frozen=True)
class Look:
    """The counters and the clock of one end."""

    counters: dict[str, int]
    clock_ns: int


@dataclass(frozen=True)
class Missing:
    """The programs that are not there."""

    missing: tuple[str, ...]


@dataclass(frozen=True)
class Folder:
    """Where a folder of programs is, and the room in it."""

    folder: str
    free_bytes: int


@dataclass(frozen=True)
class Adopted:
    """Whether a program runs on that computer."""

    runs: bool


@dataclass(frozen=True)
class DataEnd:
    """What an agent found of its end of the link."""

    device: str
    interface: str
    address: str
    gid: str = ""
