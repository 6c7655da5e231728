"""The container's recipes: what they name is there, and they agree on base and packages."""

import json
import re
import subprocess
from functools import partial
from pathlib import Path

import pytest
from tests.setup.test_install import groups

from lab.places import ROOT

FOLDER = ROOT / "code/container"
CONTAINERFILE = (FOLDER / "Containerfile").read_text()
APPTAINER = (FOLDER / "lab.def").read_text()
DATE = re.findall(r"^date (\S+)$", (ROOT / "code/machine/packages.lock").read_text(), re.MULTILINE)[0]
# As Debian's own images have it.
SOURCES = """\
Types: deb
# http://archive.test/archive/debian/20250520T000000Z
URIs: http://mirror.test/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
# http://archive.test/archive/debian-security/20250520T000000Z
URIs: http://mirror.test/debian-security
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""


def sections() -> dict[str, list[str]]:
    """The Apptainer recipe's lines by section."""
    found: dict[str, list[str]] = {"": []}
    for line in APPTAINER.splitlines():
        if line.startswith("%"):
            found[line[1:]] = []
        elif line and not line.startswith("#"):
            list(found.values())[-1].append(line.strip())
    return found


def test_all_recipes_have_one_base_and_the_same_groups() -> None:
    known = {"python", *groups("needs.txt")}
    default = re.findall(r'^ARG GROUPS="(.*)"$', CONTAINERFILE, re.MULTILINE)[0].split()
    assert set(default) == known
    assert f"code/setup/install {' '.join(default)}" in sections()["post"]
    header = dict(line.split(": ") for line in sections()[""])
    assert header == {"Bootstrap": "docker", "From": re.findall(r"^ARG BASE=(\S+)$", CONTAINERFILE, re.MULTILINE)[0]}


def test_the_base_is_pinned_by_its_digest_and_older_than_the_lock() -> None:
    """So that packages are brought up to its date, never down."""
    tag, base = re.findall(r"^# debian:bookworm-(\d+),.*\nARG BASE=(\S+)$", CONTAINERFILE, re.MULTILINE)[0]
    assert re.fullmatch("debian@sha256:[0-9a-f]{64}", base)
    assert tag < DATE


def test_the_development_container_is_a_stage_of_the_containerfile_and_measures_without_tex() -> None:
    folder = ROOT / ".devcontainer"
    written = json.loads((folder / "devcontainer.json").read_text())
    build = written["build"]
    assert (folder / build["dockerfile"]).resolve() == FOLDER / "Containerfile"
    assert (folder / build["context"]).resolve() == ROOT
    assert re.search(rf"^FROM .* AS {build['target']}$", CONTAINERFILE, re.MULTILINE)
    assert f"USER {written['remoteUser']}" in CONTAINERFILE
    assert {"python", *groups("needs.txt")} - set(build["args"]["GROUPS"].split()) == {"report", "tests"}
    assert written["postCreateCommand"] == "make try" and "\ntry:" in (ROOT / "Makefile").read_text()


def as_of(folder: Path, *archive: str) -> subprocess.CompletedProcess[str]:
    command = [FOLDER / "as_of", ROOT / "code/machine/packages.lock", folder, *archive]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


@pytest.fixture
def apt(tmp_path: Path) -> Path:
    for name in ("sources.list.d", "apt.conf.d"):
        (tmp_path / name).mkdir()
    (tmp_path / "sources.list.d/debian.sources").write_text(SOURCES)
    return tmp_path


def uris(apt: Path) -> list[str]:
    return re.findall("^URIs: (.*)$", (apt / "sources.list.d/debian.sources").read_text(), re.MULTILINE)


def test_packages_are_as_of_the_locks_date_from_the_archive_that_the_base_names(apt: Path) -> None:
    assert as_of(apt).returncode == 0
    top = "http://archive.test/archive"
    assert uris(apt) == [f"{top}/debian/{DATE}", f"{top}/debian-security/{DATE}"]
    assert "mirror.test" not in (apt / "sources.list.d/debian.sources").read_text()
    assert (apt / "apt.conf.d/as_of").exists()


def test_an_archive_that_is_named_comes_before_that(apt: Path) -> None:
    (apt / "sources.list").write_text("deb http://mirror.test/debian bookworm main\n")
    assert as_of(apt, "https://own.test/archive").returncode == 0
    top = "https://own.test/archive"
    assert uris(apt) == [f"{top}/debian/{DATE}", f"{top}/debian/{DATE}", f"{top}/debian-security/{DATE}"]
    assert not (apt / "sources.list").exists()


def test_the_image_is_built_by_what_is_there(tmp_path: Path) -> None:
    """By what works, from the checkout's top folder, wherever one is."""
    for name, body in (("podman", "exit 1"), ("docker", 'printf "%s\\n" "$PWD" "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "dirname").symlink_to("/usr/bin/dirname")
    build = partial(subprocess.run, env={"PATH": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True)
    where, *words = build([FOLDER / "build", "--pull"], check=True).stdout.splitlines()
    assert where == str(ROOT)
    assert words == ["build", "--file", "code/container/Containerfile", "--tag", "lab", "--pull", "."]
    (tmp_path / "docker").unlink()
    none = build([FOLDER / "build"], check=False)
    assert none.returncode == 1 and "none of podman, docker and buildah" in none.stderr
