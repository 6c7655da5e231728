"""The set-up's scripts in a copy of code/setup, with commands that a test makes up."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lab.places import ROOT

# What the scripts themselves call; nothing else of this computer is on the PATH.
TOOLS = ("cat", "chmod", "cut", "dirname", "env", "grep", "head", "ls", "sed", "sh", "sort", "tail", "tr")


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
        command = [str(self.folder / "code/setup" / script), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env={"PATH": str(self.folder / "bin")},
            stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def start(self, script: str, *arguments: str) -> subprocess.Popen[str]:
        """Start it without a pipe to the test, which what it leaves in the background would hold open."""
        command = [str(self.folder / "code/setup" / script), *arguments]
        null = subprocess.DEVNULL
        path = {"PATH": str(self.folder / "bin")}
        return subprocess.Popen(command, env=path, stdin=null, stdout=null, stderr=null, text=True)


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
