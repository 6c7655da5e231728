"""The ssh site: ssh itself, and whether the hosts of hosts.toml can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.doctor.finding import Finding, program
from lab.errors import LabError
from lab.sites import hosts
from lab.sites.connection import Connection
from lab.sites.hosts import Host

SITE = "ssh"


def examine(file: Path) -> Iterator[Finding]:
    """Nothing is asked of hosts that nobody named."""
    yield program(SITE, "ssh", "make setup, or apt install openssh-client")
    if not hosts.has(file, "ssh"):
        yield Finding(SITE, file.name, "names no hosts", "a table [ssh], as in docs/sites.md")
        return
    try:
        ssh = hosts.read_ssh(file)
    except LabError as error:
        yield Finding(SITE, file.name, error.what, str(error))
        return
    yield from (_host(role, each, ssh.config) for role, each in (("client", ssh.client), ("server", ssh.server)))


def _host(role: str, host: Host, config: str) -> Finding:
    try:
        connection = Connection(role, host, config)
    except LabError as error:
        return Finding(SITE, host.login, error.what, error.hint)
    try:
        asked = {"device": host.device, "interface": host.interface, "address": host.address}
        found = connection.end.ask("end", **asked)["found"]
    finally:
        connection.end.kill()
    words = ", ".join(filter(None, (found["device"], found["interface"], found["address"])))
    return Finding(SITE, host.login, f"reached; {role} on {words or 'no data link'}")
