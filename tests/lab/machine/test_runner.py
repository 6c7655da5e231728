"""The bundled QEMU's folder; tests/machine runs VMs with it."""

import subprocess
import tarfile
from pathlib import Path

import pytest
from tests.lab.supply import debs
from tests.lab.supply.debs import member

from lab.errors import SiteError
from lab.files.store import sha256
from lab.machine import contents, runner
from lab.machine.contents import Wanted
from lab.machine.runner import Runner, RunnerError

WANTED = Wanted((), ("usr/bin/qemu-system-x86_64",), (), ("usr/share/*.bin",), (), ())
TABLE = """
packages = []
programs = ["usr/bin/qemu-system-x86_64"]
plugins = []
files = ["usr/share/*.bin"]
libraries = []
modules = []
"""
HOST = Path("/")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of this host's files: echo under QEMU's name, its library and its loader by links as in Debian."""
    loader, folder = contents.loader(HOST, "bin/echo"), "/lib/x86_64-linux-gnu"
    libc = contents.inside(HOST, contents.library(HOST, "libc.so.6"))
    members = [
        member("./usr/bin/qemu-system-x86_64", Path("/bin/echo").read_bytes(), mode=0o755),
        member(f".{folder}/libc-2.so", libc.read_bytes(), mode=0o755),
        member(f".{folder}/ld-2.so", contents.inside(HOST, loader).read_bytes(), mode=0o755),
        member(f".{folder}/libc.so.6", kind=tarfile.SYMTYPE, link=f"{folder}/libc-2.so"),
        member(f"./{loader}", kind=tarfile.SYMTYPE, link=f"{folder}/ld-2.so"),
        member("./usr/share/bios.bin", b"bios"),
        member("./usr/share/readme", b"not wanted"),
    ]
    return debs.package(tmp_path / "one.deb", debs.tar(*members))


@pytest.fixture
def qemu(package: Path, tmp_path: Path) -> Runner:
    folder = tmp_path / "a:b $ORIGIN;c"  # a loader would split it into several paths
    folder.mkdir()
    runner.unpack([package], WANTED, folder)
    return Runner(folder)


def test_it_starts_by_its_own_loader_and_libraries(qemu: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {file.name for file in qemu.folder.iterdir()} == {"bios.bin", "ld.so", "libc.so.6", "qemu-system-x86_64"}
    monkeypatch.setenv("LD_PRELOAD", "/nowhere/host.so")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    command = qemu.command(["one", "two words"])
    done = subprocess.run(command, cwd=qemu.folder, env=qemu.environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("-L . one two words\n", "")


def test_a_qemu_that_does_not_start_is_one_sentence(qemu: Runner) -> None:
    (qemu.folder / "libc.so.6").write_bytes(b"damaged")
    with pytest.raises(RunnerError, match=r"QEMU does not start: .*libc\.so\.6"):
        qemu.version()
    (qemu.folder / "ld.so").unlink()
    with pytest.raises(RunnerError, match=r"ld\.so: QEMU does not start"):
        qemu.version()


def test_it_is_unpacked_once_and_again_if_it_is_damaged(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, lines = tmp_path / "cache", list[str]()
    locked = f"aa 1 all pool/a/aa.deb {sha256(package)} {package.stat().st_size}"
    (tmp_path / "packages.lock").write_text(f"date 20261121T000000Z\n[runner amd64]\n{locked}\n")
    (tmp_path / "runner.toml").write_text(TABLE)
    (cache / "packages").mkdir(parents=True)
    package.rename(cache / "packages" / f"{sha256(package)}.deb")
    monkeypatch.setattr("lab.machine.runner.architecture", lambda: "amd64")
    qemu = runner.bundled(tmp_path, cache, lines.append)
    assert runner.bundled(tmp_path, cache, pytest.fail) == qemu
    (qemu.folder / "bios.bin").write_bytes(b"other")
    assert runner.bundled(tmp_path, cache, lines.append) == qemu
    assert (qemu.folder / "bios.bin").read_bytes() == b"bios"
    doing = "unpacking the bundled QEMU"
    assert lines == [f"{doing} (once)", f"{qemu.folder}: bios.bin is not what was written: {doing} again"]


def test_an_architecture_without_a_runner_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [runner.architecture(name) for name in ("x86_64", "aarch64", "riscv64")] == ["amd64", "arm64", "riscv64"]
    (tmp_path / "packages.lock").write_text("date 20261121T000000Z\n[guest]\n[runner amd64]\n[runner arm64]\n")
    monkeypatch.setattr("lab.machine.runner.architecture", lambda: "riscv64")
    with pytest.raises(SiteError, match="no packages for runner riscv64, only for guest, runner amd64, runner arm64"):
        runner.bundled(tmp_path, tmp_path / "cache", pytest.fail)
