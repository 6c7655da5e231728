"""Which list of packages holds on a computer, from the os-release file of its distribution."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lab.places import ROOT

FILES = ROOT / "tests" / "data" / "os_release"
FAMILIES = {
    "debian-11": "debian debian-11",
    "debian-12": "debian debian-12",
    "debian-13": "debian debian-13",
    "debian-sid": "debian debian-",
    "ubuntu-22.04": "debian ubuntu-22.04",
    "ubuntu-24.04": "debian ubuntu-24.04",
    "linuxmint-22": "debian linuxmint-22",
    "fedora-42": "fedora fedora-42",
    "rocky-9": "fedora rocky-9.4",
    "arch": "arch arch-",
    "opensuse-leap-15.6": "suse opensuse-leap-15.6",
    "opensuse-tumbleweed": "suse opensuse-tumbleweed-20250801",
    "alpine-3.22": "unknown alpine-3.22.1",
}


def family(file: Path) -> str:
    return subprocess.run([ROOT / "code/setup/family", file], capture_output=True, text=True, check=True).stdout


def test_every_sample_is_looked_at() -> None:
    assert {file.name for file in FILES.iterdir()} == FAMILIES.keys()


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_distribution_has_its_family_or_none(name: str) -> None:
    assert " ".join(family(FILES / name).split()[:2]) == FAMILIES[name]


def test_the_name_is_the_one_that_people_know() -> None:
    assert family(FILES / "ubuntu-24.04").split(maxsplit=3)[3] == "Ubuntu 24.04.3 LTS\n"


def test_a_stranger_is_unknown_and_said_by_name(tmp_path: Path) -> None:
    """Nothing is guessed from another distribution."""
    file = tmp_path / "os-release"
    file.write_text("ID=own\n")
    assert family(file).split()[:2] == ["unknown", "own-"] and family(file).endswith(" own\n")
