"""The packages that the mirrors of this computer's apt offer for one architecture, by an apt with lists of its own.

The host's lists and packages stay as they are, and a host of another architecture is asked for this one too. apt checks
the archive's signature, so that what a lock takes from here is Debian's.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab.errors import SiteError
from lab.supply.lock import Locked
from lab.supply.providers import UNKNOWN_ORIGIN

# Security updates replace each other within weeks and leave the mirror; a point release stays for months.
SHORT_LIVED = re.compile(r"-(security|updates|backports)\b")
FIELD = re.compile(r"^([A-Za-z0-9-]+): (.*)$", re.MULTILINE)
SOURCES = ("apt-get", "indextargets", "--format", "$(ORIGIN) $(SOURCESENTRY)", "Created-By: Packages")
CONFIGURATION = """\
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "root";
Dir::State "{folder}";
Dir::State::lists "lists";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "{folder}/sources.list.d";
Acquire::Languages "none";
"""


class IndicesError(SiteError):
    """The packages of the mirrors cannot be listed."""


@dataclass(frozen=True)
class Candidate:
    """One version of a package that a mirror offers."""

    version: str
    suite: str


def run(*command: str, folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """Run one of the apt commands and return what it prints."""
    try:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=True
        )
    except FileNotFoundError as error:
        raise IndicesError(f"{command[0]} is not on this computer", hint="renew the lock on Debian") from error
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise IndicesError(f"{' '.join(command)}: {reason[0]}") from error
    return done.stdout


@dataclass(frozen=True)
class Indices:
    """The versions that mirrors have; `ask` runs an apt command."""

    ask: Callable[..., str]

    def offered(self, packages: Iterable[str]) -> dict[str, list[Candidate]]:
        """Versions of packages, of each the preferred one first: point releases before what is replaced soon."""
        found: dict[str, list[Candidate]] = {}
        names = sorted(packages)
        for line in self.ask("apt-cache", "madison", *names).splitlines() if names else ():
            name, version, suite = (field.strip() for field in line.split("|"))
            if suite.endswith("Packages"):
                found.setdefault(name, []).append(Candidate(version, suite))
        return {name: sorted(rows, key=lambda row: bool(SHORT_LIVED.search(row.suite))) for name, rows in found.items()}

    def preferred(self, packages: Iterable[str]) -> dict[str, str]:
        """The versions that a new lock takes; a name that no mirror has (a virtual package) is left out."""
        return {name: rows[0].version for name, rows in self.offered(packages).items()}

    def stanzas(self, versions: Mapping[str, str]) -> list[dict[str, str]]:
        """The entries of some versions in the indices, by field; one of each."""
        named = (f"{package}={version}" for package, version in sorted(versions.items()))
        said = self.ask("apt-cache", "show", "--no-all-versions", *named) if versions else ""
        found = (dict(FIELD.findall(stanza)) for stanza in said.split("\n\n") if stanza.strip())
        return list({stanza["Package"]: stanza for stanza in found}.values())

    def download(self, packages: Iterable[Locked], folder: Path) -> None:
        """Fetch some packages by apt into a folder."""
        self.ask("apt-get", "-q=2", "download", *(f"{each.package}={each.version}" for each in packages), folder=folder)


def dependencies(stanza: Mapping[str, str]) -> set[str]:
    """Names that a package depends on; of alternatives, the first."""
    fields = ", ".join(stanza[name] for name in ("Pre-Depends", "Depends") if name in stanza)
    return {re.split(r"[ :|(]", item.strip())[0] for item in fields.split(",") if item.strip()}


def locked(stanza: Mapping[str, str]) -> Locked:
    """The line of a lock."""
    package, version, architecture = stanza["Package"], stanza["Version"], stanza["Architecture"]
    return Locked(package, version, architecture, stanza["Filename"], stanza["SHA256"], int(stanza["Size"]))


def private(folder: Path, architecture: str) -> Indices:
    """An apt of its own in a folder, with the Debian sources of this computer's, its lists fetched now."""
    for each in ("lists/partial", "cache/archives/partial", "sources.list.d"):
        (folder / each).mkdir(parents=True, exist_ok=True)
    for each in ("status", "sources.list"):
        (folder / each).write_bytes(b"")
    for source in sources(run(*SOURCES)):
        (folder / "sources.list.d" / f"{source.stem}{source.suffix}").write_bytes(source.read_bytes())
    configuration = folder / "apt.conf"
    configuration.write_text(CONFIGURATION.format(architecture=architecture, folder=folder), encoding="utf-8")
    ask = partial(run, environment={"APT_CONFIG": str(configuration), "LC_ALL": "C"})
    ask("apt-get", "-q=2", "update")
    return Indices(ask)


def sources(said: str) -> list[Path]:
    """The files in which this computer's apt has its sources of Debian."""
    rows = [line.split(" ", 1) for line in said.splitlines()]
    return [Path(row[1].rpartition(":")[0]) for row in rows if row[0] in ("Debian", UNKNOWN_ORIGIN)]
