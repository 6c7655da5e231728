"""A tree as empty as a container: this computer's packages to read, the unpacked bundle, what its set-up leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.places import CACHE

# What the packages put outside of /usr, and of this computer nothing else.
OUTSIDE = ("/etc/alternatives", "/etc/texmf", "/var/lib/texmf", "/etc/fonts")
# Of the cache, what `make build` and the first trial leave; where this is the first, it finds an empty folder.
MADE = ("image", "machine", "plugin", "runner", "exact-here", "bench")
LAB = "#!/autograder/source/.venv/bin/python\nimport lab.__main__\n"


@dataclass(frozen=True)
class Tree:
    """/autograder as Gradescope lays it out."""

    folder: Path

    @property
    def source(self) -> Path:
        return self.folder / "source"

    def unpack(self, bundle: Path) -> None:
        """What Gradescope does with the zip, then what setup.sh does, but for installing and compiling again."""
        with zipfile.ZipFile(bundle) as archive:
            for entry in archive.infolist():
                file = Path(archive.extract(entry, self.source))
                file.chmod(entry.external_attr >> 16 & 0o777)
        for name in ("submission", "results", "source/.cache"):
            (self.folder / name).mkdir()
        for name in MADE:
            (CACHE / name).mkdir(exist_ok=True)
        (self.source / "run_autograder").rename(self.folder / "run_autograder")
        self.run("python3", "-m", "venv", "--without-pip", "/autograder/source/.venv")
        (packages,) = self.source.glob(".venv/lib/python3*/site-packages")
        (packages / "lab.pth").write_text(f"/autograder/source/code\n{sysconfig.get_path('purelib')}\n")
        self._write(".venv/bin/lab", LAB)

    def hand_in(self, name: str) -> Path:
        """Where the one file of a submission goes."""
        for file in (self.folder / "submission").iterdir():
            file.unlink()
        return self.folder / "submission" / name

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """A command in there, without a network."""
        cached = [word for name in MADE for word in ("--bind", str(CACHE / name), f"/autograder/source/.cache/{name}")]
        links = [word for name in ("bin", "sbin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
        outside = [word for name in OUTSIDE for word in ("--ro-bind-try", name, name)]
        python = sysconfig.get_path("purelib")
        walls = ["bwrap", "--unshare-all", "--die-with-parent", "--clearenv", "--setenv", "PATH", os.defpath]
        walls += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", "/usr", "/usr", *links, *outside]
        walls += ["--ro-bind", python, python, "--bind", str(self.folder), "/autograder"]
        inside = [*walls, *(cached if (self.source / ".cache").exists() else []), "--", *command]
        return subprocess.run(inside, capture_output=True, text=True, check=True, timeout=280)

    def grade(self) -> dict[str, Any]:
        """What Gradescope reads when run_autograder has ended."""
        done = self.run("/autograder/run_autograder")
        print(done.stdout, done.stderr)
        return dict(json.loads((self.folder / "results" / "results.json").read_text()))

    def _write(self, name: str, text: str) -> None:
        (self.source / name).write_text(text)
        (self.source / name).chmod(0o755)
