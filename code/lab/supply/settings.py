"""The providers of packages: those of lab.toml or the environment, else this computer's apt."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lab.errors import SpecError
from lab.files.fault import Fault
from lab.files.toml_file import read_toml
from lab.places import SETTINGS
from lab.supply import apt
from lab.supply.folder import LocalFolder
from lab.supply.mirror import PLACE, PLACES, Mirror
from lab.supply.packages import Packages
from lab.supply.provider import Provider
from lab.supply.web import Web
from lab.typed_json import parse_as

VARIABLE = "LAB_SUPPLY"  # providers with spaces between them, in place of lab.toml's
PATIENCE_S = 30.0
WEB, FILE = ("http://", "https://"), "file://"
HINT = "docs/sites.md, Where packages come from"


@dataclass(frozen=True)
class Settings:
    """Providers in the order in which they are asked, as they were typed."""

    providers: tuple[str, ...] = (apt.NAME,)
    patience_s: float | int = PATIENCE_S  # a whole number where one was typed


def load(file: Path, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of the environment, else of lab.toml, else the defaults."""
    settings = read_settings(file) if file.exists() else Settings()
    words = tuple(environment.get(VARIABLE, "").split())
    for said in filter(None, map(fault, words)):
        raise SpecError(f"{VARIABLE}: {said}", hint=HINT)
    return replace(settings, providers=words) if words else settings


def read_settings(file: Path) -> Settings:
    """The table of lab.toml, in which every word stands for a provider."""
    found = read_toml(file, "lab")
    settings = parse_as(Settings, found.document.get("supply", {}))
    for index, typed in enumerate(settings.providers):
        if said := fault(typed):
            found.refuse(Fault(said, ("supply", "providers", index), hint=HINT))
    return settings


def fault(typed: str) -> str:
    """The reason why a word names no provider; empty if it names one."""
    scheme, colon, _ = typed.partition("://")
    if colon and scheme + colon not in (*WEB, FILE):
        return f"unknown provider of packages: {typed} (apt, http://, https://, file:// or a folder)"
    if typed.endswith(".tar"):
        return f"a tar file is no provider of packages: {typed} (unpack the file, and name the folder)"
    unknown = sorted(set(PLACE.findall(typed)) - set(PLACES)) if typed.startswith(WEB) else []
    return f"no part of a package's address is called {{{unknown[0]}}}" if unknown else ""


def opened_store(cache: Path, tell: Callable[[str], None]) -> Packages:
    """The checkout's own store of packages, which asks as lab.toml says; that is read when something is missing."""
    return Packages(cache / "packages", lambda: providers(load(SETTINGS)), tell)


def providers(settings: Settings) -> list[Provider]:
    """All providers of the settings."""
    web = Web(settings.patience_s)
    return [each for typed in settings.providers for each in provider(typed, web)]


def provider(typed: str, web: Web) -> Iterator[Provider]:
    """The providers that one word of the settings names; a folder is relative to the checkout."""
    if typed == apt.NAME:
        yield from of_apt(web)
    elif typed.startswith(WEB):
        yield mirror(typed, web)
    else:
        yield LocalFolder(SETTINGS.parent / Path(typed.removeprefix(FILE)).expanduser())


def mirror(typed: str, web: Web) -> Mirror:
    """A URL with places, or that of a mirror's top."""
    return Mirror(web, typed if PLACE.search(typed) else f"{typed.rstrip('/')}/{{path}}")


def of_apt(web: Web) -> Iterator[Provider]:
    """The mirrors of this computer's apt, or the reason why there are none."""
    found = apt.mirrors(apt.printed(apt.MIRRORS))
    web = Web(web.patience_s, proxies=apt.proxies(apt.printed(apt.PROXIES)))
    for each in found:
        yield from (
            provider(each, web)
            if each.startswith((*WEB, FILE))
            else [apt.Nothing(f"takes packages from {each}, which only apt can", each)]
        )
    if not found:
        yield apt.Nothing("this computer has no apt with a mirror of Debian")
