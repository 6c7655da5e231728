"""The bundled QEMU and the Python of the lock, where there is nothing else."""

import json
import subprocess
import sysconfig
from pathlib import Path

import pytest

from lab.machine import qemu
from lab.machine.runner import LOADER, Runner, bundled
from lab.places import CACHE, MACHINE, ROOT

RAM = (
    "-object", f"memory-backend-ram,id=memory,size={qemu.MEMORY_BYTES}",
    "-object", f"memory-backend-ram,id=mailbox,size={qemu.MAILBOX_BYTES}",
)  # fmt: skip
WIRES = ("-netdev", "hubport,hubid=0,id=link", "-netdev", "hubport,hubid=1,id=side")
WORDS = ("qmp_capabilities", "query-status", "quit")
PROBE = """
import bz2, ctypes, lzma, sqlite3, ssl, sys, venv, zlib
import numpy, zstandard
maps = [line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps") if ".so" in line]
print(sys.version_info[:2], sys.executable, sys.prefix, *sorted(maps), sep="\\n")
"""


@pytest.fixture(scope="module")
def runner() -> Runner:
    return bundled(MACHINE, CACHE, print)


def in_an_empty_root(runner: Runner, arguments: list[str], said: str) -> subprocess.CompletedProcess[str]:
    """Run it where only its folder is visible, as an unprivileged user, without a network."""
    command = runner.command(arguments)
    command[0] = f"/carried/{LOADER}"
    variables = [
        word for name in ("QEMU_MODULE_DIR", "LC_ALL") for word in ("--setenv", name, runner.environment[name])
    ]
    empty = ["bwrap", "--unshare-all", "--die-with-parent", "--uid", "65534", "--clearenv", *variables]
    empty += ["--ro-bind", str(runner.folder), "/carried", "--proc", "/proc", "--dev", "/dev", "--chdir", "/carried"]
    return subprocess.run([*empty, *command], input=said, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.usefixtures("users_namespaces")
def test_vm_starts_without_files_of_the_host(runner: Runner) -> None:
    said = "".join(json.dumps({"execute": word}) + "\n" for word in WORDS)
    done = in_an_empty_root(runner, [*WIRES, *qemu.MACHINE, *RAM, "-S", "-qmp", "stdio"], said)
    assert done.returncode == 0
    assert all("not connected to host network" in line for line in done.stderr.splitlines()), done.stderr
    assert '"status": "prelaunch"' in done.stdout


def test_qemu_loads_no_library_of_the_host(runner: Runner) -> None:
    with qemu.Process(runner, [*WIRES, *qemu.MACHINE, *RAM, "-S"], [], 60) as process:
        maps = Path(f"/proc/{process.popen.pid}/maps").read_text().splitlines()
    loaded = {Path(line.split(maxsplit=5)[5]) for line in maps if ".so" in line}
    assert {file.parent for file in loaded} == {runner.folder.resolve()}
    assert "accel-tcg-x86_64.so" in {file.name for file in loaded}


@pytest.fixture(scope="module")
def program() -> Path:
    made = subprocess.run([ROOT / "code/setup/carry"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return Path(made.strip())


def test_python_runs_the_packages_without_libraries_of_the_host(program: Path) -> None:
    """Libraries come from the bundle, or from the packages."""
    packages = sysconfig.get_path("purelib")
    environment = {"PYTHONPATH": packages, "PATH": "/usr/bin:/bin"}
    said = subprocess.run([program, "-c", PROBE], env=environment, capture_output=True, text=True, check=True).stdout
    version, executable, prefix, *loaded = said.splitlines()
    assert (version, executable, prefix) == ("(3, 11)", str(program), str(program.parents[1]))
    of_host = [path for path in loaded if not path.startswith((str(program.parents[2]), packages))]
    assert loaded and not of_host


def test_python_makes_a_venv_with_pip(program: Path, tmp_path: Path) -> None:
    subprocess.run([program, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    said = subprocess.run([python, "-m", "pip", "--version"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path / "venv") in said
    prefix = [str(python), "-c", "import sys; print(sys.executable, sys.prefix != sys.base_prefix)"]
    assert subprocess.run(prefix, capture_output=True, text=True, check=True).stdout == f"{python} True\n"
