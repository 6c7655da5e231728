"""The libraries and modules that files need, read from the files."""

import shutil
from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.machine import contents


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with a program of this host and its C library, linked as packages link theirs: absolutely."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib/x86_64-linux-gnu").mkdir(parents=True)
    shutil.copy("/bin/true", tmp_path / "bin/true")
    shutil.copy("/lib/x86_64-linux-gnu/libc.so.6", tmp_path / "lib/x86_64-linux-gnu/libc-2.so")
    (tmp_path / "lib/x86_64-linux-gnu/libc.so.6").symlink_to("/lib/x86_64-linux-gnu/libc-2.so")
    return tmp_path


def test_libraries_are_found_in_the_tree_and_not_on_the_host(root: Path) -> None:
    assert contents.libraries(root, ["bin/true"]) == {"lib/x86_64-linux-gnu/libc.so.6"}
    assert contents.loader(root, "bin/true").startswith("lib64/ld-linux")
    assert contents.inside(root, "lib/x86_64-linux-gnu/libc.so.6") == root / "lib/x86_64-linux-gnu/libc-2.so"
    (root / "lib/x86_64-linux-gnu/libc.so.6").unlink()
    with pytest.raises(SiteError, match=r"libc\.so\.6.*image\.toml"):
        contents.libraries(root, ["bin/true"])


def test_links_in_a_circle_are_an_error(root: Path) -> None:
    (root / "bin/a").symlink_to("b")
    (root / "bin/b").symlink_to("a")
    with pytest.raises(SiteError, match="/bin/a"):
        contents.inside(root, "bin/a")


def test_modules_come_once_and_after_their_dependencies(tmp_path: Path) -> None:
    folder = tmp_path / "lib/modules/6.1/kernel"
    folder.mkdir(parents=True)
    depends = {"ib_core": "", "udp-tunnel": "", "rdma_rxe": "ib_core,udp_tunnel", "ib_uverbs": "ib_core"}
    for name, names in depends.items():
        (folder / f"{name}.ko").write_bytes(f"\0license=GPL\0depends={names}\0".encode())
    order = [Path(path).stem for path in contents.modules(tmp_path, ["rdma_rxe", "ib-uverbs"])]
    assert order == ["ib_core", "udp-tunnel", "rdma_rxe", "ib_uverbs"]
    with pytest.raises(SiteError, match="no module nfit"):
        contents.modules(tmp_path, ["nfit"])
