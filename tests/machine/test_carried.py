"""The carried QEMU where there is nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lab.machine import qemu
from lab.machine.runner import LOADER, Runner, bundled
from lab.places import CACHE, MACHINE

RAM = (
    "-object", f"memory-backend-ram,id=memory,size={qemu.MEMORY_BYTES}",
    "-object", f"memory-backend-ram,id=mailbox,size={qemu.MAILBOX_BYTES}",
)  # fmt: skip
WIRES = ("-netdev", "hubport,hubid=0,id=link", "-netdev", "hubport,hubid=1,id=side")
WORDS = ("qmp_capabilities", "query-status", "quit")


@pytest.fixture(scope="module")
def runner() -> Runner:
    return bundled(MACHINE, CACHE, print)


def in_an_empty_root(runner: Runner, arguments: list[str], said: str) -> subprocess.CompletedProcess[str]:
    """Run it where its folder is all that can be seen, as nobody in particular, without network."""
    command = runner.command(arguments)
    command[0] = f"/carried/{LOADER}"
    variables = [
        word for name in ("QEMU_MODULE_DIR", "LC_ALL") for word in ("--setenv", name, runner.environment[name])
    ]
    empty = ["bwrap", "--unshare-all", "--die-with-parent", "--uid", "65534", "--clearenv", *variables]
    empty += ["--ro-bind", str(runner.folder), "/carried", "--proc", "/proc", "--dev", "/dev", "--chdir", "/carried"]
    return subprocess.run([*empty, *command], input=said, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.usefixtures("users_namespaces")
def test_the_exact_machine_is_made_where_no_file_of_a_host_is(runner: Runner) -> None:
    said = "".join(json.dumps({"execute": word}) + "\n" for word in WORDS)
    done = in_an_empty_root(runner, [*WIRES, *qemu.MACHINE, *RAM, "-S", "-qmp", "stdio"], said)
    assert done.returncode == 0
    assert all("not connected to host network" in line for line in done.stderr.splitlines()), done.stderr
    assert '"status": "prelaunch"' in done.stdout


def test_no_library_of_this_computer_is_loaded(runner: Runner) -> None:
    with qemu.Process(runner, [*WIRES, *qemu.MACHINE, *RAM, "-S"], [], 60) as process:
        maps = Path(f"/proc/{process.popen.pid}/maps").read_text().splitlines()
    loaded = {Path(line.split(maxsplit=5)[5]) for line in maps if ".so" in line}
    assert {file.parent for file in loaded} == {runner.folder.resolve()}
    assert "accel-tcg-x86_64.so" in {file.name for file in loaded}
