"""A new lock: the packages that guest, runners and compilers use, in the versions that the mirrors have now.

A private apt fetches the lists of this host's mirrors, for any architecture, without a change to the host's lists. apt
checks the archive's signature, so that the locked packages are Debian's.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from lab.errors import SiteError, Tell
from lab.files.storage import write_text
from lab.files.store import sha256
from lab.machine import contents
from lab.supply import deb
from lab.supply.lock import COMPILER, CPP, CROSS, GUEST, KERNEL, PYTHON, RUNNER, SANDBOX, Lock, Locked, section, text_of
from lab.supply.packages import Packages, SupplyError
from lab.supply.providers import UNKNOWN_ORIGIN

# The names of the kernel and of its headers contain its ABI, which changes.
METAPACKAGES = {f"{name}-amd64": re.compile(rf"{name}-\d") for name in ("linux-image", "linux-headers")}
GUEST_ARCHITECTURE = "amd64"
HOST_ARCHITECTURES = ("amd64", "arm64")
# The sections of the lock: name, table of wanted files, architecture.
SECTIONS = (
    (GUEST, "image.toml", GUEST_ARCHITECTURE),
    *((section(kind, host), f"{kind}.toml", host) for kind in (RUNNER, SANDBOX, PYTHON) for host in HOST_ARCHITECTURES),
    (COMPILER, "compiler.toml", GUEST_ARCHITECTURE),
    (CPP, "cpp.toml", GUEST_ARCHITECTURE),
    *(
        (section(CROSS, host), "cross.toml", GUEST_ARCHITECTURE)
        for host in HOST_ARCHITECTURES
        if host != GUEST_ARCHITECTURE
    ),
    (KERNEL, "kernel.toml", GUEST_ARCHITECTURE),
)
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


def renew(machine: Path, cache: Path, tell: Tell) -> Lock:
    date = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    store, indices = Packages(cache / "packages", list), dict[str, Indices]()
    sections = {}
    for name, table, architecture in SECTIONS:
        if architecture not in indices:
            tell(f"asking the mirrors for packages of {architecture}")
            indices[architecture] = private_indices(cache / "apt" / architecture, architecture)
        tell(f"choosing the packages of {name}")
        wanted = contents.load(machine / table)
        offers = indices[architecture]
        sections[name] = used(closure(offers, wanted.packages), wanted, store, offers)
    lock = Lock(date, sections)
    write_text(machine / "packages.lock", text_of(lock))
    return lock


def closure(offers: "Indices", packages: Iterable[str]) -> list[Locked]:
    """The packages and all their dependencies, in the preferred versions."""
    locked: dict[str, Locked] = {}
    fresh = concrete(offers, packages)
    while fresh:
        stanzas = offers.stanzas(fresh)
        locked |= {stanza["Package"]: _locked(stanza) for stanza in stanzas}
        names = set[str]().union(*(dependencies(stanza) for stanza in stanzas))
        fresh = offers.preferred(names - locked.keys())
    return sorted(locked.values())


def concrete(offers: "Indices", packages: Iterable[str]) -> dict[str, str]:
    """Names and versions, with kernel and headers in place of their metapackages."""
    versions = offers.preferred(packages)
    for name in versions.keys() & METAPACKAGES.keys():
        (meta,) = offers.stanzas({name: versions.pop(name)})
        versions |= offers.preferred(package for package in dependencies(meta) if METAPACKAGES[name].match(package))
    return versions


def dependencies(stanza: Mapping[str, str]) -> set[str]:
    """The dependencies of a package; of alternatives, the first."""
    fields = ", ".join(stanza[name] for name in ("Pre-Depends", "Depends") if name in stanza)
    return {re.split(r"[ :|(]", item.strip())[0] for item in fields.split(",") if item.strip()}


def _locked(stanza: Mapping[str, str]) -> Locked:
    package, version, architecture = stanza["Package"], stanza["Version"], stanza["Architecture"]
    return Locked(package, version, architecture, stanza["Filename"], stanza["SHA256"], int(stanza["Size"]))


def used(packages: Sequence[Locked], wanted: contents.Wanted, store: Packages, offers: "Indices") -> tuple[Locked, ...]:
    """The packages that contain a wanted file or a link to one."""
    download(packages, store, offers)
    with tempfile.TemporaryDirectory(dir=store.folder) as name:
        root = Path(name)
        files = {package: set(deb.unpack(store.file(package), root)) for package in packages}
        paths = [*contents.paths(root, wanted), *contents.modules(root, wanted.modules)]
        needed = {*paths, *(str(contents.inside(root, path).relative_to(root)) for path in paths)}
    return tuple(package for package in packages if files[package] & needed)


def download(packages: Iterable[Locked], store: Packages, offers: "Indices") -> None:
    """Download missing packages into the store by apt, with this host's mirrors and proxies."""
    store.folder.mkdir(parents=True, exist_ok=True)
    missing = [package for package in packages if not store.has(package)]
    with tempfile.TemporaryDirectory(dir=store.folder) as folder:
        if missing:
            offers.download(missing, Path(folder))
        files = {sha256(file): file for file in Path(folder).glob("*.deb")}
        for package in missing:
            if package.sha256 not in files:
                raise SupplyError(f"apt downloaded other bytes of {package.named} than its index lists")
            files[package.sha256].rename(store.file(package))


@dataclass(frozen=True)
class Indices:
    """The lists of packages of the mirrors; `ask` runs an apt command."""

    ask: Callable[..., str]

    def preferred(self, packages: Iterable[str]) -> dict[str, str]:
        """The preferred versions: point releases before security updates. Virtual packages are left out."""
        offers: dict[str, list[tuple[bool, str]]] = {}
        names = sorted(packages)
        for line in self.ask("apt-cache", "madison", *names).splitlines() if names else ():
            name, version, suite = (field.strip() for field in line.split("|"))
            if suite.endswith("Packages"):
                offers.setdefault(name, []).append((bool(SHORT_LIVED.search(suite)), version))
        return {name: min(rows, key=lambda row: row[0])[1] for name, rows in offers.items()}

    def stanzas(self, versions: Mapping[str, str]) -> list[dict[str, str]]:
        """The entries of package versions in the lists, by field."""
        named = (f"{package}={version}" for package, version in sorted(versions.items()))
        printed = self.ask("apt-cache", "show", "--no-all-versions", *named) if versions else ""
        stanzas = (dict(FIELD.findall(stanza)) for stanza in printed.split("\n\n") if stanza.strip())
        return list({stanza["Package"]: stanza for stanza in stanzas}.values())

    def download(self, packages: Iterable[Locked], folder: Path) -> None:
        named = (f"{locked.package}={locked.version}" for locked in packages)
        self.ask("apt-get", "-q=2", "download", *named, folder=folder)


def private_indices(folder: Path, architecture: str) -> Indices:
    """The lists of a private apt in a folder, fetched now from this host's sources of Debian."""
    for name in ("lists/partial", "cache/archives/partial", "sources.list.d"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in ("status", "sources.list"):
        (folder / name).write_bytes(b"")
    for source in sources(run(*SOURCES)):
        (folder / "sources.list.d" / f"{source.stem}{source.suffix}").write_bytes(source.read_bytes())
    configuration = folder / "apt.conf"
    configuration.write_text(CONFIGURATION.format(architecture=architecture, folder=folder), encoding="utf-8")
    ask = partial(run, environment={"APT_CONFIG": str(configuration), "LC_ALL": "C"})
    ask("apt-get", "-q=2", "update")
    return Indices(ask)


def sources(printed: str) -> list[Path]:
    rows = [line.split(" ", 1) for line in printed.splitlines()]
    return [Path(row[1].rpartition(":")[0]) for row in rows if row[0] in ("Debian", UNKNOWN_ORIGIN)]


def run(*command: str, folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    try:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=True
        )
    except FileNotFoundError as error:
        raise SiteError(f"{command[0]} is not on this computer", hint="renew the lock on Debian") from error
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise SiteError(f"{' '.join(command)}: {reason[0]}") from error
    return done.stdout
