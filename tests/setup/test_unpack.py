"""Services for the tests, unpacked and never installed: code/setup/unpack."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.lab.supply.debs import member, package, tar
from tests.setup.setup_tree import Tree, tree

TOOLS = ("cp", "dpkg-deb", "echo", "flock", "mkdir", "mktemp", "mv", "rm", "sha256sum", "tar", "xargs")
FILES = {
    "./usr/bin/daemon": b"a program",
    "./usr/lib/x86_64-linux-gnu/liba.so": b"a library",
    "./lib/x86_64-linux-gnu/libb.so": b"another",  # as some of Debian's packages have it
}


@pytest.fixture
def computer(tmp_path: Path) -> Tree:
    """One whose apt gives one package for all that are asked for."""
    made = tree(tmp_path)
    for each in TOOLS:
        (tmp_path / "bin" / each).symlink_to(shutil.which(each) or "missing")
    content = tar(*(member(name, data) for name, data in FILES.items()))
    package(tmp_path / "given.deb", content, "data.tar")
    simulated = "echo Inst needed"
    made.command("apt-get", f'case $* in *simulate*) {simulated};; download*) cp "{tmp_path}/given.deb" .;; esac')
    return made


def test_all_libraries_are_in_the_one_folder_where_programs_look(computer: Tree) -> None:
    done = computer.run("unpack")
    assert done.returncode == 0, done.stderr
    daemons = computer.folder / ".cache/daemons"
    libraries = daemons / "usr/lib/x86_64-linux-gnu"
    found = {file.name: file.read_bytes() for file in libraries.iterdir()}
    assert found == {"liba.so": b"a library", "libb.so": b"another"}
    assert not (daemons / "lib").exists()


def test_what_is_there_is_not_fetched_again(computer: Tree) -> None:
    assert computer.run("unpack").returncode == 0
    asked = len(computer.calls("apt-get"))
    assert computer.run("unpack").returncode == 0 and len(computer.calls("apt-get")) == asked


def test_browser_has_its_data_beside_it_where_chromium_is_installed(computer: Tree) -> None:
    """Where a package is installed, apt does not list it; the browser reads its data from its program's folder only."""
    content = tar(member("./usr/lib/chromium/icudtl.dat", b"data"))
    package(computer.folder / "chromium-common.deb", content, "data.tar")
    installed = f'*simulate*) ;; *chromium-common*) cp "{computer.folder}"/*.deb . ;;'
    computer.command("apt-get", f'case $* in {installed} download*) cp "{computer.folder}/given.deb" . ;; esac')
    done = computer.run("unpack")
    assert done.returncode == 0, done.stderr
    assert (computer.folder / ".cache/daemons/usr/lib/chromium/icudtl.dat").read_bytes() == b"data"
