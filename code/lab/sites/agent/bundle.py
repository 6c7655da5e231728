"""The programs under test on another host: copied once, kept by digest, and built there if ours do not run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from lab.errors import SiteError
from lab.places import ROOT
from lab.sites.agent.connection import Connection
from lab.sites.agent.replies import Adopted, Folder, Missing

SOURCES = ROOT / "code" / "bench"
BUILD_S = 120.0


def ensure(connection: Connection, programs: Iterable[Path]) -> dict[str, str]:
    """The place of each program there, by its name; missing programs are copied."""
    wanted = {f"{path.parent.name}/{path.name}": path for path in programs}
    if not wanted.keys() <= connection.known:
        end = connection.end
        made = end.read(Folder, end.ask("folder", folder=connection.host.folder))
        connection.folder = made.folder
        answer = end.read(Missing, end.ask("missing", folder=made.folder, names=sorted(wanted)))
        _send(connection, {name: wanted[name] for name in answer.missing}, made.free_bytes)
        connection.known |= wanted.keys()
    return {path.name: f"{connection.folder}/{name}" for name, path in wanted.items()}


def _send(connection: Connection, missing: dict[str, Path], free_bytes: int) -> None:
    needed = sum(path.stat().st_size for path in missing.values())
    if needed > free_bytes:
        what = f"no room for the programs in {connection.folder}: {needed} bytes needed, {free_bytes} free"
        raise SiteError(what, where=connection.host.login, hint="another folder for this host in hosts.toml")
    for name, path in missing.items():
        arrived = f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}"
        connection.copy([path], f"{connection.folder}/{arrived}")
        end = connection.end
        if not end.read(Adopted, end.ask("adopt", folder=connection.folder, name=name, arrived=arrived)).runs:
            _build(connection, name)


def _build(connection: Connection, name: str) -> None:
    """Build the programs on a computer with another processor or C library; the record says so."""
    source = f"source-{name.partition('/')[0]}"
    files = sorted([*SOURCES.glob("*.[ch]"), SOURCES / "Makefile"])
    connection.end.ask("folder", folder=f"{connection.folder}/{source}")
    connection.copy(files, f"{connection.folder}/{source}/")
    end = connection.end
    end.answer(end.call("build", folder=connection.folder, name=name, source=source), BUILD_S)
