"""The providers of packages: those of lab.toml or the environment, else the mirrors of this computer's apt."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from lab.errors import SpecError
from lab.files.toml import read_toml
from lab.places import SETTINGS
from lab.supply.lock import Locked
from lab.supply.packages import Gone, Lacks, Packages, Part, Provider
from lab.supply.web import Web, without_password
from lab.typed_json import Fault, Limits

VARIABLE = "LAB_SUPPLY"  # providers with spaces between them, in place of lab.toml's
PATIENCE_S = 30.0
APT = "apt"
WEB, FILE = ("http://", "https://"), "file://"
KINDS = "apt, http://, https://, file:// or a folder"
HINT = "docs/sites.md, Where packages come from"
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
PLACEHOLDERS = ("path", "file", "sha256", "date")
PIECE_BYTES = 1 << 20
APT_MIRRORS = ("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages")
APT_PROXIES = ("apt-config", "dump", "--format", "%f %v%n", "Acquire::http::Proxy", "Acquire::https::Proxy")
UNKNOWN_ORIGIN = "$(ORIGIN)"  # what apt prints where it has no lists yet


@dataclass(frozen=True)
class Settings:
    """Providers in the order in which they are asked, as they were typed."""

    providers: Annotated[
        tuple[Annotated[str, Limits(pattern=r"\S.{0,999}", expected="apt, a URL or a folder")], ...],
        Limits(longest=100),
    ] = (APT,)
    patience_s: Annotated[int | float, Limits(above=0, most=3600)] = PATIENCE_S  # up to an hour


@dataclass(frozen=True)
class LabFile:
    """The tables of lab.toml."""

    supply: Settings = Settings()


def load(file: Path, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of the environment, else of lab.toml, else the defaults."""
    settings = read_settings(file) if file.exists() else Settings()
    words = tuple(environment.get(VARIABLE, "").split())
    for reason in filter(None, map(fault, words)):
        raise SpecError(f"{VARIABLE}: {reason}", hint=HINT)
    return replace(settings, providers=words) if words else settings


def read_settings(file: Path) -> Settings:
    """The table of lab.toml, in which every word stands for a provider."""
    toml = read_toml(file, LabFile)
    settings = toml.content.supply
    for index, typed in enumerate(settings.providers):
        if reason := fault(typed):
            toml.refuse(Fault(reason, ("supply", "providers", index), hint=HINT))
    return settings


def fault(typed: str) -> str:
    """The reason why a word names no provider; empty if it names one."""
    scheme, colon, _ = typed.partition("://")
    if colon and scheme + colon not in (*WEB, FILE):
        return f"unknown provider of packages: {typed} ({KINDS})"
    if typed.endswith(".tar"):
        return f"a tar file is no provider of packages: {typed} (unpack the file, and name the folder)"
    unknown = sorted(set(PLACEHOLDER.findall(typed)) - set(PLACEHOLDERS)) if typed.startswith(WEB) else []
    return f"no part of a package's address is called {{{unknown[0]}}}" if unknown else ""


def opened_store(cache: Path, tell: Callable[[str], None]) -> Packages:
    """The checkout's store of packages; lab.toml is read only when a package is missing."""
    return Packages(cache / "packages", lambda: providers(load(SETTINGS)), tell)


def providers(settings: Settings) -> list[Provider]:
    """All providers of the settings."""
    web = Web(settings.patience_s)
    return [each for typed in settings.providers for each in provider(typed, web)]


def provider(typed: str, web: Web) -> Iterator[Provider]:
    """The providers that one word of the settings names; a folder is relative to the checkout."""
    if typed == APT:
        yield from _of_apt(web)
    elif typed.startswith(WEB):
        yield mirror(typed, web)
    else:
        yield LocalFolder(SETTINGS.parent / Path(typed.removeprefix(FILE)).expanduser())


@dataclass(frozen=True)
class LocalFolder:
    """A folder of packages: a course's, a copy of a store, a mirror's tree."""

    folder: Path

    @property
    def name(self) -> str:
        """As it was typed."""
        return str(self.folder)

    def fetch(self, part: Part, _: str) -> None:
        """Copy the file that has one of the package's names: in a store, from apt, in a mirror."""
        locked = part.locked
        files = (self.folder / name for name in (f"{locked.sha256}.deb", locked.file, locked.path))
        try:
            file = next((each for each in files if each.is_file()), None)
            if file is None:
                raise Lacks("does not have it") if self.folder.is_dir() else Gone("is not there")
            with file.open("rb") as source:
                source.seek(part.length)
                while piece := source.read(PIECE_BYTES):
                    part.add(piece)
        except OSError as error:
            raise Lacks(f"cannot be read ({error.strerror})") from error
        if not part.is_complete:
            raise Lacks(f"has {part.length} bytes there instead of {locked.size_bytes}")


@dataclass(frozen=True)
class Mirror:
    """A mirror, or an archive of old versions by date or digest: a URL with placeholders."""

    web: Web
    template: str

    @property
    def name(self) -> str:
        """The template, without a password."""
        before, brace, after = self.template.partition("{")
        return without_password(before)[0] + brace + after

    def url(self, locked: Locked, date: str) -> str:
        """The URL of a package."""
        values = {"path": locked.path, "file": locked.file, "sha256": locked.sha256, "date": date}
        return PLACEHOLDER.sub(lambda match: quote(values[match[1]], safe="/~+:%"), self.template)

    def fetch(self, part: Part, date: str) -> None:
        """Download the package."""
        self.web.download(self.url(part.locked, date), part)


def mirror(typed: str, web: Web) -> Mirror:
    """A URL with placeholders, or that of a mirror's top."""
    return Mirror(web, typed if PLACEHOLDER.search(typed) else f"{typed.rstrip('/')}/{{path}}")


@dataclass(frozen=True)
class Nothing:
    """In place of mirrors where apt has none that can be used."""

    reason: str
    name: str = APT

    def fetch(self, _: Part, __: str) -> None:
        """Raise the reason."""
        raise Gone(self.reason)


def _of_apt(web: Web) -> Iterator[Provider]:
    web = Web(web.patience_s, proxies=apt_proxies(_printed(APT_PROXIES)))
    mirrors = apt_mirrors(_printed(APT_MIRRORS))
    for each in mirrors:
        usable = each.startswith((*WEB, FILE))
        yield from provider(each, web) if usable else [Nothing(f"takes packages from {each}, which only apt can", each)]
    if not mirrors:
        yield Nothing("this computer has no apt with a mirror of Debian")


def _printed(command: Sequence[str]) -> str:
    """The output of an apt command; empty without apt."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        return ""


def apt_mirrors(printed: str) -> list[str]:
    """The mirrors of Debian among apt's sources, each once."""
    rows = [line.split() for line in printed.splitlines()]
    return list(dict.fromkeys(row[1] for row in rows if len(row) == 2 and row[0] in ("Debian", UNKNOWN_ORIGIN)))


def apt_proxies(printed: str) -> dict[str, str]:
    """The proxies of apt's configuration, by scheme."""
    rows = [line.split() for line in printed.splitlines()]
    return {row[0].split("::")[1]: row[1] for row in rows if len(row) == 2 and row[1] != "DIRECT"}
