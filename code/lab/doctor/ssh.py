"""The ssh site: ssh itself, and whether the hosts of hosts.toml can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.doctor import Diagnosis, program
from lab.errors import LabError
from lab.sites import hosts
from lab.sites.agent.connection import Connection
from lab.sites.hosts import Host
from lab.typed_json import JsonTable

SITE = "ssh"


def examine(file: Path) -> Iterator[Diagnosis]:
    """Ask the hosts of hosts.toml, if it names any."""
    yield program(SITE, "ssh", "make build, or apt install openssh-client")
    if not hosts.has(file, "ssh"):
        yield Diagnosis(SITE, file.name, "names no hosts", "a table [ssh], as in docs/sites.md")
        return
    try:
        ssh = hosts.read_ssh(file)
    except LabError as error:
        yield Diagnosis(SITE, file.name, error.what, str(error))
        return
    yield from (_host(role, each, ssh.config) for role, each in (("client", ssh.client), ("server", ssh.server)))


def _host(role: str, host: Host, config: str) -> Diagnosis:
    try:
        found, state = _ask(Connection(role, host, config))
    except LabError as error:
        return Diagnosis(SITE, host.login, error.what, error.hint or f"ssh {host.login}")
    return Diagnosis(SITE, host.login, f"reached; {role} on {_link(found, state)}", _remedy(found, state))


def _ask(connection: Connection) -> tuple[JsonTable, JsonTable]:
    """The host's end of the data link, and the state of that end."""
    host, end = connection.host, connection.end
    try:
        found = end.table("end", device=host.device, interface=host.interface, address=host.address)
        there = {"interface": found["interface"], "device": found["device"]}
        return found, {**end.table("state", **there), "down": end.ask("down", **there)["found"]}
    finally:
        end.kill()


def _link(found: JsonTable, state: JsonTable) -> str:
    """What a preflight compares at both ends: the port's state, its GIDs' kinds, the MTU."""
    device = f"{found['device']} ({state.get('link_state', 'not there')})" if found["device"] else ""
    gids = f"GIDs: {state['gids']}" if "gids" in state else ""
    interface = f"{found['interface']} (MTU {state.get('mtu', 'unknown')})" if found["interface"] else ""
    return ", ".join(filter(None, (device, gids, interface, str(found["address"])))) or "no data link"


def _remedy(found: JsonTable, state: JsonTable) -> str:
    """The remedy for an end that cannot be used, as far as this end alone shows."""
    interface = found["interface"]
    if interface and not found["address"]:
        return f"an address for {interface} over there"
    if found["device"] and "link_state" not in state:
        return f"rdma link over there; there is no {found['device']}"
    return f"ip link set {interface} up over there" if state.get("down") else ""
