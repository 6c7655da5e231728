"""The toolchain's tree; the tests of the sandbox and of the VM compile with it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.supply.debs import member, package, tar

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
    """A function that puts a package of some files into the store of tmp_path/cache, and returns its line of a lock."""

    def make(name: str, *files: str) -> str:
        file = package(tmp_path / "a.deb", tar(*(member(f"./{path}", path.encode()) for path in files)))
        store, digest, size = tmp_path / "cache" / "packages", sha256(file), file.stat().st_size
        store.mkdir(parents=True, exist_ok=True)
        file.rename(store / f"{digest}.deb")
        return f"{name} 1 all pool/a/{name}.deb {digest} {size}\n"

    return make


@pytest.fixture
def machine(tmp_path: Path, packaged: Lock, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock with one package for this architecture and one for another."""
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
    cross = toolchain.unpacked(machine, tmp_path / "cache", lambda _: None, "cross arm64")
    assert files(cross) - files(tools) == {"bin/other"} and tools.folder != cross.folder
    assert (tools.tree / "bin/cc").read_text() == "bin/tool"


def test_nobody_can_read_the_tree_whatever_the_umask(machine: Path, tmp_path: Path) -> None:
    """Root's sandbox is another user."""
    umask = os.umask(0o077)
    try:
        tools = toolchain.unpacked(machine, tmp_path / "cache", lambda _: None)
    finally:
        os.umask(umask)
    assert {each.stat().st_mode & 0o555 for each in (tools.folder, *tools.folder.rglob("*/"))} == {0o555}


def test_it_is_unpacked_once_and_again_if_it_is_damaged(machine: Path, tmp_path: Path) -> None:
    cache, lines = tmp_path / "cache", list[str]()
    tools = toolchain.unpacked(machine, cache, lines.append)
    assert toolchain.unpacked(machine, cache, pytest.fail) == tools
    (tools.tree / "include/a/b.h").write_text("other")
    assert toolchain.unpacked(machine, cache, lines.append) == tools
    assert (tools.tree / "include/a/b.h").read_text() == "usr/include/a/b.h"
    (tools.tree / "include/strange.h").touch()
    assert toolchain.unpacked(machine, cache, lines.append) == tools and "include/strange.h" not in files(tools)
    assert lines == [
        "unpacking the locked compiler (once)",
        f"{tools.folder}: usr/include/a/b.h is not what was written: unpacking the locked compiler again",
        f"{tools.folder}: usr/include/strange.h is not in digests: unpacking the locked compiler again",
    ]
