"""Two computers that one can log in to by ssh, each a network namespace with an ssh server of its own.

Their login addresses are on one wire, their data addresses on another. The ssh client comes in through a third
namespace. Nothing listens outside of them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.sites.daemons import write
from tests.sites.jobs import await_true
from tests.sites.ssh_servers import SshServers

NAMESPACE = ("unshare", "--net", "--mount", "--pid", "--time", "--fork", "--kill-child=KILL", "--mount-proc")
OTHER_CLOCK = ("--monotonic", "1000000")  # seconds by which bob's clock differs
RELAY = """
import os, socket, sys, threading
there = socket.create_connection((sys.argv[1], 22), 10)
def back():
    while data := there.recv(65536):
        os.write(1, data)
threading.Thread(target=back, daemon=True).start()
while data := os.read(0, 65536):
    there.sendall(data)
"""
CLIENT = """
Host alice bob
    ProxyCommand nsenter --net --target {gate} {python} {relay} %h
Host nowhere
    HostName 127.0.0.1
    Port 1
"""
ADDRESSES = {"alice": "10.78.1.1", "bob": "10.78.2.1"}


class SshHosts:
    """alice and bob."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.holders: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("gate", *ADDRESSES):
            self.hold(name)
        relay, gate = write(folder / "relay.py", RELAY), self.holders["gate"].pid
        self.servers = SshServers(folder, ADDRESSES, CLIENT.format(gate=gate, python=sys.executable, relay=relay))
        self.wire("alice", "data0", "bob", "data0", "10.77.0")
        for name, address in ADDRESSES.items():
            self.wire(name, "login0", "gate", name, address.rpartition(".")[0])
            self.inside(name, "sh", "-c", self.servers.serve(name))

    def toml(self, client: str = "", server: str = "", bob: str = "bob") -> Path:
        """A hosts.toml; more words for either end."""
        text = f"""[ssh]
config = "{self.servers.config}"
client = {{ login = "alice", interface = "data0", folder = "{self.folder}/programs"{client} }}
server = {{ login = "{bob}", interface = "data0", folder = "{self.folder}/programs"{server} }}
"""
        return write(self.folder / f"hosts{abs(hash(text))}.toml", text)

    def inside(self, name: str, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a computer's network and file system."""
        return subprocess.run([*self.place(name), *command], capture_output=True, text=True, check=True)

    def place(self, name: str) -> tuple[str, ...]:
        """What to put before a command that is to run there."""
        return ("nsenter", "--net", "--mount", "--pid", "--time", "--target", str(self.inner(name)))

    def inner(self, name: str) -> int:
        """The first process of a computer, as this one numbers it."""
        parent = self.holders[name].pid
        return int(Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0])

    def hold(self, name: str) -> None:
        """A computer lives as long as its first process."""
        clock = OTHER_CLOCK if name == "bob" else ()
        self.holders[name] = subprocess.Popen([*NAMESPACE, *clock, "sleep", "infinity"])
        parent = self.holders[name].pid
        await_true(lambda: Path(f"/proc/{parent}/task/{parent}/children").read_text())
        self.inside(name, "ip", "link", "set", "lo", "up")

    def wire(self, one: str, one_end: str, other: str, other_end: str, net: str) -> None:
        """A veth pair between two computers."""
        pids = [str(self.holders[name].pid) for name in (one, other)]
        make = ("ip", "link", "add", one_end, "netns", pids[0], "type", "veth", "peer", "name", other_end)
        subprocess.run([*make, "netns", pids[1]], check=True)
        for number, (name, end) in enumerate(((one, one_end), (other, other_end)), 1):
            self.inside(name, "ip", "addr", "add", f"{net}.{number}/24", "dev", end)
            self.inside(name, "ip", "link", "set", end, "up")

    def stop(self) -> None:
        """Every process of a namespace ends with its first."""
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
