"""One connection to one host: the agent's session opens it, and files are copied over it."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from lab.errors import SiteError
from lab.sites.agent.client import INTERPRETER, FarEnd, last_line
from lab.sites.hosts import Host

CONNECT_S = 10
ALIVE_S, ALIVE_COUNT = 3, 4  # a host is lost after a silence of 3 s x 4
COPY_S = 120

# A message of ssh, its meaning, and what to try. {} is the login.
FAULTS = (
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", "its host key has changed", "ssh-keygen -R {}, if you know why"),
    ("Host key verification failed", "its host key is not known", "ssh {}, and look at the key"),
    ("Permission denied", "it refuses to log you in without a password", "ssh-copy-id {}"),
    ("Could not resolve hostname", "there is no host of that name", "ssh {}"),
    ("No space left on device", "its disk is full", "ssh {} df -h"),
    ("python3: not found", "it has no python3", "ssh {} sudo apt install python3"),
    ("python3: command not found", "it has no python3", "ssh {} sudo apt install python3"),
    ("not responding", "it does not answer any more", "ssh {}"),
    ("timed out", "it cannot be reached", "ssh {}"),
    ("unreachable", "it cannot be reached", "ssh {}"),
    ("Connection refused", "it cannot be reached: no ssh server there", "ssh {}"),
)


class Connection:
    """A host with an open login."""

    def __init__(self, role: str, host: Host, config: str) -> None:
        self.host = host
        self.folder, self.known = host.folder, set[str]()  # the folder of programs there, and those known to be in it
        self.options = _options(_socket(role), config)
        agent = shlex.join(["exec", "python3", *INTERPRETER])
        command = ["ssh", *self.options, "-o", "ControlMaster=yes", "-T", host.login, agent]
        self.end = FarEnd(host.login, command, explain)

    def copy(self, files: list[Path], target: str) -> None:
        """Copy files there, over the same connection."""
        command = ["scp", "-q", *self.options, *map(str, files), f"{self.host.login}:{target}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=COPY_S)
        except subprocess.TimeoutExpired as error:
            what = f"the programs were not copied within {COPY_S} s"
            raise SiteError(
                what, self.host.login, f"ssh {self.host.login} df: a full disk, or a slow way there"
            ) from error
        if done.returncode:
            raise explain(self.host.login, done.stderr.strip())


def explain(login: str, words: str) -> SiteError:
    """One sentence from ssh's messages."""
    for said, meaning, hint in FAULTS:
        if said in words:
            return SiteError(meaning, where=login, hint=hint.format(login))
    return SiteError(f"the connection ended: {last_line(words)}", where=login, hint=f"ssh {login}")


def _options(socket: Path, config: str) -> list[str]:
    settings = {
        "BatchMode": "yes",
        "ConnectTimeout": str(CONNECT_S),
        "ServerAliveInterval": str(ALIVE_S),
        "ServerAliveCountMax": str(ALIVE_COUNT),
        "ControlPath": str(socket),
        "ControlPersist": "no",
    }
    own = ["-F", str(Path(config).expanduser())] if config else []
    return own + [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def _socket(role: str) -> Path:
    """The socket, in a folder of this user alone; not in the checkout, since its path may have 104 letters at most."""
    folder = Path(tempfile.gettempdir()) / f"lab-ssh-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
        raise SiteError("belongs to another user, or others may write there", where=str(folder), hint=f"rm -r {folder}")
    return folder / f"{os.getpid()}-{os.urandom(4).hex()}-{role}"
