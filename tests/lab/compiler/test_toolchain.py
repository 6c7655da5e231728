"""The toolchain's tree; that it compiles is for the tests of the sandbox and of the guest."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.compiler import toolchain
from lab.files.store import sha256

TABLE = """
packages = []
programs = []
plugins = []
files = ["{files}"]
libraries = []
modules = []
"""
Lock = Callable[..., str]


@pytest.fixture
def packaged(tmp_path: Path) -> Lock:
    """Makes a package of some files in the store of tmp_path/cache; its line for a lock."""

    def make(name: str, *files: str) -> str:
        root, store = tmp_path / name, tmp_path / "cache" / "packages"
        (root / "DEBIAN").mkdir(parents=True)
        control = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: b\n"
        (root / "DEBIAN/control").write_text(control)
        for file in files:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(file)
        subprocess.run(["dpkg-deb", "--build", root, tmp_path / "a.deb"], check=True, stdout=subprocess.DEVNULL)
        store.mkdir(parents=True, exist_ok=True)
        digest, size = sha256(tmp_path / "a.deb"), (tmp_path / "a.deb").stat().st_size
        (tmp_path / "a.deb").rename(store / f"{digest}.deb")
        return f"{name} 1 all pool/a/{name}.deb {digest} {size}\n"

    return make


@pytest.fixture
def machine(tmp_path: Path, packaged: Lock, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock of one package for here, and of another for elsewhere."""
    own, more = packaged("own", "bin/tool", "usr/include/a/b.h", "usr/share/readme"), packaged("more", "usr/bin/other")
    (tmp_path / "packages.lock").write_text(
        f"date 20261121T000000Z\n[compiler]\n{own}[kernel]\n{own}[cross arm64]\n{more}"
    )
    (tmp_path / "kernel.toml").write_text(TABLE.format(files="usr/include/**/*.h"))
    (tmp_path / "compiler.toml").write_text(TABLE.format(files='bin/*", "usr/include/**/*.h'))
    (tmp_path / "cross.toml").write_text(TABLE.format(files="usr/bin/*"))
    monkeypatch.setattr(toolchain, "ALTERNATIVES", {"usr/bin/cc": "bin/tool"})
    return tmp_path


def files(tools: toolchain.Toolchain) -> set[str]:
    return {str(each.relative_to(tools.tree)) for each in tools.tree.rglob("*") if each.is_file()}


def test_only_the_wanted_files_are_unpacked_and_all_under_usr(machine: Path, tmp_path: Path) -> None:
    tools = toolchain.unpacked(machine, tmp_path / "cache", lambda _: None)
    assert files(tools) == {"bin/tool", "bin/cc", "include/a/b.h"}
    assert (tools.tree / "bin/cc").read_text() == "bin/tool"


def test_another_section_gives_another_tree_with_more_files(machine: Path, tmp_path: Path) -> None:
    plain = toolchain.unpacked(machine, tmp_path / "cache", lambda _: None)
    cross = toolchain.unpacked(machine, tmp_path / "cache", lambda _: None, "cross arm64")
    assert files(cross) - files(plain) == {"bin/other"} and plain.folder != cross.folder


def test_it_is_unpacked_once_and_again_if_it_is_damaged(machine: Path, tmp_path: Path) -> None:
    cache, told = tmp_path / "cache", list[str]()
    tools = toolchain.unpacked(machine, cache, told.append)
    assert toolchain.unpacked(machine, cache, pytest.fail) == tools
    (tools.tree / "include/a/b.h").write_text("other")
    assert toolchain.unpacked(machine, cache, told.append) == tools
    assert (tools.tree / "include/a/b.h").read_text() == "usr/include/a/b.h"
    (tools.tree / "include/strange.h").touch()
    assert toolchain.unpacked(machine, cache, told.append) == tools and "include/strange.h" not in files(tools)
    assert told == [
        "unpacking the locked compiler",
        f"{tools.folder}: usr/include/a/b.h is not what was written: unpacking the locked compiler again",
        f"{tools.folder}: usr/include/strange.h is not in digests: unpacking the locked compiler again",
    ]
