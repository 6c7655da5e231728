"""What ssh servers of the tests' own need, in a folder: keys, configuration, passwd. No computer's own are touched."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.sites.daemons import daemon, libraries, write

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


class SshServers:
    """Names by which one logs in, and the addresses at which their servers listen."""

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
        """What ssh is told with -F."""
        return self.folder / "config"

    def serve(self, name: str) -> str:
        """The script that starts a computer's server, which listens on its login address alone."""
        folders = libraries()["LD_LIBRARY_PATH"]
        return SERVE.format(folder=self.folder, libraries=folders, sshd=self.sshd, name=name)
