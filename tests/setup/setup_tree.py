"""The set-up's scripts in a copy of code/setup, with commands that a test makes up."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lab.places import ROOT

# What the scripts themselves call; nothing else of this computer is on the PATH.
TOOLS = ("awk", "cat", "chmod", "cut", "dirname", "env", "grep", "head", "ls", "sed", "sh", "sort", "tail", "tr")


@dataclass(frozen=True)
class Tree:
    """A checkout with code/setup alone, and a folder of commands that is the whole PATH."""

    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "calls"

    def command(self, name: str, body: str = "") -> None:
        """Make a command that logs its arguments, then runs a line of shell."""
        self.write(self.folder / "bin" / name, f'echo "{name} $*" >>{self.log}\n{body}')

    def write(self, file: Path, body: str) -> None:
        file.unlink(missing_ok=True)
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def calls(self, name: str) -> list[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line.removeprefix(f"{name} ") for line in lines if line.startswith(f"{name} ")]

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        with self.start(script, *arguments, output=subprocess.PIPE) as process:
            out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def start(self, script: str, *arguments: str, output: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """Start it, by default without a pipe, which what it leaves in the background would hold open."""
        command = [str(self.folder / "code/setup" / script), *arguments]
        path = {"PATH": str(self.folder / "bin")}
        return subprocess.Popen(command, env=path, stdin=subprocess.DEVNULL, stdout=output, stderr=output, text=True)


def tree(folder: Path, family: str = "") -> Tree:
    """A host of a family, as `code/setup/family` prints it, whose user is root."""
    shutil.copytree(ROOT / "code/setup", folder / "code/setup")
    (folder / "bin").mkdir()
    for name in TOOLS:
        (folder / "bin" / name).symlink_to(shutil.which(name) or os.devnull)
    made = Tree(folder)
    made.command("id", "echo 0")
    if family:
        made.write(folder / "code/setup/family", f"echo {family}")
    return made
