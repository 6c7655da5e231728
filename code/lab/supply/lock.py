"""The lock: the Debian packages of the guest, its compiler and the bundled QEMU, with their digests."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SiteError

HEADER = """\
# Debian packages, to the byte: name, version, architecture, path in its mirror, sha256, bytes. Written by `make lock`.
# The guest and its compiler are the same everywhere; QEMU, which runs them, is of the host's architecture, and so are
# bubblewrap and Python, for hosts that lack them. An archive of old versions has all of them as of the date.
"""
GUEST, COMPILER, KERNEL = "guest", "compiler", "kernel"
# For hosts of an architecture: QEMU, bubblewrap, the Python that code/setup/carry unpacks, and the cross compiler.
RUNNER, SANDBOX, PYTHON, CROSS = "runner", "sandbox", "python", "cross"
CPP = "cpp"  # what COMPILER lacks for C++
DATE = re.compile(r"date (\d{8}T\d{6}Z)", re.ASCII)
SECTION = re.compile(r"\[([a-z]+(?: [a-z0-9]+)?)\]", re.ASCII)
LINE = re.compile(
    r"([a-z0-9][a-z0-9+.-]+) ([A-Za-z0-9.+:~-]+) ([a-z0-9]+) "
    r"(pool/(?:[A-Za-z0-9][A-Za-z0-9+.~_-]*/)+[A-Za-z0-9+.~_%:-]+\.deb) ([0-9a-f]{64}) ([0-9]{1,10})",
    re.ASCII,
)


@dataclass(frozen=True, order=True)
class Locked:
    package: str
    version: str
    architecture: str
    path: str  # in every mirror and archive
    sha256: str
    size_bytes: int

    def __str__(self) -> str:
        return f"{self.package} {self.version} {self.architecture} {self.path} {self.sha256} {self.size_bytes}"

    @property
    def named(self) -> str:
        """Name and version, for people and for the manifest of an image."""
        return f"{self.package} {self.version}"

    @property
    def file(self) -> str:
        """Its name in a mirror, without the folders."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Lock:
    """All packages by section, and the date at which the mirrors had them."""

    date: str
    sections: Mapping[str, tuple[Locked, ...]]

    def of(self, section: str) -> tuple[Locked, ...]:
        """The packages of a section, which must be there."""
        if section not in self.sections:
            known = ", ".join(sorted(self.sections))
            raise SiteError(f"the lock has no packages for {section}, only for {known}", hint="make lock")
        return self.sections[section]

    def kind(self, kind: str) -> dict[str, tuple[Locked, ...]]:
        """The sections of a kind, one for each architecture."""
        return {name: packages for name, packages in self.sections.items() if name.split()[0] == kind}

    def digest(self, kind: str) -> str:
        """A digest of the packages in all sections of a kind, for whatever architectures those are."""
        packages = sorted(locked.sha256 for section in self.kind(kind).values() for locked in section)
        return hashlib.sha256("".join(packages).encode()).hexdigest()


def section(kind: str, architecture: str) -> str:
    """The section of a kind for hosts of an architecture, by Debian's name of it."""
    return f"{kind} {architecture}"


def parse(text: str, where: str) -> Lock:
    """Read a lock; name an invalid line."""
    date, sections = "", dict[str, list[Locked]]()
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if match := DATE.fullmatch(line):
            date = match[1]
        elif match := SECTION.fullmatch(line):
            sections[match[1]] = []
        elif sections and (match := LINE.fullmatch(line)):
            package, version, architecture, path, digest, size = match.groups()
            locked = Locked(package, version, architecture, path, digest, int(size))
            list(sections.values())[-1].append(locked)
        else:
            raise SiteError(f"not a date, a [section] or a package in one: {line!r}", f"{where}:{number}", "make lock")
    if not date:
        raise SiteError("it has no date", where, "make lock")
    return Lock(date, {name: tuple(sorted(packages)) for name, packages in sections.items()})


def read(path: Path) -> Lock:
    return parse(path.read_text(encoding="utf-8"), str(path))


def text_of(lock: Lock) -> str:
    """The text of a lock: sorted, so that a renewal is a small diff."""
    parts = [f"{HEADER}date {lock.date}\n"]
    for name, packages in lock.sections.items():
        parts.append(f"\n[{name}]\n" + "".join(f"{locked}\n" for locked in sorted(packages)))
    return "".join(parts)
