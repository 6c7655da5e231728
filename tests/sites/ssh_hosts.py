"""Ssh servers for tests, and three hosts to log in to by ssh.

Each host is a network namespace, with a login network and a data link; the ssh client comes in through a fourth
namespace, whose bridge joins the data links. Nothing listens outside of them, and this host's ssh settings stay unused.
"""

import subprocess
import sys
from pathlib import Path

from tests.sites.daemons import daemon, libraries, write
from tests.sites.jobs import await_true

SSHD = """
HostKey {folder}/{name}.key
AuthorizedKeysFile {folder}/authorized_keys
ListenAddress {address}
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp internal-sftp
SetEnv TMPDIR=/run
"""
SERVE = """
mount -t tmpfs run /run && mkdir -m 755 /run/sshd
mount --bind {folder}/passwd /etc/passwd
LD_LIBRARY_PATH={libraries} exec {sshd} -f {folder}/{name}.sshd -E /run/{name}.log
"""
CLIENT = """
Host *
    User root
    IdentityFile {folder}/user
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known_hosts
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
"""
HOST = "Host {name}\n    HostName {address}\n"
NAMESPACE = ("unshare", "--net", "--mount", "--pid", "--time", "--fork", "--kill-child=KILL", "--mount-proc")
OTHER_CLOCK = ("--monotonic", "1000000")  # seconds, the offset of bob's clock
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
JUMP = """
Host alice bob carol
    ProxyCommand nsenter --net --target {gate} {python} {relay} %h
Host nowhere
    HostName 127.0.0.1
    Port 1
"""
LOGINS = {"alice": "10.78.1.1", "bob": "10.78.2.1", "carol": "10.78.3.1"}


class SshServers:
    """Ssh servers by the names of their logins, with their addresses."""

    def __init__(self, folder: Path, addresses: dict[str, str], more: str = "") -> None:
        """More lines for the client's configuration."""
        self.folder, self.addresses = folder, addresses
        self.sshd = daemon("usr/sbin/sshd")
        for name in ("user", *(f"{each}.key" for each in addresses)):
            make = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name))
            subprocess.run(make, check=True)
        write(folder / "authorized_keys", (folder / "user.pub").read_text())
        rows = ("root:*:0:0:root:{folder}:/bin/sh", "sshd:*:65533:65534::/run/sshd:/usr/sbin/nologin")
        write(folder / "passwd", "\n".join(rows).format(folder=folder) + "\n", 0o644)
        for name, address in addresses.items():
            write(folder / f"{name}.sshd", SSHD.format(folder=folder, name=name, address=address))
        known = (f"{address} {(folder / f'{name}.key.pub').read_text()}" for name, address in addresses.items())
        write(folder / "known_hosts", "".join(known))
        hosts = (HOST.format(name=name, address=address) for name, address in addresses.items())
        write(self.config, CLIENT.format(folder=folder) + "".join(hosts) + more)

    @property
    def config(self) -> Path:
        return self.folder / "config"

    def serve(self, name: str) -> str:
        """The script that starts a computer's server, which listens on its login address alone."""
        folders = libraries()["LD_LIBRARY_PATH"]
        return SERVE.format(folder=self.folder, libraries=folders, sshd=self.sshd, name=name)


class SshHosts:
    """alice, bob and carol."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.holders: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("gate", *LOGINS):
            self.hold(name)
        relay, gate = write(folder / "relay.py", RELAY), self.holders["gate"].pid
        self.servers = SshServers(folder, LOGINS, JUMP.format(gate=gate, python=sys.executable, relay=relay))
        self.inside("gate", "ip", "link", "add", "name", "data", "up", "type", "bridge")
        for number, (name, address) in enumerate(LOGINS.items(), 1):
            self.wire(name, "data0", "gate", f"{name}-data")
            self.inside(name, "ip", "addr", "add", f"10.77.0.{number}/24", "dev", "data0")
            self.inside("gate", "ip", "link", "set", f"{name}-data", "master", "data")
            self.wire(name, "login0", "gate", name)
            self.inside(name, "ip", "addr", "add", f"{address}/24", "dev", "login0")
            self.inside("gate", "ip", "addr", "add", f"{address.rpartition('.')[0]}.2/24", "dev", name)
            self.inside(name, "sh", "-c", self.servers.serve(name))

    def toml(self, client: str = "", server: str = "", bob: str = "bob", more: str = "") -> Path:
        """A hosts.toml; more words for either end, and more lines."""
        text = f"""[ssh]
config = "{self.servers.config}"
client = {{ login = "alice", interface = "data0", folder = "{self.folder}/programs"{client} }}
server = {{ login = "{bob}", interface = "data0", folder = "{self.folder}/programs"{server} }}
{more}"""
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

    def three(self) -> Path:
        carol = f'{{ login = "carol", interface = "data0", folder = "{self.folder}/programs" }}'
        return self.toml(more=f"others = [{carol}]\n")

    def wire(self, one: str, one_end: str, other: str, other_end: str) -> None:
        """A veth pair between two computers."""
        pids = [str(self.holders[name].pid) for name in (one, other)]
        make = ("ip", "link", "add", one_end, "netns", pids[0], "type", "veth", "peer", "name", other_end)
        subprocess.run([*make, "netns", pids[1]], check=True)
        for name, end in ((one, one_end), (other, other_end)):
            self.inside(name, "ip", "link", "set", end, "up")

    def stop(self) -> None:
        """Every process of a namespace ends with its first."""
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
