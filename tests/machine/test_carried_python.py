"""The Python of the lock where a computer has none that will do."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import pytest

from lab.places import ROOT

PROBE = """
import bz2, ctypes, lzma, sqlite3, ssl, sys, venv, zlib
import numpy, scipy.stats, zstandard
maps = [line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps") if ".so" in line]
print(sys.version_info[:2], sys.executable, sys.prefix, *sorted(maps), sep="\\n")
"""


@pytest.fixture(scope="module")
def program() -> Path:
    made = subprocess.run([ROOT / "code/setup/carry"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return Path(made.strip())


def test_it_runs_the_harness_packages_with_no_library_of_this_computer(program: Path) -> None:
    """What pip's packages link with comes from beside it, or from themselves."""
    packages = sysconfig.get_path("purelib")
    environment = {"PYTHONPATH": packages, "PATH": "/usr/bin:/bin"}
    said = subprocess.run([program, "-c", PROBE], env=environment, capture_output=True, text=True, check=True).stdout
    version, executable, prefix, *loaded = said.splitlines()
    assert (version, executable, prefix) == ("(3, 11)", str(program), str(program.parents[1]))
    strangers = [path for path in loaded if not path.startswith((str(program.parents[2]), packages))]
    assert loaded and not strangers


def test_it_makes_a_venv_with_pip(program: Path, tmp_path: Path) -> None:
    subprocess.run([program, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    said = subprocess.run([python, "-m", "pip", "--version"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path / "venv") in said
    prefix = [str(python), "-c", "import sys; print(sys.executable, sys.prefix != sys.base_prefix)"]
    assert subprocess.run(prefix, capture_output=True, text=True, check=True).stdout == f"{python} True\n"
