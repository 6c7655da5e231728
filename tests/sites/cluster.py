"""A real Slurm cluster of two nodes on this computer, and a third in a partition of its own."""

import os
import re
import signal
import subprocess
from pathlib import Path

from tests.sites.daemons import write

from lab.places import CACHE, ROOT

HOME = CACHE / "slurm"


class Cluster:
    """The cluster of `make slurm-up`; one that was up before stays up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = os.environ["PATH"]
        os.environ["PATH"] = f"{HOME / 'bin'}:{self.path}"
        self.was_up = self.states().count("idle") == 2
        self.control("up")

    def toml(self, **other: object) -> Path:
        values = {"interface": "data0", "spool": str(self.folder / "spool"), "patience_s": 2, **other}
        lines = (f"{name} = {value!r}\n" for name, value in values.items())
        return write(self.folder / "hosts.toml", "[slurm]\n" + "".join(lines))

    def control(self, *command: str) -> None:
        """up, down, node NAME."""
        subprocess.run([ROOT / "code/setup/slurm", *command], check=True)

    def unreachable(self, folder: Path) -> Path:
        """The clients' commands of a cluster whose controller does not answer."""
        conf = (HOME / "slurm.conf").read_text()
        write(folder / "slurm.conf", re.sub(r"SlurmctldPort=\d+", "SlurmctldPort=1\nMessageTimeout=2", conf))
        for each in (HOME / "bin").iterdir():
            write(folder / each.name, each.read_text().replace(f"{HOME}/slurm.conf", f"{folder}/slurm.conf"), 0o755)
        return folder

    def inside(self, name: str, *command: str) -> str:
        """The output of a command in a node's network."""
        done = subprocess.run([*self.place(name), *command], capture_output=True, text=True, check=True)
        return done.stdout

    def place(self, name: str) -> tuple[str, ...]:
        """What to put before a command that is to run there."""
        return ("nsenter", "--net", "--target", (HOME / f"{name}.holder").read_text())

    def daemons(self) -> list[int]:
        return [int(each.read_text()) for each in HOME.glob("*.pid")]

    def lose(self, name: str) -> None:
        """Let a node answer no more."""
        os.kill(int((HOME / f"{name}.pid").read_text()), signal.SIGKILL)

    def states(self) -> list[str]:
        if not (HOME / "bin/sinfo").exists():
            return []
        return self.ask("sinfo", "-h", "-N", "-p", "main", "-o", "%t").split()

    def ask(self, *command: str) -> str:
        done = subprocess.run(
            [str(HOME / "bin" / command[0]), *command[1:]], capture_output=True, text=True, check=False
        )
        return done.stdout

    def jobs(self) -> list[str]:
        """What is in the queue: id and state."""
        return self.ask("squeue", "-h", "--array", "-o", "%i %T").splitlines()

    def stop(self) -> None:
        if not self.was_up:
            self.control("down")
        os.environ["PATH"] = self.path
