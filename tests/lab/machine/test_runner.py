"""The carried QEMU's folder; that it runs a machine is for tests/machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from lab.files.store import sha256
from lab.machine import elf, runner
from lab.machine.contents import Wanted
from lab.machine.runner import Runner, RunnerError
from lab.supply.lock import LockError

WANTED = Wanted((), ("usr/bin/qemu-system-x86_64",), (), ("usr/share/*.bin",), (), ())

TABLE = """
packages = []
programs = ["usr/bin/qemu-system-x86_64"]
plugins = []
files = ["usr/share/*.bin"]
libraries = []
modules = []
"""


@pytest.fixture
def packages(tmp_path: Path) -> list[Path]:
    """Two packages of this computer's own files: a program of QEMU's name that says what it is called, its library
    and its loader by links as Debian has them."""
    root, loader = tmp_path / "one", elf.loader(Path("/"), "bin/echo")
    libraries = root / "lib/x86_64-linux-gnu"
    for folder in (root / "DEBIAN", root / "usr/bin", libraries, root / Path(loader).parent, root / "usr/share"):
        folder.mkdir(parents=True, exist_ok=True)
    (root / "DEBIAN/control").write_text("Package: a\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: b\n")
    shutil.copy("/bin/echo", root / "usr/bin/qemu-system-x86_64")
    shutil.copy(elf.inside(Path("/"), elf.library(Path("/"), "libc.so.6")), libraries / "libc-2.so")
    shutil.copy(elf.inside(Path("/"), loader), libraries / "ld-2.so")
    (libraries / "libc.so.6").symlink_to("/lib/x86_64-linux-gnu/libc-2.so")
    (root / loader).symlink_to("/lib/x86_64-linux-gnu/ld-2.so")
    (root / "usr/share/bios.bin").write_bytes(b"bios")
    (root / "usr/share/readme").write_bytes(b"not taken")
    subprocess.run(["dpkg-deb", "--build", root, tmp_path / "one.deb"], check=True, stdout=subprocess.DEVNULL)
    return [tmp_path / "one.deb"]


@pytest.fixture
def laid(packages: list[Path], tmp_path: Path) -> Runner:
    folder = tmp_path / "a:b $ORIGIN;c"  # what a loader would take for several paths
    folder.mkdir()
    runner.lay_out(packages, WANTED, folder)
    return Runner(folder)


def test_one_folder_holds_what_is_wanted_and_nothing_else(laid: Runner) -> None:
    assert {each.name for each in laid.folder.iterdir()} == {"bios.bin", "ld.so", "libc.so.6", "qemu-system-x86_64"}


def test_it_starts_by_its_own_loader_and_libraries(laid: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/nowhere/host.so")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    command = [*laid.command(["one", "two words"])]
    done = subprocess.run(command, cwd=laid.folder, env=laid.environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("-L . one two words\n", "")
    (laid.folder / "libc.so.6").write_bytes(b"damaged")
    assert subprocess.run(command, cwd=laid.folder, env=laid.environment, capture_output=True, check=False).returncode


def test_a_qemu_that_does_not_start_is_one_sentence(laid: Runner) -> None:
    (laid.folder / "libc.so.6").write_bytes(b"damaged")
    with pytest.raises(RunnerError, match=r"QEMU does not start: .*libc\.so\.6"):
        laid.version()
    (laid.folder / "ld.so").unlink()
    with pytest.raises(RunnerError, match=r"ld\.so: QEMU does not start"):
        laid.version()


def test_it_is_laid_out_once_and_again_where_it_is_damaged(
    packages: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package,), cache, told = packages, tmp_path / "cache", list[str]()
    line = f"aa 1 all pool/a/aa.deb {sha256(package)} {package.stat().st_size}"
    (tmp_path / "packages.lock").write_text(f"date 20261121T000000Z\n[runner amd64]\n{line}\n")
    (tmp_path / "runner.toml").write_text(TABLE)
    (cache / "packages").mkdir(parents=True)
    package.rename(cache / "packages" / f"{sha256(package)}.deb")
    monkeypatch.setattr("lab.machine.runner.section", lambda: "runner amd64")
    laid = runner.carried(tmp_path, cache, told.append)
    assert runner.carried(tmp_path, cache, pytest.fail) == laid
    (laid.folder / "bios.bin").write_bytes(b"other")
    assert runner.carried(tmp_path, cache, told.append) == laid
    assert (laid.folder / "bios.bin").read_bytes() == b"bios"
    assert told == [
        "laying out the carried QEMU",
        f"{laid.folder}: bios.bin is not what was written: laying it out again",
    ]


def test_an_architecture_without_a_runner_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "packages.lock").write_text("date 20261121T000000Z\n[guest]\n[runner amd64]\n[runner arm64]\n")
    monkeypatch.setattr("lab.machine.runner.section", lambda: "runner riscv64")
    with pytest.raises(LockError, match="no packages for runner riscv64, only for guest, runner amd64, runner arm64"):
        runner.carried(tmp_path, tmp_path / "cache", pytest.fail)


def test_a_host_is_known_by_debian_s_name() -> None:
    names = [runner.architecture(name) for name in ("x86_64", "aarch64", "riscv64")]
    assert names == ["amd64", "arm64", "riscv64"]
