"""What a newer QEMU needs to run the frozen machine: tests.hosts.newer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.hosts.elsewhere import tell
from tests.hosts.newer import QEMU_10, QEMU_11, Newer, Poured

from lab.machine.runner import Runner


@pytest.mark.parametrize("newer", [QEMU_10, QEMU_11], ids=["10", "11"])
def test_the_plugin_compiles_for_the_interface_of_each(newer: Newer, tmp_path: Path) -> None:
    newer.compile(tmp_path / "plugin.so")
    said = subprocess.run(["nm", "-D", tmp_path / "plugin.so"], capture_output=True, text=True, check=True).stdout
    assert " D qemu_plugin_version" in said and " T qemu_plugin_install" in said


def test_what_is_told_is_not_among_what_is_counted(capfd: pytest.CaptureFixture[str]) -> None:
    tell("laying out the carried QEMU")
    assert tuple(capfd.readouterr()) == ("", "laying out the carried QEMU\n")


def test_a_state_comes_whole_through_a_pipe(tmp_path: Path) -> None:
    written = bytes(range(256)) * 1200
    (tmp_path / "state").write_bytes(written)
    machine = Poured(tmp_path, Runner(tmp_path), tmp_path)
    for _ in range(2):
        assert machine.state.is_fifo()
        assert machine.state.read_bytes() == written
