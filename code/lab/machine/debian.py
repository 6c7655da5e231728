"""Debian's package tools, as far as they work without root: ask, download, unpack."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SiteError

# A security update leaves the mirror within weeks, when the next one replaces it; a point release stays for months.
SHORT_LIVED = re.compile(r"-(security|updates|backports)\b")


class PackageError(SiteError):
    """A package cannot be had from this computer's mirrors."""


@dataclass(frozen=True)
class Candidate:
    """One version of a package that a mirror offers."""

    version: str
    suite: str


def apt(*arguments: str, folder: Path | None = None) -> str:
    """Run one of the apt commands and return what it prints."""
    try:
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise PackageError(f"{arguments[0]} is not on this computer", hint="make setup") from error
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise PackageError(f"{' '.join(arguments)}: {reason[0]}", hint="sudo apt-get update") from error
    return done.stdout


def offered(packages: Iterable[str]) -> dict[str, list[Candidate]]:
    """Versions of packages, for each the preferred one first: point releases before security updates."""
    found: dict[str, list[Candidate]] = {}
    names = sorted(packages)
    for line in apt("apt-cache", "madison", *names).splitlines() if names else ():
        name, version, suite = (field.strip() for field in line.split("|"))
        if suite.endswith("Packages"):
            found.setdefault(name, []).append(Candidate(version, suite))
    return {name: sorted(rows, key=lambda row: bool(SHORT_LIVED.search(row.suite))) for name, rows in found.items()}


def preferred(packages: Iterable[str]) -> dict[str, str]:
    """The versions that a new lock takes; a name that no mirror has (a virtual package) is left out."""
    return {name: rows[0].version for name, rows in offered(packages).items()}


def dependencies(versions: dict[str, str]) -> set[str]:
    """Names that some versions depend on; of alternatives, the first."""
    control = apt("apt-cache", "show", *(f"{package}={version}" for package, version in sorted(versions.items())))
    fields = re.findall(r"^(?:Pre-)?Depends: (.*)$", control, re.MULTILINE)
    return {re.split(r"[ :|(]", item.strip())[0] for field in fields for item in field.split(",")}


def download(versions: dict[str, str], folder: Path) -> list[Path]:
    """Fetch some versions without installing them; apt checks the archive's signature."""
    wanted = (f"{package}={version}" for package, version in sorted(versions.items()))
    apt("apt-get", "download", *wanted, folder=folder)
    return sorted(folder.glob("*.deb"))


def name_and_version(archive: Path) -> tuple[str, str]:
    """Name and version of a package, from its own control file."""
    name, version = apt("dpkg-deb", "--show", "--showformat=${Package} ${Version}", str(archive)).split()
    return name, version


def unpack(archive: Path, root: Path) -> None:
    """Lay a package's files under root; nothing of it is run."""
    apt("dpkg", "-x", str(archive), str(root))
