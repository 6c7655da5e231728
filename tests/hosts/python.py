"""The Python of a host, with the packages that the jobs need: its own, or the carried one."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import sys
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.hosts.jobs import SHARED
from tests.hosts.making import kept, run

from lab.machine.runner import ARCHITECTURES
from lab.places import CACHE, MACHINE, ROOT
from lab.supply import lock
from lab.supply.providers import opened_store

REQUIREMENTS = ROOT / "code" / "setup" / "requirements.txt"
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
LETTERS = 12  # of a digest
LOADED = ("tests.hosts.outcomes",)
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
CARRIED = 'python=$(code/setup/carry) && exec "$python" "$@"'
VERSION = "import sys; print('{}.{}'.format(*sys.version_info))"


@dataclass(frozen=True)
class Python:
    """A command, and where things are."""

    command: tuple[str, ...]
    packages: str  # below the checkout

    def environment(self, lab: Path) -> dict[str, str]:
        """Where it finds modules; nothing of this computer's environment."""
        path = f"{lab / 'code'}:{lab}:{lab / self.packages}"
        return {"PATH": PATH, "HOME": "/tmp", "LC_ALL": "C.UTF-8", "PYTHONPATH": path}


def own(root: Path) -> Python:
    """The root's own, of any version; pip chooses packages for it out of the checkout's requirements."""
    if root == Path("/"):
        return Python((sys.executable,), packages(HERE))
    return Python(("/usr/bin/python3",), packages(run(*shut_in(root), "/usr/bin/python3", "-c", VERSION).strip()))


def shut_in(root: Path) -> list[str]:
    """A root to look into."""
    return ["bwrap", "--ro-bind", str(root), "/", "--proc", "/proc", "--dev", "/dev"]


def carried() -> Python:
    """The one that set-up carries to hosts whose own won't do, laid out there."""
    found = lock.read(MACHINE / "packages.lock")
    opened_store(CACHE, print).obtain(found.of(f"python {ARCHITECTURES[platform.machine()]}"), found.date)
    return Python(("sh", "-c", CARRIED, "sh"), packages("3.11"))


def packages(version: str) -> str:
    """The folder of packages for a version of Python, below the checkout: the checkout's own if it is that version."""
    if version == HERE:
        return f".venv/lib/python{HERE}/site-packages"
    wanted = "".join(of_requirements(needed()))
    name = f"python{version}-{hashlib.sha256(wanted.encode()).hexdigest()[:LETTERS]}"
    return str(kept(SHARED / name, lambda made: install(version, wanted, made)).relative_to(ROOT))


def install(version: str, requirements: str, folder: Path) -> None:
    """By pip and with digests, as setup does; nothing is compiled."""
    wanted = folder / "requirements.txt"
    wanted.write_text(requirements)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps", "--only-binary=:all:"]
    run(*pip, "--python-version", version, "--target", folder, "--requirement", wanted)


def needed() -> set[str]:
    """The distributions of which the jobs load a module, those at their first use included."""
    code = f"import json, sys, {', '.join(LOADED)}; print(json.dumps([each.partition('.')[0] for each in sys.modules]))"
    loaded = set(json.loads(run(sys.executable, "-c", code)))
    return {
        each.lower().replace("_", "-")
        for name, owners in packages_distributions().items()
        if name in loaded
        for each in owners
    }


def of_requirements(names: set[str]) -> list[str]:
    """The lines of the checkout's requirements for some distributions."""
    blocks = re.findall(r"^[a-z].*(?:\n .*)*\n", REQUIREMENTS.read_text(), re.MULTILINE)
    return [block for block in blocks if block.partition("==")[0] in names]
