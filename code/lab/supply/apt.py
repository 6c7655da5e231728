"""The mirrors and proxies of this computer's own apt, if it has one."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from lab.supply.provider import Gone, Part

NAME = "apt"
MIRRORS = ("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages")
PROXIES = ("apt-config", "dump", "--format", "%f %v%n", "Acquire::http::Proxy", "Acquire::https::Proxy")
UNKNOWN = "$(ORIGIN)"  # what apt prints where it has no lists yet


@dataclass(frozen=True)
class Nothing:
    """In place of mirrors where there are none."""

    reason: str
    name: str = NAME

    def fetch(self, _: Part, __: str) -> None:
        """Say why not."""
        raise Gone(self.reason)


def printed(command: Sequence[str]) -> str:
    """The output of an apt command; empty without apt."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        return ""


def mirrors(said: str) -> list[str]:
    """The mirrors of Debian among apt's sources, each once."""
    rows = [line.split() for line in said.splitlines()]
    return list(dict.fromkeys(row[1] for row in rows if len(row) == 2 and row[0] in ("Debian", UNKNOWN)))


def proxies(said: str) -> dict[str, str]:
    """The proxies that apt was told to take, by scheme."""
    rows = [line.split() for line in said.splitlines()]
    return {row[0].split("::")[1]: row[1] for row in rows if len(row) == 2 and row[1] != "DIRECT"}
